import { expect, test } from 'vitest';
import { readConfig } from '../../platform/config.ts';
import { readTlsFiles } from '../../smtp/tls-files.ts';

const FILES = { SMTP_TLS_CERT: '/tls/cert.pem', SMTP_TLS_KEY: '/tls/key.pem' };

test.each([
  [{ SMTP_PORT: 'smtp' }, /^SMTP_PORT is "smtp"; it should be a whole number from 0 to 65535/],
  [{ SMTP_TLS_CERT: '/tls/cert.pem' }, /^SMTP_TLS_CERT is set and SMTP_TLS_KEY is not/],
  [{ SMTP_TLS_KEY: '/tls/key.pem' }, /^SMTP_TLS_KEY is set and SMTP_TLS_CERT is not/],
  [{ SMTP_TLS: 'ssl' }, /^SMTP_TLS is "ssl"; it should be one of starttls, implicit/],
  [{ SMTP_TLS: 'implicit' }, /^SMTP_TLS is "implicit"; SMTP_TLS_CERT and SMTP_TLS_KEY should be set/],
  [{ SMTP_HOST: '0.0.0.0' }, /^SMTP_HOST is "0\.0\.0\.0", where nobody may log in without TLS/],
  [{ SMTP_CONNECTIONS: '0' }, /^SMTP_CONNECTIONS is "0"; it should be a whole number from 1 to 10000/],
  [{ SMTP_MESSAGE_MB: '1.5' }, /^SMTP_MESSAGE_MB is "1\.5"; it should be a whole number from 1 to 100/],
])('a setting that cannot be is named with what it should be: %o', (env, words) => {
  expect(() => readConfig(env)).toThrow(words);
});

test('the entrance is off, and on this machine alone, unless it is told otherwise', () => {
  expect(readConfig({}).smtp).toEqual({
    ...{ port: undefined, host: '127.0.0.1', tlsFiles: undefined, isImplicit: false, connections: 200, mostBytes: 26 * 2 ** 20 },
  });
  expect(readConfig({ ...FILES, SMTP_HOST: '0.0.0.0', SMTP_TLS: 'implicit' }).smtp).toMatchObject({
    ...{ host: '0.0.0.0', tlsFiles: { cert: '/tls/cert.pem', key: '/tls/key.pem' }, isImplicit: true },
  });
});

test('a certificate that cannot be read is named with its variable', async () => {
  await expect(readTlsFiles({ cert: '/nowhere/cert.pem', key: '/nowhere/key.pem' })).rejects.toThrow(
    /^SMTP_TLS_CERT is "\/nowhere\/cert\.pem"; it should be a file that can be read: ENOENT/,
  );
});
