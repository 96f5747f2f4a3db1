import { Refusal } from '../../domain/errors.ts';
import { MAX_MAIL_MB } from '../../domain/sends/attachments.ts';
import type { SpooledFile } from '../../platform/objects/object-store.ts';
import type { Release } from '../../platform/slots.ts';
import { SpooledContent } from '../../usecases/sends/keep-attachments.ts';
import { type SparedBody, type SparingOptions, spareContents } from './attached-contents.ts';
import { type BodyArrays, bodyPieces, type Exchange, MAX_BODY_MB, readBody, readJson } from './read-json.ts';

/** Base64 may be written with escapes; beside it stands what any body may have. */
export const MAX_BODY_WITH_CONTENTS_MB = Math.ceil(MAX_MAIL_MB * 1.2) + MAX_BODY_MB;

const MAX_BODY_BYTES = MAX_BODY_MB * 1024 * 1024;
const NO_CONTENTS: ReadonlyMap<number, SpooledFile> = new Map();

export interface LargeBodies extends Pick<SparingOptions, 'spool'> {
  /** Before the rest of a body is read that is beyond the limit of all others. Throws a Refusal when too many are read already. */
  enter(): Release;
}

/** A parsed body, and the files of it that are to be disposed of when it has been answered. */
export interface BodyWithContents extends AsyncDisposable {
  readonly value: unknown;
}

/**
 * As readJson, for a body whose `attachments[].content` may be large: where it is beyond the limit of bodies they come as SpooledContent. Bodies
 * within it are read as everywhere.
 */
export async function readJsonWithContents(
  exchange: Exchange,
  arrays: BodyArrays,
  deadline: AbortSignal,
  large: LargeBodies,
): Promise<BodyWithContents> {
  let contents = NO_CONTENTS;
  const dispose = async (): Promise<void> => {
    for (const file of contents.values()) await file[Symbol.asyncDispose]();
  };
  try {
    const value = await readJson(exchange, arrays, deadline, async () => {
      const body = await readSpared(exchange, deadline, large);
      contents = body.contents;
      return body.bytes;
    });
    for (const [index, file] of contents) {
      const attachment: unknown = (value as { attachments?: unknown[] }).attachments?.[index];
      Object.assign(attachment as object, { content: new SpooledContent(file) });
    }
    return { value, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function readSpared(exchange: Exchange, deadline: AbortSignal, { spool, enter }: LargeBodies): Promise<SparedBody> {
  const { 'transfer-encoding': encoding, 'content-length': length } = exchange.req.headers;
  if (encoding === undefined && Number(length ?? 0) <= MAX_BODY_BYTES)
    return { bytes: await readBody(exchange, deadline), contents: NO_CONTENTS };
  const pieces = bodyPieces(exchange, MAX_BODY_WITH_CONTENTS_MB, deadline)[Symbol.asyncIterator]();
  const first: Buffer[] = [];
  let size = 0;
  while (size <= MAX_BODY_BYTES) {
    const { done, value } = await pieces.next();
    if (done) return { bytes: Buffer.concat(first), contents: NO_CONTENTS };
    first.push(value);
    size += value.length;
    // Of a length that is known not all of what any body may have is held.
    if (encoding === undefined) break;
  }
  const release = enter();
  try {
    return await spareContents(afterFirst(first, pieces), { spool, mostBytes: MAX_BODY_BYTES, tooLarge });
  } finally {
    release();
  }
}

async function* afterFirst(first: Buffer[], pieces: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  for (let piece = first.shift(); piece; piece = first.shift()) yield piece;
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value;
}

function tooLarge(): Refusal {
  return new Refusal('payload_too_large', `the body is larger than ${MAX_BODY_MB} MB without the contents of its attachments`);
}
