import * as z from 'zod';
import type { ConfirmationRow, ContactRow } from '../../../db/entities/index.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { latestConfirmation } from '../../../db/queries/contacts/confirmations.ts';
import { listContacts } from '../../../db/queries/contacts/contact-list.ts';
import { findContact } from '../../../db/queries/contacts/contacts.ts';
import { withSuppressions } from '../../../db/queries/suppressions/suppressions.ts';
import { boundedArray } from '../../../domain/bounded-array.ts';
import { CONFIRMATION_STATES } from '../../../domain/contacts/confirmation.ts';
import { CONTACT_STATUSES, type ContactInput, MAX_USER_AGENT_LENGTH } from '../../../domain/contacts/contact.ts';
import { NAME_COLUMNS, TRAIT_COLUMNS } from '../../../domain/contacts/fields.ts';
import { Tags } from '../../../domain/contacts/tags.ts';
import { notFound } from '../../../domain/errors.ts';
import { JsonValue } from '../../../domain/json-value.ts';
import { beginErasure, finishErasure } from '../../../usecases/contacts/erase-contact.ts';
import { unsubscribeContact } from '../../../usecases/contacts/unsubscribe.ts';
import { upsertContacts } from '../../../usecases/contacts/upsert-contacts.ts';
import { awaitMailsInFlight } from '../../../usecases/sends/await-mails-in-flight.ts';
import { shownTexts, writtenTexts } from '../../contact-texts.ts';
import { readCursor, writeCursor } from '../../cursor.ts';
import * as examples from '../../examples/contact-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import {
  Attributes,
  BrandSlug,
  ContactSource,
  CreatedAt,
  Cursor,
  Email,
  FilterText,
  Id,
  Limit,
  PathId,
  Timestamp,
  TopicChoicesInput,
} from '../../schemas.ts';
import { SuppressionReasonName } from '../suppressions/suppressions.ts';

const ContactPath = z.object({ id: PathId.meta({ description: "The contact's id" }) });

/** The largest number of contacts in one upsert: docs/contract/contacts.md 1. */
export const MAX_CONTACTS = 1000;

export const ContactStatus = z.enum(CONTACT_STATUSES).meta({
  id: 'ContactStatus',
  description: '`pending`: not asked yet. `unsubscribed` and `bounced` contacts get no marketing email',
});

const ContactId = z.uuid().meta({ description: 'Stays the same for good' });

export const ContactRecord = z
  .object({
    id: ContactId,
    email: z.string().meta({ description: 'Unique in the project' }),
    ...shownTexts(NAME_COLUMNS),
    status: ContactStatus,
    brand_id: z.string().meta({ description: "The slug of the contact's brand" }),
    source: z.string().meta({ description: 'Where the contact comes from' }),
    tags: z.array(z.string()).meta({ description: 'Each once, in the order in which they were given' }),
    ...shownTexts(TRAIT_COLUMNS),
    attributes: z.record(z.string(), JsonValue).meta({ description: 'Fields of your own' }),
    topics: z.record(z.string(), z.boolean()).meta({
      description: 'What the person chose, by the key of the topic. One that is not here is on or off as its `defaultOn` says',
    }),
    created_at: CreatedAt,
    updated_at: Timestamp.meta({ description: 'When it last changed' }),
  })
  .meta({ id: 'Contact', description: 'A person of the project' });

const suppressed = SuppressionReasonName.nullable().meta({
  description: 'Why its address gets no email at all, whatever the status; null: it is not suppressed',
});

export const ListedContact = ContactRecord.extend({ suppressed }).meta({
  id: 'ListedContact',
  description: 'A person of the project, and whether the address is suppressed',
});

