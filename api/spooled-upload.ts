import type { SpooledFile } from '../platform/objects/object-store.ts';
import { createPlaces, type Places } from './places.ts';
import type { KeyContext } from './route.ts';
import { type FormText, readUpload, type UploadedPart } from './uploads.ts';

/** 25 MB by a line of a megabit a second. */
export const UPLOAD_SECONDS = 240;
/** Of files and pictures together. */
const uploads = createPlaces('uploads', { each: 8, all: 64 });

/** A form's file on the disk, with what its part said of it. */
export interface SpooledUpload extends AsyncDisposable, Omit<UploadedPart, 'pieces'> {
  readonly file: SpooledFile;
}

interface Form {
  readonly mostMb: number;
  /** The name of such a file, for whoever sends something else. */
  readonly example: string;
  /** What it may have beside its file. */
  readonly text?: FormText;
  /** Of which its own is one; those of files and pictures when omitted. */
  readonly places?: Places;
  /** What the file goes through on its way to the disk. */
  readonly through?: (pieces: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;
}

/** Reads a form that is one file of at most so many MB, and has it on the disk while it is used. Throws payload_too_large, rate_limited and what is wrong with the form. */
export async function withUpload<T>(
  context: KeyContext,
  { mostMb, example, text, places = uploads, through = (pieces) => pieces }: Form,
  use: (upload: SpooledUpload) => Promise<T>,
): Promise<T> {
  const release = places.take(context.project.id);
  try {
    const reading = { deadline: context.caller.deadline, example, text };
    await using given = await readUpload(context.streamedBody(mostMb + 1), reading, (part) =>
      spooled(context, { ...part, pieces: through(part.pieces) }, mostMb * 1024 * 1024),
    );
    return await use(given);
  } finally {
    release();
  }
}

async function spooled({ files }: KeyContext, { filename, contentType, pieces }: UploadedPart, most: number): Promise<SpooledUpload> {
  const file = await files.spool(pieces, most);
  return { file, filename, contentType, [Symbol.asyncDispose]: () => file[Symbol.asyncDispose]() };
}
