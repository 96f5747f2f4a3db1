import { sql } from 'kysely';
import type { SendType } from '../../../domain/sends/send.ts';
import type { EntityManager } from '../../orm.ts';
import { rows } from '../../rows.ts';
import { type RecipientRefusal, wordOf } from './gate-verdict.ts';
import { refusal } from './permission.ts';

/** Whom a mail would be for. */
export type CheckedRecipient = { readonly email: string } | { readonly contactId: string };

/** Which mails are asked about. */
export interface CheckedMails {
  readonly projectId: string;
  readonly type: SendType;
  /** The key of the topic that they are of; null: of none. */
  readonly topic: string | null;
  readonly recipients: readonly CheckedRecipient[];
}

/** For each recipient, in their order, why such a mail does not go to it at this instant; null: it goes. `erased`: there is no such contact. */
export async function recipientRefusals(
  em: EntityManager,
  { projectId, type, topic, recipients }: CheckedMails,
): Promise<(RecipientRefusal | 'erased' | null)[]> {
  const asked = recipients.map((one, place) =>
    'email' in one ? { place, email: one.email, contact_id: null } : { place, email: null, contact_id: one.contactId },
  );
  const found = await rows(
    em,
    sql<{ reason: RecipientRefusal | 'erased' | null }>`
      with asked as (select * from json_to_recordset(${JSON.stringify(asked)}::json) as a(place integer, email text, contact_id uuid))
      select ${wordOf(
        refusal({
          ...{ projectId: sql`${projectId}::uuid`, email: sql`coalesce(c.email, a.email)`, type: sql`${type}::text` },
          ...{ contactId: sql`coalesce(c.id, a.contact_id)`, topic: sql`${topic}::text` },
        }),
      )} as reason
      from asked a left join contacts c on c.project_id = ${projectId}::uuid and (c.id = a.contact_id or c.email = a.email)
      order by a.place`,
  );
  return found.map(({ reason }) => reason);
}
