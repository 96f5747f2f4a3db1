import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { invalidRequest, Refusal } from '../../domain/errors.ts';
import { jsonFault } from './json-fault.ts';
import { MAX_NAMES, MAX_NESTING, readJsonText } from './json-text.ts';
import { kept, keptEach } from './kept-json.ts';
import { parseJson } from './parse-json.ts';
import { expectsContinue } from './plain-request.ts';

/** docs/contract/http.md 10. */
export const MAX_BODY_MB = 5;

/** Objects and arrays: they take some twenty times the memory of their text. */
export const MAX_CONTAINERS = 100_000;

/** To look through a body of more than this takes milliseconds, so does parsing it, and so does what follows: others have a turn in between. */
const LARGE_BYTES = 64 * 1024;

/** A request and its answer, as a context of Koa has them. */
export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** The whole body, refused with 413 before more than the limit is held in memory. Throws the deadline's reason when it came too late. */
export async function readBody(exchange: Exchange, deadline: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of bodyPieces(exchange, MAX_BODY_MB, deadline)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The body as it comes, refused with 413 beyond the limit. Throws the deadline's reason when it came too late. */
export async function* bodyPieces({ req: request, res: response }: Exchange, mostMb: number, deadline: AbortSignal): AsyncIterable<Buffer> {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') throw new Refusal('unsupported_media_type', 'send the body without a Content-Encoding');
  const most = mostMb * 1024 * 1024;
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > most) throw tooLarge(mostMb);
  let size = 0;
  if (expectsContinue(request)) response.writeContinue();
  const pieces = request.iterator({ destroyOnReturn: false });
  for (;;) {
    const { done, value } = await pieces.next().catch(() => {
      deadline.throwIfAborted();
      // The caller went away; what the stream says of it looks like a fault of our own.
      throw new Refusal('malformed_request', 'the body ended too early');
    });
    deadline.throwIfAborted();
    if (done) return;
    size += (value as Buffer).length;
    if (size > most) throw tooLarge(mostMb);
    yield value as Buffer;
  }
}

/** What a route says of the arrays in its body. */
export interface BodyArrays {
  /** The body may be an array too; its problems are told under this name. */
  readonly arrayName?: string | undefined;
  /** The member whose elements are refused alone. */
  readonly aloneIn?: string | undefined;
}

/**
 * The parsed JSON body: an object, or an array where the route takes one. Texts in it are such that PostgreSQL can hold them, numbers are those
 * that were written, and no object had two members of one name (RFC 8259 4). `readBytes`: how its bytes are come by.
 */
export async function readJson(
  exchange: Exchange,
  arrays: BodyArrays,
  deadline: AbortSignal,
  readBytes: typeof readBody = readBody,
): Promise<unknown> {
  if (!JSON_TYPE.test(exchange.req.headers['content-type'] ?? '')) {
    throw new Refusal('unsupported_media_type', 'send the body as Content-Type: application/json, in UTF-8');
  }
  return jsonOf(await readBytes(exchange, deadline), arrays);
}

/** The same of bytes that are there. Throws invalid_json and invalid_request. */
export async function jsonOf(bytes: Buffer, { arrayName, aloneIn }: BodyArrays): Promise<unknown> {
  const text = decodeUtf8(bytes);
  const { isNestedDeeply, containers, hasTooManyNames, repeated, lostNumbers } = await readJsonText(bytes, arrayName ?? '');
  if (isNestedDeeply) throw new Refusal('invalid_json', `the body is nested more than ${MAX_NESTING} levels deep`);
  if (repeated !== undefined)
    throw new Refusal('invalid_json', faultOf(text) ?? `the body has "${repeated}" twice; a name may stand in an object once`);
  if (containers > MAX_CONTAINERS)
    throw invalidRequest([{ path: '', message: `at most ${MAX_CONTAINERS} objects and arrays in one body` }]);
  if (hasTooManyNames) throw invalidRequest([{ path: '', message: `at most ${MAX_NAMES} different names of members in one body` }]);
  if (bytes.length > LARGE_BYTES) await setImmediate();
  let value: unknown;
  try {
    value = await parseJson(text);
  } catch {
    if (text.trim() === '') throw new Refusal('invalid_json', 'the body is empty; send a JSON object');
    throw new Refusal('invalid_json', faultOf(text) ?? 'the body is not valid JSON');
  }
  if (value === null || typeof value !== 'object') throw new Refusal('invalid_json', 'the body must be a JSON object');
  if (Array.isArray(value) && arrayName === undefined) throw new Refusal('invalid_json', 'the body must be a JSON object, not an array');
  if (bytes.length > LARGE_BYTES) await setImmediate();
  const read = { text, lostNumbers };
  return aloneIn === undefined ? kept(value, read, Array.isArray(value) ? (arrayName ?? '') : '') : keptEach(value, read, aloneIn);
}

/** Where the text stops being JSON; undefined when it does not, or is too long to say. */
function faultOf(text: string): string | undefined {
  const where = jsonFault(text);
  return where && `the body is not valid JSON ${where}`;
}

/** RFC 8259 8.1: JSON is UTF-8; a charset that says so does no harm. */
const JSON_TYPE = /^\s*application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?(?:;\s*)?$/i;

/** Bytes that are no UTF-8 are refused: replaced, they would make another address of one. */
function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Refusal('invalid_json', 'the body is not valid UTF-8');
  }
}

function tooLarge(mostMb: number): Refusal {
  return new Refusal('payload_too_large', `the body is larger than ${mostMb} MB`);
}
