import { expect, test } from 'vitest';
import { providerKey } from '../../../domain/sends/provider-key.ts';

const PROJECT = '01a20e90-4553-7455-a603-c022ccad1292';

test('the key goes to the provider as it is, with its project', () => {
  expect(providerKey(PROJECT, 'reset-81c2')).toBe(`${PROJECT}:reset-81c2`);
});

test.each([
  ['a line break', 'a\r\nx-header: 1'],
  ['letters beyond ASCII', 'schlüssel'],
  ['spaces', 'two words'],
])('a key with %s, which no header takes, goes as a hash that is its own', (_, key) => {
  expect(providerKey(PROJECT, key)).toMatch(/^[0-9a-f]{64}$/);
  expect(providerKey(PROJECT, `${key}!`)).not.toBe(providerKey(PROJECT, key));
});

test('the longest key is within what a provider takes', () => {
  expect(providerKey(PROJECT, 'k'.repeat(200))).toHaveLength(237);
});
