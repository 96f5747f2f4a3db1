import * as z from 'zod';
import { lockContact, lockContacts } from '../../../db/queries/contacts/contacts.ts';
import { findEnrollment, isSandboxedRun, listEnrollments } from '../../../db/queries/sequences/enrollments.ts';
import { findSequence } from '../../../db/queries/sequences/sequences.ts';
import { boundedArray } from '../../../domain/bounded-array.ts';
import { normalizeEmail } from '../../../domain/contacts/email-address.ts';
import { notFound, Refusal } from '../../../domain/errors.ts';
import { TRACES_KEPT_MS } from '../../../domain/operations/retention.ts';
import { END_REASONS } from '../../../domain/sequences/end-reason.ts';
import type { EnrollRefusal } from '../../../domain/sequences/reentry.ts';
import { MAX_STEPS } from '../../../domain/sequences/walk.ts';
import { shownPeriod } from '../../../domain/shown-text.ts';
import { awaitMailsInFlight } from '../../../usecases/sends/await-mails-in-flight.ts';
import { cancelEnrollment } from '../../../usecases/sequences/end-enrollment.ts';
import { enroll as enrollContacts } from '../../../usecases/sequences/enroll.ts';
import { EntryRefused, keepRefusedEntries } from '../../../usecases/sequences/refused-entries.ts';
import { readCursor, writeCursor } from '../../cursor.ts';
import * as examples from '../../examples/sequence-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { EnrollmentStatus, ofLatestRuns, ofRuns, WaitingForName } from '../../run-schemas.ts';
import { Cursor, Email, eitherOf, Id, Limit, NextCursor, PathId, Timestamp, tooLargeAudience, WideLimit } from '../../schemas.ts';
import { NodeKindName, SequenceKeyParam } from '../../sequence-schemas.ts';
import { logStartedRuns } from '../../started-runs.ts';
import { demandOwnOfTestKeys } from '../../test-keys.ts';

const MAX_BULK = 5000;

const EnrollmentPath = z.object({ id: PathId.meta({ description: "The enrollment's id" }) });

export const ENROLL_REFUSALS: Readonly<Record<EnrollRefusal, string>> = {
  sequence_not_active: 'the sequence is not active; only one with the status active enrolls',
  contact_unsubscribed: 'the contact has unsubscribed; POST /contacts with status subscribed and resubscribe true lifts it',
  already_enrolled: 'the contact is in this sequence already',
  already_completed: 'the contact has been through this sequence, which is once only',
  cooldown: 'the contact entered this sequence too recently',
};

export const EnrollRefusalName = z.enum(Object.keys(ENROLL_REFUSALS) as [EnrollRefusal, ...EnrollRefusal[]]).meta({
  id: 'EnrollRefusal',
  description: 'Why a contact cannot be enrolled now',
});

const EnrollBody = eitherOf(
  z.object({
    email: Email.nullish().meta({ description: 'Of a contact of the project; required unless contactId is given' }),
    contactId: Id.nullish().meta({ description: 'Takes precedence over email' }),
  }),
  'email',
  'contactId',
).meta({
  id: 'EnrollInput',
  description: 'Who',
});

