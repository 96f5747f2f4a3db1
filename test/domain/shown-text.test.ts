import { expect, test } from '@jest/globals';
import { shownWords } from '../../domain/shown-text.ts';

test.each([
  ['mail ann@secret.test', 'mail …@…'],
  ['for "Ann" <ann@secret.test>, and mailto:bob@secret.test!', 'for "Ann" …@… and …@…'],
  ['a@b@c', '…@…'],
  ['sale @ noon', 'sale @ noon'],
  ['@home', '@home'],
  ['Spring news', 'Spring news'],
  ['', ''],
])('in %p no address is left: %p', (text, shown) => {
  expect(shownWords(text)).toBe(shown);
});

test('words for operators stand on one line, and are at most 80 characters', () => {
  expect(shownWords('two\nlines\t of it')).toBe('two lines of it');
  expect(shownWords('語'.repeat(80))).toBe('語'.repeat(80));
  expect(shownWords('語'.repeat(81))).toBe(`${'語'.repeat(79)}…`);
  expect(shownWords('😀'.repeat(1_000))).toBe(`${'😀'.repeat(79)}…`);
});
