import { expect, test } from 'vitest';
import { shownAddress, shownReply, shownWords } from '../../domain/shown-text.ts';

test.each([
  ['mail ann@secret.test', 'mail …@…'],
  ['for "Ann" <ann@secret.test>, and mailto:bob@secret.test!', 'for "Ann" …@… and …@…'],
  ['a@b@c', '…@…'],
  ['sale @ noon', 'sale @ noon'],
  ['@home', '@home'],
  ['Spring news', 'Spring news'],
  ['', ''],
])('in %j no address is left: %j', (text, shown) => {
  expect(shownWords(text)).toBe(shown);
});

test.each([
  ['550 ann.lee: no such user', 'ann.lee@secret.test', '550 ….…: no such user'],
  ["452 Ann Lee's mailbox is full", 'ann.lee@secret.test', "452 … …'s mailbox is full"],
  ['550 ANNLEE is unknown', 'ann-lee@secret.test', '550 … is unknown'],
  ['550 <ann.lee@secret.test> is gone', 'ann.lee@secret.test', '550 …@… is gone'],
  ['551 4.2.2 for 07911123456', '07911123456@secret.test', '551 4.2.2 for …'],
  ['451 …-8524342212 is busy', 'ann-8524342212@secret.test', '451 …-… is busy'],
  ['550 annually too many', 'ann@secret.test', '550 annually too many'],
  ['550 5.1.1 this is a refusal', 'a.1@secret.test', '550 5.1.1 this is a refusal'],
  ['550 Łukasz is unknown', 'łukasz@secret.test', '550 … is unknown'],
  ['421 too busy', '', '421 too busy'],
])('of the reply %j about %j operators are shown %j', (reply, recipient, shown) => {
  expect(shownReply(reply, recipient)).toBe(shown);
});

test('words for operators stand on one line, and are at most 80 characters', () => {
  expect(shownWords('two\nlines\t of it')).toBe('two lines of it');
  expect(shownWords('語'.repeat(80))).toBe('語'.repeat(80));
  expect(shownWords('語'.repeat(81))).toBe(`${'語'.repeat(79)}…`);
  expect(shownWords('😀'.repeat(1_000))).toBe(`${'😀'.repeat(79)}…`);
});

test.each([
  ['https://crm.test/hooks/customer-onboarding-finished', '/hooks/customer-onboarding-finished'],
  ['https://crm.test:8443/in?key=secret#part', '/in'],
  ['https://crm.test', '/'],
  ['https://crm.test/{{ contact.id }}/of {{ event.plan | append: "?" }}/end', '/…/of …/end'],
  ['https://hooks.test/services/T01/B01/x8Kq2mZ7pLw4RtY9vBn3cD5f', '/services/T01/B01/…'],
  ['https://crm.test/ann@secret.test/%ff', '…@…'],
  [`https://crm.test/${'a'.repeat(2_000)}`, `/${'a'.repeat(78)}…`],
])('of %j operators see the path %j, with neither query nor token nor what Liquid puts in', (url, path) => {
  expect(shownAddress(url)).toEqual({ host: new URL(url.split('{')[0]!).host, path });
});
