import * as z from 'zod';
import { findContact } from '../../../db/queries/contacts/contacts.ts';
import { contactTimeline, HAPPENINGS, type TimelineEntry as Happened, MOST_EVENT_BYTES } from '../../../db/queries/contacts/timeline.ts';
import { CONSENT_CAUSES } from '../../../domain/contacts/consent.ts';
import { notFound } from '../../../domain/errors.ts';
import { JsonValue } from '../../../domain/json-value.ts';
import { EVENTS_KEPT_MS, LEFT_OUT_KEPT_MS, TRACES_KEPT_MS } from '../../../domain/operations/retention.ts';
import { shownPeriod } from '../../../domain/shown-text.ts';
import { readCursor, writeCursor } from '../../cursor.ts';
import * as examples from '../../examples/contact-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { Cursor, Limit, PathId, Timestamp } from '../../schemas.ts';

export const TimelineEntry = z
  .object({
    id: z.string().meta({ description: 'Of the entry; the same whenever it is read' }),
    at: Timestamp.meta({ description: 'When it happened' }),
    kind: z.enum(HAPPENINGS).meta({ description: 'What happened' }),
    details: z.record(z.string(), JsonValue).meta({
      description:
        '`contact_created`: source, status, consent_source, consent_ip, consent_user_agent, consent_at, topics (null where none was chosen), as they were at first. `consent_changed`, a change ' +
        'of the status, of topics or of the consent: from and to (statuses, the same where it stayed), cause ' +
        `(${CONSENT_CAUSES.join(', ')}), of which key_id, send_id or enrollment_id with sequence_key and sequence_name says which one ` +
        '(send_id with `sends:read` only), the four of the new consent, null where it stayed, topics and topics_before, those that the person chose and what they ' +
        'were before, null where none changed, and by_ip and by_user_agent, the request by which the person did it on a page, else null. `suppressed`: reason. ' +
        '`event`: event_id, type, data (null when it is larger ' +
        `than ${MOST_EVENT_BYTES / 1024} KB). \`event_refused\`: type, reason. \`mail_…\`: send_id, template, subject; of \`mail_sent\` and \`mail_failed\` also type, error, ` +
        'source_type, source_id, and, null unless a sequence asked for it, enrollment_id, sequence_key, sequence_name; of `mail_opened` and ' +
        '`mail_clicked`, which stand at the first time, count; of `mail_reported` report (delivered, bounced or complained), provider, ' +
        'bounce. `mail_skipped`, an email that a sequence left out, has other details, as there is no send of it: enrollment_id, sequence_key, ' +
        'sequence_name, node_id, template, and as its reason the detail of the step: suppressed, unsubscribed, bounced, frequency_cap or ' +
        'another. `sequence_…`: enrollment_id, sequence_key, sequence_name; of `sequence_left` also status, end_reason; of `sequence_entered` what the ' +
        'run waits for now, waiting_for and wakes_at as GET /enrollments/:id has them. ' +
        '`enrollment_refused`: sequence_key, sequence_name, reason. `campaign_left_out`: campaign_id, campaign_name, template, reason. ' +
        'Of `mail_…`, `sequence_…` and `campaign_…` also sandboxed: whether the email never left, and whether none of the emails of the run does.',
    }),
  })
  .meta({ id: 'TimelineEntry', description: 'One thing that happened to the contact' });

const list = defineRoute({
  method: 'get',
  path: '/contacts/:id/timeline',
  scope: 'contacts:read',
  summary: 'Read what happened to a contact, newest first',
  description:
    'Emails with what came of them, those that a sequence left out, product events, sequences entered and left, events and enrollments that were ' +
    'refused since the contact had unsubscribed, changes of status and consent, ' +
    'suppression and how the contact came to be, in one list. Emails are in it for keys that have `sends:read` too. What retention has dropped ' +
    `(events, refusals and reports after ${shownPeriod(EVENTS_KEPT_MS)}, emails that were left out ${shownPeriod(TRACES_KEPT_MS)} after the end of their ` +
    'run) is not in it; changes of consent are kept ' +
    'for as long as the contact. A consent that is given once more, with the same source, address and user agent, is no change. Campaigns that left ' +
    `the contact out are in it for ${shownPeriod(LEFT_OUT_KEPT_MS)}.`,
  params: z.object({ id: PathId.meta({ description: "The contact's id" }) }),
  query: z.object({
    kind: z.enum(HAPPENINGS).optional().meta({ description: 'Only what is of this kind; all when omitted' }),
    limit: Limit,
    cursor: Cursor.optional().meta({ description: '`nextCursor` of the page before' }),
  }),
  status: 200,
  reply: z.object({
    timeline: z.array(TimelineEntry).meta({ description: 'One entry a happening' }),
    withMails: z.boolean().meta({ description: 'false: the key may not read sends, so the emails are left out' }),
    nextCursor: z.string().nullable().meta({ description: 'Where older entries begin; null at the end' }),
  }),
  errors: ['not_found', 'invalid_cursor'],
  examples: examples.timeline,
  async handle({ em, project, vault, hasScope }, { params, query }) {
    const contact = (await findContact(em, project.id, params.id)) ?? notFound('contact');
    const withMails = hasScope('sends:read');
    const scope = { projectId: project.id, list: 'timeline', filter: { contactId: contact.id, withMails, kind: query.kind } };
    const place = { limit: query.limit, from: readCursor(vault, scope, query.cursor), direction: 'next' as const };
    const asked = { projectId: project.id, contactId: contact.id, email: contact.email, withMails, kind: query.kind };
    const page = await contactTimeline(em, asked, place);
    return {
      timeline: page.rows.map(timelineRecord),
      withMails,
      nextCursor: writeCursor(vault, scope, page.next),
    };
  },
});

/** One entry as the API shows it. */
export function timelineRecord({ id, created_at: at, kind, details }: Happened): z.output<typeof TimelineEntry> {
  return { id, at, kind, details };
}

export const routes: readonly Route[] = [list];
