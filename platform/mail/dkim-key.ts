import { createPrivateKey, createPublicKey, generateKeyPair as generate } from 'node:crypto';
import { promisify } from 'node:util';
import type { DkimAlgorithm } from '../../domain/domains/key-turns.ts';

const generateKeyPair = promisify(generate);

/** A key that signs the mails of a domain; its record stands at `<selector>._domainkey.<domain>`. */
export interface DkimKey {
  /** As `asciiDomain` writes it. */
  readonly domain: string;
  readonly selector: string;
  readonly algorithm: DkimAlgorithm;
  /** PKCS #8 in PEM. */
  readonly privateKey: string;
}

/** A private key, and what is to be published of it. */
export interface NewDkimKey extends Pick<DkimKey, 'algorithm' | 'privateKey'> {
  /** The value of its TXT record, in one piece: `txtStrings`. */
  readonly record: string;
}

/** RFC 8301 3.2: at least 1024, and 2048 for new ones. Longer ones do not fit into the UDP answers of every resolver. */
const RSA_BITS = 2048;

/** Makes a key, on a thread of Node's pool: one of RSA takes some hundred milliseconds. */
export async function createDkimKey(algorithm: DkimAlgorithm): Promise<NewDkimKey> {
  const pair = await (algorithm === 'rsa' ? generateKeyPair('rsa', { modulusLength: RSA_BITS }) : generateKeyPair('ed25519'));
  const privateKey = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  return { algorithm, privateKey, record: dkimRecord({ algorithm, privateKey }) };
}

/** The value of the TXT record for a key: RFC 6376 3.6.1 with its public key in DER, RFC 8463 4.2 with the 32 octets of Ed25519 alone. */
export function dkimRecord({ algorithm, privateKey }: Pick<DkimKey, 'algorithm' | 'privateKey'>): string {
  const der = createPublicKey(createPrivateKey(privateKey)).export({ type: 'spki', format: 'der' });
  return `v=DKIM1; k=${algorithm}; p=${(algorithm === 'rsa' ? der : der.subarray(-PUBLIC_OCTETS)).toString('base64')}`;
}

/** Of Ed25519. */
const PUBLIC_OCTETS = 32;

const TXT_STRING_OCTETS = 255;

/** The strings of a TXT record that readers join to this value, ASCII (RFC 1035 3.3.14, RFC 6376 3.6.2.2). */
export function txtStrings(value: string): string[] {
  const strings: string[] = [];
  for (let at = 0; at < value.length; at += TXT_STRING_OCTETS) strings.push(value.slice(at, at + TXT_STRING_OCTETS));
  return strings;
}
