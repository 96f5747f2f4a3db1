import { sql } from 'kysely';
import { STORING_MS } from '../../../domain/files/file.ts';
import { type ImageAddress, type ImageHead, type ImageType, MOST_IMAGES } from '../../../domain/files/image.ts';
import { type KeysetPage, type Place, pageOf } from '../../cursor-page.ts';
import type { FileContentRow, StoredImageRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';
import type { ContentAddress } from './file-contents.ts';

/** What POST /images answered. */
export interface UploadedImage extends ImageHead, ImageAddress {
  readonly filename: string;
  /** Bytes. */
  readonly size: number;
  readonly createdAt: Date;
}

type ImageRow = StoredImageRow & Pick<FileContentRow, 'size' | 'sha256'>;

const STORING = sql`make_interval(secs => ${sql.lit(STORING_MS / 1000)})`;
const IMAGES = sql`(select i.*, c.size, c.sha256 from images i join file_contents c on c.id = i.content_id) i`;

export interface NewImage extends ContentAddress, ImageHead {
  readonly id: string;
  readonly filename: string;
}

/** `too_many`: the project has MOST_IMAGES, also where several come at once. `not_kept`: the bytes are gone again. */
export type KeptImage = UploadedImage | 'too_many' | 'not_kept';

/** A picture whose bytes are kept: the one with these bytes that there is, or else a new one. The change of their row keeps the sweep from them. */
export async function insertImage(em: EntityManager, image: NewImage): Promise<KeptImage> {
  const { projectId, sha256 } = image;
  return em.transactional(async (tx) => {
    await row(tx, sql`select 1 from projects where id = ${projectId} for no key update`);
    const known = await row(tx, sql<ImageRow>`select * from ${IMAGES} where project_id = ${projectId} and sha256 = ${sha256}`);
    if (known) return uploaded(known);
    const inserted = await row(
      tx,
      sql<ImageRow & { readonly many: number }>`
        with held as (
          update file_contents set kept_until = greatest(kept_until, now() + ${STORING}), look_at = greatest(look_at, now() + ${STORING})
          where project_id = ${projectId} and sha256 = ${sha256} and removed_at is null and stored_at is not null
          returning id, size, sha256
        ), counted as (select count(*)::integer as many from images where project_id = ${projectId}
        ), written as (
          insert into images (id, project_id, content_id, filename, content_type, width, height)
          select ${image.id}, ${projectId}, h.id, ${image.filename}, ${image.contentType}, ${image.width}, ${image.height}
          from held h, counted where many < ${sql.lit(MOST_IMAGES)} returning *
        )
        select w.*, h.size, h.sha256, many from counted left join written w on true left join held h on true`,
    );
    if (inserted?.id) return uploaded(inserted);
    return inserted && inserted.many >= MOST_IMAGES ? 'too_many' : 'not_kept';
  });
}

/** What everybody may have of a picture who has its address. */
export interface PublicImage extends Pick<UploadedImage, 'sha256' | 'contentType' | 'size'> {
  readonly projectId: string;
}

/** undefined: there is no picture of that address. */
export async function publicImage(em: EntityManager, { id, sha256 }: ImageAddress): Promise<PublicImage | undefined> {
  const found = await row(em, sql<ImageRow>`select * from ${IMAGES} where id = ${id} and sha256 = ${sha256}`);
  return found && { projectId: found.project_id, ...uploaded(found) };
}

/** The newest first. */
export async function listImages(
  em: EntityManager,
  projectId: string,
  place: Place,
): Promise<KeysetPage<UploadedImage & { created_at: Date }>> {
  return pageOf(place, async (bounds) => {
    const found = await rows(em, sql<ImageRow>`select * from ${IMAGES} where project_id = ${projectId} and ${bounds}`);
    return found.map((image) => ({ ...uploaded(image), created_at: image.created_at }));
  });
}

/** Its address leads nowhere from now on, and its bytes go when nothing else needs them. false: the project has no such picture. */
export async function deleteImage(em: EntityManager, projectId: string, id: string): Promise<boolean> {
  const deleted = await row(
    em,
    sql`
      with gone as (delete from images where id = ${id} and project_id = ${projectId} returning content_id),
      looked_at as (update file_contents c set look_at = c.kept_until from gone g where c.id = g.content_id)
      select 1 from gone`,
  );
  return deleted !== undefined;
}

function uploaded({ id, filename, content_type, size, sha256, width, height, created_at }: ImageRow): UploadedImage {
  return { id, filename, contentType: content_type as ImageType, size, sha256, width, height, createdAt: created_at };
}
