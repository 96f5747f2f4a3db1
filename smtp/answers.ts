import { type ErrorCode, type Refusal, STATUS_OF } from '../domain/errors.ts';

/** An answer to a command or to a message; the text begins with its enhanced status code (RFC 3463). */
export interface SmtpAnswer {
  readonly code: number;
  readonly text: string;
}

/** A line of an answer has 512 octets at most (RFC 5321 4.5.3.1.5). */
const MAX_TEXT_LENGTH = 450;

/** Where a code means something else than the status of HTTP tells: docs/contract/smtp.md 12. */
const CODES: Partial<Record<ErrorCode, readonly [code: number, enhanced: string]>> = {
  unauthorized: [535, '5.7.8'],
  forbidden: [550, '5.7.1'],
  project_suspended: [550, '5.7.1'],
  email_unverified: [550, '5.7.1'],
  invalid_from: [550, '5.7.1'],
  rate_limited: [451, '4.7.1'],
  payload_too_large: [552, '5.3.4'],
  idempotency_key_reuse: [554, '5.5.0'],
};

/** Of mails that failed: docs/contract/sends.md 7. */
const REASONS: Readonly<Record<string, readonly [code: number, enhanced: string]>> = {
  suppressed: [550, '5.7.1'],
  unsubscribed: [550, '5.7.1'],
  bounced: [550, '5.7.1'],
  unconfirmed: [550, '5.7.1'],
  topic_off: [550, '5.7.1'],
  provider_rejected: [550, '5.0.0'],
  provider_unavailable: [451, '4.4.1'],
  // Its row stands, and nobody may send it again by himself.
  outcome_unknown: [250, '2.0.0'],
};

const PASSES: readonly [number, string] = [451, '4.3.0'];
const STAYS: readonly [number, string] = [554, '5.6.0'];

/** What an SMTP client is told in the place of what HTTP would answer. */
export function answerOfRefusal({ code, message, status, details }: Refusal): SmtpAnswer {
  const reason = code === 'send_failed' ? String(details.body?.reason) : undefined;
  const mayPass = status >= 500 || status === STATUS_OF.idempotency_in_progress || status === STATUS_OF.request_timeout;
  const [smtp, enhanced] = (reason === undefined ? CODES[code] : REASONS[reason]) ?? (mayPass ? PASSES : STAYS);
  return smtpAnswer(smtp, enhanced, reason === undefined ? `${code}: ${message}` : message);
}

/** In one line of what SMTP may carry. */
export function smtpAnswer(code: number, enhanced: string, words: string): SmtpAnswer {
  return { code, text: `${enhanced} ${words.replace(/[^\x20-\x7e]+/g, '?').slice(0, MAX_TEXT_LENGTH)}` };
}

/** Whether a client's queue tries again. */
export function isTemporary({ code }: SmtpAnswer): boolean {
  return code >= 400 && code < 500;
}

/** As smtp-server takes it. */
export function asError({ code, text }: SmtpAnswer): Error & { readonly responseCode: number } {
  return Object.assign(new Error(text), { responseCode: code });
}