export const ConfirmationRecord = z
  .object({
    state: z.enum(CONFIRMATION_STATES).meta({
      description:
        '`waiting`: asked, no answer yet. `expired`: not answered in time. `confirmed`: by the person. `ended`: the contact got another status meanwhile. ' +
        'While it is waiting or expired no marketing email goes to the contact',
    }),
    asked_at: Timestamp.meta({ description: 'When the person was asked after the last sign-up, or is to be' }),
    mails: z.int().meta({ description: 'Emails that asked since then, reminders included' }),
    mailed_at: Timestamp.nullable().meta({ description: 'When the last one was made' }),
    error: z.string().nullable().meta({ description: 'Why that one did not leave, like `suppressed`; null: it did' }),
    ended_at: Timestamp.nullable().meta({ description: 'When it was confirmed, or ended; null while it is waiting' }),
    ip: z.string().nullable().meta({ description: 'Of a confirmed one: from which address' }),
    user_agent: z.string().nullable().meta({ description: 'With which browser' }),
    text: z.string().nullable().meta({ description: 'The words of the page on which the person confirmed' }),
  })
  .meta({ id: 'ContactConfirmation', description: 'How the person was asked to confirm a sign-up, and what came of it' });

export const ContactWithConsent = ContactRecord.extend({
  suppressed,
  consent_source: z.string().nullable().meta({ description: 'Where the person agreed' }),
  consent_ip: z.string().nullable().meta({ description: 'From which address' }),
  consent_user_agent: z.string().nullable().meta({ description: 'With which browser or program' }),
  consent_at: Timestamp.nullable().meta({ description: 'When it was recorded' }),
  confirmation: ConfirmationRecord.nullable().meta({ description: 'Whether the person was asked to confirm the sign-up; null: never' }),
}).meta({ id: 'ContactWithConsent', description: 'A person of the project with what shows that the person agreed' });

const ContactBody = z
  .object({
    email: Email,
    id: Id.nullish().meta({ description: 'Honored on insert only' }),
    status: ContactStatus.nullish().meta({
      description:
        'subscribed on insert, where the brand has double opt-in `pending`; left as it is on an existing contact. `pending` asks the person to confirm ' +
        'by an email where the brand has a confirmation template that is enabled, at most once an hour',
    }),
    resubscribe: z
      .boolean()
      .nullish()
      .meta({ description: 'Must be true to move a contact out of unsubscribed or bounced, and to turn a topic on that is off' }),
    brand: BrandSlug.nullish().meta({
      description: "Of a new contact: a brand's slug, the project's default when omitted. An existing one keeps its brand",
    }),
    source: ContactSource.nullish(),
    ...writtenTexts(NAME_COLUMNS, () => 'null clears'),
    tags: Tags.overwrite((tags) => [...new Set(tags)])
      .nullish()
      .meta({ description: 'Replaces the tags; [] clears them' }),
    ...writtenTexts(TRAIT_COLUMNS, () => 'null clears'),
    attributes: Attributes.nullish(),
    topics: TopicChoicesInput.nullish().meta({
      description:
        'Topics that the person chose; the others stay as they are. What is off stays off unless `resubscribe` is true: a sign-up form says the same of ' +
        "everybody, and takes nobody's no back",
    }),
    consent: z
      .object({
        source: ContactSource.nullish().meta({ description: 'Where the person agreed, like signup-form' }),
        ip: z.string().max(45).nullish().meta({ description: "The person's address" }),
        userAgent: z.string().max(MAX_USER_AGENT_LENGTH).nullish().meta({ description: "The person's browser" }),
      })
      .nullish()
      .meta({
        description:
          'What shows that the person agreed. Without it the record of a new contact has `source` and the address and user agent of the ' +
          "calling request: those of your backend, so hand over the person's. On an existing contact nothing else rewrites the record, which " +
          'GET /contacts/:id shows',
      }),
  })
  .meta({
    id: 'ContactInput',
    description: 'What is omitted stays as it is',
  });

