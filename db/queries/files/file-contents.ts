import { sql } from 'kysely';
import { STORING_MS } from '../../../domain/files/file.ts';
import { UPLOADS_KEPT_MS } from '../../../domain/operations/retention.ts';
import type { FileContentRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';

/** Whose bytes they are, and their hash. */
export interface ContentAddress {
  readonly projectId: string;
  readonly sha256: string;
}

/** One that can be read. */
const READABLE = sql`removed_at is null and stored_at is not null`;
/** So that mails with the same content seldom write: it is kept a day longer than was asked for. */
const AHEAD = sql`interval '1 day'`;
const UPLOADS_KEPT = sql`make_interval(secs => ${sql.lit(UPLOADS_KEPT_MS / 1000)})`;
/** An uploaded file whose time is over may have its row for a moment yet. */
const LOOK_AGAIN = sql`interval '1 minute'`;
/** A picture that goes with its project tells nobody. */
const LOOK_AT_IMAGES = sql`interval '30 days'`;
const STORING = sql`make_interval(secs => ${sql.lit(STORING_MS / 1000)})`;

/**
 * Keeps a content that is stored until then at least, and files of it that were uploaded as if they were new. Writes where that is less than
 * what stands there. Answers with its id; undefined: there is none, or it is being removed.
 */
export async function prolongContent(em: EntityManager, { projectId, sha256 }: ContentAddress, until: Date): Promise<string | undefined> {
  const found = await row(
    em,
    sql<{ id: string }>`
      with found as materialized (
        select id, kept_until from file_contents where project_id = ${projectId} and sha256 = ${sha256} and ${READABLE}
      ), prolonged as (
        update file_contents c set kept_until = greatest(c.kept_until, ${until}::timestamptz + ${AHEAD}) from found f
        where c.id = f.id and c.removed_at is null and f.kept_until < ${until} returning c.id
      ), used as (
        update files u set expires_at = now() + ${UPLOADS_KEPT} from found f
        where u.content_id = f.id and u.expires_at < now() + ${UPLOADS_KEPT} - ${AHEAD}
      )
      select id from found where kept_until >= ${until} union all select id from prolonged`,
  );
  return found?.id;
}

/** A content that is to be stored; `isStored`: somebody has done so meanwhile. */
export interface ContentToStore {
  readonly id: string;
  readonly isStored: boolean;
}

/** The row of a content before its bytes are stored. Those who store the same at once have the same row, and the sweep leaves it to them for a while. */
export async function openContent(
  em: EntityManager,
  { projectId, sha256, id, size }: ContentAddress & Pick<FileContentRow, 'id' | 'size'>,
): Promise<ContentToStore> {
  const opened = await row(
    em,
    sql<ContentToStore>`
      insert into file_contents as c (id, project_id, size, sha256, kept_until, look_at)
      values (${id}, ${projectId}, ${size}, ${sha256}, now() + ${STORING}, now() + ${STORING})
      on conflict (project_id, sha256) where removed_at is null
        do update set kept_until = greatest(c.kept_until, excluded.kept_until)
      returning id, stored_at is not null as "isStored"`,
  );
  return opened!;
}

/** Its bytes are stored, and kept until then at least. false: the sweep was quicker, and nothing must refer to it. */
export async function markStored(em: EntityManager, id: string, until: Date): Promise<boolean> {
  const marked = await row(
    em,
    sql`
      update file_contents set stored_at = coalesce(stored_at, now()), kept_until = greatest(kept_until, ${until}::timestamptz)
      where id = ${id} and removed_at is null returning 1`,
  );
  return marked !== undefined;
}

/** The id of a content that can be read. */
export async function findContent(em: EntityManager, { projectId, sha256 }: ContentAddress): Promise<string | undefined> {
  const found = await row(
    em,
    sql<Pick<FileContentRow, 'id'>>`select id from file_contents where project_id = ${projectId} and sha256 = ${sha256} and ${READABLE}`,
  );
  return found?.id;
}

/** One whose object is to be removed. */
export type DoomedContent = Pick<FileContentRow, 'id' | 'project_id' | 'size'>;

/**
 * Marks contents whose time is over, so that nothing refers to them from now on; those that uploaded files still need are looked at again when
 * the last of these is over, those of pictures, which have no end, now and then. Returns how many it looked at.
 */
export async function markOver(em: EntityManager, limit: number): Promise<number> {
  const looked = await row(
    em,
    sql<{ count: number }>`
      with due as materialized (
        select id from file_contents where removed_at is null and look_at < now() order by look_at limit ${limit} for update skip locked
      ), judged as materialized (
        select d.id, greatest(
          (select max(f.expires_at) from files f where f.content_id = d.id),
          (select now() + ${LOOK_AT_IMAGES} from images i where i.content_id = d.id)
        ) as needed_until from due d
      ), marked as (
        update file_contents c set
          removed_at = case when c.kept_until < now() and j.needed_until is null then now() end,
          look_at = greatest(c.kept_until, j.needed_until, now() + ${LOOK_AGAIN})
        from judged j where c.id = j.id returning 1
      )
      select count(*)::integer as count from marked`,
  );
  return looked!.count;
}

/** Contents that were marked, the first marked first. */
export async function doomedContents(em: EntityManager, limit: number): Promise<DoomedContent[]> {
  return rows(
    em,
    sql<DoomedContent>`select id, project_id, size from file_contents where removed_at is not null order by removed_at, id limit ${limit}`,
  );
}

/** Their objects are removed. */
export async function forgetContents(em: EntityManager, ids: readonly string[]): Promise<void> {
  await row(em, sql`delete from file_contents where id = any(${ids}::uuid[]) and removed_at is not null`);
}
