import * as z from 'zod';
import type { ContactRow } from '../../../db/entities/index.ts';
import {
  confirmationsOfContact,
  eventsOfContact,
  refusedRowsOf,
  suppressionOfContact,
} from '../../../db/queries/contacts/contact-export.ts';
import { findContact } from '../../../db/queries/contacts/contacts.ts';
import { contactTimeline, type Happening } from '../../../db/queries/contacts/timeline.ts';
import { listTopics } from '../../../db/queries/contacts/topics.ts';
import { runsOfContact, type StepView, stepsOfRuns } from '../../../db/queries/sequences/enrollments.ts';
import { ROW_REFUSALS, type RowRefusal } from '../../../domain/contacts/import.ts';
import { isTopicOn } from '../../../domain/contacts/topic.ts';
import { notFound } from '../../../domain/errors.ts';
import { JsonValue } from '../../../domain/json-value.ts';
import { DELIVERIES_KEPT_MS, IMPORTS_KEPT_MS } from '../../../domain/operations/retention.ts';
import { shownPeriod } from '../../../domain/shown-text.ts';
import { streamed } from '../../csv-answer.ts';
import * as examples from '../../examples/export-examples.ts';
import { allPages } from '../../export-pages.ts';
import { defineRoute, type KeyContext, type Route } from '../../route.ts';
import { CreatedAt, PathId, Timestamp } from '../../schemas.ts';
import { EnrollmentStep, EnrollmentWithSteps } from '../sequences/enrollments.ts';
import { SuppressionReasonName } from '../suppressions/suppressions.ts';
import { ConfirmationRecord, ContactWithConsent, confirmationRecord, contactWithConsent } from './contacts.ts';
import { copiedMails, errorFor, PersonalCopy, PersonalSend, scheduledMails, sentMails } from './personal-mails.ts';
import { TimelineEntry, timelineRecord } from './timeline.ts';

const PersonalSuppression = z
  .object({ reason: SuppressionReasonName, created_at: Timestamp.meta({ description: 'Since when' }) })
  .meta({ id: 'PersonalSuppression', description: 'Why an address gets no email at all' });

const PersonalTopic = z
  .object({
    key: z.string().meta({ description: 'The key of the topic' }),
    name: z.string().nullable().meta({ description: 'As people read it; null: the topic was deleted since the person chose' }),
    chosen: z.boolean().nullable().meta({ description: 'What the person chose; null: nothing' }),
    on: z
      .boolean()
      .nullable()
      .meta({ description: 'Whether its emails go to the person, by the choice or the default; null: it was deleted' }),
  })
  .meta({ id: 'PersonalTopic', description: 'A topic as it stands for a person' });

const PersonalConfirmation = ConfirmationRecord.extend({
  id: z.uuid().meta({ description: 'Of the confirmation, as its workflow has it' }),
  created_at: Timestamp.meta({ description: 'When the person first signed up' }),
  sign_ups: z.int().meta({ description: 'How often the person signed up and was asked anew, the first time included' }),
}).meta({ id: 'PersonalConfirmation', description: 'How a person was asked to confirm, with what proves the answer' });

const PersonalEvent = z
  .object({
    id: z.uuid().meta({ description: '`event_id` of the timeline' }),
    type: z.string().meta({ description: 'What happened' }),
    data: z.record(z.string(), JsonValue).meta({ description: 'All that it says' }),
    created_at: CreatedAt,
  })
  .meta({ id: 'PersonalEvent', description: 'A product event' });

const PersonalRefusedRow = z
  .object({
    import_id: z.uuid().meta({ description: 'Of GET /imports/:id' }),
    filename: z.string().meta({ description: 'Of the file, as it was uploaded' }),
    imported_at: Timestamp.meta({ description: 'When the import was begun' }),
    row: z.int().meta({ description: 'From 1, the names of the columns not counted' }),
    reason: z.enum(Object.keys(ROW_REFUSALS) as [RowRefusal, ...RowRefusal[]]).meta({ description: 'Why it was refused' }),
    message: z.string().meta({ description: 'In words' }),
    cells: z
      .array(
        z.object({
          column: z.string().nullable().meta({ description: 'The name of the column, or its number; null: there is none for the cell' }),
          value: z.string().meta({ description: 'As the file has it' }),
        }),
      )
      .meta({ description: 'All of the row' }),
  })
  .meta({ id: 'PersonalRefusedRow', description: 'A row with the address of a person, which an import refused' });

