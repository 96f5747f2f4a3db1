import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, type Dispatcher, request } from 'undici';
import { sha256, signedHeaders } from '../sigv4.ts';
import { checkedKey, type ObjectStore, ObjectStoreFailure } from './object-store.ts';
import type { S3Place } from './s3-url.ts';

const CONNECT_MS = 5_000;
const ANSWER_MS = 30_000;
/** The slowest line to a store that is waited for: 2 Mbit/s. */
const SLOWEST_BYTES_PER_MS = 256;
const CONNECTIONS = 64;
/** Before a request is made again that failed for no reason of its own. */
const PAUSES_MS = [200, 1_000] as const;
/** Of an answer that says what is wrong. */
const MAX_ERROR_BYTES = 64 * 1024;
const NO_BODY = sha256('');

/** What a store answers beside what was asked for; `code` as in its XML (docs.aws.amazon.com/AmazonS3: "Error responses"). */
export class S3Refusal extends ObjectStoreFailure {
  readonly status: number;
  readonly code: string;
  readonly reason: string;

  constructor(status: number, code: string, reason: string) {
    super(`the object store answered ${status} ${code}${reason && `: ${reason}`}`);
    this.status = status;
    this.code = code;
    this.reason = reason;
  }
}

interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  readonly key: string;
  /** Of GET: the first byte that is wanted. */
  readonly from?: number;
  readonly body?: { readonly size: number; readonly sha256: string; read(): Readable };
}

/**
 * Objects in a bucket of Amazon S3, or of a store that speaks its protocol. A request is made three times before it has failed. `answerMs`: how long
 * an answer is waited for once the request is written, and each piece of it.
 */
export function createS3Store(place: S3Place, answerMs: number = ANSWER_MS): ObjectStore {
  const agent = new Agent({ connections: CONNECTIONS, connect: { timeout: CONNECT_MS }, headersTimeout: 0, bodyTimeout: answerMs });
  const ask = (wanted: S3Request): Promise<Dispatcher.ResponseData> => persistently(() => askOnce({ place, agent, answerMs }, wanted));
  return {
    name: 's3',
    async put(key, { path, size, sha256 }) {
      const { body } = await ask({ method: 'PUT', key, body: { size, sha256, read: () => createReadStream(path) } });
      await body.dump();
    },
    async open(key, from = 0) {
      const answer = await unlessAbsent(ask({ method: 'GET', key, ...(from > 0 ? { from } : {}) }));
      if (!answer || from === 0 || answer.statusCode === 206) return answer?.body;
      // Read from its beginning, it would be taken for what comes after.
      answer.body.on('error', () => undefined).destroy();
      throw new ObjectStoreFailure('the object store gives no part of an object (Range), only all of it');
    },
    async has(key) {
      const found = await unlessAbsent(ask({ method: 'HEAD', key }));
      await found?.body.dump();
      return found !== undefined;
    },
    async remove(key) {
      await (await unlessAbsent(ask({ method: 'DELETE', key })))?.body.dump();
    },
    close: () => agent.destroy(),
  };
}

/** undefined: there is no such object. An answer to HEAD does not say whether there is its bucket. */
async function unlessAbsent<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof S3Refusal && error.status === 404 && error.code !== 'NoSuchBucket') return undefined;
    throw error;
  }
}

async function persistently<T>(once: () => Promise<T>): Promise<T> {
  for (const pause of PAUSES_MS) {
    try {
      return await once();
    } catch (error) {
      if (!mayPass(error)) throw error;
      await sleep(pause);
    }
  }
  return once();
}

/** Whether the same request may do well in a moment. */
function mayPass(error: unknown): boolean {
  if (error instanceof S3Refusal) return error.status >= 500 || error.status === 429 || error.status === 408;
  return error instanceof ObjectStoreFailure;
}

interface S3Asking {
  readonly place: S3Place;
  readonly agent: Agent;
  readonly answerMs: number;
}

async function askOnce({ place, agent, answerMs }: S3Asking, { method, key, from, body }: S3Request): Promise<Dispatcher.ResponseData> {
  const url = new URL(checkedKey(key), place.base);
  const bodySha256 = body?.sha256 ?? NO_BODY;
  const signed = { method, url, headers: { 'x-amz-content-sha256': bodySha256 }, bodySha256, region: place.region, service: 's3' } as const;
  const headers = {
    ...signedHeaders(signed, place.credentials, new Date()),
    ...(body ? { 'content-length': String(body.size) } : {}),
    ...(from === undefined ? {} : { range: `bytes=${from}-` }),
  };
  // Until the answer begins: a file that is read may take its time.
  const stopping = new AbortController();
  const milliseconds = answerMs + Math.ceil((body?.size ?? 0) / SLOWEST_BYTES_PER_MS);
  const limit = setTimeout(() => stopping.abort(new Error(`no answer within ${milliseconds / 1000} s`)), milliseconds);
  const reading = body?.read();
  let answer: Dispatcher.ResponseData;
  try {
    answer = await request(url, { method, headers, dispatcher: agent, signal: stopping.signal, ...(reading ? { body: reading } : {}) });
  } catch (error) {
    throw new ObjectStoreFailure(`the object store cannot be reached: ${reasonOf(error)}`, { cause: error });
  } finally {
    clearTimeout(limit);
    reading?.destroy();
  }
  if (answer.statusCode < 300) return answer;
  throw await refusalOf(answer);
}

async function refusalOf({ statusCode, body }: Dispatcher.ResponseData): Promise<S3Refusal> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size > MAX_ERROR_BYTES) break;
    }
  } catch {
    // What came says enough.
  }
  const text = Buffer.concat(chunks).toString();
  const told = (name: string): string => new RegExp(`<${name}>([^<]{0,300})</${name}>`).exec(text)?.[1] ?? '';
  return new S3Refusal(statusCode, told('Code'), told('Message'));
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
