import * as z from 'zod';
import type { SendRow } from '../../db/entities/index.ts';
import { findSend, listSends, reportsOf, type ShownReport } from '../../db/queries/send-log.ts';
import { notFound } from '../../domain/errors.ts';
import { type Bounce, PROVIDER_EVENT_TYPES } from '../../domain/inbound/event.ts';
import { bounceCode } from '../../domain/send.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { defineRoute } from '../route.ts';
import { Cursor, FilterText, Id, Limit, SendTypeName, TemplateKey, Timestamp } from '../schemas.ts';

/** Longer than any provider's. */
const MAX_PROVIDER_ID = 1000;

const SendStatus = z.enum(['sent', 'failed']);

export const SendLogEntry = z
  .object({
    id: z.string(),
    contact_id: z.uuid().nullable().meta({ description: 'null for transactional mail to an address without a contact' }),
    brand_id: z.string(),
    to_email: z.string(),
    template: z.string(),
    type: SendTypeName,
    subject: z.string().meta({ description: '"" when it was not rendered' }),
    status: SendStatus,
    error: z.string().nullable(),
    delivery_status: z.enum(['queued', 'delivered', 'bounced', 'complained']).nullable(),
    provider_id: z.string().nullable(),
    source_type: z.string(),
    source_id: z.string().nullable(),
    first_opened_at: Timestamp.nullable(),
    open_count: z.int(),
    first_clicked_at: Timestamp.nullable(),
    click_count: z.int(),
    last_event_at: Timestamp.nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'SendLogEntry' });

export const list = defineRoute({
  method: 'get',
  path: '/sends',
  scope: 'sends:read',
  summary: 'List send attempts, newest first',
  query: z.object({
    template: TemplateKey.optional(),
    type: SendTypeName.optional(),
    status: SendStatus.optional(),
    contactId: Id.optional(),
    sourceType: FilterText.optional(),
    sourceId: FilterText.optional(),
    q: FilterText.optional().meta({ description: "Part of the recipient's address, or the whole `id` that POST /send answered" }),
    limit: Limit,
    cursor: Cursor.optional(),
  }),
  status: 200,
  reply: z.object({ sends: z.array(SendLogEntry), nextCursor: z.string().nullable() }),
  errors: ['invalid_cursor'],
  async handle({ em, project, vault }, { query }) {
    const { limit, cursor, ...filter } = query;
    const scope = { projectId: project.id, list: 'sends', filter };
    const page = await listSends(em, project.id, filter, { limit, from: readCursor(vault, scope, cursor), direction: 'next' });
    return { sends: page.rows as z.output<typeof SendLogEntry>[], nextCursor: writeCursor(vault, scope, page.next) };
  },
});

const BounceRecord = z
  .object({
    kind: z.enum(['hard', 'soft']).meta({ description: 'soft: it may pass, like a full mailbox' }),
    code: z.string().nullable().meta({ description: 'RFC 3463, like 5.1.1, or whatever the provider tells' }),
  })
  .meta({ id: 'Bounce', examples: [{ kind: 'hard', code: '5.1.1' }] });

const SendEvent = z
  .object({
    type: z.enum(PROVIDER_EVENT_TYPES),
    provider: z.string().meta({ description: 'Who reported it' }),
    occurred_at: Timestamp,
    received_at: Timestamp,
    bounce: BounceRecord.nullable().meta({ description: 'Of a bounce' }),
    url: z.string().nullable().meta({ description: 'The link that was clicked' }),
  })
  .meta({ id: 'SendEvent' });

const SEND_EXAMPLE = {
  ...{ id: '01990000-0000-7000-8000-000000000001', contact_id: '01990000-0000-7000-8000-000000000002', brand_id: 'acme' },
  ...{ to_email: 'ada@example.com', template: 'receipt', type: 'transactional', subject: 'Your receipt', status: 'sent', error: null },
  ...{ delivery_status: 'bounced', provider_id: '01990000@mail.example.com', source_type: 'api', source_id: null },
  ...{ first_opened_at: null, open_count: 0, first_clicked_at: null, click_count: 0, last_event_at: '2026-06-01T12:00:04.000Z' },
  created_at: '2026-06-01T12:00:00.000Z',
  bounce: { kind: 'hard', code: '5.1.1' },
  events: [
    {
      ...{ type: 'bounced', provider: 'ses', occurred_at: '2026-06-01T12:00:04.000Z', received_at: '2026-06-01T12:00:05.120Z' },
      ...{ bounce: { kind: 'hard', code: '5.1.1' }, url: null },
    },
  ],
};

export const read = defineRoute({
  method: 'get',
  path: '/sends/:id',
  scope: 'sends:read',
  summary: 'Read one send attempt with what the provider reported',
  description:
    "Takes the row's own id or the `id` that POST /send answered (the provider's); of several rows with one provider id the latest. " +
    'A mail in hand is 404 until it has its outcome.',
  params: z.object({ id: z.string().max(MAX_PROVIDER_ID).meta({ description: 'URL-encoded' }) }),
  status: 200,
  reply: z
    .object({
      send: SendLogEntry.extend({
        bounce: BounceRecord.nullable().meta({ description: 'Why it came back; null when it did not' }),
        events: z.array(SendEvent).meta({ description: 'What the provider reported, in the order in which it happened; kept for 90 days' }),
      }).meta({ id: 'SendWithEvents', examples: [SEND_EXAMPLE] }),
    })
    .meta({ examples: [{ send: SEND_EXAMPLE }] }),
  errors: ['not_found'],
  async handle({ em, project }, { params }) {
    const send = (await findSend(em, project.id, params.id)) ?? notFound('send');
    const reports = await reportsOf(em, send.id);
    const events = reports.map(({ details, ...report }) => ({ ...report, bounce: shownBounce(details.bounce), url: details.url ?? null }));
    return { send: { ...(send as z.output<typeof SendLogEntry>), bounce: bounceOf(send, reports), events } };
  },
});

/** The provider may report it later, or refuse the address at the hand-over: decisions.md 4.6. */
function bounceOf({ delivery_status, error }: SendRow, reports: readonly ShownReport[]): z.output<typeof BounceRecord> | null {
  const reported = reports.find(({ type }) => type === 'bounced');
  if (reported) return shownBounce(reported.details.bounce ?? { kind: 'soft' });
  return delivery_status === 'bounced' && error ? { kind: 'hard', code: bounceCode(error) ?? null } : null;
}

function shownBounce(bounce: Bounce | undefined): z.output<typeof BounceRecord> | null {
  return bounce ? { kind: bounce.kind, code: bounce.code ?? null } : null;
}
