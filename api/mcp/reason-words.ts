import type { CampaignReason, CampaignStatus } from '../../domain/campaigns/campaign.ts';
import type { LeftOutReason } from '../../domain/campaigns/left-out.ts';
import type { SendFailure } from '../../domain/sends/send.ts';
import type { MailLeftOutReason } from '../../domain/sequences/left-out-mails.ts';
import type { HoldReason, WAITS } from '../../domain/sequences/waiting-for.ts';

const SUPPRESSED =
  'the address is suppressed, so it gets no email at all. A suppression is lifted by DELETE /suppressions/:email, if the user knows better';
const UNSUBSCRIBED = 'the person has unsubscribed from marketing email; only the person can want it back';
const BOUNCED = 'the address has bounced, so it gets no marketing email';
const UNCONFIRMED = 'the person was asked to confirm the sign-up and has not, so it gets no marketing email';
const TOPIC_OFF = 'the person does not want the topic of the email, or the topic is gone';
const NO_TEMPLATE = 'its template does not exist any more';
const TEMPLATE_OFF = 'its template is not enabled';
const NO_BRAND = 'its brand does not exist any more';
const INVALID_FROM = 'its sender is on no verified sending domain';
const SUSPENDED = 'the project is suspended; an operator resumes it';
const UNVERIFIED = "the owner's email address is not verified; an operator does that";

/** Why one email failed. */
export const FAILURE_WORDS: Readonly<Record<SendFailure, string>> = {
  suppressed: SUPPRESSED,
  unsubscribed: UNSUBSCRIBED,
  bounced: BOUNCED,
  unconfirmed: UNCONFIRMED,
  topic_off: TOPIC_OFF,
  render_failed: 'the email could not be made: data that the template requires is missing, or its Liquid fails; the words are in data',
  provider_rejected: 'the mail provider refused it for good; its words are in data',
  provider_unavailable: 'the mail provider could not be reached; it was not sent, and may be retried',
  outcome_unknown: 'nobody knows whether the provider took it: something broke in between. A retry may reach the person twice',
  attachment_gone: 'a file of it was not kept any more',
  unknown_template: NO_TEMPLATE,
  template_not_enabled: TEMPLATE_OFF,
  no_brand: NO_BRAND,
  invalid_from: INVALID_FROM,
};

/** Why a run of a sequence went on without the email of a step. */
export const SKIPPED_WORDS: Readonly<Record<MailLeftOutReason, string>> = {
  suppressed: SUPPRESSED,
  unsubscribed: UNSUBSCRIBED,
  bounced: BOUNCED,
  unconfirmed: UNCONFIRMED,
  topic_off: TOPIC_OFF,
  erased: 'the contact was erased',
  frequency_cap: 'the person had had as many emails as the frequency cap allows, for as long as the run may wait',
  other: 'the trace of the run, in data, says why',
};

/** What keeps a run from its next step. */
export const HOLD_WORDS: Readonly<Record<HoldReason, string>> = {
  paused: 'the sequence is not active: its emails go on when it is',
  project_suspended: SUSPENDED,
  email_unverified: UNVERIFIED,
  send_window: 'the send window is closed; it goes when that opens',
  frequency_cap: 'the person has had as many emails as the frequency cap allows; it goes when there is room, or is left out',
  provider_unavailable: 'the mail provider cannot be reached; it is retried by itself',
  too_many_steps: 'the run loops: it takes one step a minute',
};

/** What a run waits for that its graph says. */
export const WAIT_WORDS: Readonly<Record<(typeof WAITS)[number], string>> = {
  delay: 'it waits for its time',
  condition: 'it waits for a condition to hold',
  time: 'it waits for its time',
  subflow: 'it waits for a run of another sequence',
  webhook: 'it calls an endpoint, and tries again',
  digest: 'it gathers events',
  throttle: 'it waits until it may pass a throttle',
};

/** Why a campaign ended early, or does not go on just now. */
export const CAMPAIGN_WORDS: Readonly<Record<CampaignReason, string>> = {
  unknown_segment: 'its segment was deleted before it began',
  empty_audience: 'when it began, nobody of its audience could get email',
  project_suspended: SUSPENDED,
  email_unverified: UNVERIFIED,
  unknown_template: NO_TEMPLATE,
  template_not_enabled: TEMPLATE_OFF,
  no_brand: NO_BRAND,
  invalid_from: INVALID_FROM,
  ends_at_reached: 'its end was reached: who had not got it by then does not',
  provider_unavailable: 'the mail provider takes no email just now; it is retried by itself, and nobody is left out',
  allowance_used: "today's allowance of the provider is used; it goes on at 00:00 UTC",
  send_window: 'it waits for its send window',
  local_time: 'it waits for its time in the next time zone',
  receiver_pace: 'what is left goes to receivers that take email slowly, at their pace',
  cancelled: 'an operator cancelled its workflow',
  terminated: 'an operator terminated its workflow',
  failed: 'its workflow failed; operators find the details in Temporal Web',
};

/** Where a campaign stands. */
export const STATUS_WORDS: Readonly<Record<CampaignStatus, string>> = {
  draft: 'it is a draft: nobody has launched it',
  scheduled: 'it is scheduled: its time has not come',
  queued: 'it is about to begin',
  sending: 'it is being sent',
  sent: 'it is sent: every recipient is settled',
  cancelled: 'it was cancelled: whoever had not got it by then does not',
  failed: 'it failed: nothing of it could go',
};

/** Why a campaign left a person out. */
export const LEFT_OUT_WORDS: Readonly<Record<LeftOutReason, string>> = {
  suppressed: SUPPRESSED,
  unsubscribed: UNSUBSCRIBED,
  bounced: BOUNCED,
  unconfirmed: UNCONFIRMED,
  topic_off: TOPIC_OFF,
  late: 'the hour had passed in the time zone of the person when it was launched',
  capped: 'the person had had enough emails',
  erased: 'the contact was erased before its turn',
  ended: 'the campaign was over before the turn of the person',
  cancelled: 'the campaign was cancelled before the turn of the person',
};

/** The words of a reason that is read from an answer. One that the table does not have may be anybody's text: it is not repeated. */
export function wordsOf(words: Readonly<Record<string, string>>, reason: string | null | undefined): string {
  return (reason && Object.hasOwn(words, reason) ? words[reason] : undefined) ?? 'the reason stands in data';
}

/** A status or a reason of Everpost's own lists, as it is called. */
export function nameOf(name: string): string {
  return /^[a-z_]{1,40}$/.test(name) ? name : 'as data says';
}
