import { validate as isUuid } from 'uuid';
import * as z from 'zod';
import type { KeysetPage, Place } from '../../../db/cursor-page.ts';
import type { ScheduledSendRow, SendRow } from '../../../db/entities/index.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { retriesOf } from '../../../db/queries/sends/retries.ts';
import { findScheduled, listScheduled } from '../../../db/queries/sends/scheduled-sends.ts';
import { findSend, listSends, reportsOf, type ShownReport } from '../../../db/queries/sends/send-log.ts';
import { armOf } from '../../../domain/campaigns/ab-test.ts';
import { notFound } from '../../../domain/errors.ts';
import { type Bounce, PROVIDER_EVENT_TYPES } from '../../../domain/inbound/event.ts';
import { REPORTS_KEPT_MS } from '../../../domain/operations/retention.ts';
import { readDatum } from '../../../domain/sends/metadata.ts';
import { bounceCode, NO_TEMPLATE, SOURCE_TYPES } from '../../../domain/sends/send.ts';
import { shownPeriod } from '../../../domain/shown-text.ts';
import { readCursor, writeCursor } from '../../cursor.ts';
import * as examples from '../../examples/send-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { CreatedAt, Cursor, FilterText, Id, Limit, NextCursor, SendTypeName, TemplateKey, Timestamp } from '../../schemas.ts';
import { notesOf, recordOfDetails, shownDetails, shownNotes } from '../../send-detail-records.ts';

/** Longer than any provider's. */
const MAX_PROVIDER_ID = 1000;

const SendSource = z.enum(SOURCE_TYPES).meta({ id: 'SendSource', description: 'What sent it' });

const SendStatus = z
  .enum(['sent', 'failed', 'scheduled'])
  .meta({ id: 'SendStatus', description: 'sent: the provider took it; scheduled: it is to go at `send_at`' });

export const SendLogEntry = z
  .object({
    id: z.string().meta({ description: "Of this row; `provider_id` is the provider's" }),
    contact_id: z.uuid().nullable().meta({ description: 'null for transactional email to an address without a contact' }),
    brand_id: z.string().meta({ description: "The brand's slug" }),
    to_email: z.string().meta({ description: 'The recipient' }),
    template: z.string().nullable().meta({ description: 'The key of the template; null: the call brought the content itself' }),
    type: SendTypeName,
    subject: z.string().meta({ description: '"" when it was not rendered' }),
    status: SendStatus,
    error: z.string().nullable().meta({ description: 'Why it failed, the `reason` first; null when it was sent' }),
    delivery_status: z
      .enum(['queued', 'delivered', 'bounced', 'complained'])
      .nullable()
      .meta({ description: 'The furthest that the provider reported; null: nothing yet' }),
    provider_id: z.string().nullable().meta({ description: 'The `id` that POST /send answered; null when it failed' }),
    provider: z.string().nullable().meta({
      description: 'The name of the mail provider that was asked; null: none was, or it was sent by a version that did not note it',
    }),
    source_type: SendSource,
    source_id: z.string().nullable().meta({ description: 'The id of that campaign or sequence' }),
    first_opened_at: Timestamp.nullable().meta({ description: 'null: not opened, or not tracked' }),
    open_count: z.int().meta({ description: 'How often it was opened' }),
    first_clicked_at: Timestamp.nullable().meta({ description: 'null: not clicked, or not tracked' }),
    click_count: z.int().meta({ description: 'How often a link was clicked' }),
    last_event_at: Timestamp.nullable().meta({ description: 'When anything was last reported' }),
    sandboxed: z
      .boolean()
      .meta({ description: 'It never left: asked for with a test key, of a sandbox, or to an address of everpost.test' }),
    created_at: CreatedAt,
    send_at: Timestamp.nullable().meta({ description: 'Of a scheduled one: when it is to go' }),
    retried_as: z.uuid().nullable().meta({
      description:
        'Of a failed one that was sent again: the row that follows it, 404 until it has its outcome, and for good where a campaign skipped the recipient then',
    }),
    retry_of: z.uuid().nullable().meta({ description: 'The failed row that this one follows' }),
    ...shownNotes,
  })
  .meta({ id: 'SendLogEntry', description: 'One attempt to send' });

