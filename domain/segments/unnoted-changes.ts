import { factsNeeded } from '../conditions/needs.ts';
import type { SegmentFilter } from './segment.ts';

/** Whether contacts become members of a segment without anything that is noted about them: by the clock, and as their mails are sent. */
export function changesUnnoted({ where }: Pick<SegmentFilter, 'where'>): boolean {
  const { events, emails } = factsNeeded(where ?? []);
  return events.some(isTimed) || emails.some((lookup) => isTimed(lookup) || lookup.event === 'sent');
}

function isTimed({ withinHours }: { readonly withinHours: number | null }): boolean {
  return withinHours !== null;
}
