import { buffer } from 'node:stream/consumers';
import type Koa from 'koa';
import { LRUCache } from 'lru-cache';
import { type PublicImage, publicImage } from '../db/queries/files/images.ts';
import { Refusal } from '../domain/errors.ts';
import { imagePath, isImagePath, readImagePath } from '../domain/files/image.ts';
import type { AppOptions, RequestState } from './app-options.ts';
import { methodNotAllowed } from './unrouted.ts';

/** Bytes of the pictures that mails show just now, so that one which a million people open is read once. */
const HELD_BYTES = 64 * 1024 * 1024;

const HEADERS = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'X-Content-Type-Options': 'nosniff',
  // Opened by itself it is a picture and nothing else, whatever stands behind its first bytes.
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Content-Disposition': 'inline',
  // Pages of web mail show it.
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
};

/** GET /images/…: the pictures of mails, for everybody. That there is one is asked each time, so a deleted one is gone at once. */
export function publicImages({ orm, services: { files } }: AppOptions): Koa.Middleware<RequestState> {
  const held = new LRUCache<string, Buffer, PublicImage>({
    maxSize: HELD_BYTES,
    sizeCalculation: ({ length }) => Math.max(1, length),
    async fetchMethod(_, __, { context: { projectId, sha256 } }) {
      const stream = await files.open(orm.em.fork(), projectId, sha256);
      return stream && buffer(stream);
    },
  });
  return async (ctx, next) => {
    if (!isImagePath(ctx.path)) return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed(ctx.method, ['GET', 'HEAD']);
    const address = readImagePath(ctx.path);
    const image = address && (await publicImage(orm.em.fork(), address));
    const isOfType = image && imagePath(address, image.contentType) === ctx.path;
    const bytes = isOfType && (await held.fetch(`${image.projectId} ${image.sha256}`, { context: image }));
    if (!bytes) throw new Refusal('not_found', 'no such image');
    ctx.set(HEADERS);
    ctx.status = 200;
    ctx.etag = image.sha256;
    if (ctx.fresh) {
      ctx.status = 304;
      return;
    }
    ctx.set('Content-Type', image.contentType);
    ctx.body = bytes;
  };
}
