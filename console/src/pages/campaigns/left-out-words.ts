import type { Schemas } from '../../api/client.ts';
import { keysOf } from '../../frame/choices.ts';
import { uncapitalized } from '../../letters.ts';
import { REASONS } from '../suppressions/reasons.ts';

export type LeftOutReason = Schemas['LeftOutReason'];

/** Why somebody does not get a campaign, as a word of a list. No campaign is capped. */
export const LEFT_OUT: Readonly<Record<Exclude<LeftOutReason, 'capped'>, string>> = {
  suppressed: 'Suppressed',
  unsubscribed: 'Unsubscribed',
  bounced: 'Bounced',
  unconfirmed: 'Not confirmed',
  topic_off: 'Topic off',
  late: 'Too late in their time zone',
  erased: 'Contact deleted',
  ended: 'Campaign ended before their turn',
  cancelled: 'Campaign cancelled before their turn',
};

export function leftOutWords(reason: string): string {
  return (LEFT_OUT as Readonly<Record<string, string>>)[reason] ?? reason.replaceAll('_', ' ');
}

/** The same of one person, with why the address is suppressed: "Suppressed: bounce". */
export function personLeftOutWords({ reason, suppression }: Pick<Schemas['PersonLeftOut'], 'reason' | 'suppression'>): string {
  return suppression ? `${leftOutWords(reason)}: ${uncapitalized(REASONS[suppression].label)}` : leftOutWords(reason);
}

/** Those reasons for which there is somebody. */
export function leftOutByReason(counts: Schemas['LeftOutCounts']) {
  return keysOf(LEFT_OUT).flatMap((reason) => (counts[reason] > 0 ? [{ reason, count: counts[reason] }] : []));
}

/** How many they are in all. */
export function leftOutCount(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
