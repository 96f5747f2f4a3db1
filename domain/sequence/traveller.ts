import type { Condition } from '../condition/condition.ts';
import type { ContactFields } from '../contact.ts';
import type { SequenceGraph } from './graph.ts';
import { updateContact } from './update-contact.ts';
import type { Traveller } from './walk.ts';

/** A contact as a run sees it; `simulated` is the id of one that exists only in a request. */
export interface TravellingContact extends ContactFields {
  readonly id: string;
  readonly email: string;
  readonly brand_id: string;
  readonly created_at: Date;
}

export interface Journey<C extends TravellingContact> {
  readonly graph: SequenceGraph;
  readonly sequenceKey: string;
  readonly contact: C;
  /** Payload of the latest event. */
  readonly event: Readonly<Record<string, unknown>> | undefined;
  /** Outcomes to take whatever would be decided, by node: simulate only. */
  readonly assume?: Readonly<Record<string, string>>;
  /** `sent`: the mails that an imagined run has sent so far. */
  judge(contact: C, condition: Condition, sent: ReadonlySet<string>): boolean;
  readonly now: Date;
}

/** A contact on its way, real or imagined: an update changes the copy that later nodes see. Writing it is for whoever sent it. */
export function createTraveller<C extends TravellingContact>(journey: Journey<C>): Traveller & { readonly contact: C } {
  const { graph, sequenceKey, event, assume = {}, judge, now } = journey;
  let { contact } = journey;
  const sent = new Set<string>();
  const goal = graph.goal?.condition;
  return {
    get contact() {
      return contact;
    },
    around: {
      now,
      sequenceKey,
      contactId: contact.id,
      get contactTimezone() {
        return contact.timezone;
      },
      holds: (condition) => judge(contact, condition, sent),
    },
    goalHolds: () => goal !== undefined && judge(contact, goal, sent),
    noteSent: (template) => void sent.add(template),
    assumed: (nodeId) => (Object.hasOwn(assume, nodeId) ? assume[nodeId] : undefined),
    update(update) {
      // As JSON, so that an instant is the text that the API shows.
      const shown = JSON.parse(JSON.stringify(contact));
      const changed = updateContact(contact, update, { contact: shown, event: event ?? {}, now: now.toISOString() }, now);
      contact = { ...contact, ...changed.contact };
      return changed.detail;
    },
  };
}
