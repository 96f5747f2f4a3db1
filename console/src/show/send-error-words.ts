import type { Schemas } from '../api/client.ts';
import { messageForPeople } from '../api/issues.ts';

/** What keeps a mail from a contact, beside what a recipient of a campaign may fail by. */
type Reason =
  | Schemas['RecipientFailure']
  | Exclude<Schemas['ContactStatus'], 'subscribed' | 'pending'>
  | 'suppressed'
  | 'unconfirmed'
  | 'topic_off'
  | 'attachment_gone';

/** Why a mail was not sent; what follows the reason is the API's own, or the provider's. */
const REASONS: Readonly<Record<Reason, (message: string) => string>> = {
  suppressed: () => 'The address is suppressed, so it gets no email at all: see Suppressions',
  unconfirmed: () => 'The contact has not confirmed the sign-up, so it gets no marketing email',
  topic_off: () => 'The contact does not want this topic',
  unsubscribed: () => 'The contact has unsubscribed from marketing email',
  bounced: () => 'The address has bounced, so it gets no marketing email',
  render_failed: (message) =>
    message.startsWith('required data is missing: ')
      ? message.replace('required data is missing: ', 'Missing data the template needs: ')
      : `The email could not be created: ${message}`,
  provider_rejected: (message) => `The email provider rejected it: ${message}`,
  provider_unavailable: (message) => `The email provider could not be reached: ${message}`,
  outcome_unknown: (message) => `It is not known whether the email provider accepted it: ${message}`,
  attachment_gone: (message) => `An attachment was missing: ${message}`,
  unknown_template: () => 'The template does not exist',
  template_not_enabled: () => 'The template was off',
  no_brand: () => 'The brand does not exist',
  invalid_from: (message) => `The sender cannot send: ${messageForPeople(message)}`,
};

/** Of addresses that play a part, those that nothing takes off: docs/contract/sends.md 42. */
const PLAYS_SUPPRESSED = /^suppressed(\+.*)?@everpost\.test$/;

/** Whether a mail to this address failed for its entry under Suppressions. */
export function isListedAsSuppressed(error: string | null, email: string): boolean {
  return error?.startsWith('suppressed') === true && email !== '' && !PLAYS_SUPPRESSED.test(email);
}

/**
 * An `error` of a send, like `render_failed: required data is missing: code`, for people; `email` is whom it was about, where that is known.
 * One that is not known is told as it is.
 */
export function sendErrorWords(error: string, email = ''): string {
  const [, reason = '', message = ''] = /^([a-z_]+)(?:: (.*))?$/s.exec(error) ?? [];
  if (reason === 'suppressed' && PLAYS_SUPPRESSED.test(email)) return 'This test address acts as a suppressed one and never gets email';
  const words = REASONS[reason as Reason]?.(message);
  return words?.replace(/: $/, '') ?? error;
}

/** Why a mail was not sent; undefined for one that was, or is being. */
export function notSentWords({
  status,
  error,
  to_email,
}: Pick<Schemas['SendLogEntry'], 'status' | 'error' | 'to_email'>): string | undefined {
  return status === 'failed' ? sendErrorWords(error ?? '', to_email) : undefined;
}
