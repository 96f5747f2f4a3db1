import { isObject } from '../../json.ts';
import { type AttributeDraft, attributeProblem, changedAttributes } from '../contacts/attribute-draft.ts';
import type { ContactStatus } from '../contacts/contact-status.ts';
import type { ExampleEvent } from './example-event.ts';
import type { SimulationInput } from './sequence-queries.ts';

type JsonObject = NonNullable<NonNullable<SimulationInput['event']>['payload']>;

/** A simulation while it is set up, as typed. */
export interface SimulationDraft {
  /** Of a contact of the project; '' for one that is made up. */
  readonly contactId: string;
  readonly isMadeUp: boolean;
  /** A contact of the project as if it had never entered. */
  readonly asIfNotEnrolled: boolean;
  readonly status: ContactStatus;
  readonly tags: readonly string[];
  /** '' for none. */
  readonly timezone: string;
  readonly attributes: readonly AttributeDraft[];
  /** '' for none; undefined: that of the example. */
  readonly eventType: string | undefined;
  /** A JSON object; '' for none; undefined: that of the example. */
  readonly payload: string | undefined;
  /** Outcomes by node id. */
  readonly assume: Readonly<Record<string, string>>;
}

export const EMPTY_SIMULATION: SimulationDraft = {
  contactId: '',
  isMadeUp: true,
  asIfNotEnrolled: false,
  status: 'subscribed',
  tags: [],
  timezone: '',
  attributes: [],
  eventType: undefined,
  payload: undefined,
  assume: {},
};

/** The event of a simulation, as typed or as its example has it; `type` is '' for none. */
export function eventOf({ eventType, payload }: SimulationDraft, example: ExampleEvent): ExampleEvent {
  return { type: (eventType ?? example.type).trim(), payload: payload ?? example.payload };
}

/** What the API is sent; undefined while something is missing. */
export function inputOf(draft: SimulationDraft, example: ExampleEvent): SimulationInput | undefined {
  const event = eventOf(draft, example);
  const payload = event.type ? objectIn(event.payload) : {};
  const { status, timezone, attributes } = draft;
  const isWrong = (one: AttributeDraft): boolean => Object.keys(attributeProblem(one, attributes)).length > 0;
  if (!payload || (draft.isMadeUp ? attributes.some(isWrong) : !draft.contactId)) return undefined;
  return {
    ...(draft.isMadeUp
      ? { contact: { status, tags: [...draft.tags], attributes: changedAttributes(attributes, {}), timezone: timezone || null } }
      : { contactId: draft.contactId, asIfNotEnrolled: draft.asIfNotEnrolled }),
    event: event.type ? { type: event.type, payload } : null,
    assume: draft.assume,
  };
}

/** The object that a text of JSON is, an empty one for an empty text; undefined when it is none. */
export function objectIn(text: string): JsonObject | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