/** Which attempts a list has. */
export const SendFilters = {
  template: TemplateKey.optional().meta({ description: 'The key of a template; empty: the call brought the content itself' }),
  type: SendTypeName.optional(),
  status: SendStatus.optional().meta({ description: 'scheduled: those that wait, which are in no other list' }),
  contactId: Id.optional().meta({ description: "A contact's id" }),
  sourceType: FilterText.optional().meta({ description: 'api, campaign, sequence, test or confirmation' }),
  sourceId: FilterText.optional().meta({ description: 'The id of a campaign or sequence' }),
  variant: FilterText.optional().meta({
    description: 'The arm of a campaign with a test: its key, beside the `sourceId` of the campaign',
  }),
  deliveryStatus: z
    .enum(['queued', 'delivered', 'bounced', 'complained', 'none'])
    .optional()
    .meta({ description: 'The furthest that the provider reported; none: it was sent, and nothing was reported' }),
  sandboxed: z.enum(['true', 'false']).optional().meta({ description: 'true: those that never left; false: the others' }),
  from: Timestamp.optional().meta({ description: 'Made then or later' }),
  to: Timestamp.optional().meta({ description: 'Made before' }),
  tag: FilterText.optional().meta({ description: 'One of its tags, exactly' }),
  metadata: FilterText.refine((text) => readDatum(text) !== undefined, { error: 'not name:value' })
    .optional()
    .meta({ description: 'One of its metadata, as `name:value`, exactly' }),
  q: FilterText.optional().meta({ description: "Part of the recipient's address, or the whole `id` that POST /send answered" }),
};

const SendFilter = z.object(SendFilters);

/** One page of the attempts that a filter is for, those that wait for their time among them where it says so. */
export async function pageOfSends(
  em: EntityManager,
  projectId: string,
  filter: z.output<typeof SendFilter>,
  place: Place,
): Promise<KeysetPage<z.output<typeof SendLogEntry>>> {
  const { status, sandboxed, metadata, ...others } = filter;
  const datum = metadata === undefined ? undefined : readDatum(metadata);
  const further = { ...others, datum, ...(sandboxed === undefined ? {} : { sandboxed: sandboxed === 'true' }) };
  if (status === 'scheduled') {
    const waiting = await listScheduled(em, projectId, further, place);
    return { ...waiting, rows: waiting.rows.map(scheduledRecord) };
  }
  const page = await listSends(em, projectId, { ...further, status }, place);
  return { ...page, rows: await records(em, page.rows) };
}

const list = defineRoute({
  method: 'get',
  path: '/sends',
  scope: 'sends:read',
  summary: 'List send attempts, newest first',
  query: z.object({
    ...SendFilters,
    limit: Limit,
    cursor: Cursor.optional(),
  }),
  status: 200,
  reply: z.object({ sends: z.array(SendLogEntry).meta({ description: 'This page' }), nextCursor: NextCursor }),
  errors: ['invalid_cursor'],
  examples: examples.list,
  async handle({ em, project, vault }, { query }) {
    const { limit, cursor, ...filter } = query;
    const scope = { projectId: project.id, list: 'sends', filter };
    const place = { limit, from: readCursor(vault, scope, cursor), direction: 'next' } as const;
    const page = await pageOfSends(em, project.id, filter, place);
    return { sends: page.rows, nextCursor: writeCursor(vault, scope, page.next) };
  },
});

const BounceRecord = z
  .object({
    kind: z.enum(['hard', 'soft']).meta({ description: 'soft: it may pass, like a full mailbox' }),
    code: z.string().nullable().meta({ description: 'RFC 3463, like 5.1.1, or whatever the provider tells' }),
  })
  .meta({ id: 'Bounce', description: 'Why an email came back' });

const SendEvent = z
  .object({
    type: z.enum(PROVIDER_EVENT_TYPES).meta({ description: 'What happened' }),
    provider: z.string().meta({ description: 'Who reported it' }),
    occurred_at: Timestamp.meta({ description: 'When it happened, says the provider' }),
    received_at: Timestamp.meta({ description: 'When the report came' }),
    bounce: BounceRecord.nullable().meta({ description: 'Of a bounce' }),
    url: z.string().nullable().meta({ description: 'The link that was clicked' }),
    recipient: z.string().nullable().meta({ description: 'Whom it is about, `to_email` or a copy; null: erased, or not known' }),
  })
  .meta({ id: 'SendEvent', description: 'One report of the provider about the email' });

export const SendPath = z.object({
  id: z.string().max(MAX_PROVIDER_ID).meta({ description: "The row's id or the provider's, URL-encoded" }),
});

export const SendWithEvents = SendLogEntry.extend({
  enrollment_id: z.uuid().nullable().meta({ description: 'The run of the sequence that sent it' }),
  variant: z.string().nullable().meta({ description: 'The arm of a campaign with a test' }),
  locale: z.string().nullable().meta({ description: 'The language of the template that it is in; null: the default' }),
  closed_at: Timestamp.nullable().meta({ description: 'When it had its outcome' }),
  ...shownDetails,
  bounce: BounceRecord.nullable().meta({ description: 'Why it came back; null when it did not' }),
  events: z.array(SendEvent).meta({
    description: `What the provider reported, in the order in which it happened; kept for ${shownPeriod(REPORTS_KEPT_MS)}`,
  }),
}).meta({ id: 'SendWithEvents', description: 'One attempt to send with what became of it' });

