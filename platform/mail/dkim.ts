import { createHash, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { DkimKey } from './dkim-key.ts';
import { RelaxedBodyHash, relaxedHeader } from './dkim-relaxed.ts';

/** Signed once more than they occur, so that one more of them, or the first, breaks the signature (RFC 6376 5.4, 8.15; RFC 8058 4). */
const NONE_MAY_COME = [
  'from',
  'to',
  'cc',
  'subject',
  'date',
  'message-id',
  'reply-to',
  'mime-version',
  'content-type',
  'list-unsubscribe',
  'list-unsubscribe-post',
];
/** Signed where they occur. No X-…: a server on the way may take such a header for an order to it, and out of the mail. */
const AS_THEY_ARE = [
  'in-reply-to',
  'references',
  'content-transfer-encoding',
  'list-id',
  'list-help',
  'list-subscribe',
  'list-post',
  'list-owner',
  'list-archive',
  'feedback-id',
  'precedence',
];

/** Columns of a line at most, and of base64 in one. */
const FOLD_AT = 76;
const BASE64_COLUMNS = 72;
/** SHA-256 in base64. */
const HASH_LENGTH = 44;
/** Of a signature. */
const ED25519_OCTETS = 64;
/** Keys that a thread keeps ready. */
const KEPT_KEYS = 500;

/** Signatures whose places in a message are taken while its body is not known yet, so that nothing is moved when they are written. */
export interface OpenSignatures {
  /** The relaxed form of what they sign of the header. */
  readonly header: string;
  readonly each: readonly OpenSignature[];
}

interface OpenSignature {
  readonly key: DkimKey;
  /** The relaxed form of its own field, up to the hash of the body. */
  readonly field: string;
  /** How many octets of the message come before what is not known yet. */
  readonly bodyHashAt: number;
  readonly signatureAt: number;
}

/** What is to be written at a place of a message, of the same length as what is there. */
export interface Filling {
  readonly at: number;
  readonly text: string;
}

interface LoadedKey extends Pick<DkimKey, 'privateKey'> {
  readonly object: KeyObject;
  /** Of its signatures, in base64. */
  readonly length: number;
}

/**
 * Signs messages by DKIM: relaxed/relaxed, rsa-sha256 (RFC 6376) and ed25519-sha256 (RFC 8463), the whole body. A message is written between `open` and
 * `close`. Keys are read once and kept.
 */
export class DkimSigner {
  readonly #keys = new LRUCache<string, LoadedKey>({ max: KEPT_KEYS });

  /**
   * The fields to stand at the very beginning of a message, one for each key. `beginning`: what comes behind them, with the whole header. Throws what Node
   * throws of a private key that is none.
   */
  open(beginning: string, keys: readonly DkimKey[], at: Date): { readonly text: string; readonly signatures: OpenSignatures } {
    const signed = signedPart(beginning.slice(0, beginning.indexOf('\r\n\r\n')));
    let text = '';
    const each = keys.map((key) => {
      const { algorithm, domain, selector } = key;
      const time = Math.floor(at.getTime() / 1000);
      const tags = `v=1; a=${algorithm}-sha256; c=relaxed/relaxed; d=${domain}; s=${selector}; t=${time}; h=${signed.names.join(':')};`;
      const start = `${folded(`DKIM-Signature: ${tags}`)}\r\n bh=`;
      const bodyHashAt = text.length + start.length;
      text += `${start}${' '.repeat(HASH_LENGTH)};\r\n b=`;
      const signatureAt = text.length;
      text += `${base64Lines(' '.repeat(this.#load(key).length))}\r\n`;
      return { key, field: relaxedHeader(start), bodyHashAt, signatureAt };
    });
    return { text, signatures: { header: signed.header, each } };
  }

  /** Writes the signatures into their places in the message, which begins with them. */
  close(message: Uint8Array, signatures: OpenSignatures): void {
    const body = new RelaxedBodyHash();
    body.update(bodyOf(message));
    fill(message, this.fillings(signatures, body.digest()));
  }

  /** What `close` writes, of a body with this hash. */
  fillings({ header, each }: OpenSignatures, bodyHash: string): Filling[] {
    return each.flatMap(({ key, field, bodyHashAt, signatureAt }) => {
      const signature = signatureOf(`${header}${field}${bodyHash}; b=`, key.algorithm, this.#load(key).object);
      return [
        { at: bodyHashAt, text: bodyHash },
        { at: signatureAt, text: base64Lines(signature.toString('base64')) },
      ];
    });
  }

  #load(key: DkimKey): LoadedKey {
    const name = `${key.selector} ${key.domain}`;
    const known = this.#keys.get(name);
    if (known?.privateKey === key.privateKey) return known;
    const object = createPrivateKey(key.privateKey);
    const octets = key.algorithm === 'rsa' ? Math.ceil((object.asymmetricKeyDetails?.modulusLength as number) / 8) : ED25519_OCTETS;
    const loaded = { privateKey: key.privateKey, object, length: 4 * Math.ceil(octets / 3) };
    this.#keys.set(name, loaded);
    return loaded;
  }
}

export function fill(message: Uint8Array, fillings: readonly Filling[]): void {
  const octets = Buffer.from(message.buffer, message.byteOffset, message.length);
  for (const { at, text } of fillings) octets.write(text, at, 'latin1');
}

/** What comes behind the header of a message. */
export function bodyOf(message: Uint8Array): Uint8Array {
  const octets = Buffer.from(message.buffer, message.byteOffset, message.length);
  return octets.subarray(octets.indexOf('\r\n\r\n') + 4);
}

function signatureOf(signed: string, algorithm: DkimKey['algorithm'], key: KeyObject): Buffer {
  if (algorithm === 'rsa') return sign('sha256', Buffer.from(signed), key);
  // RFC 8463 3: what Ed25519 signs is the hash.
  return sign(null, createHash('sha256').update(signed).digest(), key);
}

/** The names for `h=`, and the fields that they stand for: of several of one name the last comes first (RFC 6376 5.4.2). */
function signedPart(header: string): { readonly names: readonly string[]; readonly header: string } {
  const fields = new Map<string, string[]>();
  for (const field of header.split(/\r\n(?![\t ])/)) {
    const relaxed = relaxedHeader(field);
    const name = relaxed.slice(0, relaxed.indexOf(':'));
    const others = fields.get(name);
    if (others) others.unshift(relaxed);
    else fields.set(name, [relaxed]);
  }
  const names: string[] = [];
  let signed = '';
  const add = (name: string, more: number): void => {
    const found = fields.get(name) ?? [];
    for (let count = found.length + more; count > 0; count--) names.push(name);
    for (const field of found) signed += `${field}\r\n`;
  };
  for (const name of NONE_MAY_COME) add(name, 1);
  for (const name of AS_THEY_ARE) add(name, 0);
  return { names, header: signed };
}

/** Broken between tags, and between the names of `h=`. */
function folded(tags: string): string {
  let column = 0;
  let result = '';
  for (const [piece] of tags.matchAll(/.+?(?: |:(?! )|$)/g)) {
    if (column + piece.trimEnd().length > FOLD_AT) {
      result = `${result.trimEnd()}\r\n `;
      column = 1;
    }
    result += piece;
    column += piece.length;
  }
  return result;
}

function base64Lines(text: string): string {
  const lines: string[] = [];
  for (let at = 0; at < text.length; at += BASE64_COLUMNS) lines.push(text.slice(at, at + BASE64_COLUMNS));
  return lines.join('\r\n ');
}