/** Takes null for undefined, except where null means to clear. */
function toInput(body: z.output<typeof ContactBody>): ContactInput {
  const { id, status, resubscribe, brand, source, tags, attributes, topics, consent, ...clearable } = body;
  return {
    ...clearable,
    id: id ?? undefined,
    status: status ?? undefined,
    resubscribe: resubscribe ?? undefined,
    brand: brand ?? undefined,
    source: source ?? undefined,
    tags: tags ?? undefined,
    attributes: attributes ?? undefined,
    topics: topics ?? undefined,
    consent: consent
      ? { source: consent.source ?? undefined, ip: consent.ip ?? undefined, userAgent: consent.userAgent ?? undefined }
      : undefined,
  };
}

const upsert = defineRoute({
  method: 'post',
  path: '/contacts',
  scope: 'contacts:write',
  summary: 'Create or update contacts by email',
  description:
    `One object or an array of 1 to ${MAX_CONTACTS}. An array is all or nothing; the same email twice is applied in order. A backend that signs a person ` +
    'up hands over the person\'s own consent in `consent`, since the calling request is its own: `{ "email": "ada@example.com", "consent": ' +
    '{ "source": "signup-form", "ip": "203.0.113.7", "userAgent": "Mozilla/5.0 (Macintosh)" } }`.',
  body: z.union([
    ContactBody,
    boundedArray(ContactBody, MAX_CONTACTS, { error: `at most ${MAX_CONTACTS} contacts` }).min(1, { error: 'at least one contact' }),
  ]),
  arrayName: 'contacts',
  status: 200,
  reply: z.object({ contacts: z.array(ContactRecord).meta({ description: 'As they are now, in the order of the request' }) }),
  errors: ['no_brand'],
  examples: examples.upsert,
  async handle({ em, project, keyId, caller, now, newId }, { body }) {
    const origin = { source: 'api', ip: caller.ip, userAgent: caller.userAgent, keyId, isSandboxed: false, now: now() };
    const isList = Array.isArray(body);
    const inputs = (isList ? body : [body]).map(toInput);
    const contacts = await em.transactional((tx) =>
      upsertContacts(tx, {
        ...{ projectId: project.id, defaultBrand: project.default_brand, inputs, isList, origin, newId },
        asks: { always: project.has_double_opt_in },
      }),
    );
    return { contacts };
  },
});

/** Which contacts a list has. */
export const ContactFilters = {
  status: ContactStatus.optional(),
  tag: FilterText.optional().meta({ description: 'One that they carry' }),
  email: Email.optional().meta({ description: 'The whole address, in any spelling' }),
  q: FilterText.optional().meta({ description: 'Part of the email or of a name, without regard to case' }),
};

const list = defineRoute({
  method: 'get',
  path: '/contacts',
  scope: 'contacts:read',
  summary: 'List contacts, newest first',
  query: z.object({
    ...ContactFilters,
    limit: Limit,
    cursor: Cursor.optional(),
    direction: z.enum(['next', 'previous']).default('next').meta({ description: 'next reads older contacts, previous newer ones' }),
    counts: z.enum(['all', 'kept']).default('all').meta({ description: 'kept: what a search finds is not counted where that takes time' }),
  }),
  status: 200,
  reply: z.object({
    contacts: z.array(ListedContact).meta({ description: 'This page' }),
    totalCount: z
      .int()
      .nullable()
      .meta({ description: 'All contacts that match, whatever the page; null only with `counts=kept`: they were not counted' }),
    nextCursor: z.string().nullable().meta({ description: 'For older contacts; null where there are none' }),
    previousCursor: z.string().nullable().meta({ description: 'For newer contacts; null where there are none' }),
  }),
  errors: ['invalid_cursor'],
  examples: examples.list,
  async handle({ em, project, vault }, { query }) {
    const { limit, cursor, direction, counts, ...filter } = query;
    const scope = { projectId: project.id, list: 'contacts', filter };
    const from = readCursor(vault, scope, cursor);
    const page = await listContacts(em, project.id, filter, { limit, from, direction }, counts);
    return {
      contacts: await withSuppressions(em, project.id, page.rows),
      totalCount: page.totalCount,
      nextCursor: writeCursor(vault, scope, page.next),
      previousCursor: writeCursor(vault, scope, page.previous),
    };
  },
});

