import type { SendMailOptions } from 'nodemailer';
import { sendBySmtp, type Told } from '../support/smtp-process.ts';
import type { Ask } from './driver.ts';

/** Where messages are handed in by SMTP, and by whom. */
export interface SmtpDoor {
  readonly port: number;
  readonly user: string;
  readonly key: string;
}

/** Hands a message in, answered as the call of POST /send that it stands for would have been: docs/contract/smtp.md 12. */
export function handingIn({ port, user, key }: SmtpDoor, message: SendMailOptions): Ask {
  return async () => callAnswer(await sendBySmtp(port, user, key, message));
}

function callAnswer({ code, text }: Told): Awaited<ReturnType<Ask>> {
  const words = text.replace(/^\d\.\d\.\d /, '');
  const id = /^sent as (\S+?)(?:;|$)/.exec(words)?.[1];
  if (code === 250 && id !== undefined) return { status: 200, answer: { ok: true, id } };
  const [reason = ''] = words.split(':');
  switch (reason) {
    case 'outcome_unknown':
    case 'suppressed':
    case 'unsubscribed':
    case 'bounced':
    case 'provider_rejected':
      return { status: 422, answer: { code: 'send_failed', reason, text } };
    case 'provider_unavailable':
      return { status: 503, answer: { code: 'send_failed', reason, text } };
    case 'idempotency_in_progress':
      return { status: 409, answer: { code: reason, text } };
    default:
      return code >= 400 && code < 500
        ? { status: 503, answer: { code: 'unavailable', text } }
        : { status: 400, answer: { code: reason, text } };
  }
}
