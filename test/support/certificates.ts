import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

export interface TestCertificate {
  readonly pem: string;
  readonly der: Buffer;
  readonly name: string;
  readonly privateKey: KeyObject;
}

export interface CertificateOptions {
  /** The common name. */
  readonly name: string;
  /** undefined: signs itself. */
  readonly issuer?: TestCertificate;
  readonly isAuthority?: boolean;
  readonly from?: Date;
  readonly to?: Date;
  /** Where the issuer's own certificate lies. */
  readonly issuerUrl?: string;
}

const DAY_MS = 86_400_000;
const SHA256_WITH_RSA = seq(oid('1.2.840.113549.1.1.11'), der(0x05, Buffer.alloc(0)));
const TRUE = der(0x01, Buffer.from([0xff]));

/** An X.509 certificate with a key of its own (RFC 5280), as small as checks allow. */
export function certificate(options: CertificateOptions): TestCertificate {
  const {
    name,
    issuer,
    isAuthority = false,
    from = new Date(Date.now() - DAY_MS),
    to = new Date(Date.now() + DAY_MS),
    issuerUrl,
  } = options;
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const extensions: Buffer[] = [];
  if (isAuthority) extensions.push(seq(oid('2.5.29.19'), TRUE, der(0x04, seq(TRUE))));
  if (issuerUrl) {
    const access = seq(seq(oid('1.3.6.1.5.5.7.48.2'), der(0x86, Buffer.from(issuerUrl))));
    extensions.push(seq(oid('1.3.6.1.5.5.7.1.1'), der(0x04, access)));
  }
  const content = seq(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    SHA256_WITH_RSA,
    commonName(issuer?.name ?? name),
    seq(utcTime(from), utcTime(to)),
    commonName(name),
    publicKey.export({ format: 'der', type: 'spki' }),
    ...(extensions.length > 0 ? [der(0xa3, seq(...extensions))] : []),
  );
  const signature = sign('sha256', content, issuer?.privateKey ?? privateKey);
  const bytes = seq(content, SHA256_WITH_RSA, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = bytes
    .toString('base64')
    .match(/.{1,64}/g)!
    .join('\n');
  return { pem: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`, der: bytes, name, privateKey };
}

function der(tag: number, content: Uint8Array): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function seq(...parts: Uint8Array[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = rest.flatMap((arc) => {
    const sevens = [arc & 0x7f];
    for (let left = arc >> 7; left > 0; left >>= 7) sevens.unshift((left & 0x7f) | 0x80);
    return sevens;
  });
  return der(0x06, Buffer.from([first * 40 + second, ...bytes]));
}

function commonName(name: string): Buffer {
  return seq(der(0x31, seq(oid('2.5.4.3'), der(0x0c, Buffer.from(name)))));
}

function utcTime(date: Date): Buffer {
  return der(0x17, Buffer.from(`${date.toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`));
}
