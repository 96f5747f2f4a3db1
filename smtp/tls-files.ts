import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { ConfigError } from '../platform/config-error.ts';
import { every, type Repeating } from '../platform/every.ts';
import type { Logger } from '../platform/logger.ts';

/** A certificate with those that vouch for it, and its key; PEM. */
export interface TlsPair {
  readonly cert: string;
  readonly key: string;
}

export interface TlsFiles {
  /** Paths. */
  readonly cert: string;
  readonly key: string;
}

const LOOK_EVERY_MS = 60_000;

/** Throws ConfigError that names the variable. */
export async function readTlsFiles({ cert, key }: TlsFiles): Promise<TlsPair> {
  const pair = { cert: await readPem('SMTP_TLS_CERT', cert), key: await readPem('SMTP_TLS_KEY', key) };
  try {
    // First: a file that is empty, as one is for a moment while it is written, makes a context without a certificate.
    if (!new X509Certificate(pair.cert).checkPrivateKey(createPrivateKey(pair.key))) throw new Error('they do not belong together');
    createSecureContext(pair);
  } catch (error) {
    throw new ConfigError(
      `SMTP_TLS_CERT (${cert}) and SMTP_TLS_KEY (${key}) should be a certificate and its key in PEM: ${(error as Error).message}`,
    );
  }
  return pair;
}

async function readPem(variable: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`${variable} is "${path}"; it should be a file that can be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

/** Looks at the files each minute and tells of a pair that is another than the one before; one that is not whole is waited for. */
export function watchTlsFiles(
  files: TlsFiles,
  first: TlsPair,
  { log, renewed, everyMs = LOOK_EVERY_MS }: { readonly log: Logger; renewed(pair: TlsPair): void; readonly everyMs?: number },
): Repeating {
  let known = first;
  const look = async (): Promise<void> => {
    const pair = await readTlsFiles(files);
    if (pair.cert === known.cert && pair.key === known.key) return;
    known = pair;
    renewed(pair);
    log.info('smtp.certificate_renewed');
  };
  return every(everyMs, look, (error) => log.warn('smtp.certificate_unreadable', { error }));
}
