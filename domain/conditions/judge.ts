import type { ContactFields } from '../contacts/contact.ts';
import { isTopicOn, type Topic } from '../contacts/topic.ts';
import type { SegmentFilter } from '../segments/segment.ts';
import { isInSegment } from '../segments/segment-match.ts';
import type { Condition } from './condition.ts';
import { type ConditionFacts, evaluateCondition } from './evaluate.ts';
import { emailKey, eventKey, type FactsNeeded, segmentKey } from './needs.ts';

/** What a condition may see of a contact. */
export interface JudgedContact extends ContactFields {
  readonly email: string;
  readonly brand_id: string;
  readonly created_at: Date;
}

/** What the database says to everything that conditions need; plain data. The answers are in the order of what is needed. */
export interface LookedUpFacts {
  readonly needed: FactsNeeded;
  readonly segments: readonly { readonly label: string; readonly filter: SegmentFilter; readonly brand_id: string | null }[];
  readonly events: readonly boolean[];
  readonly emails: readonly boolean[];
  /** Those that are needed and that there are. */
  readonly topics: readonly Pick<Topic, 'key' | 'defaultOn'>[];
}

/** Whether a condition holds for a contact as it is just then; `sent`: templates that a simulation has sent it by then. */
export type Judge = (contact: JudgedContact, condition: Condition, sent?: ReadonlySet<string>) => boolean;

const NOTHING_SENT: ReadonlySet<string> = new Set();

/** `event`: payload of the latest event. It can be asked about the conditions whose facts were looked up. */
export function createJudge(
  { needed, segments, events: eventAnswers, emails: emailAnswers, topics }: LookedUpFacts,
  event: unknown,
): Judge {
  const rules = new Map(segments.map((rule) => [segmentKey(rule.label), rule]));
  const events = new Set(needed.events.filter((_, index) => eventAnswers[index]).map(eventKey));
  const emails = new Set(needed.emails.filter((_, index) => emailAnswers[index]).map(emailKey));
  const sentByThen = (sent: ReadonlySet<string>): string[] =>
    needed.emails.flatMap((lookup) =>
      lookup.event === 'sent' && (lookup.template === null ? sent.size > 0 : sent.has(lookup.template)) ? emailKey(lookup) : [],
    );
  return (contact, condition, sent = NOTHING_SENT) => {
    const facts: ConditionFacts = {
      contact: {
        ...contact,
        brand: contact.brand_id,
        topics: Object.fromEntries(topics.map((topic) => [topic.key, isTopicOn(topic, contact.topics)])),
      },
      attributes: contact.attributes,
      event,
      segments: {
        has(key) {
          const rule = rules.get(key);
          return rule !== undefined && isInSegment(contact, rule) && (!rule.filter.where || evaluateCondition(rule.filter.where, facts));
        },
      },
      events,
      emails: sent.size === 0 ? emails : new Set([...emails, ...sentByThen(sent)]),
    };
    return evaluateCondition(condition, facts);
  };
}
