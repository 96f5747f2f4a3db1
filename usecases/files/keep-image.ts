import { open } from 'node:fs/promises';
import type { EntityManager } from '../../db/orm.ts';
import { insertImage, type UploadedImage } from '../../db/queries/files/images.ts';
import { invalidRequest, Refusal } from '../../domain/errors.ts';
import { STORING_MS } from '../../domain/files/file.ts';
import { IMAGE_HEAD_BYTES, type ImageHead, imageProblem, MOST_IMAGES, readImageHead } from '../../domain/files/image.ts';
import { onDisk, type SpooledFile } from '../../platform/objects/object-store.ts';
import type { FileStore } from './file-store.ts';

export interface ImageKeeping {
  readonly files: Pick<FileStore, 'keep'>;
  readonly now: () => Date;
  readonly newId: () => string;
}

export interface GivenImage {
  readonly projectId: string;
  readonly file: SpooledFile;
  readonly filename: string;
}

/**
 * Keeps a picture until it is deleted, its bytes before its row; the same bytes of a project are one picture, whose first name stays. Refuses what its
 * bytes do not show to be one: invalid_request; and too_many_images.
 */
export async function keepImage(
  em: EntityManager,
  { files, now, newId }: ImageKeeping,
  { projectId, file, filename }: GivenImage,
): Promise<UploadedImage> {
  const head = readImageHead(await firstBytes(file));
  const problem = imageProblem(head);
  if (problem !== undefined) throw invalidRequest([{ path: 'file', message: problem }]);
  await files.keep(em, projectId, file, new Date(now().getTime() + STORING_MS));
  const kept = await insertImage(em, { ...(head as ImageHead), id: newId(), projectId, sha256: file.sha256, filename });
  if (kept === 'too_many')
    throw new Refusal('too_many_images', `a project has at most ${MOST_IMAGES} images; delete one: DELETE /images/:id`);
  if (kept === 'not_kept') {
    throw new Refusal('unavailable', 'storing the image took too long, so it was discarded; try again', { retryAfterSeconds: 5 });
  }
  return kept;
}

async function firstBytes({ path }: SpooledFile): Promise<Buffer> {
  const file = await onDisk(open(path));
  try {
    const { buffer, bytesRead } = await onDisk(file.read(Buffer.alloc(IMAGE_HEAD_BYTES), 0, IMAGE_HEAD_BYTES, 0));
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
