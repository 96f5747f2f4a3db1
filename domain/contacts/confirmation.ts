import type { SendFailure } from '../sends/send.ts';
import type { ContactInput, ContactStatus } from './contact.ts';

/** Shipped: what a brand asks with that names no template of its own. */
export const CONFIRMATION_TEMPLATE = 'confirm-subscription';

/**
 * `waiting`: the person was asked, and has not answered. `expired`: for so long that nobody asks any more. `confirmed`: by the person.
 * `ended`: somebody else has given the contact another status.
 */
export const CONFIRMATION_STATES = ['waiting', 'confirmed', 'expired', 'ended'] as const;
export type ConfirmationState = (typeof CONFIRMATION_STATES)[number];

/** In these a contact gets no marketing mail. */
export const UNCONFIRMED = ['waiting', 'expired'] as const satisfies readonly ConfirmationState[];

/** However often somebody signs up, there is at most one mail in so long. */
export const BETWEEN_CONFIRMATION_MAILS_MS = 3_600_000;

/** Reminders after each sign-up. */
export const MOST_REMINDERS = 2;
export const MAX_REMINDER_HOURS = 720;

/** Who does not answer is pruned after so many days, unless the brand says otherwise. */
export const PRUNE_DAYS = 30;
export const MAX_PRUNE_DAYS = 365;

/** How a brand asks those who sign up whether it was them. */
export interface ConfirmationSettings {
  /** Who becomes a contact without a status is asked. */
  readonly double_opt_in: boolean;
  /** null: the one that ships. */
  readonly confirm_template: string | null;
  /** When a reminder follows, in hours after the sign-up, ascending. */
  readonly confirm_reminders: readonly number[];
  /** null: nobody is pruned. */
  readonly confirm_prune_days: number | null;
}

/** How contacts of a brand are asked. `isEnabled`: its template is. */
export interface AskingBrand extends Pick<ConfirmationSettings, 'double_opt_in'> {
  readonly isEnabled: boolean;
}

/**
 * Whether a call is a sign-up of somebody who is to be asked: it says `pending`, or its brand asks by itself and it makes the contact or brings a new
 * consent. What else a call changes of who is pending is no sign-up. `became`: the status after it.
 */
export function asksToConfirm(
  { input, isNew, became }: { readonly input: ContactInput; readonly isNew: boolean; readonly became: ContactStatus },
  brand: AskingBrand | undefined,
): boolean {
  if (became !== 'pending' || !brand) return false;
  if (brand.double_opt_in && (isNew || input.consent !== undefined)) return true;
  return input.status === 'pending' && (brand.double_opt_in || brand.isEnabled);
}

/** Where a confirmation stands. */
export interface ConfirmationStanding {
  readonly state: ConfirmationState;
  /** When the person was asked after the last sign-up, or is to be. */
  readonly asked_at: Date;
  /** Mails since then, and when the last one of all was made. */
  readonly mails: number;
  readonly mailed_at: Date | null;
  /** Why the last of them did not leave, if it did not. */
  readonly failure: string | null;
}

/** What is to be done about a confirmation now. */
export type ConfirmationStep =
  | { readonly kind: 'over' }
  /** `number`: 0 answers the sign-up, then come reminders. */
  | { readonly kind: 'mail'; readonly number: number }
  | { readonly kind: 'expire' }
  | { readonly kind: 'wait'; readonly until: Date; readonly forWhat: 'first' | 'reminder' | 'end' };

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** When nobody waits for the answer any more. */
export function expiresAt(
  { asked_at }: Pick<ConfirmationStanding, 'asked_at'>,
  settings: Pick<ConfirmationSettings, 'confirm_prune_days'>,
): Date {
  return new Date(asked_at.getTime() + (settings.confirm_prune_days ?? MAX_PRUNE_DAYS) * DAY_MS);
}

/** Whom a mail failed for one of these is not reminded: no other would reach them. */
const FOR_GOOD: readonly string[] = ['suppressed', 'provider_rejected'] satisfies readonly SendFailure[];

/** What comes next. Nobody is given up who was not asked. */
export function nextConfirmationStep(
  confirmation: ConfirmationStanding,
  settings: Pick<ConfirmationSettings, 'confirm_reminders' | 'confirm_prune_days'>,
  now: Date,
): ConfirmationStep {
  const { state, mails } = confirmation;
  if (state !== 'waiting') return { kind: 'over' };
  if (mails === 0) {
    const until = confirmation.asked_at;
    return now < until ? { kind: 'wait', until, forWhat: 'first' } : { kind: 'mail', number: 0 };
  }
  const end = expiresAt(confirmation, settings);
  if (now >= end) return { kind: 'expire' };
  const reminder = reminderAt(confirmation, settings);
  if (!reminder || reminder >= end) return { kind: 'wait', until: end, forWhat: 'end' };
  return now >= reminder ? { kind: 'mail', number: mails } : { kind: 'wait', until: reminder, forWhat: 'reminder' };
}

/** When the next reminder is due: one that was late keeps its distance to the one after. */
function reminderAt(
  { asked_at, mails, mailed_at, failure }: ConfirmationStanding,
  { confirm_reminders }: Pick<ConfirmationSettings, 'confirm_reminders'>,
): Date | undefined {
  const hours = confirm_reminders[mails - 1];
  if (hours === undefined || (failure !== null && FOR_GOOD.includes(failure))) return undefined;
  const earliest = mailed_at ? mailed_at.getTime() + BETWEEN_CONFIRMATION_MAILS_MS : 0;
  return new Date(Math.max(asked_at.getTime() + hours * HOUR_MS, earliest));
}
