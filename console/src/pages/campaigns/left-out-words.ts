import type { Schemas } from '../../api/client.ts';

export type LeftOutReason = Schemas['LeftOutReason'];

/** Why somebody does not get a campaign, as a word of a list. No campaign is capped. */
export const LEFT_OUT: Readonly<Record<Exclude<LeftOutReason, 'capped'>, string>> = {
  suppressed: 'Suppressed',
  unsubscribed: 'Unsubscribed',
  bounced: 'Bounced',
  erased: 'Contact deleted',
  ended: 'Campaign ended before their turn',
  cancelled: 'Campaign cancelled before their turn',
};

export function leftOutWords(reason: string): string {
  return (LEFT_OUT as Readonly<Record<string, string>>)[reason] ?? reason.replaceAll('_', ' ');
}

/** How many they are in all. */
export function leftOutCount(counts: Schemas['LeftOutCounts']): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
