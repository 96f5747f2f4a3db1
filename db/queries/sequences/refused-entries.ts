import { sql } from 'kysely';
import type { EntityManager } from '../../orm.ts';
import { rows } from '../../rows.ts';

/** What contacts were kept from: an event of this type, or this sequence. */
export type RefusedEntry = { readonly event_type: string } | { readonly sequence_id: string };

/** Keeps, for their timelines, that contacts were refused, all by one statement; one that is gone is passed over. */
export async function insertRefusedEntries(
  em: EntityManager,
  projectId: string,
  entry: RefusedEntry,
  refused: readonly { readonly id: string; readonly contactId: string }[],
): Promise<void> {
  const [type, sequence] = 'event_type' in entry ? [entry.event_type, null] : [null, entry.sequence_id];
  await rows(
    em,
    sql`
      insert into refused_entries (id, project_id, contact_id, event_type, sequence_id)
      select r.id, c.project_id, c.id, ${type}::text, ${sequence}::uuid
      from unnest(${refused.map(({ id }) => id)}::uuid[], ${refused.map(({ contactId }) => contactId)}::uuid[]) r (id, contact_id)
      join contacts c on c.id = r.contact_id and c.project_id = ${projectId}`,
  );
}