const read = defineRoute({
  method: 'get',
  path: '/contacts/:id',
  scope: 'contacts:read',
  summary: 'Read one contact with its consent record',
  params: ContactPath,
  status: 200,
  reply: z.object({ contact: ContactWithConsent }),
  errors: ['not_found'],
  examples: examples.read,
  async handle({ em, project }, { params }) {
    const contact = (await findContact(em, project.id, params.id)) ?? notFound('contact');
    return { contact: await contactWithConsent(em, contact) };
  },
});

/** A contact as the API shows it alone. */
export async function contactWithConsent(em: EntityManager, contact: ContactRow) {
  const [shown] = await withSuppressions(em, contact.project_id, [contact]);
  const confirmation = await latestConfirmation(em, contact.project_id, contact.id);
  return { ...(shown ?? notFound('contact')), confirmation: confirmation ? confirmationRecord(confirmation) : null };
}

/** In the words of the API. */
export function confirmationRecord(confirmation: ConfirmationRow) {
  const {
    state,
    asked_at,
    mails,
    mailed_at,
    failure: error,
    ended_at,
    by_ip: ip,
    by_user_agent: user_agent,
    shown_text: text,
  } = confirmation;
  return { state, asked_at, mails, mailed_at, error, ended_at, ip, user_agent, text };
}

const unsubscribe = defineRoute({
  method: 'post',
  path: '/contacts/:id/unsubscribe',
  scope: 'contacts:write',
  summary: 'Unsubscribe a contact from marketing email',
  description:
    'It enters no sequence any more. Runs that it is in go on, and skip their marketing emails; transactional email still goes out.',
  params: ContactPath,
  status: 200,
  reply: z.object({ id: ContactId, status: z.literal('unsubscribed').meta({ description: 'From now on' }) }),
  errors: ['not_found'],
  examples: examples.unsubscribe,
  async handle({ em, project, keyId, now }, { params }) {
    const by = { cause: 'api_call', id: keyId } as const;
    const contact = { projectId: project.id, id: params.id };
    const changed = await em.transactional((tx) => unsubscribeContact(tx, contact, { by, now: now() }));
    if (changed === undefined) notFound('contact');
    return { id: params.id.toLowerCase(), status: 'unsubscribed' as const };
  },
});

const erase = defineRoute({
  method: 'delete',
  path: '/contacts/:id',
  scope: 'contacts:write',
  summary: 'Erase a contact and what tells of the person',
  description:
    'The contact goes with its consent record, its events, and its place in audiences; its running enrollments are cancelled, recipients ' +
    'of campaigns that have not got their email are skipped. In the send log address, subject and contact_id are emptied, in outgoing webhook ' +
    'events whatever names the person (`erased: true` says so, in repeated deliveries too); ended enrollments have the id of nobody. Counts ' +
    'stay. A suppressed address stays suppressed by its hash: the list does not show it, DELETE /suppressions/:email with the address lifts ' +
    'it. After the answer nothing more is submitted to the provider; what was submitted before is not recalled. The same address may become a new ' +
    'contact. There is no way back.',
  params: ContactPath,
  status: 200,
  reply: z.object({ id: z.uuid().meta({ description: 'What it was' }), deleted: z.literal(true).meta({ description: 'It is gone' }) }),
  errors: ['not_found'],
  examples: examples.erase,
  async handle({ em, project, newId }, { params }) {
    const erased = (await beginErasure(em, project.id, params.id)) ?? notFound('contact');
    await awaitMailsInFlight(em, { erased });
    await finishErasure(em, erased, newId());
    return { id: params.id, deleted: true as const };
  },
});

export const routes: readonly Route[] = [upsert, list, read, unsubscribe, erase];
