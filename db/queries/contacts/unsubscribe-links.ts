import { sql } from 'kysely';
import type { BrandRow, ContactRow, ProjectRow, SendRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';
import { isSuppressed } from '../sends/permission.ts';

/** Whom an unsubscribe link is about, and what its page shows. */
export interface LinkedContact
  extends Pick<ContactRow, 'id' | 'project_id' | 'email' | 'status' | 'topics' | 'locale'>,
    Pick<ProjectRow, 'sealed_link_secret'> {
  /** Nothing is sent to the address, whatever the status. */
  readonly is_suppressed: boolean;
  readonly brand_name: BrandRow['name'];
  readonly brand_color: BrandRow['color'];
  /** The mail that the link was in, when the link tells one that went to this contact. */
  readonly send_id: SendRow['id'] | null;
  /** The key of the topic of that mail. */
  readonly send_topic: string | null;
}

/**
 * The contacts that have this id, or had it before they were merged, each in a project of its own: whose link it is only its token tells.
 * In whatever state the projects are: docs/contract/unsubscribe.md 16. The brand is that of the mail, else the contact's.
 */
export async function findLinkedContacts(em: EntityManager, linkedId: string, sendId: string | undefined): Promise<LinkedContact[]> {
  return rows(
    em,
    sql<LinkedContact>`
      select c.id, c.project_id, c.email, c.status, c.topics, c.locale, p.sealed_link_secret, b.name as brand_name, b.color as brand_color, s.id as send_id, s.details ->> 'topic' as send_topic,
        ${isSuppressed({ projectId: sql`c.project_id`, email: sql`c.email` })} as is_suppressed
      from (
        select id, project_id from contacts where id = ${linkedId}
        union
        select contact_id, project_id from merged_contacts where id = ${linkedId}) linked
      join contacts c on c.id = linked.id and c.project_id = linked.project_id
      join projects p on p.id = c.project_id
      left join sends s on s.id = ${sendId ?? null}::uuid and s.contact_id = c.id and s.project_id = c.project_id
      join brands b on b.project_id = c.project_id and b.slug = coalesce(s.brand_id, c.brand_id)`,
  );
}

/** The project and brand of a test mail, which its link tells. */
export type LinkedTest = Pick<LinkedContact, 'project_id' | 'sealed_link_secret' | 'brand_name' | 'brand_color'>;

/** undefined when the send is no test mail. */
export async function findLinkedTest(em: EntityManager, sendId: string): Promise<LinkedTest | undefined> {
  return row(
    em,
    sql<LinkedTest>`
      select p.id as project_id, p.sealed_link_secret, b.name as brand_name, b.color as brand_color
      from sends s
      join projects p on p.id = s.project_id
      join brands b on b.project_id = s.project_id and b.slug = s.brand_id
      where s.id = ${sendId} and s.source_type = 'test'`,
  );
}
