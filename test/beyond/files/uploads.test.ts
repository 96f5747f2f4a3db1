import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { readUpload, type UploadedPart } from '../../../api/uploads.ts';
import { Refusal } from '../../../domain/errors.ts';

const CONTENT_TYPE = 'multipart/form-data; boundary=x';
const FORM = Buffer.from(
  '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n\r\n--\r\n--y\r\n\r\n--x--\r\n',
);
/** Which looks like an end at each of its lines. */
const BYTES = '\r\n--\r\n--y\r\n';
const NEVER = { deadline: new AbortController().signal, example: 'terms.txt' };

/** What was taken, and whether it was disposed of. */
class Taken {
  readonly bytes: Buffer;
  isDisposed = false;
  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
  async [Symbol.asyncDispose](): Promise<void> {
    this.isDisposed = true;
  }
}

async function* inPieces(bytes: Buffer, size: number): AsyncIterable<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Goes on until nobody reads it any more. */
async function* endless(told: { ended: boolean }): AsyncIterable<Buffer> {
  try {
    yield FORM.subarray(0, -8);
    for (;;) yield Buffer.alloc(64 * 1024);
  } finally {
    told.ended = true;
  }
}

const all = async ({ pieces }: UploadedPart): Promise<Taken> => new Taken(await buffer(pieces));

test.each([1, 2, 3, 7, 1000])('a form is read the same in pieces of %i bytes', async (size) => {
  const { bytes, isDisposed } = await readUpload({ contentType: CONTENT_TYPE, pieces: inPieces(FORM, size) }, NEVER, all);
  expect([bytes.toString(), isDisposed]).toEqual([BYTES, false]);
});

test('a form that ends wherever it may counts for nothing', async () => {
  const read: Taken[] = [];
  const take = async (part: UploadedPart): Promise<Taken> => {
    const taken = await all(part);
    read.push(taken);
    return taken;
  };
  // The last two bytes end the line after the form, which nobody needs.
  for (let length = 0; length < FORM.length - 2; length++) {
    const upload = readUpload({ contentType: CONTENT_TYPE, pieces: inPieces(FORM.subarray(0, length), 50) }, NEVER, take);
    expect([length, await upload.catch(({ code }) => code)]).toEqual([length, 'malformed_request']);
  }
  expect(read.filter(({ isDisposed }) => !isDisposed)).toEqual([]);
});

test('an upload that takes too long ends with what its deadline says, and nothing of it is read any more', async () => {
  const deadline = new AbortController();
  const late = new Refusal('unavailable', 'not done in time');
  const told = { ended: false };
  const take = async ({ pieces }: UploadedPart): Promise<Taken> => {
    for await (const piece of pieces) if (piece.length > 0) deadline.abort(late);
    throw new Error('the file ended');
  };
  await expect(
    readUpload({ contentType: CONTENT_TYPE, pieces: endless(told) }, { ...NEVER, deadline: deadline.signal }, take),
  ).rejects.toBe(late);
  expect(told.ended).toBe(true);
});

test('a file that is refused while it comes is not read to its end', async () => {
  const told = { ended: false };
  const large = new Refusal('payload_too_large', 'too large');
  const take = async ({ pieces }: UploadedPart): Promise<Taken> => {
    let size = 0;
    for await (const piece of pieces) {
      size += piece.length;
      if (size > 1_000_000) throw large;
    }
    throw new Error('the file ended');
  };
  await expect(readUpload({ contentType: CONTENT_TYPE, pieces: endless(told) }, NEVER, take)).rejects.toBe(large);
  expect(told.ended).toBe(true);
});
