import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type Koa from 'koa';

/** A body that stays the same as long as the process runs, ready to be sent either way. */
export interface StaticFile {
  readonly plain: Buffer;
  readonly gzip: Buffer;
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
}

const zipped = promisify(gzip);

/** `headers`: the type of the content at least. */
export async function staticFile(content: Buffer | string, headers: Readonly<Record<string, string>>): Promise<StaticFile> {
  const plain = Buffer.from(content);
  const etag = `"${createHash('sha256').update(plain).digest('base64url')}"`;
  return { plain, gzip: (await zipped(plain)) as Buffer, etag, headers };
}

/** 200, or 304 to who has it already. */
export function sendStatic(ctx: Koa.Context, { plain, gzip: small, etag, headers }: StaticFile): void {
  ctx.set({ 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding', ...headers });
  ctx.status = 200;
  ctx.etag = etag;
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  const takesGzip = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
  if (takesGzip) ctx.set('Content-Encoding', 'gzip');
  ctx.body = takesGzip ? small : plain;
}
