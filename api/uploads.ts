import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { invalidRequest, Refusal } from '../domain/errors.ts';
import { CONTENT_TYPE, filenameProblem } from '../domain/files/file.ts';
import type { StreamedBody } from './route.ts';

/** The part of a form that is a file, as it comes. */
export interface UploadedPart {
  readonly filename: string;
  /** Lower case, without parameters; text/plain where the part does not say (RFC 7578 4.4). */
  readonly contentType: string;
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** Beside the file itself: boundaries and the headers of its part. */
const HEADERS = { headerPairs: 20, headerSize: 8 * 1024 } as const;

/** A text that a form may have beside its file. */
export interface FormText {
  readonly name: string;
  readonly maxKb: number;
  take(text: string): void;
}

interface Reading {
  readonly deadline: AbortSignal;
  readonly example: string;
  readonly text?: FormText | undefined;
}

/** How curl sends a form that is right, with a file of that name. */
const byCurl = (filename: string): string => `curl -F file=@${filename}`;

/**
 * Reads a form that is one file, as `example` is one, which `take` reads to its end. What `take` gives is answered only when the form has ended as it should, and
 * disposed of otherwise.
 */
export async function readUpload<T extends AsyncDisposable>(
  { contentType, pieces }: StreamedBody,
  { deadline, example, text }: Reading,
  take: (part: UploadedPart) => Promise<T>,
): Promise<T> {
  const parser = parserOf(contentType, example, text);
  const stopping = new AbortController();
  let file: BusboyFileStream | undefined;
  let taken: Promise<T> | undefined;
  const refuse = (): void =>
    stopping.abort(invalidRequest([{ path: 'file', message: `one part, named file, with a filename: ${byCurl(example)}` }]));
  for (const beyond of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const) parser.on(beyond, refuse);
  // Of a form without a text none comes so far.
  if (text)
    parser.on('field', (name, value, _nameTruncated, isTruncated) => {
      if (name === text.name && !isTruncated) return text.take(value);
      stopping.abort(invalidRequest([{ path: text.name, message: `one text of at most ${text.maxKb} KB` }]));
    });
  parser.on('file', (name, stream, filename, _encoding, type) => {
    stream.once('error', () => {});
    if (name !== 'file') return refuse();
    file = stream;
    taken = takePart(partOf(stream, filename, type), take);
    taken.catch((error) => stopping.abort(error));
  });
  const signal = AbortSignal.any([stopping.signal, deadline]);
  try {
    await pipeline(pieces, parser, { signal });
    if (!taken) refuse();
    signal.throwIfAborted();
    return await (taken as Promise<T> | undefined)!;
  } catch (error) {
    // The parser ends no file that nobody writes to any more.
    file?.destroy();
    await taken?.then(
      (unwanted) => unwanted[Symbol.asyncDispose](),
      () => undefined,
    );
    signal.throwIfAborted();
    throw error instanceof Refusal ? error : malformed(error);
  }
}

function parserOf(contentType: string, example: string, text: FormText | undefined): BusboyInstance {
  if (!/^multipart\/form-data\s*;/i.test(contentType)) {
    throw new Refusal('unsupported_media_type', `send the file as multipart/form-data: ${byCurl(example)}`);
  }
  try {
    const fields = text ? { fields: 1, fieldSize: text.maxKb * 1024, parts: 2 } : { fields: 0, parts: 1 };
    return new Busboy({ headers: { 'content-type': contentType }, limits: { ...HEADERS, files: 1, ...fields } });
  } catch (error) {
    throw new Refusal('malformed_request', `the Content-Type is not right: ${(error as Error).message}`);
  }
}

async function takePart<T>(part: UploadedPart, take: (part: UploadedPart) => Promise<T>): Promise<T> {
  const problem = filenameProblem(part.filename);
  if (problem !== undefined) throw invalidRequest([{ path: 'file.filename', message: problem }]);
  if (!CONTENT_TYPE.test(part.contentType)) {
    throw invalidRequest([{ path: 'file.contentType', message: 'not a media type like application/pdf' }]);
  }
  return take(part);
}

/** Browsers write a quotation mark as %22 (HTML, multipart/form-data encoding algorithm). */
function partOf(stream: BusboyFileStream, filename: string | undefined, contentType: string): UploadedPart {
  return { filename: (filename ?? '').replaceAll('%22', '"'), contentType, pieces: piecesOf(stream) };
}

/** What is wrong with the form is wrong with its file. */
async function* piecesOf(stream: BusboyFileStream): AsyncIterable<Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    throw malformed(error);
  }
}

function malformed(error: unknown): Refusal {
  return new Refusal('malformed_request', `the body is not multipart/form-data: ${(error as Error).message}`);
}
