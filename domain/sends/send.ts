import { Refusal } from '../errors.ts';
import type { SandboxReported } from './sandbox.ts';
import type { RefusedCopy } from './send-details.ts';

export type SendType = 'transactional' | 'marketing';
/** What can ask for a mail. */
export const SOURCE_TYPES = ['api', 'campaign', 'sequence', 'test', 'confirmation'] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

/** In the place of a template's key, for mails whose call brought their content. */
export const NO_TEMPLATE = '';

/** Why a send failed: docs/contract/sends.md 7. The same word starts the row's `error`. */
export type SendFailure =
  | 'suppressed'
  | 'unsubscribed'
  | 'bounced'
  | 'unconfirmed'
  | 'topic_off'
  | 'render_failed'
  | 'provider_rejected'
  | 'provider_unavailable'
  | 'outcome_unknown'
  | 'attachment_gone'
  // Steps of sequences only: POST /send refuses these before anything is written.
  | 'unknown_template'
  | 'template_not_enabled'
  | 'no_brand'
  | 'invalid_from';

/** Why a mail of a campaign can have failed. */
export const RECIPIENT_FAILURES = [
  ...(['outcome_unknown', 'provider_rejected', 'provider_unavailable', 'render_failed'] as const),
  ...(['unknown_template', 'template_not_enabled', 'no_brand', 'invalid_from'] as const),
] as const satisfies readonly SendFailure[];

/** How a send ended. */
export type SendOutcome =
  | {
      readonly status: 'sent';
      readonly providerId: string | undefined;
      /** The name of the one that took it; absent: it has not left. */
      readonly provider?: string | undefined;
      /** What is reported of those recipients whom it has not left for; absent: there are none. */
      readonly sandboxReports?: readonly SandboxReported[];
      /** Absent: every copy was taken, or none was asked for. */
      readonly refusedCopies?: readonly RefusedCopy[];
    }
  | FailedOutcome;

/** Of a mail that the provider took. */
export function acceptedOutcome({
  providerId,
  provider,
  refusedCopies,
  sandboxReports,
}: Omit<Extract<SendOutcome, { readonly status: 'sent' }>, 'status'>): SendOutcome {
  return {
    ...{ status: 'sent', providerId },
    ...(provider !== undefined && { provider }),
    ...(refusedCopies && { refusedCopies }),
    ...(sandboxReports && { sandboxReports }),
  };
}

export interface FailedOutcome {
  readonly status: 'failed';
  readonly reason: SendFailure;
  readonly message: string;
  /** The name of the provider that was asked; absent: none was. */
  readonly provider?: string | undefined;
  /** The recipient's address does not exist, said the provider at once: a hard bounce (docs/contract/sends.md 23). */
  readonly badAddress?: boolean;
}

/** Of a mail that never goes as it is: its provider says so, or one of its attachments is not kept any more. */
export function rejectedOutcome({
  message,
  provider,
  badAddress,
  isAttachmentGone,
}: Pick<FailedOutcome, 'message' | 'provider' | 'badAddress'> & { readonly isAttachmentGone?: boolean }): FailedOutcome {
  return isAttachmentGone
    ? { status: 'failed', reason: 'attachment_gone', message }
    : {
        ...{ status: 'failed', reason: 'provider_rejected', message },
        ...(provider !== undefined && { provider }),
        ...(badAddress === undefined ? {} : { badAddress }),
      };
}

/** The words of the log row's `error`: the reason first, then what happened. */
export function errorText(reason: SendFailure, message: string): string {
  return message ? `${reason}: ${message}` : reason;
}

/** The reason and the message of a stored `error`. */
export function readError(error: string): { reason: SendFailure; message: string } {
  const [reason = '', ...rest] = error.split(': ');
  return { reason: reason as SendFailure, message: rest.join(': ') };
}

/** The enhanced status code (RFC 3463) with which a server refused an address for good, if its words have one. */
export function bounceCode(message: string): string | undefined {
  return /\b5\.\d{1,3}\.\d{1,3}\b/.exec(message)?.[0];
}

/** More than these are not told. */
const DOMAINS_TOLD = 5;

/** The refusal of a sender whose address is on none of the verified domains. */
export function unverifiedSender(email: string, verified: readonly string[]): Refusal {
  const told = verified.slice(0, DOMAINS_TOLD).join(', ') + (verified.length > DOMAINS_TOLD ? ', …' : '');
  const which = verified.length > 0 ? `verified: ${told}` : 'this project has none';
  return new Refusal(
    'invalid_from',
    `${email} is not on a verified sending domain; ${which}. Add one with \`POST /domains\` and set its DNS records, or have an operator do so with \`domain add\``,
  );
}

/** Whether an address is on one of the domains, or on a subdomain of one. */
export function isOnDomain(email: string, domains: readonly string[]): boolean {
  const host = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  return domains.some((domain) => host === domain || host.endsWith(`.${domain}`));
}
