import * as z from 'zod';
import { listSends } from '../../db/queries/send-log.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { defineRoute } from '../route.ts';
import { Cursor, FilterText, Id, Limit, SendTypeName, TemplateKey, Timestamp } from '../schemas.ts';

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
    q: FilterText.optional().meta({ description: "Part of the recipient's address" }),
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
