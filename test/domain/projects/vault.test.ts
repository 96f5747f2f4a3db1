import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createVault } from '../../../domain/projects/crypto.ts';
import { sealedOf } from '../../../domain/projects/sealed.ts';

const [OLD, NEW, OTHER] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2), Buffer.alloc(32, 3)];
const PLAIN = Buffer.from('a signing secret');
const WHAT = sealedOf.inboundSecret('p-1');

/** As values were sealed before they had the id of their key. */
function sealedWithoutKeyId(secretKey: Buffer, plain: Buffer, iv = randomBytes(12)): Buffer {
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(hkdfSync('sha256', secretKey, '', 'everpost seal', 32)), iv);
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

test('a sealed value opens as what it was sealed of, with its key, and in no other way', () => {
  const vault = createVault(OLD);
  const sealed = vault.seal(PLAIN, WHAT);
  expect(vault.open(sealed, WHAT)).toEqual(PLAIN);
  for (const what of [sealedOf.inboundSecret('p-2'), sealedOf.webhookSecret('p-1'), sealedOf.inboundSetting('p-1', 'ses'), ''])
    expect(() => vault.open(sealed, what)).toThrow();
  expect(() => createVault(OTHER).open(sealed, WHAT)).toThrow();
  expect(sealed.includes(PLAIN)).toBe(false);
});

test('no byte of a sealed value can be changed, none added or taken away', () => {
  const vault = createVault(NEW, [OLD]);
  const sealed = vault.seal(PLAIN, WHAT);
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed);
    changed[at]! ^= 1;
    expect(() => vault.open(changed, WHAT)).toThrow();
    expect(() => vault.open(sealed.subarray(0, at), WHAT)).toThrow();
  }
  expect(() => vault.open(Buffer.concat([sealed, Buffer.of(0)]), WHAT)).toThrow();
});

test('after a rotation the previous keys still open and verify, and the present one seals and signs', () => {
  const [before, after, alone] = [createVault(OLD), createVault(NEW, [OTHER, OLD]), createVault(NEW)];
  const sealed = before.seal(PLAIN, WHAT);
  expect(after.open(sealed, WHAT)).toEqual(PLAIN);
  expect(alone.open(after.seal(PLAIN, WHAT), WHAT)).toEqual(PLAIN);
  expect(after.verify('p', 'text', before.sign('p', 'text'))).toBe(true);
  expect(after.verify('p', 'other', before.sign('p', 'text'))).toBe(false);
  expect(alone.verify('p', 'text', before.sign('p', 'text'))).toBe(false);
  expect(alone.verify('p', 'text', after.sign('p', 'text'))).toBe(true);
  expect([after.isMark('p', 'text', before.mark('p', 'text')), alone.isMark('p', 'text', before.mark('p', 'text'))]).toEqual([true, false]);
  expect(alone.isMark('p', 'text', after.mark('p', 'text'))).toBe(true);
  expect(() => alone.open(sealed, WHAT)).toThrow();
});

test('what is resealed needs the previous key no more, and is resealed once', () => {
  const both = createVault(NEW, [OLD]);
  const fresh = both.reseal(createVault(OLD).seal(PLAIN, WHAT), WHAT)!;
  expect(createVault(NEW).open(fresh, WHAT)).toEqual(PLAIN);
  expect(both.reseal(fresh, WHAT)).toBeUndefined();
  expect(() => both.reseal(fresh, sealedOf.webhookSecret('p-1'))).toThrow();
});

test('what was sealed before values had the id of a key opens with any of the keys, and is resealed with one', () => {
  const vault = createVault(NEW, [OLD]);
  // The first byte of its IV may be anything.
  for (const first of [0, 1, 255]) {
    const iv = Buffer.concat([Buffer.of(first), randomBytes(11)]);
    for (const key of [OLD, NEW]) {
      const sealed = sealedWithoutKeyId(key, PLAIN, iv);
      expect(vault.open(sealed, WHAT)).toEqual(PLAIN);
      expect(createVault(NEW).open(vault.reseal(sealed, WHAT)!, WHAT)).toEqual(PLAIN);
    }
    expect(() => vault.open(sealedWithoutKeyId(OTHER, PLAIN, iv), WHAT)).toThrow();
  }
});
