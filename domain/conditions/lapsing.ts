import type { Condition } from './condition.ts';
import type { LookedUpFacts } from './judge.ts';
import { type EmailLookup, type EventLookup, emailKey, eventKey, factsNeeded, segmentKey } from './needs.ts';

/** A question about the last so many hours. */
type Lapsing<Lookup> = Lookup & { readonly withinHours: number };

/** Answers that are yes only for a while. */
export interface LapsingFacts {
  readonly events: readonly Lapsing<EventLookup>[];
  readonly emails: readonly Lapsing<EmailLookup>[];
}

/**
 * What the clock alone will change of the facts that these conditions ask for, those of the segments that they name among them: what happened
 * within the last hours will have happened before. The other way round nothing turns: for a yes something has to happen.
 */
export function lapsingFacts(conditions: readonly Condition[], { needed, segments, events, emails }: LookedUpFacts): LapsingFacts {
  const asked = factsNeeded(conditions);
  const inSegments = segments.filter(({ label }) => asked.segments.includes(segmentKey(label))).flatMap(({ filter }) => filter.where ?? []);
  const nested = factsNeeded(inSegments);
  const hold = {
    events: new Set(needed.events.filter((_, index) => events[index]).map(eventKey)),
    emails: new Set(needed.emails.filter((_, index) => emails[index]).map(emailKey)),
  };
  return {
    events: [...asked.events, ...nested.events].filter(lapses).filter((lookup) => hold.events.has(eventKey(lookup))),
    emails: [...asked.emails, ...nested.emails].filter(lapses).filter((lookup) => hold.emails.has(emailKey(lookup))),
  };
}

function lapses<Lookup extends EventLookup | EmailLookup>(lookup: Lookup): lookup is Lapsing<Lookup> {
  return lookup.withinHours !== null;
}
