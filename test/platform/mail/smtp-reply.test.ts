import { expect, test } from 'vitest';
import { ReplyReader, replyText, type SmtpReply } from '../../../platform/mail/smtp-reply.ts';

function repliesIn(pieces: readonly string[]): SmtpReply[] {
  const reader = new ReplyReader();
  const replies: SmtpReply[] = [];
  for (const piece of pieces) {
    reader.push(piece);
    for (let reply = reader.next(); reply; reply = reader.next()) replies.push(reply);
  }
  return replies;
}

const FOUR = '250-first\r\n250 2.1.0 ok\r\n550-5.1.1 no\r\n550-5.1.1 such\r\n550 5.1.1 user\r\n354\r\n250 queued\r\n';

test('replies are the same however the octets are cut into packets', () => {
  const whole = repliesIn([FOUR]);
  expect(whole.map(({ code }) => code)).toEqual([250, 550, 354, 250]);
  expect(whole.map(replyText)).toEqual(['250-first 250 2.1.0 ok', '550-5.1.1 no 550-5.1.1 such 550 5.1.1 user', '354', '250 queued']);
  expect(repliesIn([...FOUR])).toEqual(whole);
  for (let at = 1; at < FOUR.length; at++) expect(repliesIn([FOUR.slice(0, at), FOUR.slice(at)])).toEqual(whole);
});

test.each<[string, string, number]>([
  ['no text and no space after the code', '250\r\n', 250],
  ['no space after the code', '250ok\r\n', 250],
  ['a line that ends with LF alone', '354 go\n', 354],
  ['an empty line before it', '\r\n \r\n221 bye\r\n', 221],
  ['a last line with another code', '250-a\r\n550 b\r\n', 550],
  ['four digits', '2500 ok\r\n', 0],
  ['a code below 200', '150 wait\r\n', 0],
  ['a code above 599', '650 ok\r\n', 0],
  ['two digits', '25 ok\r\n', 0],
  ['no code', 'hello there\r\n', 0],
  ['a line without a code in the middle', '250-a\r\nhello\r\n250 b\r\n', 0],
  ['an empty line in the middle', '250-a\r\n\r\n250 b\r\n', 0],
])('a reply with %s', (_, octets, code) => {
  expect(repliesIn([octets])[0]?.code).toBe(code);
});

test('a reply that is not complete is none, and is seen to be there', () => {
  const reader = new ReplyReader();
  expect(reader.isEmpty).toBe(true);
  reader.push('250-a\r\n250 b');
  expect([reader.next(), reader.isEmpty]).toEqual([undefined, false]);
  reader.push('\r\n');
  expect([reader.next()?.code, reader.isEmpty]).toEqual([250, true]);
});

test.each(['250-and so on\r\n', 'a'])('a reply that never ends (%j again and again) is not kept in memory', (piece) => {
  const pieces = Array.from({ length: 100_000 }, () => piece);
  expect(repliesIn(pieces)[0]?.code).toBe(0);
  expect(repliesIn([pieces.join('')])[0]?.code).toBe(0);
});

test('what a server says reads as it was meant, in one line of bounded length', () => {
  const octets = Buffer.from('550 5.1.1 Empfänger\tunbekannt\r\n').toString('latin1');
  expect(replyText({ code: 550, text: octets })).toBe('550 5.1.1 Empfänger unbekannt');
  expect(replyText({ code: 550, text: '550 caf\xe9' })).toBe('550 café');
  expect(replyText({ code: 550, text: `550 ${'x'.repeat(5000)}` })).toHaveLength(300);
});
