import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import PostalMime from 'postal-mime';
import type { Attachment } from '../../../domain/sends/attachments.ts';
import type { WireFormat } from '../../../platform/mail/formats.ts';
import type { OutgoingMail, StreamedPart } from '../../../platform/mail/mail.ts';
import { withFiles } from '../../../sending/with-files.ts';
import { finishMail } from './finish.ts';
import { mailTo } from './mails.ts';

/** A file of a test's mail. */
export interface TestFile extends Omit<Attachment, 'size' | 'sha256'> {
  readonly bytes: Buffer;
}

/** Bytes that are the same for the same seed, of every value. */
export function someBytes(length: number, seed = 1): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(length);
  let state = seed;
  for (let index = 0; index < length; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    bytes[index] = state >>> 24;
  }
  return bytes;
}

export function attachmentOf({ bytes, ...file }: TestFile): Attachment {
  return { ...file, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** In pieces as a file is read, whatever their length. */
export async function* inPieces(bytes: Uint8Array, length = 1000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

type Html = { readonly html?: string };

/** A finished mail with these files. `open`: instead of reading them whole. */
export function mailWith(
  files: readonly TestFile[],
  part: Html = {},
  format: WireFormat = 'message',
  open?: StreamedPart['open'],
): OutgoingMail {
  const attachments = files.map(attachmentOf);
  const finished = finishMail(format, mailTo('bob@example.org', { ...part, attachments }));
  const bytesOf = new Map(files.map((file, index) => [attachments[index]?.sha256, file.bytes]));
  const openFile = async (_project: string, hash: string) => inPieces(bytesOf.get(hash) as Buffer);
  return withFiles(finished, { projectId: '', attachments }, open ?? openFile);
}

/** What a reader finds of a file. */
export interface FoundFile {
  readonly filename: string | null;
  readonly contentType: string;
  readonly contentId: string | null;
  readonly disposition: string | null;
  readonly sha256: string;
}

export interface FoundMail {
  readonly text: string;
  readonly html: string;
  readonly files: readonly FoundFile[];
}

export async function readByPostalMime(message: string | Uint8Array): Promise<FoundMail> {
  const { text = '', html = '', attachments } = await PostalMime.parse(message);
  return {
    text: text.trim(),
    html: html.trim(),
    files: attachments.map(({ filename, mimeType, contentId, disposition, content }) => ({
      filename,
      contentType: mimeType,
      contentId: contentId?.replace(/^<|>$/g, '') ?? null,
      disposition,
      sha256: createHash('sha256')
        .update(Buffer.from(content as ArrayBuffer))
        .digest('hex'),
    })),
  };
}

const PROGRAM = `
import sys, json, hashlib, email
from email import policy
m = email.message_from_binary_file(sys.stdin.buffer, policy=policy.default)
texts, files, defects = {}, [], []
for p in m.walk():
    defects += [type(d).__name__ for d in p.defects]
    if p.is_multipart(): continue
    if p.get_content_disposition() is None:
        texts[p.get_content_subtype()] = p.get_content().strip(); continue
    b = p.get_payload(decode=True)
    defects += [type(d).__name__ for d in p.defects]
    i = p['Content-ID']
    files.append(dict(filename=p.get_filename(), contentType=p.get_content_type(), contentId=str(i).strip('<> ') if i else None,
        disposition=p.get_content_disposition(), sha256=hashlib.sha256(b).hexdigest()))
print(json.dumps(dict(text=texts.get('plain',''), html=texts.get('html',''), files=files, defects=defects)))
`;

export const hasPython = spawnSync('python3', ['-c', 'import email']).status === 0;

/** By Python's email, which also finds what is not as the standard says. */
export function readByPython(message: string | Uint8Array): FoundMail & { readonly defects: readonly string[] } {
  const { stdout, stderr, status } = spawnSync('python3', ['-c', PROGRAM], { input: message, maxBuffer: 64 * 1024 * 1024 });
  if (status !== 0) throw new Error(stderr.toString());
  return JSON.parse(stdout.toString());
}
