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

/** What would become of such a mail at this instant. */
export interface CheckedOne {
  /** Why it does not go; null: it goes. `erased`: there is no such contact. */
  readonly reason: RecipientRefusal | 'erased' | null;
  /** The place of the first recipient with the same address, who comes before it; null: there is none. */
  readonly repeats: number | null;
}

/** For each recipient, in their order. */
export async function checkRecipients(em: EntityManager, { projectId, type, topic, recipients }: CheckedMails): Promise<CheckedOne[]> {
  const asked = recipients.map((one, place) =>
    'email' in one ? { place, email: one.email, contact_id: null } : { place, email: null, contact_id: one.contactId },
  );
  return rows(
    em,
    sql<CheckedOne>`
      with asked as (select * from json_to_recordset(${JSON.stringify(asked)}::json) as a(place integer, email text, contact_id uuid))
      select ${wordOf(
        refusal({
          ...{ projectId: sql`${projectId}::uuid`, email: sql`coalesce(c.email, a.email)`, type: sql`${type}::text` },
          ...{ contactId: sql`coalesce(c.id, a.contact_id)`, topic: sql`${topic}::text` },
        }),
      )} as reason,
             nullif(min(a.place) over (partition by coalesce(c.email, a.email, a.contact_id::text)), a.place) as repeats
      from asked a left join contacts c on c.project_id = ${projectId}::uuid and (c.id = a.contact_id or c.email = a.email)
      order by a.place`,
  );
}