const enroll = defineRoute({
  method: 'post',
  path: '/sequences/:key/enroll',
  scope: 'sequences:write',
  summary: 'Enroll one contact',
  description: `A refusal is 422 enroll_failed with \`reason\`: ${Object.keys(ENROLL_REFUSALS).join(', ')}`,
  params: SequenceKeyParam,
  body: EnrollBody,
  status: 200,
  reply: z.object({ enrollmentId: z.uuid().meta({ description: 'Of GET /enrollments/:id' }) }),
  errors: ['not_found', 'enroll_failed'],
  idempotency: 'stored',
  examples: examples.enroll,
  takesTestKeys: true,
  async handle({ em, project, isTestKey, log, newId }, { params, body }) {
    const sequence = (await findSequence(em, project.id, params.key)) ?? notFound('sequence');
    const who = body.contactId ? { contactId: body.contactId } : { email: body.email as string };
    const result = await em.transactional(async (tx) => {
      const contact = (await lockContact(tx, project.id, who)) ?? notFound('contact');
      const request = { project, sequence, contacts: [contact], eventId: null, isBulk: false, isSandboxed: isTestKey, newId } as const;
      return (await enrollContacts(tx, request)) ?? notFound('sequence');
    });
    const [refused] = result.refused;
    if (refused) {
      const { contactId, reason } = refused;
      const said = ['enroll_failed', ENROLL_REFUSALS[reason], { body: { reason } }] as const;
      if (reason !== 'contact_unsubscribed') throw new Refusal(...said);
      const entry = { sequence_id: sequence.id };
      throw new EntryRefused({ projectId: project.id, contactId, entry, isSandboxed: isTestKey }, ...said);
    }
    const { enrollmentId } = result.enrolled[0] as { enrollmentId: string };
    logStartedRuns(log, [enrollmentId]);
    return { enrollmentId };
  },
});

const TOO_MANY = tooLargeAudience(`at most ${MAX_BULK} recipients in one call`);

/** Why contacts were skipped: as a single enrollment is refused, or because nobody has that id or address, or it came before. */
const SKIP_REASONS = [...(Object.keys(ENROLL_REFUSALS) as EnrollRefusal[]), 'unknown_contact', 'repeated'] as const;
const SkippedReasons = z
  .partialRecord(z.enum(SKIP_REASONS), z.int())
  .meta({ id: 'SkippedReasons', description: 'How many were skipped for each reason, which together are `skipped`' });

const BulkBody = eitherOf(
  z.object({
    contactIds: boundedArray(Id, MAX_BULK, TOO_MANY).nullish().meta({ description: 'Take precedence over emails' }),
    // Addresses that are none simply belong to nobody: they count as skipped.
    emails: boundedArray(z.string().max(1000, { error: 'at most 1000 characters' }), MAX_BULK, TOO_MANY)
      .nullish()
      .meta({ description: 'Of contacts of the project; required unless contactIds is given' }),
  }),
  'contactIds',
  'emails',
).meta({ id: 'BulkEnrollInput', description: 'Who' });

const enrollBulk = defineRoute({
  method: 'post',
  path: '/sequences/:key/enroll/bulk',
  scope: 'sequences:write',
  summary: `Enroll up to ${MAX_BULK} contacts`,
  description: 'Unknown and refused contacts and repeats count as skipped: requested = enrolled + skipped.',
  params: SequenceKeyParam,
  body: BulkBody,
  status: 200,
  reply: z.object({
    requested: z.int().meta({ description: 'Ids or addresses in the request' }),
    enrolled: z.int().meta({ description: 'New enrollments' }),
    skipped: z.int().meta({ description: 'The others' }),
    reasons: SkippedReasons,
  }),
  errors: ['not_found', 'audience_too_large'],
  idempotency: 'stored',
  examples: examples.enrollBulk,
  takesTestKeys: true,
  async handle({ em, project, isTestKey, log, newId }, { params, body }) {
    const sequence = (await findSequence(em, project.id, params.key)) ?? notFound('sequence');
    const asked = body.contactIds ?? (body.emails ?? []).map((email) => normalizeEmail(email) ?? email);
    const who = body.contactIds ? { ids: body.contactIds } : { emails: normalized(body.emails ?? []) };
    const { result, found } = await em.transactional(async (tx) => {
      const contacts = await lockContacts(tx, project.id, who);
      const request = { project, sequence, contacts, eventId: null, isBulk: true, isSandboxed: isTestKey, newId } as const;
      const enrolled = (await enrollContacts(tx, request)) ?? notFound('sequence');
      await keepRefusedEntries(tx, request, enrolled.refused);
      return { result: enrolled, found: contacts.length };
    });
    const started = result.enrolled.map(({ enrollmentId }) => enrollmentId);
    logStartedRuns(log, started);
    const requested = asked.length;
    const enrolled = started.length;
    const different = new Set(asked).size;
    const reasons = tally({ unknown_contact: different - found, repeated: requested - different }, result.refused);
    return { requested, enrolled, skipped: requested - enrolled, reasons };
  },
});

