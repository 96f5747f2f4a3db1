import { sql } from 'kysely';
import { STORING_MS } from '../../../domain/files/file.ts';
import { UPLOADS_KEPT_MS } from '../../../domain/operations/retention.ts';
import { type KeysetPage, type Place, pageOf } from '../../cursor-page.ts';
import type { FileContentRow, StoredFileRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';
import type { ContentAddress } from './file-contents.ts';

/** What POST /files answered. */
export interface UploadedFile {
  readonly id: string;
  readonly filename: string;
  readonly contentType: string;
  readonly size: number;
  /** 64 hex digits. */
  readonly sha256: string;
  readonly expiresAt: Date;
  readonly createdAt: Date;
}

type FileRow = StoredFileRow & Pick<FileContentRow, 'size' | 'sha256'>;

const STORING = sql`make_interval(secs => ${sql.lit(STORING_MS / 1000)})`;
const KEPT = sql`make_interval(secs => ${sql.lit(UPLOADS_KEPT_MS / 1000)})`;
const FILES = sql`(select f.*, c.size, c.sha256 from files f join file_contents c on c.id = f.content_id) f`;

export interface NewFile extends ContentAddress {
  readonly id: string;
  readonly filename: string;
  readonly contentType: string;
}

/** A file whose bytes are kept. The change of their row keeps the sweep from them. undefined: they are kept no more. */
export async function insertFile(em: EntityManager, file: NewFile): Promise<UploadedFile | undefined> {
  const inserted = await row(
    em,
    sql<FileRow>`
      with held as (
        update file_contents set kept_until = greatest(kept_until, now() + ${STORING})
        where project_id = ${file.projectId} and sha256 = ${file.sha256} and removed_at is null and stored_at is not null
        returning id, size, sha256
      ), written as (
        insert into files (id, project_id, content_id, filename, content_type, expires_at)
        select ${file.id}, ${file.projectId}, id, ${file.filename}, ${file.contentType}, now() + ${KEPT} from held returning *
      )
      select w.*, h.size, h.sha256 from written w cross join held h`,
  );
  return inserted && uploaded(inserted);
}

/** undefined: the project has no such file. Prolongs nothing. */
export async function fileById(em: EntityManager, projectId: string, id: string): Promise<UploadedFile | undefined> {
  const found = await row(em, sql<FileRow>`select * from ${FILES} where id = ${id} and project_id = ${projectId} and expires_at > now()`);
  return found && uploaded(found);
}

/** The newest first. */
export async function listFiles(
  em: EntityManager,
  projectId: string,
  place: Place,
): Promise<KeysetPage<UploadedFile & { created_at: Date }>> {
  return pageOf(place, async (bounds) => {
    const found = await rows(em, sql<FileRow>`select * from ${FILES} where project_id = ${projectId} and expires_at > now() and ${bounds}`);
    return found.map((file) => ({ ...uploaded(file), created_at: file.created_at }));
  });
}

/** Its bytes go when nothing needs them any more. false: the project has no such file. */
export async function deleteFile(em: EntityManager, projectId: string, id: string): Promise<boolean> {
  const deleted = await row(
    em,
    sql`
      with gone as (delete from files where id = ${id} and project_id = ${projectId} and expires_at > now() returning content_id),
      looked_at as (update file_contents c set look_at = c.kept_until from gone g where c.id = g.content_id)
      select 1 from gone`,
  );
  return deleted !== undefined;
}

/** Deletes so many files whose time is over. Returns how many there were. */
export async function deleteExpiredFiles(em: EntityManager, limit: number): Promise<number> {
  const gone = await row(
    em,
    sql<{ count: number }>`
      with due as (select id from files where expires_at <= now() order by expires_at limit ${limit} for update skip locked),
      gone as (delete from files f using due d where f.id = d.id and f.expires_at <= now() returning 1)
      select count(*)::integer as count from gone`,
  );
  return gone!.count;
}

function uploaded({ id, filename, content_type, size, sha256, expires_at, created_at }: FileRow): UploadedFile {
  return { id, filename, contentType: content_type, size, sha256, expiresAt: expires_at, createdAt: created_at };
}
