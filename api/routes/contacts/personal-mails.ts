import * as z from 'zod';
import type { ContactRow, SendRow } from '../../../db/entities/index.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { scheduledCopiesTo, scheduledTo } from '../../../db/queries/sends/scheduled-sends.ts';
import { hitsOf } from '../../../db/queries/sends/send-hits.ts';
import { copiesTo, listSends } from '../../../db/queries/sends/send-log.ts';
import { HITS_KEPT_MS } from '../../../domain/operations/retention.ts';
import type { SendDetails } from '../../../domain/sends/send-details.ts';
import { shownPeriod } from '../../../domain/shown-text.ts';
import { allPages } from '../../export-pages.ts';
import { LeftOutRecord } from '../../mail-schemas.ts';
import { Timestamp } from '../../schemas.ts';
import { SendWithEvents, scheduledWithEvents, sendsWithEvents } from '../sends/sends.ts';

/** Each with what became of it, so fewer than of other lists. */
const PAGE = 100;

const PersonalHit = z
  .object({
    kind: z.enum(['opened', 'clicked', 'unsubscribed']).meta({ description: 'What was done' }),
    url: z.string().nullable().meta({ description: 'The link that was clicked' }),
    is_bot: z.boolean().meta({ description: 'By a program that looks at email before its reader does; it counts nowhere' }),
    count: z.int().meta({ description: 'How often' }),
    at: Timestamp.meta({ description: 'The last time' }),
  })
  .meta({ id: 'PersonalHit', description: 'What was done with an email, by its image and its links' });

/** Whom a copy went to nobody but the caller knows, and why it did not go is the affair of its recipient: art. 15(4) GDPR. */
export const PersonalSend = SendWithEvents.omit({ bcc: true, left_out: true })
  .extend({
    hits: z.array(PersonalHit).meta({
      description: `What was done with it, by its image and its links, in the order of the last time; kept for ${shownPeriod(HITS_KEPT_MS)}`,
    }),
  })
  .meta({
    id: 'PersonalSend',
    description:
      'An email to the person, as GET /sends/:id shows it but for other people: `bcc` and `left_out` are not in it, nor what the provider reported about ' +
      'copies, and `error` is the reason alone where the words of the mail server have an address of somebody else',
  });

/** What the person had of it: no word of what its recipient did, and none of what the caller noted of that one. */
export const PersonalCopy = SendWithEvents.pick({
  id: true,
  to_email: true,
  cc: true,
  brand_id: true,
  template: true,
  type: true,
  subject: true,
  status: true,
  provider_id: true,
  provider: true,
  source_type: true,
  source_id: true,
  sandboxed: true,
  created_at: true,
  send_at: true,
  topic: true,
  locale: true,
  reply_to: true,
  headers: true,
  attachments: true,
  events: true,
})
  .extend({
    role: z.enum(['cc', 'bcc']).meta({ description: 'bcc: the others do not see that the person gets it' }),
    left_out: LeftOutRecord.nullable().meta({
      description: 'Why the person did not get it, while the email went; null: nothing says that',
    }),
  })
  .meta({
    id: 'PersonalCopy',
    description:
      'An email to somebody else with a copy to the person: fields of GET /sends/:id, with those `events` that are about the person. What became of it for ' +
      'others, `bcc`, and what the call noted of its recipient are not in it',
  });

type Person = Pick<ContactRow, 'id' | 'project_id' | 'email'>;

/** What waits to go to the person. */
export async function* scheduledMails(em: EntityManager, person: Person): AsyncGenerator<object[]> {
  for await (const waiting of allPages((place) => scheduledTo(em, person, place), PAGE))
    yield waiting.map((mail) => personal({ ...scheduledWithEvents(mail), hits: [] }));
}

/** Mails to the contact, then those to its address that name no contact. */
export async function* sentMails(em: EntityManager, person: Person): AsyncGenerator<object[]> {
  const { id, project_id, email } = person;
  for await (const page of allPages((place) => listSends(em, project_id, { contactId: id }, place), PAGE))
    yield await records(em, person, page);
  for await (const page of allPages((place) => listSends(em, project_id, { q: email }, place), PAGE)) {
    yield await records(
      em,
      person,
      page.filter(({ contact_id, to_email }) => contact_id === null && to_email === email),
    );
  }
}

/** Mails to others with a copy to the person: those that wait, then those that went. */
export async function* copiedMails(em: EntityManager, person: Person): AsyncGenerator<object[]> {
  for await (const waiting of allPages((place) => scheduledCopiesTo(em, person, place), PAGE))
    yield waiting.map((mail) => copy(scheduledWithEvents(mail), mail.call.details, person));
  for await (const page of allPages((place) => copiesTo(em, person, place), PAGE)) {
    const shown = await sendsWithEvents(em, person.project_id, page);
    yield shown.map((send, place) => copy(send, page[place]?.details, person));
  }
}

async function records(em: EntityManager, { project_id }: Person, sends: readonly SendRow[]): Promise<object[]> {
  const shown = await sendsWithEvents(em, project_id, sends);
  const hits = await hitsOf(
    em,
    project_id,
    sends.map(({ id }) => id),
  );
  return shown.map((send) => personal({ ...send, hits: hits.get(send.id) ?? [] }));
}

type Shown = z.output<typeof SendWithEvents>;

function personal(send: Shown & Pick<z.output<typeof PersonalSend>, 'hits'>): object {
  return z.encode(PersonalSend, {
    ...send,
    error: send.error && errorFor(send.to_email, send.error),
    events: send.events.filter(({ recipient }) => recipient === null || recipient === send.to_email),
  });
}

/** Why a mail failed, for one of its recipients: the reason alone where the mail server names anybody else. */
export function errorFor(email: string, error: string): string {
  return error.toLowerCase().replaceAll(email, '').includes('@') ? (error.split(': ')[0] as string) : error;
}

function copy(send: Shown, details: SendDetails | null | undefined, { email }: Person): object {
  return z.encode(PersonalCopy, {
    ...send,
    role: details?.cc?.some((mailbox) => mailbox.email === email) ? 'cc' : 'bcc',
    left_out: send.left_out.find((leftOut) => leftOut.email === email) ?? null,
    events: send.events.filter(({ recipient }) => recipient === email),
  });
}
