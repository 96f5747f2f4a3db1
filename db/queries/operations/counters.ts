import { type RawBuilder, sql } from 'kysely';
import type { ContactStatus } from '../../../domain/contacts/contact.ts';

/**
 * How many contacts of a project there are, of some statuses where they are given and with a tag where one is (a text, or a column of the
 * query around): an expression over numbers that are kept exactly (migrations 0004 and 0006), so that nobody is counted.
 */
export function counter(
  projectId: string,
  { tag, statuses }: { readonly tag?: string | RawBuilder<unknown> | undefined; readonly statuses?: readonly ContactStatus[] | undefined },
): RawBuilder<number> {
  const ofProject = tag === undefined ? sql`contact_counts where project_id = ${projectId}` : ofTag(projectId, tag);
  const ofStatus = statuses === undefined ? sql`true` : sql`status = any(${statuses}::text[])`;
  return sql`(select coalesce(sum(delta), 0)::bigint from ${ofProject} and ${ofStatus})`;
}

function ofTag(projectId: string, tag: string | RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`contact_tag_counts k where project_id = ${projectId} and k.tag = ${tag}`;
}
