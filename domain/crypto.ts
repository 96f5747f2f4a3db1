import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Seals secrets at rest (AES-256-GCM) and signs short texts, each purpose under a key of its own. */
export interface Vault {
  seal(plain: Uint8Array): Buffer;
  /** Throws when the bytes were not sealed with this key. */
  open(sealed: Uint8Array): Buffer;
  /** base64url HMAC-SHA256 of the text under a key that only this purpose uses. */
  sign(purpose: string, text: string): string;
  verify(purpose: string, text: string, signature: string): boolean;
}

/** secretKey: the 32 bytes of SECRET_KEY. */
export function createVault(secretKey: Buffer): Vault {
  // Key objects: to make one takes ten times as long as to sign with it.
  const derived = new Map<string, KeyObject>();
  const keyFor = (purpose: string): KeyObject => {
    let key = derived.get(purpose);
    if (!key) {
      key = createSecretKey(Buffer.from(hkdfSync('sha256', secretKey, '', `everpost ${purpose}`, 32)));
      derived.set(purpose, key);
    }
    return key;
  };
  const sign = (purpose: string, text: string): string =>
    createHmac('sha256', keyFor(`sign ${purpose}`))
      .update(text)
      .digest('base64url');
  return {
    seal(plain) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', keyFor('seal'), iv);
      return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed) {
      const bytes = Buffer.from(sealed);
      const decipher = createDecipheriv('aes-256-gcm', keyFor('seal'), bytes.subarray(0, IV_BYTES));
      decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, bytes.length - TAG_BYTES)), decipher.final()]);
    },
    sign,
    verify: (purpose, text, signature) => equalInConstantTime(sign(purpose, text), signature),
  };
}

/** Compares two texts without telling by time where they differ. */
export function equalInConstantTime(left: string, right: string): boolean {
  const a = createHash('sha256').update(left).digest();
  const b = createHash('sha256').update(right).digest();
  return timingSafeEqual(a, b);
}

export function sha256(text: string | Uint8Array): Buffer {
  return createHash('sha256').update(text).digest();
}

/** A fixed-length base62 text of this many random bytes. */
export function randomBase62(bytes: number): string {
  const length = Math.ceil((bytes * 8) / Math.log2(62));
  let value = BigInt(`0x${randomBytes(bytes).toString('hex')}`);
  let text = '';
  for (let i = 0; i < length; i++) {
    text = BASE62[Number(value % 62n)] + text;
    value /= 62n;
  }
  return text;
}
