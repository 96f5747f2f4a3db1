import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { CONFIRMATION_MINUTES, confirmationToken, readConfirmation } from '../../../api/mcp/confirmation.ts';
import { createVault } from '../../../domain/projects/crypto.ts';

const SECRET = randomBytes(32);
const vault = createVault(SECRET);
const KEY = { projectId: 'p', keyId: 'k' };
const MADE = new Date('2026-06-01T12:00:00Z');
const CONTENT = { subject: 'News', people: ['a', 'b'] };
const after = (minutes: number): Date => new Date(MADE.getTime() + minutes * 60_000);
const tokenFor = (content: unknown, by = vault, id = '1'): string =>
  confirmationToken(by, KEY, { act: 'launch_campaign', content, count: 2, version: 3 }, { now: MADE, id });
const read = (token: string, now = after(1)) => readConfirmation(vault, KEY, 'launch_campaign', token, now);

test('a token holds until its time is over', () => {
  const token = tokenFor(CONTENT);
  expect(read(token, after(CONFIRMATION_MINUTES - 0.01))).toMatchObject({ count: 2, version: 3 });
  expect(() => read(token, after(CONFIRMATION_MINUTES))).toThrow('older than 10 minutes');
});

test('a token holds for what was read back, in whatever order its members come', () => {
  const confirmed = read(tokenFor(CONTENT));
  expect(() => confirmed.demandSame({ people: ['a', 'b'], subject: 'News' })).not.toThrow();
  for (const other of [
    { ...CONTENT, subject: 'Other' },
    { ...CONTENT, people: ['b', 'a'] },
    { ...CONTENT, further: 1 },
  ])
    expect(() => confirmed.demandSame(other)).toThrow('not what was read back');
});

test('nobody makes a token without the secret of the server, and one is nobody else’s', () => {
  const token = tokenFor(CONTENT);
  const [text, signature] = token.split('.') as [string, string];
  const forged = Buffer.from(text, 'base64url').toString().replace('"count":2', '"count":9');
  expect(() => read(`${Buffer.from(forged).toString('base64url')}.${signature}`)).toThrow('no confirmation token');
  expect(() => read(tokenFor(CONTENT, createVault(randomBytes(32))))).toThrow('no confirmation token');
  for (const nothing of ['', '.', 'x', `${text}.`, `${token}.z`]) expect(() => read(nothing)).toThrow('no confirmation token');
  for (const other of [
    { ...KEY, keyId: 'other' },
    { ...KEY, projectId: 'other' },
  ])
    expect(() => readConfirmation(vault, other, 'launch_campaign', token, after(1))).toThrow('another key');
  expect(() => readConfirmation(vault, KEY, 'send_to_several', token, after(1))).toThrow('for launch_campaign');
  // A SECRET_KEY that was changed a minute ago still vouches for it.
  expect(readConfirmation(createVault(randomBytes(32), [SECRET]), KEY, 'launch_campaign', token, after(1)).count).toBe(2);
});

test('one token is one act, and two of the same content are two', () => {
  const token = tokenFor(CONTENT);
  expect(read(token).idempotencyKey).toBe(read(token).idempotencyKey);
  expect(read(token).idempotencyKey).toMatch(/^[\x21-\x7e]{1,200}$/);
  expect(read(tokenFor(CONTENT, vault, '2')).idempotencyKey).not.toBe(read(token).idempotencyKey);
});
