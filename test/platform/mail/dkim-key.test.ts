import { createPrivateKey, createPublicKey, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { createDkimKey, dkimRecord, txtStrings } from '../../../platform/mail/dkim-key.ts';

/** `openssl genpkey -algorithm ed25519` of RFC 8463 A.2: its seed in PKCS #8. */
const RFC_8463_KEY = createPrivateKey({
  key: Buffer.concat([
    Buffer.from('302e020100300506032b657004220420', 'hex'),
    Buffer.from('nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=', 'base64'),
  ]),
  format: 'der',
  type: 'pkcs8',
});

test('the record of the key in RFC 8463 is the one that stands there', () => {
  const privateKey = RFC_8463_KEY.export({ type: 'pkcs8', format: 'pem' }) as string;
  expect(dkimRecord({ algorithm: 'ed25519', privateKey })).toBe('v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=');
});

test('a key of RSA has 2048 bits, and its record has its public half in DER', async () => {
  const { algorithm, privateKey, record } = await createDkimKey('rsa');
  expect(algorithm).toBe('rsa');
  const [, p = ''] = /^v=DKIM1; k=rsa; p=([A-Za-z0-9+/]+=*)$/.exec(record) ?? [];
  const published = createPublicKey({ key: Buffer.from(p, 'base64'), format: 'der', type: 'spki' });
  expect(published.asymmetricKeyDetails).toMatchObject({ modulusLength: 2048, publicExponent: 65537n });
  expect(published.equals(createPublicKey(createPrivateKey(privateKey)))).toBe(true);
});

test('a key of Ed25519 has 32 octets in its record', async () => {
  const { privateKey, record } = await createDkimKey('ed25519');
  const [, p = ''] = /^v=DKIM1; k=ed25519; p=([A-Za-z0-9+/]{43}=)$/.exec(record) ?? [];
  const published = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(p, 'base64').toString('base64url') },
    format: 'jwk',
  });
  expect(verify(null, Buffer.from('a'), published, Buffer.alloc(64))).toBe(false);
  expect(published.equals(createPublicKey(createPrivateKey(privateKey)))).toBe(true);
});

test('keys of RSA are made by other threads than the one that asks for them', async () => {
  await createDkimKey('rsa');
  const [all, own] = [process.cpuUsage(), process.threadCpuUsage()];
  await Promise.all(Array.from({ length: 6 }, () => createDkimKey('rsa')));
  const [allUsed, ownUsed] = [process.cpuUsage(all), process.threadCpuUsage(own)];
  expect(ownUsed.user + ownUsed.system).toBeLessThan((allUsed.user + allUsed.system) / 2);
});

test('no key is made twice', async () => {
  const keys = await Promise.all([createDkimKey('ed25519'), createDkimKey('ed25519')]);
  expect(keys[0].privateKey).not.toBe(keys[1].privateKey);
});

test('a value is cut into strings of 255 that make it again', async () => {
  const { record } = await createDkimKey('rsa');
  expect(txtStrings(record).map(({ length }) => length)).toEqual([255, record.length - 255]);
  expect(txtStrings(record).join('')).toBe(record);
  expect(txtStrings('a'.repeat(255))).toEqual(['a'.repeat(255)]);
  expect(txtStrings('a'.repeat(256))).toEqual(['a'.repeat(255), 'a']);
});
