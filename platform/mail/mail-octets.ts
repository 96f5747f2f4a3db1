import { createHash } from 'node:crypto';
import { type Base64Form, base64Length, base64Of } from './base64-stream.ts';
import type { OutgoingMail, StreamedPart } from './mail.ts';

/** A part of a mail could not be read to its end as it was promised: the mail must not be submitted. The message is public. */
export class UnreadPart extends Error {
  override readonly name = 'UnreadPart';
  /** It never will be; else it may be a moment later. */
  readonly isGone: boolean;

  constructor(message: string, isGone: boolean) {
    super(message);
    this.isGone = isGone;
  }
}

/** How the submission of such a mail ended. Throws what is no UnreadPart. */
export function unreadEnd(error: unknown): { readonly end: 'unread'; readonly isGone: boolean; readonly message: string } {
  if (!(error instanceof UnreadPart)) throw error;
  const { isGone, message } = error;
  return { end: 'unread', isGone, message };
}

type Streamed = Pick<OutgoingMail, 'content' | 'parts'>;

/** How many octets a mail has with its parts. */
export function mailLength({ content, parts = [] }: Streamed, form: Base64Form): number {
  return parts.reduce((sum, { size }) => sum + base64Length(size, form), content.length);
}

/**
 * The octets of a mail with its parts, which are read meanwhile: little of them is ever in memory. `plain` makes of the octets between them what the wire
 * needs. Throws UnreadPart before the octets behind the part that is not as it was promised.
 */
export async function* mailOctets(
  { content, parts = [] }: Streamed,
  form: Base64Form,
  plain: (octets: Uint8Array) => Uint8Array = (octets) => octets,
): AsyncGenerator<Uint8Array> {
  let from = 0;
  for (const part of parts) {
    // What a part stands in is never nothing.
    yield plain(content.subarray(from, part.at));
    from = part.at;
    yield* base64Of(octetsOf(part), form);
  }
  yield plain(content.subarray(from));
}

/** Those that were promised, and no others. */
async function* octetsOf({ filename, size, sha256, open }: StreamedPart): AsyncGenerator<Uint8Array> {
  const broken = (what: string): UnreadPart => new UnreadPart(`not submitted: the attachment ${filename} ${what}`, false);
  const source = await open().catch(() => {
    throw broken('could not be read');
  });
  if (!source) throw new UnreadPart(`the attachment ${filename} is not kept any more`, true);
  const hash = createHash('sha256');
  let read = 0;
  const chunks = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await chunks.next().catch(() => {
        throw broken('broke off while it was read');
      });
      if (next.done) break;
      read += next.value.length;
      if (read > size) throw broken('is longer than it was');
      hash.update(next.value);
      yield next.value;
    }
  } finally {
    // What was not read to its end is closed.
    await chunks.return?.().catch(() => undefined);
  }
  if (read < size) throw broken('broke off while it was read');
  if (hash.digest('hex') !== sha256) throw broken('is not what it was');
}
