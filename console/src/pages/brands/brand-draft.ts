import type { Brand, BrandInput } from './brand-queries.ts';

/** The template of a brand that asks with none of its own: it ships. */
export const BUILT_IN = 'confirm-subscription';

/** A brand as its form has it: texts, empty where there is nothing. */
export interface BrandDraft {
  readonly slug: string;
  readonly name: string;
  readonly email: string;
  readonly sender: string;
  readonly replyTo: string;
  readonly logoUrl: string;
  readonly color: string;
  readonly website: string;
  readonly address: string;
  readonly isTracked: boolean;
  /** Whether who signs up is asked to confirm, with what, and what follows where they do not. */
  readonly isAsking: boolean;
  readonly template: string;
  readonly firstReminder: number | string;
  readonly secondReminder: number | string;
  readonly pruneDays: number | string;
  readonly isDefault: boolean;
}

export function draftOf(brand: Brand | undefined): BrandDraft {
  return {
    slug: brand?.slug ?? '',
    name: brand?.name ?? '',
    email: brand?.from_email ?? '',
    sender: brand?.from_name ?? '',
    replyTo: brand?.reply_to ?? '',
    logoUrl: brand?.logo_url ?? '',
    color: brand?.color ?? '',
    website: brand?.website ?? '',
    address: brand?.address ?? '',
    isTracked: brand?.track_transactional ?? false,
    isAsking: brand?.double_opt_in ?? false,
    template: brand?.confirm_template ?? BUILT_IN,
    firstReminder: brand?.confirm_reminders[0] ?? '',
    secondReminder: brand?.confirm_reminders[1] ?? '',
    pruneDays: brand?.confirm_prune_days ?? '',
    isDefault: brand?.is_default ?? false,
  };
}

/** What to ask for: only what differs from `before`, so that what others changed meanwhile stays. */
export function changesOf(before: BrandDraft, now: BrandDraft): BrandInput {
  const text = (name: 'replyTo' | 'logoUrl' | 'color' | 'website' | 'address'): BrandInput =>
    now[name].trim() === before[name] ? {} : { [name]: now[name].trim() || null };
  const isSenderChanged = now.email.trim() !== before.email || now.sender.trim() !== before.sender;
  const from = now.email.trim() ? { email: now.email.trim(), name: now.sender.trim() || null } : null;
  return {
    ...(now.name.trim() && now.name.trim() !== before.name ? { name: now.name.trim() } : {}),
    ...(isSenderChanged ? { from } : {}),
    ...text('replyTo'),
    ...text('logoUrl'),
    ...text('color'),
    ...text('website'),
    ...text('address'),
    ...(now.isTracked === before.isTracked ? {} : { trackTransactional: now.isTracked }),
    ...confirmationChanges(before, now),
    ...(now.isDefault && !before.isDefault ? { isDefault: true as const } : {}),
  };
}

function confirmationChanges(before: BrandDraft, now: BrandDraft): BrandInput {
  const areOthers = now.firstReminder !== before.firstReminder || now.secondReminder !== before.secondReminder;
  return {
    ...(now.isAsking === before.isAsking ? {} : { doubleOptIn: now.isAsking }),
    ...(now.template === before.template ? {} : { confirmTemplate: now.template === BUILT_IN ? null : now.template }),
    ...(areOthers ? { confirmReminders: remindersOf(now) } : {}),
    ...(now.pruneDays === before.pruneDays ? {} : { confirmPruneDays: now.pruneDays === '' ? null : Number(now.pruneDays) }),
  };
}

function remindersOf({ firstReminder, secondReminder }: BrandDraft): number[] {
  return [firstReminder, secondReminder].filter((hours) => hours !== '').map(Number);
}

/** As the API would refuse it, said at the field. */
export function reminderFault(draft: BrandDraft): string | undefined {
  const [first, second] = remindersOf(draft);
  return first === undefined || second === undefined || second > first ? undefined : 'Enter more hours than for the first reminder';
}
