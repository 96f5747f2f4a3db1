import { ConfigError } from '../config.ts';
import type { MailProvider, MailProviderOptions, OutgoingMail, ProviderAnswer } from './provider.ts';
import { type SessionLease, SessionPool } from './smtp-pool.ts';
import { type SmtpServer, type SmtpSession, SmtpUnavailable, type Transmission } from './smtp-session.ts';

const DEFAULT_TIMEOUT_SECONDS = 10;
/** Replies that blame our account and not the mail (RFC 4954 6): an operator can mend that. */
const ACCOUNT_CODES: readonly number[] = [530, 534, 535, 538];

/**
 * Mail over kept-open SMTP connections. `smtp://user:password@host:587`, `smtps://host:465`; options in the query:
 * `requireTls=1` (refuse a server without STARTTLS), `verifyTls=0` (take any certificate), `name=mail.example.com` (for EHLO).
 */
export function createSmtpProvider(url: URL, options: MailProviderOptions): MailProvider {
  const server = readServer(url);
  const pool = new SessionPool(server, options.maxConnections);
  const timeout = (options.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000;
  return {
    name: 'smtp',
    idempotent: false,
    format: 'message',
    async send(mail) {
      const deadline = Date.now() + timeout;
      try {
        return await pool.use(deadline, async (lease) => answerOf(await hand(lease, mail, deadline), mail.messageId));
      } catch (error) {
        if (error instanceof SmtpUnavailable) return { outcome: 'later', message: error.message };
        throw error;
      }
    },
    close: () => pool.close(),
  };
}

/** One message on a kept connection, or on a fresh one when the kept one turns out to be closed before the message left. */
async function hand(lease: SessionLease, message: OutgoingMail, deadline: number): Promise<Transmission | 'needs SMTPUTF8'> {
  const kept = lease.kept();
  if (kept) {
    const result = await transmit(kept, message, deadline);
    if (result === 'needs SMTPUTF8' || !isStale(result)) return result;
  }
  return transmit(await lease.fresh(deadline), message, deadline);
}

async function transmit(session: SmtpSession, message: OutgoingMail, deadline: number): Promise<Transmission | 'needs SMTPUTF8'> {
  if (message.internationalized && !session.supportsUtf8Addresses) return 'needs SMTPUTF8';
  return session.transmit(message, deadline);
}

/** 421 is also how a server says good-bye to a connection that was idle for too long (RFC 5321 3.8). */
function isStale(result: Transmission): boolean {
  return result.end === 'broken' ? !result.handedOver : result.end === 'refused' && result.stage !== 'data' && result.code === 421;
}

function answerOf(result: Transmission | 'needs SMTPUTF8', messageId: string): ProviderAnswer {
  if (result === 'needs SMTPUTF8')
    return { outcome: 'rejected', message: 'the mail server takes only ASCII before the @ of an address', badAddress: false };
  if (result.end === 'accepted') return { outcome: 'accepted', providerId: messageId };
  if (result.end === 'broken') return { outcome: result.handedOver ? 'unknown' : 'later', message: result.message };
  const { stage, code, reply } = result;
  if (code < 500 || ACCOUNT_CODES.includes(code)) return { outcome: 'later', message: reply };
  return { outcome: 'rejected', message: reply, badAddress: stage === 'recipient' && blamesRecipient(reply) };
}

/** RFC 3463 3.2: X.1.x is about an address, of which X.1.7 and X.1.8 are about the sender's. */
function blamesRecipient(reply: string): boolean {
  return /^5\d\d[ -]5\.1\.(?![78]\b)\d+\b/.test(reply);
}

function readServer(url: URL): SmtpServer {
  const known = ['requireTls', 'verifyTls', 'name'];
  for (const option of url.searchParams.keys())
    if (!known.includes(option))
      throw new ConfigError(`EMAIL_PROVIDER_URL has the unknown option "${option}"; smtp knows ${known.join(', ')}`);
  const implicitTls = url.protocol === 'smtps:';
  if (url.hostname === '') throw new ConfigError('EMAIL_PROVIDER_URL should name the host of the mail server');
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port ? Number(url.port) : implicitTls ? 465 : 587,
    implicitTls,
    requireTls: url.searchParams.get('requireTls') === '1',
    verifyCertificate: url.searchParams.get('verifyTls') !== '0',
    credentials: url.username ? { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } : undefined,
    clientName: url.searchParams.get('name') ?? undefined,
  };
}
