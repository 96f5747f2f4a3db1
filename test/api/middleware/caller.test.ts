import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { callingAddress, requestIdOf } from '../../../api/middleware/caller.ts';
import { readConfig } from '../../../platform/config.ts';
import { ConfigError } from '../../../platform/config-error.ts';

function request(remoteAddress: string, headers: Readonly<Record<string, string>> = {}): IncomingMessage {
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage;
}

const trusting = (setting: string) => readConfig({ TRUST_PROXY: setting }).trustedProxies;
const from = (remote: string, forwarded: string, setting: string) =>
  callingAddress(request(remote, { 'x-forwarded-for': forwarded }), trusting(setting));

describe('the calling address', () => {
  test('is the socket, whatever the headers claim, while no proxy is trusted', () => {
    expect(callingAddress(request('192.0.2.9', { 'x-forwarded-for': '203.0.113.5' }), undefined)).toBe('192.0.2.9');
    expect(from('192.0.2.9', '203.0.113.5', '0')).toBe('192.0.2.9');
    expect(callingAddress(request('::ffff:192.0.2.9'), undefined)).toBe('192.0.2.9');
  });

  test('is the right-most entry that is not a trusted proxy', () => {
    expect(from('10.0.0.1', '1.1.1.1, 203.0.113.5', '1')).toBe('203.0.113.5');
    expect(from('10.0.0.1', '1.1.1.1, 203.0.113.5, 10.0.0.7', '1')).toBe('203.0.113.5');
    expect(from('192.0.2.7', '6.6.6.6,203.0.113.5', '192.0.2.7')).toBe('203.0.113.5');
    expect(from('::1', '2001:db8::5', '1')).toBe('2001:db8::5');
  });

  test('is the socket when the request did not come through a trusted proxy', () => {
    expect(from('198.51.100.4', '203.0.113.5', '1')).toBe('198.51.100.4');
    expect(from('10.0.0.1', '203.0.113.5', '192.0.2.0/24')).toBe('10.0.0.1');
  });

  test('stops at an entry that is no address: what stands left of it is a claim', () => {
    expect(from('10.0.0.1', '203.0.113.5, unknown', '1')).toBe('10.0.0.1');
    expect(from('10.0.0.1', '203.0.113.5, nonsense, 10.0.0.7', '1')).toBe('10.0.0.7');
    expect(from('10.0.0.1', '', '1')).toBe('10.0.0.1');
  });

  test('is the left-most entry when all are trusted', () => {
    expect(from('10.0.0.1', '10.0.0.3, 10.0.0.2', '1')).toBe('10.0.0.3');
  });

  test('TRUST_PROXY takes addresses and ranges, and says what it should be', () => {
    expect(trusting('10.0.0.0/8, 192.0.2.7')).toEqual(['10.0.0.0/8', '192.0.2.7/32']);
    expect(() => trusting('proxy.internal')).toThrow(ConfigError);
    expect(() => trusting('10.0.0.0/99')).toThrow(/TRUST_PROXY/);
  });
});

test("the request id is the caller's when it is a plain one of at most 64 characters, else a new one", () => {
  const idOf = (given: string) => requestIdOf(request('192.0.2.1', { 'x-request-id': given }));
  expect(idOf('abc.DEF_1-2')).toBe('abc.DEF_1-2');
  expect(idOf('a'.repeat(64))).toBe('a'.repeat(64));
  for (const bad of ['', 'a'.repeat(65), 'a b', 'a/b', 'é', 'a\tb']) expect(idOf(bad)).toMatch(/^[0-9a-f-]{36}$/);
});
