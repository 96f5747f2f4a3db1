/**
 * Why somebody whom a campaign was for did not get it. `unconfirmed`: they have not confirmed their sign-up. `topic_off`: they do not want its topic. `late`: the hour had passed in their zone when it was launched. `erased`: the contact was deleted before their
 * turn. `ended`: the campaign ended before their turn, or nothing of it could go; its `reason` says why. `cancelled`: it was cancelled before their
 * turn. `capped` is reserved: campaigns are under no frequency cap.
 */
export const LEFT_OUT_REASONS = [
  'suppressed',
  'unsubscribed',
  'bounced',
  'unconfirmed',
  'topic_off',
  'late',
  'capped',
  'erased',
  'ended',
  'cancelled',
] as const;
export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number];

/** How many were left out for each reason. */
export type LeftOutCounts = Readonly<Record<LeftOutReason, number>>;

/** Something for each reason. */
export function byReason<T>(of: (reason: LeftOutReason) => T): Readonly<Record<LeftOutReason, T>> {
  return Object.fromEntries(LEFT_OUT_REASONS.map((reason) => [reason, of(reason)])) as Record<LeftOutReason, T>;
}

export const NOBODY_LEFT_OUT: LeftOutCounts = byReason(() => 0);

/** People of one row at most, so that a million need ten thousand rows. */
export const LEFT_OUT_AT_ONCE = 100;