const RunHead = EnrollmentWithSteps.omit({ steps: true }).extend({
  sequence_name: z.string().meta({ description: 'The name of its sequence, which may be deleted' }),
});
const PersonalRun = RunHead.extend({
  steps: z
    .array(EnrollmentStep)
    .meta({ description: 'Every node visited that is still kept, in order; none for a key without `sequences:read`' }),
}).meta({ id: 'PersonalRun', description: "A person's run through a sequence" });

const data = defineRoute({
  method: 'get',
  path: '/contacts/:id/export',
  scope: 'contacts:read',
  summary: 'Export all that is known of a person, as JSON',
  description:
    'For who asks what is known of them, or takes it elsewhere (GDPR art. 15 and 20). A stream of one JSON object, outside of the usual envelope: each ' +
    'list is whole, the newest first; those of `sends` that name no contact come after the others, and of `copies` those that wait before the others. ' +
    '`scheduled`, `sends`, `copies` and the emails of the timeline are in it for keys that have `sends:read` too, which `withMails` says, and `steps` of ' +
    'runs for keys that have `sequences:read`, which `withSteps` says. What retention has dropped is not in it. Contents of emails and files are not kept ' +
    'with the person: GET /sends/:id/mail shows what an email was. What tells of other people is left out of emails with copies. Events for your own ' +
    `webhook endpoints are not in it: they repeat what is in it, and are kept until ${shownPeriod(DELIVERIES_KEPT_MS)} after the last attempt to deliver them.`,
  params: z.object({ id: PathId.meta({ description: "The contact's id" }) }),
  status: 200,
  reply: z
    .object({
      withMails: z.boolean().meta({ description: 'false: the key may not read sends, so the emails are left out' }),
      withSteps: z.boolean().meta({ description: 'false: the key may not read sequences, so the steps of runs are left out' }),
      contact: ContactWithConsent,
      suppression: PersonalSuppression.nullable().meta({
        description: 'Why and since when the address gets no email at all; null: it may',
      }),
      topics: z
        .array(PersonalTopic)
        .meta({ description: 'Those of the project, then those that the person chose and that were deleted since' }),
      consent_changes: z
        .array(TimelineEntry)
        .meta({ description: 'Every change of status, consent and topics: those entries of the timeline' }),
      confirmations: z
        .array(PersonalConfirmation)
        .meta({ description: 'Each time that the person was asked to confirm, with what proves the answer' }),
      timeline: z
        .array(TimelineEntry)
        .meta({ description: 'What happened, as GET /contacts/:id/timeline tells it, with `error` as in `sends`' }),
      events: z.array(PersonalEvent).meta({ description: 'Product events with all that they say' }),
      runs: z.array(PersonalRun).meta({ description: 'Enrollments in sequences' }),
      left_out: z
        .array(TimelineEntry)
        .meta({ description: 'Campaigns that did not go to the person, and why: those entries of the timeline' }),
      refused_rows: z
        .array(PersonalRefusedRow)
        .meta({ description: `Rows with the address that imports refused; kept for ${shownPeriod(IMPORTS_KEPT_MS)}` }),
      scheduled: z.array(PersonalSend).meta({ description: 'Emails that wait to go to the contact, or to the address' }),
      sends: z.array(PersonalSend).meta({ description: 'Every email to the contact, then those to the address that name no contact' }),
      copies: z.array(PersonalCopy).meta({ description: 'Emails to others with a copy to the address' }),
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
  yield `{"withMails":${withMails},"withSteps":${hasScope('sequences:read')}`;
  yield `,"contact":${json(ContactWithConsent, await contactWithConsent(em, contact))}`;
  yield `,"suppression":${json(PersonalSuppression.nullable(), (await suppressionOfContact(em, contact)) ?? null)}`;
  yield `,"topics":${JSON.stringify(await topicsOf(context, contact))}`;
  yield* list('consent_changes', happened(context, contact, 'consent_changed'));
  yield* list('confirmations', confirmationsOf(context, contact));
  yield* list('timeline', happened(context, contact));
  yield* list(
    'events',
    allPages((place) => eventsOfContact(em, contact, place), LARGE),
  );
  yield* runsOf(context, contact);
  yield* list('left_out', happened(context, contact, 'campaign_left_out'));
  yield* list('refused_rows', refusedOf(context, contact));
  // What waits comes first: what goes meanwhile is in both, rather than in none.
  yield* list('scheduled', withMails ? scheduledMails(em, contact) : NONE);
  yield* list('sends', withMails ? sentMails(em, contact) : NONE);
  yield* list('copies', withMails ? copiedMails(em, contact) : NONE);
  yield '}\n';
}

const NONE: readonly [] = [];

/** A page of what may be some 100 KB each. */
const LARGE = 50;

/** As the record of the API, and nothing beside it. */
function json<Schema extends z.ZodType>(schema: Schema, value: z.output<Schema>): string {
  return JSON.stringify(z.encode(schema, value));
}

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
  const shown = all.map((topic) => ({ key: topic.key, name: topic.name, chosen: topics[topic.key] ?? null, on: isTopicOn(topic, topics) }));
  const there = new Set(all.map(({ key }) => key));
  const deleted = Object.entries(topics).filter(([key]) => !there.has(key));
  return [...shown, ...deleted.map(([key, chosen]) => ({ key, name: null, chosen, on: null }))];
}

async function* happened({ em, project, hasScope }: KeyContext, { id, email }: ContactRow, kind?: Happening): AsyncGenerator<object[]> {
  const asked = { projectId: project.id, contactId: id, email, withMails: hasScope('sends:read'), kind };
  for await (const page of allPages((place) => contactTimeline(em, asked, place)))
    yield page.map((entry) => {
      const { error } = entry.details;
      const details = typeof error === 'string' ? { ...entry.details, error: errorFor(email, error) } : entry.details;
      return z.encode(TimelineEntry, timelineRecord({ ...entry, details }));
    });
}

async function* confirmationsOf({ em }: KeyContext, contact: ContactRow): AsyncGenerator<object[]> {
  for await (const page of allPages((place) => confirmationsOfContact(em, contact, place)))
    yield page.map((asked) => {
      const { id, created_at, round: sign_ups } = asked;
      return z.encode(PersonalConfirmation, { id, created_at, ...confirmationRecord(asked), sign_ups });
    });
}

async function* refusedOf({ em }: KeyContext, contact: ContactRow): AsyncGenerator<object[]> {
  for await (const page of allPages((place) => refusedRowsOf(em, contact, place), LARGE))
    yield page.map(({ columns, cells, ...refused }) =>
      z.encode(PersonalRefusedRow, {
        ...refused,
        cells: cells.map((value, index) => ({ column: columns[index]?.name ?? null, value })),
      }),
    );
}

/** Of so many runs the first steps are read at once; a run in a loop has far more, which are read on. */
const STEPS = { first: 100, further: 1_000 };

async function* runsOf({ em, project, hasScope }: KeyContext, contact: ContactRow): AsyncGenerator<string> {
  const withSteps = hasScope('sequences:read');
  async function* allSteps(runId: string, begun: readonly StepView[]): AsyncGenerator<object[]> {
    let steps = begun;
    for (let limit = STEPS.first; steps.length > 0; limit = STEPS.further) {
      yield steps.map((step) => z.encode(EnrollmentStep, step));
      const after = steps.length < limit ? undefined : steps.at(-1)?.number;
      steps = after === undefined ? [] : ((await stepsOfRuns(em, project.id, [runId], { after, limit: STEPS.further })).get(runId) ?? []);
    }
  }
  let before = ',"runs":[';
  for await (const page of allPages((place) => runsOfContact(em, contact, place), LARGE)) {
    const ids = page.map(({ id }) => id);
    const begun = await stepsOfRuns(em, project.id, ids, { after: 0, limit: STEPS.first });
    for (const run of page) {
      const isPruned = begun.get(run.id)?.length === 0 && run.current_node_id !== null;
      const head = json(RunHead, { ...run, steps_pruned: isPruned });
      yield `${before}${head.slice(0, -1)}`;
      yield* list('steps', withSteps ? allSteps(run.id, begun.get(run.id) ?? []) : NONE);
      yield '}';
      before = ',';
    }
  }
  yield before === ',' ? ']' : `${before}]`;
}

export const routes: readonly Route[] = [data];
