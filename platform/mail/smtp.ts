import type { RefusedCopy } from '../../domain/sends/send-details.ts';
import { type MailProvider, type MailProviderOptions, type ProviderAnswer, timeoutMsOf, unreadAnswer } from './provider.ts';
import { SmtpPool } from './smtp-pool.ts';
import { readServer } from './smtp-server.ts';
import { ACCOUNT_CODES, type RefusedRecipient, type Transmission } from './smtp-transaction.ts';
import { STOPPED_ANSWER } from './stopped.ts';

/**
 * Mail over kept-open SMTP connections. `smtp://user:password@host:587`, `smtps://host:465`; options in the query:
 * `requireTls=1` (refuse a server without STARTTLS; credentials imply it), `verifyTls=0` (take any certificate),
 * `name=mail.example.com` (for EHLO). Credentials leave the machine only encrypted. Throws ConfigError.
 */
export function createSmtpProvider(url: URL, options: MailProviderOptions): MailProvider {
  const timeoutMs = timeoutMsOf(options);
  const pool = new SmtpPool(readServer(url), { maxConnections: options.maxConnections, timeoutMs });
  return {
    name: 'smtp',
    host: url.host,
    idempotent: false,
    format: 'message',
    takesSigned: true,
    async send(mail, _key, isStopped, submitting) {
      return answerOf(await pool.send(mail, isStopped, submitting), mail.messageId);
    },
    close: () => pool.close(),
  };
}

function answerOf(result: Transmission, messageId: string): ProviderAnswer {
  switch (result.end) {
    case 'accepted':
      return {
        outcome: 'accepted',
        providerId: messageId,
        ...(result.refusedCopies && { refusedCopies: result.refusedCopies.map(refusedCopy) }),
      };
    case 'broken':
      return { outcome: result.mayHaveArrived ? 'unknown' : 'later', message: result.message };
    case 'unread':
      return unreadAnswer(result);
    case 'stopped':
      return STOPPED_ANSWER;
    case 'unfit':
      return { outcome: 'rejected', message: result.message, badAddress: false };
    case 'refused': {
      const { stage, code, reply } = result;
      // 421 is about the connection, at whatever command it comes (RFC 5321 3.8).
      if (code < 500 && stage === 'recipient' && code !== 421) return { outcome: 'later', message: reply, isDeferredRecipient: true };
      if (code < 500 || ACCOUNT_CODES.includes(code)) return { outcome: 'later', message: reply };
      return { outcome: 'rejected', message: reply, badAddress: stage === 'recipient' && blamesRecipient(reply) };
    }
    default:
      return result satisfies never;
  }
}

function refusedCopy({ email, reply }: RefusedRecipient): RefusedCopy {
  return { email, message: reply, badAddress: blamesRecipient(reply) };
}

/** RFC 3463 3.2: X.1.x is about an address, of which X.1.7 and X.1.8 are about the sender's. */
function blamesRecipient(reply: string): boolean {
  return /^5\d\d[ -]5\.1\.(?![78]\b)\d+\b/.test(reply);
}
