import { expect, test } from '@jest/globals';
import { withoutAddresses } from '../../domain/without-addresses.ts';

test.each([
  ['mail ann@secret.test', 'mail …@…'],
  ['for "Ann" <ann@secret.test>, and mailto:bob@secret.test!', 'for "Ann" …@… and …@…'],
  ['a@b@c', '…@…'],
  ['sale @ noon', 'sale @ noon'],
  ['@home', '@home'],
  ['Spring news', 'Spring news'],
  ['', ''],
])('in %p no address is left: %p', (text, shown) => {
  expect(withoutAddresses(text)).toBe(shown);
});