const cancel = defineRoute({
  method: 'delete',
  path: '/enrollments/:id',
  scope: 'sequences:write',
  summary: 'Cancel an active enrollment; its remaining steps never send',
  params: EnrollmentPath,
  status: 200,
  reply: z.object({
    id: z.uuid().meta({ description: 'Of the enrollment' }),
    status: z.literal('cancelled').meta({ description: 'For good' }),
  }),
  errors: ['not_found'],
  examples: examples.cancelEnrollment,
  takesTestKeys: true,
  async handle(context, { params }) {
    const { em, project, keyId, isTestKey, now } = context;
    if (isTestKey) demandOwnOfTestKeys(context, await isSandboxedRun(em, project.id, params.id));
    const cancelling = { projectId: project.id, enrollmentId: params.id, keyId, now: now() };
    if (!(await cancelEnrollment(em, cancelling))) notFound('active enrollment');
    await awaitMailsInFlight(em, { enrollmentIds: [params.id] });
    return { id: params.id, status: 'cancelled' as const };
  },
});

function normalized(emails: readonly string[]): string[] {
  return emails.flatMap((email) => normalizeEmail(email) ?? []);
}

/** How many were skipped for each reason, without those that nobody was skipped for. */
function tally(
  others: Readonly<Record<string, number>>,
  refused: readonly { readonly reason: EnrollRefusal }[],
): z.output<typeof SkippedReasons> {
  const counts = new Map(Object.entries(others));
  for (const { reason } of refused) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return Object.fromEntries([...counts].filter(([, count]) => count > 0));
}

const EndReasonName = z.enum(END_REASONS).meta({ id: 'EndReason', description: 'How a run ended' });

const Enrollment = z
  .object({
    id: z.uuid().meta({ description: 'The `enrollmentId` that POST enroll answered' }),
    sequence_key: z.string().meta({ description: 'The key of its sequence' }),
    sequence_version: z.int().meta({ description: 'The version of the graph that it goes through' }),
    contact_id: z.uuid().meta({ description: 'Who goes through' }),
    status: EnrollmentStatus,
    current_node_id: z.string().nullable().meta({ description: 'Where it stands; null once it has ended' }),
    waiting_for: WaitingForName.nullable().meta({
      description: 'delay, event:<type>, condition, time, subflow, webhook, held:<why>, or null',
    }),
    wakes_at: Timestamp.nullable().meta({ description: 'When the wait is over at the latest; null: it does not wait for an instant' }),
    started_at: Timestamp.meta({ description: 'When the contact entered' }),
    ended_at: Timestamp.nullable().meta({ description: 'null while it is active' }),
    end_reason: EndReasonName.nullable().meta({
      description:
        'exit, goal, dead_end or hop_guard of a completed one; cancelled, exit_sequences, archived, terminated or failed of a cancelled one',
    }),
    failed_steps: z.int().meta({ description: 'How many of its steps failed, like emails that could not be sent; `steps` says why' }),
    sandboxed: z.boolean().meta({ description: 'A test key asked for it: none of its emails leaves' }),
    workflow_id: z.string().meta({ description: 'The workflow id in Temporal' }),
  })
  .meta({ id: 'Enrollment', description: "One contact's run through one sequence" });

const ListedEnrollment = Enrollment.extend({
  contact_email: z.string().nullable().meta({ description: "The contact's address; null for a key without the scope contacts:read" }),
}).meta({ id: 'ListedEnrollment', description: "One contact's run through one sequence, with whose it is" });

