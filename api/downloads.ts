import type { Readable } from 'node:stream';
import { notFound } from '../domain/errors.ts';
import { contentDisposition } from '../domain/files/file.ts';
import { createPlaces } from './places.ts';
import { Answer, type KeyContext } from './route.ts';

/** Of files and attachments together. */
const downloads = createPlaces('downloads', { each: 16, all: 128 });

/** What is known of bytes that a project keeps. */
export interface Downloadable {
  readonly filename: string;
  readonly contentType: string;
  readonly size: number;
  readonly sha256: string;
}

/** The bytes as a download that is never shown. Throws not_found, by the name of `what`, where they are not kept any more, and rate_limited. */
export async function downloadOf(
  { em, project, files }: Pick<KeyContext, 'em' | 'project' | 'files'>,
  { filename, contentType, size, sha256 }: Downloadable,
  what: string,
): Promise<Answer> {
  const release = downloads.take(project.id);
  try {
    const bytes: Readable = (await files.open(em, project.id, sha256)) ?? notFound(what);
    bytes.once('close', release);
    return new Answer(200, bytes, {
      'Content-Type': contentType,
      'Content-Length': String(size),
      'Content-Disposition': contentDisposition(filename),
      // Of every answer: nosniff (api/unread-request.ts).
      'Content-Security-Policy': "sandbox; default-src 'none'",
    });
  } catch (error) {
    release();
    throw error;
  }
}
