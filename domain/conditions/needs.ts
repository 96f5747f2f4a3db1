import { type Condition, type EmailEvent, type EmailTest, type EventTest, TOPIC_FIELD } from './condition.ts';

/** Whether the contact has at least this many events of a type. null: since ever. */
export interface EventLookup {
  readonly type: string;
  readonly withinHours: number | null;
  readonly atLeast: number;
}

/** Whether this happened to a mail to the contact. null: any template, since ever. */
export interface EmailLookup {
  readonly template: string | null;
  readonly event: EmailEvent;
  readonly withinHours: number | null;
}

/** What has to be looked up before conditions can be evaluated; each thing once. */
export interface FactsNeeded {
  /** As `segmentKey` writes them. */
  readonly segments: readonly string[];
  readonly events: readonly EventLookup[];
  readonly emails: readonly EmailLookup[];
  /** Keys. */
  readonly topics: readonly string[];
}

/** Segment labels are the same whatever their case: docs/contract/segments.md 1. */
export function segmentKey(label: string): string {
  return label.toLowerCase();
}

export function eventLookup({ type, withinHours, atLeast }: EventTest): EventLookup {
  return { type, withinHours: withinHours ?? null, atLeast: atLeast ?? 1 };
}

export function emailLookup({ template, event, withinHours }: EmailTest): EmailLookup {
  return { template: template ?? null, event, withinHours: withinHours ?? null };
}

/** The same text for the same question, a different one for every other question. */
export function eventKey({ type, withinHours, atLeast }: EventLookup): string {
  return JSON.stringify([type, withinHours, atLeast]);
}

/** The same text for the same question, a different one for every other question. */
export function emailKey({ template, event, withinHours }: EmailLookup): string {
  return JSON.stringify([template, event, withinHours]);
}

/** Everything that these conditions ask of the database. */
export function factsNeeded(conditions: Condition | readonly Condition[]): FactsNeeded {
  const segments = new Set<string>();
  const events = new Map<string, EventLookup>();
  const emails = new Map<string, EmailLookup>();
  const topics = new Set<string>();
  const visit = (condition: Condition): void => {
    if ('all' in condition) condition.all.forEach(visit);
    else if ('any' in condition) condition.any.forEach(visit);
    else if ('not' in condition) visit(condition.not);
    else if ('segment' in condition) segments.add(segmentKey(condition.segment));
    else if ('event' in condition) {
      const lookup = eventLookup(condition.event);
      events.set(eventKey(lookup), lookup);
    } else if ('email' in condition) {
      const lookup = emailLookup(condition.email);
      emails.set(emailKey(lookup), lookup);
    } else {
      const [, topic] = TOPIC_FIELD.exec(condition.field) ?? [];
      if (topic !== undefined) topics.add(topic);
    }
  };
  for (const condition of [conditions].flat() as Condition[]) visit(condition);
  return { segments: [...segments], events: [...events.values()], emails: [...emails.values()], topics: [...topics] };
}
