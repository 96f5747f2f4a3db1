import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { ConfigError } from '../config-error.ts';

export interface SmtpCredentials {
  readonly user: string;
  readonly pass: string;
}

/** A mail server and how to talk to it. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte on (smtps). Otherwise STARTTLS is used when the server offers it. */
  readonly implicitTls: boolean;
  readonly requireTls: boolean;
  readonly verifyCertificate: boolean;
  readonly credentials: SmtpCredentials | undefined;
  /** The name given with EHLO; undefined: the machine's. */
  readonly clientName: string | undefined;
}

const OPTIONS = ['requireTls', 'verifyTls', 'name'];

/**
 * Reads smtp:// and smtps:// URLs. Throws ConfigError for what it does not know, and for settings under which the
 * credentials could be read by others than the server: they would fail for every single mail.
 */
export function readServer(url: URL): SmtpServer {
  for (const option of url.searchParams.keys())
    if (!OPTIONS.includes(option))
      throw new ConfigError(`EMAIL_PROVIDER_URL has the unknown option "${option}"; smtp knows ${OPTIONS.join(', ')}`);
  if (url.hostname === '') throw new ConfigError('EMAIL_PROVIDER_URL should name the host of the mail server');
  const implicitTls = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const requireTls = flag(url, 'requireTls');
  const verifyCertificate = flag(url, 'verifyTls') ?? true;
  const credentials = readCredentials(url);
  const exposed = credentials !== undefined && !isLoopbackHost(host);
  if (exposed && !implicitTls && requireTls === false)
    throw new ConfigError(
      'EMAIL_PROVIDER_URL has credentials and requireTls=0; credentials go only over an encrypted connection, except to the own machine',
    );
  if (exposed && !verifyCertificate)
    throw new ConfigError(
      'EMAIL_PROVIDER_URL has credentials and verifyTls=0, which would give them to any server in between; ' +
        'to trust a certificate that no public authority issued, name it in NODE_EXTRA_CA_CERTS',
    );
  return {
    host,
    port: url.port ? Number(url.port) : implicitTls ? 465 : 587,
    implicitTls,
    requireTls: requireTls === true || exposed,
    verifyCertificate,
    credentials,
    clientName: clientName(url.searchParams.get('name')),
  };
}

/**
 * Whether credentials may go over this connection: encrypted, or within the machine by what the host is called and by where
 * the connection really leads. A name's addresses are somebody else's word, and may change from one connection to the next.
 */
export function mayCarryCredentials(host: string, connection: { isEncrypted: boolean; remoteAddress: string | undefined }): boolean {
  return connection.isEncrypted || (isLoopbackHost(host) && isLoopbackAddress(connection.remoteAddress ?? ''));
}

function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || isLoopbackAddress(host);
}

/** 127.0.0.0/8, also when it is written as an IPv6 address, and ::1. */
function isLoopbackAddress(address: string): boolean {
  return isIP(address) !== 0 && ipaddr.process(address).range() === 'loopback';
}

function flag(url: URL, name: string): boolean | undefined {
  const raw = url.searchParams.get(name);
  if (raw === null) return undefined;
  if (raw === '1') return true;
  if (raw === '0') return false;
  throw new ConfigError(`EMAIL_PROVIDER_URL has ${name}=${raw}; it should be 1 or 0`);
}

function readCredentials(url: URL): SmtpCredentials | undefined {
  if (url.username === '' && url.password === '') return undefined;
  if (url.username === '' || url.password === '')
    throw new ConfigError('EMAIL_PROVIDER_URL should have both user and password, or neither');
  try {
    return { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) };
  } catch {
    throw new ConfigError('EMAIL_PROVIDER_URL has credentials that are not percent-encoded as URLs need it: write % as %25');
  }
}

function clientName(raw: string | null): string | undefined {
  if (raw === null) return undefined;
  if (!/^[\w.:[\]-]+$/.test(raw)) throw new ConfigError('EMAIL_PROVIDER_URL has a name that is no host name');
  return raw;
}
