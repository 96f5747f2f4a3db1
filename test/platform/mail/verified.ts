import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import type { DkimAlgorithm } from '../../../domain/domains/key-turns.ts';
import { DkimSigner } from '../../../platform/mail/dkim.ts';
import { createDkimKey, type DkimKey, txtStrings } from '../../../platform/mail/dkim-key.ts';
import type { OutgoingMail } from '../../../platform/mail/mail.ts';
import { mailOctets } from '../../../platform/mail/mail-octets.ts';

/** A key with its record in the DNS of the tests. */
export interface PublishedKey extends DkimKey {
  readonly record: string;
}

export async function publishedKey(algorithm: DkimAlgorithm, part: Partial<DkimKey> = {}): Promise<PublishedKey> {
  return { domain: 'example.com', selector: `${algorithm}1`, ...(await createDkimKey(algorithm)), ...part };
}

/** One of each algorithm, for example.com: made once a process. */
export const bothKeys = once(() => Promise.all([publishedKey('rsa'), publishedKey('ed25519')]));

/** A message of these header fields and this body, signed at once. */
export function signed(header: string, body: string, keys: readonly DkimKey[], encoding: 'utf8' | 'latin1' = 'utf8'): Buffer {
  const signer = new DkimSigner();
  const rest = `${header}\r\n${body}`;
  const { text, signatures } = signer.open(rest, keys, new Date('2026-01-02T03:04:05Z'));
  const message = Buffer.from(text + rest, encoding);
  signer.close(message, signatures);
  return message;
}

/** A mail as a thread hands it on: its signatures are still to be written, since its parts are not read yet. */
export function toBeSigned(mail: OutgoingMail, keys: readonly DkimKey[]): OutgoingMail {
  const rest = Buffer.from(mail.content).toString('latin1');
  const { text, signatures } = new DkimSigner().open(rest, keys, new Date('2026-01-02T03:04:05Z'));
  const parts = (mail.parts ?? []).map((part) => ({ ...part, at: part.at + text.length }));
  return { ...mail, content: new Uint8Array(Buffer.from(text + rest, 'latin1')), parts, signatures };
}

/** All octets of a mail, its parts among them. */
export async function wholeOf(mail: OutgoingMail): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const octets of mailOctets(mail, 'lines')) pieces.push(octets);
  return Buffer.concat(pieces);
}

/** What mailauth, strictly by the RFCs, says of each signature of a message, in their order; `none` of a message without any. */
export async function verdicts(message: Uint8Array | string, keys: readonly PublishedKey[]): Promise<string[]> {
  const { results } = await dkimVerify(Buffer.from(message as Uint8Array), {
    strict: true,
    resolver: async (name: string, type: string) => {
      const key = keys.find(({ domain, selector }) => name === `${selector}._domainkey.${domain}`);
      if (type !== 'TXT' || !key) throw Object.assign(new Error(`${type} ${name}`), { code: 'ENOTFOUND' });
      return [txtStrings(key.record)];
    },
  });
  return results.map(({ algo, status }) => (algo === undefined ? status.result : `${algo} ${status.result}`));
}

export const BOTH_PASS: readonly string[] = ['rsa-sha256 pass', 'ed25519-sha256 pass'];

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
