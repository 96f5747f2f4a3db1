import * as z from 'zod';
import { findContact } from '../../db/queries/contacts.ts';
import { contactTimeline, HAPPENINGS, MOST_EVENT_BYTES } from '../../db/queries/timeline.ts';
import { notFound } from '../../domain/errors.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { defineRoute } from '../route.ts';
import { Cursor, Limit, PathId, Timestamp } from '../schemas.ts';

const MAIL = { send_id: '01990000-0000-7000-8000-000000000001', template: 'receipt', subject: 'Your receipt' };

const TimelineEntry = z
  .object({
    id: z.string().meta({ description: 'Of the entry; the same whenever it is read' }),
    at: Timestamp.meta({ description: 'When it happened' }),
    kind: z.enum(HAPPENINGS).meta({ description: 'What happened' }),
    details: z.record(z.string(), z.unknown()).meta({
      description:
        '`contact_created`: source, consent_source, consent_at. `suppressed`: reason. `event`: event_id, type, data (null when it is larger ' +
        `than ${MOST_EVENT_BYTES / 1024} KB). \`mail_…\`: send_id, template, subject; of \`mail_sent\` and \`mail_failed\` also type, error, ` +
        'source_type, source_id; of `mail_opened` and `mail_clicked`, which stand at the first time, count; of `mail_reported` report ' +
        '(delivered, bounced or complained), provider, bounce. `sequence_…`: enrollment_id, sequence_key, sequence_name; of `sequence_left` ' +
        'also status, end_reason.',
    }),
  })
  .meta({ id: 'TimelineEntry' });

export const list = defineRoute({
  method: 'get',
  path: '/contacts/:id/timeline',
  scope: 'contacts:read',
  summary: 'Read what happened to a contact, newest first',
  description:
    'Mails with what came of them, product events, sequences entered and left, suppression and how the contact came to be, in one list. Mails ' +
    'are in it for keys that have `sends:read` too. What retention has dropped (events and reports after 90 days) is not in it.',
  params: z.object({ id: PathId }),
  query: z.object({ limit: Limit, cursor: Cursor.optional().meta({ description: '`nextCursor` of the page before' }) }),
  status: 200,
  reply: z
    .object({
      timeline: z.array(TimelineEntry).meta({ description: 'One entry a happening' }),
      withMails: z.boolean().meta({ description: 'false: the key may not read sends, so the mails are left out' }),
      nextCursor: z.string().nullable().meta({ description: 'Where older entries begin; null at the end' }),
    })
    .meta({
      examples: [
        {
          timeline: [
            {
              ...{ id: 'b3f0c1de0f0b4a529d6f1f6a0d5f4c11', at: '2026-06-01T12:03:00.000Z', kind: 'mail_opened' },
              details: { ...MAIL, count: 1 },
            },
          ],
          withMails: true,
          nextCursor: null,
        },
      ],
    }),
  errors: ['not_found', 'invalid_cursor'],
  async handle({ em, project, vault, hasScope }, { params, query }) {
    const contact = (await findContact(em, project.id, params.id)) ?? notFound('contact');
    const withMails = hasScope('sends:read');
    const scope = { projectId: project.id, list: 'timeline', filter: { contactId: contact.id, withMails } };
    const place = { limit: query.limit, from: readCursor(vault, scope, query.cursor), direction: 'next' as const };
    const page = await contactTimeline(em, { projectId: project.id, contactId: contact.id, email: contact.email, withMails }, place);
    return {
      timeline: page.rows.map(({ id, created_at, kind, details }) => ({ id, at: created_at, kind, details })),
      withMails,
      nextCursor: writeCursor(vault, scope, page.next),
    };
  },
});