const read = defineRoute({
  method: 'get',
  path: '/sends/:id',
  scope: 'sends:read',
  summary: 'Read one send attempt with what the provider reported',
  description:
    "Takes the row's own id or the `id` that POST /send answered (the provider's); of several rows with one provider id the latest. " +
    'An email in flight is 404 until it has its outcome; a scheduled one is there until it goes.',
  params: SendPath,
  status: 200,
  reply: z.object({ send: SendWithEvents }),
  errors: ['not_found'],
  examples: examples.read,
  async handle({ em, project }, { params }) {
    const send = await findSend(em, project.id, params.id);
    if (!send) {
      const waiting = (await scheduledOf(em, project.id, params.id)) ?? notFound('send');
      return { send: scheduledWithEvents(waiting) };
    }
    const [record] = await sendsWithEvents(em, project.id, [send]);
    return { send: record ?? notFound('send') };
  },
});

/** Rows of the log as the API shows each alone, in their order. */
export async function sendsWithEvents(
  em: EntityManager,
  projectId: string,
  sends: readonly SendRow[],
): Promise<z.output<typeof SendWithEvents>[]> {
  const listed = await records(em, sends);
  const reported = await reportsOf(
    em,
    projectId,
    sends.map(({ id }) => id),
  );
  return sends.map((send, place) => {
    const reports = reported.get(send.id) ?? [];
    const events = reports.map(({ details, email, ...report }) => ({
      ...report,
      bounce: shownBounce(details.bounce),
      url: details.url ?? null,
      recipient: email,
    }));
    const { enrollment_id, variant, locale, closed_at, details } = send;
    return {
      ...(listed[place] as z.output<typeof SendLogEntry>),
      enrollment_id,
      variant: variant && armOf(variant).key,
      locale,
      closed_at,
      ...recordOfDetails(details),
      bounce: bounceOf(send, reports),
      events,
    };
  });
}

/** One that waits, as the API shows it alone. */
export function scheduledWithEvents(waiting: ScheduledSendRow): z.output<typeof SendWithEvents> {
  return { ...scheduledRecord(waiting), ...recordOfDetails(waiting.call.details ?? null), ...NOT_SENT };
}

async function records(em: EntityManager, sends: readonly SendRow[]): Promise<z.output<typeof SendLogEntry>[]> {
  const retried = await retriesOf(
    em,
    sends.map(({ id }) => id),
  );
  return sends.map((send) => ({
    ...(send as Omit<z.output<typeof SendLogEntry>, 'template' | 'retry_of' | 'send_at' | keyof ReturnType<typeof notesOf>>),
    template: shownTemplate(send.template),
    ...notesOf(send.details),
    send_at: null,
    retry_of: retried.get(send.id) ?? null,
  }));
}

async function scheduledOf(em: EntityManager, projectId: string, id: string): Promise<ScheduledSendRow | undefined> {
  return isUuid(id) ? findScheduled(em, projectId, id) : undefined;
}

/** What only a mail that went can have. */
const NOT_SENT = { enrollment_id: null, variant: null, locale: null, closed_at: null, bounce: null, events: [] };

function scheduledRecord(scheduled: ScheduledSendRow): z.output<typeof SendLogEntry> {
  const { id, contact_id, brand_id, to_email, template, type, subject, sandboxed, created_at, due_at } = scheduled;
  return {
    ...{
      id,
      contact_id,
      brand_id,
      to_email,
      template: shownTemplate(template),
      type,
      subject,
      created_at,
      sandboxed,
      status: 'scheduled',
      send_at: due_at,
    },
    ...{ error: null, delivery_status: null, provider_id: null, provider: null, source_type: 'api', source_id: null },
    ...{ first_opened_at: null, open_count: 0, first_clicked_at: null, click_count: 0, last_event_at: null },
    ...{ retried_as: null, retry_of: null },
    ...notesOf(scheduled.call.details ?? null),
  };
}

/** null: the call brought the content. */
function shownTemplate(template: string): string | null {
  return template === NO_TEMPLATE ? null : template;
}

/** The provider may report it later, or refuse the address at the submission: docs/contract/sends.md 23. */
function bounceOf({ delivery_status, error, to_email }: SendRow, reports: readonly ShownReport[]): z.output<typeof BounceRecord> | null {
  const reported = reports.find(({ type, email }) => type === 'bounced' && (email ?? '') === to_email);
  if (reported) return shownBounce(reported.details.bounce ?? { kind: 'soft' });
  return delivery_status === 'bounced' && error ? { kind: 'hard', code: bounceCode(error) ?? null } : null;
}

function shownBounce(bounce: Bounce | undefined): z.output<typeof BounceRecord> | null {
  return bounce ? { kind: bounce.kind, code: bounce.code ?? null } : null;
}

export const routes: readonly Route[] = [list, read];
