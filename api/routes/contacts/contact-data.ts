import * as z from 'zod';
import type { ContactRow } from '../../../db/entities/index.ts';
import {
  confirmationsOfContact,
  eventsOfContact,
  runsOfContact,
  suppressionOfContact,
} from '../../../db/queries/contacts/contact-export.ts';
import { findContact } from '../../../db/queries/contacts/contacts.ts';
import { contactTimeline, type Happening } from '../../../db/queries/contacts/timeline.ts';
import { listTopics } from '../../../db/queries/contacts/topics.ts';
import { isTopicOn } from '../../../domain/contacts/topic.ts';
import { notFound } from '../../../domain/errors.ts';
import { JsonValue } from '../../../domain/json-value.ts';
import { streamed } from '../../csv-answer.ts';
import * as examples from '../../examples/export-examples.ts';
import { allPages } from '../../export-pages.ts';
import { defineRoute, type KeyContext, type Route } from '../../route.ts';
import { PathId } from '../../schemas.ts';
import { pageOfSends } from '../sends/sends.ts';

const Listed = z.array(z.record(z.string(), JsonValue));
const Record = z.record(z.string(), JsonValue);

const data = defineRoute({
  method: 'get',
  path: '/contacts/:id/export',
  scope: 'contacts:read',
  summary: 'Export all that is known of a person, as JSON',
  description:
    'For who asks what is known of them, or takes it elsewhere (GDPR art. 15 and 20). A stream of one JSON object, outside of the usual envelope: each list is whole, the newest ' +
    'first. `sends` and the emails of the timeline are in it for keys that have `sends:read` too; `withMails` says whether. What retention has dropped is not in it. Contents of emails and ' +
    'files are not kept with the person: GET /sends/:id/mail shows what an email was.',
  params: z.object({ id: PathId.meta({ description: "The contact's id" }) }),
  status: 200,
  reply: z
    .object({
      withMails: z.boolean().meta({ description: 'false: the key may not read sends, so the emails are left out' }),
      contact: Record.meta({ description: 'The contact with its consent record, as GET /contacts/:id shows it' }),
      suppression: Record.nullable().meta({ description: 'Why and since when the address gets no email at all; null: it may' }),
      topics: Listed.meta({ description: 'Of the project: whether the person chose it, and whether its emails go to them' }),
      consent_changes: Listed.meta({ description: 'Every change of status, consent and topics' }),
      confirmations: Listed.meta({ description: 'Each time that the person was asked to confirm, with what proves the answer' }),
      timeline: Listed.meta({ description: 'What happened, as GET /contacts/:id/timeline tells it' }),
      events: Listed.meta({ description: 'Product events with all that they say' }),
      runs: Listed.meta({ description: 'Enrollments in sequences' }),
      left_out: Listed.meta({ description: 'Campaigns that did not go to the person, and why' }),
      sends: Listed.meta({ description: 'Every email to the contact, and to the address before there was a contact' }),
    })
    .meta({ id: 'PersonalData', description: 'All that is known of a person' }),
  answersAs: 'application/json',
  errors: ['not_found'],
  examples: examples.person,
  async handle(context, { params }) {
    const { em, project } = context;
    const contact = (await findContact(em, project.id, params.id)) ?? notFound('contact');
    return streamed(project.id, `contact-${contact.id}.json`, 'application/json; charset=utf-8', written(context, contact));
  },
});

async function* written(context: KeyContext, contact: ContactRow): AsyncGenerator<string> {
  const { em, hasScope } = context;
  const withMails = hasScope('sends:read');
  const { project_id: _, ...shown } = contact;
  yield `{"withMails":${withMails},"contact":${JSON.stringify(shown)}`;
  yield `,"suppression":${JSON.stringify((await suppressionOfContact(em, contact)) ?? null)}`;
  yield `,"topics":${JSON.stringify(await topicsOf(context, contact))}`;
  yield* list('consent_changes', happened(context, contact, 'consent_changed'));
  yield `,"confirmations":${JSON.stringify((await confirmationsOfContact(em, contact)).map(({ project_id: __, ...asked }) => asked))}`;
  yield* list('timeline', happened(context, contact));
  yield* list(
    'events',
    allPages((place) => eventsOfContact(em, contact, place)),
  );
  yield* list(
    'runs',
    allPages((place) => runsOfContact(em, contact, place)),
  );
  yield* list('left_out', happened(context, contact, 'campaign_left_out'));
  yield* list('sends', withMails ? mailsTo(context, contact) : NONE);
  yield '}\n';
}

const NONE: readonly [] = [];

/** A member that is a list, page after page. */
async function* list(name: string, pages: AsyncIterable<readonly object[]> | Iterable<readonly object[]>): AsyncGenerator<string> {
  let before = `,"${name}":[`;
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield before + page.map((entry) => JSON.stringify(entry)).join(',');
    before = ',';
  }
  yield before === ',' ? ']' : `${before}]`;
}

async function topicsOf({ em, project }: KeyContext, { topics }: ContactRow): Promise<object[]> {
  const all = await listTopics(em, project.id);
  return all.map((topic) => ({ key: topic.key, name: topic.name, chosen: topics[topic.key] ?? null, on: isTopicOn(topic, topics) }));
}

async function* happened({ em, project, hasScope }: KeyContext, { id, email }: ContactRow, kind?: Happening): AsyncGenerator<object[]> {
  const asked = { projectId: project.id, contactId: id, email, withMails: hasScope('sends:read'), kind };
  for await (const page of allPages((place) => contactTimeline(em, asked, place)))
    yield page.map(({ created_at: at, kind: what, details }) => ({ at, kind: what, ...details }));
}

/** Those of the contact, then those to its address that name no contact. */
async function* mailsTo({ em, project }: KeyContext, { id, email }: ContactRow): AsyncGenerator<readonly object[]> {
  const of = (filter: Parameters<typeof pageOfSends>[2]) => allPages((place) => pageOfSends(em, project.id, filter, place));
  yield* of({ contactId: id });
  for await (const page of of({ q: email })) yield page.filter(({ contact_id, to_email }) => contact_id === null && to_email === email);
}

export const routes: readonly Route[] = [data];
