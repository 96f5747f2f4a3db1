import { type ContactTextInput, type ContactTexts, contactTexts, NO_CONTACT_TEXTS } from './fields.ts';
import { chooseTopics, type TopicChoices } from './topic.ts';

export const CONTACT_STATUSES = ['subscribed', 'unsubscribed', 'pending', 'bounced'] as const;
export type ContactStatus = (typeof CONTACT_STATUSES)[number];
/** With one of these a contact gets no marketing mail. */
export const WITHOUT_MARKETING = ['unsubscribed', 'bounced'] as const satisfies readonly ContactStatus[];
export type StatusWithoutMarketing = (typeof WITHOUT_MARKETING)[number];

export function isWithoutMarketing(status: string): status is StatusWithoutMarketing {
  return (WITHOUT_MARKETING as readonly string[]).includes(status);
}

/** What a caller may say about a contact. undefined: leave as it is; null: clear. */
export interface ContactInput extends ContactTextInput {
  readonly email: string;
  readonly id?: string | undefined;
  readonly status?: ContactStatus | undefined;
  readonly resubscribe?: boolean | undefined;
  readonly brand?: string | undefined;
  readonly source?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Merged key by key; a null value removes its key. */
  readonly attributes?: Readonly<Record<string, unknown>> | undefined;
  /** Merged key by key; what is off stays off without `resubscribe`. */
  readonly topics?: TopicChoices | undefined;
  readonly consent?: ConsentInput | undefined;
}

export interface ConsentInput {
  readonly source?: string | undefined;
  readonly ip?: string | undefined;
  readonly userAgent?: string | undefined;
}

/** A contact without its identity: what an upsert may change. */
export interface ContactFields extends ContactTexts {
  readonly status: ContactStatus;
  readonly source: string;
  readonly tags: readonly string[];
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly topics: TopicChoices;
  readonly consent_source: string | null;
  readonly consent_ip: string | null;
  readonly consent_user_agent: string | null;
  readonly consent_at: Date | null;
}

/** Where a new contact comes from when its input does not say. */
export interface Origin {
  readonly source: string;
  readonly ip: string | undefined;
  readonly userAgent: string | undefined;
  /** The call names people who did not ask for it, as the addresses of a campaign: it is no evidence of their consent. */
  readonly isNoConsent?: true;
  /** The API key of the call; absent where none changes a contact. */
  readonly keyId?: string;
  /** A test key makes the call: who becomes a contact by it enters sequences for test keys alone. */
  readonly isSandboxed: boolean;
  readonly now: Date;
}

export const MAX_ATTRIBUTES = 100;
export const MAX_ATTRIBUTES_KB = 16;

/** Characters of where a contact comes from. */
export const MAX_SOURCE_LENGTH = 200;

/** Characters of the browser by which a person agreed. */
export const MAX_USER_AGENT_LENGTH = 1000;

/** The status table of docs/contract/contacts.md 10 to 12: unsubscribed and bounced are left only on purpose. */
export function nextStatus(current: ContactStatus | undefined, input: Pick<ContactInput, 'status' | 'resubscribe'>): ContactStatus {
  const { status: wanted, resubscribe } = input;
  if (current === undefined) return wanted ?? 'subscribed';
  if (wanted === undefined) return current;
  const stays = (current === 'unsubscribed' || current === 'bounced') && (wanted === 'subscribed' || wanted === 'pending');
  return stays && resubscribe !== true ? current : wanted;
}

/** A contact that does not exist yet: its consent is seeded from its source and the calling request, where that is evidence of one. */
export function newContact(input: ContactInput, origin: Origin): ContactFields {
  const source = input.source ?? origin.source;
  const consents = !origin.isNoConsent;
  const blank: ContactFields = {
    status: 'subscribed',
    source,
    ...NO_CONTACT_TEXTS,
    tags: [],
    attributes: {},
    topics: {},
    consent_source: consents ? source : null,
    consent_ip: (consents && origin.ip) || null,
    consent_user_agent: (consents && origin.userAgent) || null,
    consent_at: consents ? origin.now : null,
  };
  return { ...changeContact(blank, input, origin.now), status: nextStatus(undefined, input) };
}

/** Only the given fields change; consent only through an explicit consent object. */
export function changeContact(current: ContactFields, input: ContactInput, now: Date): ContactFields {
  const { consent } = input;
  return {
    status: nextStatus(current.status, input),
    source: input.source ?? current.source,
    ...contactTexts((column, name) => given(input[name], current[column])),
    tags: input.tags ?? current.tags,
    attributes: input.attributes ? mergeAttributes(current.attributes, input.attributes) : current.attributes,
    topics: input.topics ? chooseTopics(current.topics, input.topics, { resubscribe: input.resubscribe === true }) : current.topics,
    consent_source: consent?.source ?? current.consent_source,
    consent_ip: consent?.ip ?? current.consent_ip,
    consent_user_agent: consent?.userAgent ?? current.consent_user_agent,
    consent_at: consent ? now : current.consent_at,
  };
}

/** What is wrong with attributes after the merge, if anything: docs/contract/contacts.md 6. */
export function attributesProblem(attributes: Readonly<Record<string, unknown>>): string | undefined {
  if (Object.keys(attributes).length > MAX_ATTRIBUTES) return `at most ${MAX_ATTRIBUTES} keys after the merge`;
  if (new TextEncoder().encode(JSON.stringify(attributes)).length > MAX_ATTRIBUTES_KB * 1024)
    return `at most ${MAX_ATTRIBUTES_KB} KB after the merge`;
  return undefined;
}

function mergeAttributes(current: Readonly<Record<string, unknown>>, changes: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...current, ...changes }).filter(([, value]) => value !== null));
}

function given<T>(value: T | undefined, current: T): T {
  return value === undefined ? current : value;
}

/** Contacts by their addresses. */
export function byEmail<Known extends { readonly email: string }>(contacts: readonly Known[]): Map<string, Known> {
  return new Map(contacts.map((contact) => [contact.email, contact]));
}
