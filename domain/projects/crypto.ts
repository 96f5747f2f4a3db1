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
const MARK_BYTES = 6;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Seals secrets at rest (AES-256-GCM) and signs short texts, each purpose under a key of its own. */
export interface Vault {
  /** `of`: what the value is of (sealed.ts). It opens as that only. */
  seal(plain: Uint8Array, of: string): Buffer;
  /** Throws SealedWithOtherKey when none of the keys has sealed the bytes, and otherwise when they were sealed as something else. */
  open(sealed: Uint8Array, of: string): Buffer;
  /** The value sealed anew; undefined when it is sealed with the present key already. Throws as `open` does. */
  reseal(sealed: Uint8Array, of: string): Buffer | undefined;
  /** base64url HMAC-SHA256 of the text under a key that only this purpose uses. */
  sign(purpose: string, text: string): string;
  /** Whether any of the keys has signed it. */
  verify(purpose: string, text: string, signature: string): boolean;
  /** 12 hex digits of such an HMAC, where there is no room for more and the case of letters may be lost: for what does little harm when guessed. */
  mark(purpose: string, text: string): string;
  /** Whether any of the keys has made the mark. */
  isMark(purpose: string, text: string, mark: string): boolean;
}

/** What none of the keys has sealed: the wrong ones were given. */
export class SealedWithOtherKey extends Error {
  override readonly name = 'SealedWithOtherKey';
}

/** The first byte of a sealed value, before the id of its key. What was sealed before keys had ids begins with its IV. */
const FORM = 1;
const KEY_ID_BYTES = 4;
const HEAD_BYTES = 1 + KEY_ID_BYTES;

/** One SECRET_KEY and the keys that are derived from it. */
interface KeyRing {
  readonly id: Buffer;
  keyFor(purpose: string): KeyObject;
}

/** secretKey: the 32 bytes of SECRET_KEY, which seals and signs. What the previous ones sealed and signed holds as well. */
export function createVault(secretKey: Buffer, previous: readonly Buffer[] = []): Vault {
  const current = keyRing(secretKey);
  const all = [current, ...previous.map(keyRing)];
  const signWith = (ring: KeyRing, purpose: string, text: string): string =>
    createHmac('sha256', ring.keyFor(`sign ${purpose}`))
      .update(text)
      .digest('base64url');
  const seal = (plain: Uint8Array, of: string): Buffer => {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', current.keyFor('seal'), iv);
    const head = Buffer.concat([Buffer.of(FORM), current.id]);
    cipher.setAAD(Buffer.concat([head, Buffer.from(of)]));
    return Buffer.concat([head, iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  };
  const sealer = (sealed: Buffer): KeyRing | undefined =>
    sealed[0] === FORM ? all.find(({ id }) => id.equals(sealed.subarray(1, HEAD_BYTES))) : undefined;
  const open = (bytes: Uint8Array, of: string): Buffer => {
    const sealed = Buffer.from(bytes);
    const ring = sealer(sealed);
    if (!ring) return openWithoutKeyId(sealed);
    const aad = Buffer.concat([sealed.subarray(0, HEAD_BYTES), Buffer.from(of)]);
    return decrypt(ring.keyFor('seal'), sealed.subarray(HEAD_BYTES), aad);
  };
  /** Until `secrets reseal` has run after the update. */
  const openWithoutKeyId = (sealed: Buffer): Buffer => {
    let reason: unknown;
    for (const ring of all) {
      try {
        return decrypt(ring.keyFor('seal'), sealed, undefined);
      } catch (error) {
        reason = error;
      }
    }
    throw new SealedWithOtherKey('a secret was sealed with none of SECRET_KEY and SECRET_KEY_PREVIOUS', { cause: reason });
  };
  return {
    seal,
    open,
    reseal: (sealed, of) => {
      const plain = open(sealed, of);
      return sealer(Buffer.from(sealed)) === current ? undefined : seal(plain, of);
    },
    sign: (purpose, text) => signWith(current, purpose, text),
    verify: (purpose, text, signature) => all.some((ring) => equalInConstantTime(signWith(ring, purpose, text), signature)),
    mark: (purpose, text) => shortened(signWith(current, purpose, text)),
    isMark: (purpose, text, mark) => all.some((ring) => equalInConstantTime(shortened(signWith(ring, purpose, text)), mark)),
  };
}

function keyRing(secretKey: Buffer): KeyRing {
  const derive = (info: string, bytes: number): Buffer => Buffer.from(hkdfSync('sha256', secretKey, '', `everpost ${info}`, bytes));
  // Key objects: to make one takes ten times as long as to sign with it.
  const derived = new Map<string, KeyObject>();
  return {
    id: derive('key id', KEY_ID_BYTES),
    keyFor(purpose) {
      let key = derived.get(purpose);
      if (!key) {
        key = createSecretKey(derive(purpose, 32));
        derived.set(purpose, key);
      }
      return key;
    },
  };
}

function shortened(signature: string): string {
  return Buffer.from(signature, 'base64url').subarray(0, MARK_BYTES).toString('hex');
}

/** IV, what it hides, and the tag. */
function decrypt(key: KeyObject, bytes: Buffer, aad: Buffer | undefined): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  if (aad) decipher.setAAD(aad);
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, bytes.length - TAG_BYTES)), decipher.final()]);
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