export const EnrollmentStep = z
  .object({
    number: z.int().meta({ description: 'Its place in the run, from 1' }),
    node_id: z.string().meta({ description: 'The node' }),
    kind: NodeKindName,
    at: Timestamp.meta({ description: 'When it was reached' }),
    outcome: z
      .string()
      .nullable()
      .meta({ description: 'Like sent, skipped, failed, waited, timeout, or the key of a branch; null: it stands there' }),
    detail: z.string().nullable().meta({ description: 'What happened, in words' }),
  })
  .meta({ id: 'EnrollmentStep', description: 'One visit of a node' });

export const EnrollmentWithSteps = Enrollment.extend({
  cancelled_by_key_id: z.uuid().nullable().meta({
    description:
      'Which key cancelled it, with DELETE /enrollments/:id or an action over many runs; null: none did, or it was before this was kept',
  }),
  steps: z.array(EnrollmentStep).meta({
    description: 'Every node visited, trigger and exit included, in order: the last of them, and with `nextCursor` those before',
  }),
  steps_pruned: z.boolean().meta({ description: `Its steps are not kept any more: it ended over ${shownPeriod(TRACES_KEPT_MS)} ago` }),
}).meta({ id: 'EnrollmentWithSteps', description: "One contact's run through one sequence with every node that it visited" });

const read = defineRoute({
  method: 'get',
  path: '/enrollments/:id',
  scope: 'sequences:read',
  summary: 'Read one enrollment with every node that it visited',
  description: `Its steps are paged from the end: a run in a loop may have ${MAX_STEPS.toLocaleString('en')} of them.`,
  params: EnrollmentPath,
  query: z.object({ limit: WideLimit, cursor: Cursor.optional() }),
  status: 200,
  reply: z.object({
    enrollment: EnrollmentWithSteps,
    nextCursor: NextCursor.meta({ description: 'For the steps before these; null when there are none' }),
  }),
  errors: ['not_found', 'invalid_cursor'],
  examples: examples.readEnrollment,
  async handle({ em, project, vault }, { params, query }) {
    const scope = { projectId: project.id, list: `enrollment ${params.id}`, filter: {} };
    const from = readCursor(vault, scope, query.cursor);
    const found = (await findEnrollment(em, project.id, params.id, { limit: query.limit, from })) ?? notFound('enrollment');
    const { earlier, ...enrollment } = found;
    return { enrollment, nextCursor: writeCursor(vault, scope, earlier) };
  },
});

const list = defineRoute({
  method: 'get',
  path: '/sequences/:key/enrollments',
  scope: 'sequences:read',
  summary: "List a sequence's enrollments, the last started first",
  params: SequenceKeyParam,
  query: z.object({
    contactId: Id.optional().meta({ description: "A contact's id" }),
    ...ofRuns,
    ...ofLatestRuns,
    limit: Limit,
    cursor: Cursor.optional(),
  }),
  status: 200,
  reply: z.object({ enrollments: z.array(ListedEnrollment).meta({ description: 'This page' }), nextCursor: NextCursor }),
  errors: ['not_found', 'invalid_cursor'],
  examples: examples.listEnrollments,
  async handle({ em, project, vault, hasScope }, { params, query }) {
    const { limit, cursor, ...filter } = query;
    const { contactId, ...asked } = filter;
    const sequence = (await findSequence(em, project.id, params.key)) ?? notFound('sequence');
    const scope = { projectId: project.id, list: `enrollments ${sequence.id}`, filter };
    const from = readCursor(vault, scope, cursor);
    const page = await listEnrollments(em, sequence.id, contactId ? { ...asked, contactIds: [contactId] } : asked, {
      limit,
      from,
      direction: 'next',
    });
    const enrollments = hasScope('contacts:read') ? page.rows : page.rows.map((run) => ({ ...run, contact_email: null }));
    return { enrollments, nextCursor: writeCursor(vault, scope, page.next) };
  },
});

export const routes: readonly Route[] = [enroll, enrollBulk, list, read, cancel];
