import * as z from 'zod';
import { NotBase64, readBase64 } from '../../../domain/base64.ts';
import { boundedArray } from '../../../domain/bounded-array.ts';
import { CONTENT_TYPE, MAX_FILENAME_LENGTH } from '../../../domain/files/file.ts';
import { CONTENT_ID, MAX_ATTACHMENTS, MAX_CONTENT_ID_LENGTH, MAX_MAIL_MB, MAX_MAIL_OCTETS } from '../../../domain/sends/attachments.ts';
import { SpooledContent } from '../../../usecases/sends/keep-attachments.ts';

/** What is wrong with a text that is to be base64; undefined: nothing. */
function base64Problem(text: string): string | undefined {
  try {
    readBase64(text);
    return undefined;
  } catch (error) {
    if (error instanceof NotBase64) return error.message;
    throw error;
  }
}

/** A large one comes decoded (api/middleware/attached-contents.ts). */
const Content = z
  .unknown()
  .refine((value) => typeof value === 'string' || value instanceof SpooledContent, { error: 'not base64', abort: true })
  .refine((value) => typeof value !== 'string' || value.length <= MAX_MAIL_OCTETS, { error: `at most ${MAX_MAIL_MB} MB`, abort: true })
  .superRefine((value, { addIssue }) => {
    const message = typeof value === 'string' ? base64Problem(value) : undefined;
    if (message !== undefined) addIssue({ code: 'custom', message });
  })
  .meta({
    type: 'string',
    contentEncoding: 'base64',
    maxLength: MAX_MAIL_OCTETS,
    description: 'The bytes in base64 (RFC 4648 4), with padding and without line breaks',
  }) as unknown as z.ZodType<string | SpooledContent>;

const FileId = z
  .uuid({ error: 'the id of an uploaded file, as POST /files answers it; no address is fetched, and bytes go into content' })
  .toLowerCase();

const ContentType = z
  .string()
  .max(255, { error: 'not a media type like application/pdf', abort: true })
  .overwrite((text) => text.toLowerCase())
  .regex(CONTENT_TYPE, { error: 'not a media type like application/pdf' })
  .meta({
    description: "A media type without parameters; the uploaded file's, else by the name, when omitted",
    examples: ['application/pdf'],
  });

const ContentId = z
  .string()
  .max(MAX_CONTENT_ID_LENGTH, { error: `at most ${MAX_CONTENT_ID_LENGTH} characters`, abort: true })
  .regex(CONTENT_ID, { error: 'ASCII letters, digits and marks, without spaces and angle brackets' })
  .meta({ description: 'The page shows it as `cid:…`; it is no attachment of its own then. Each once in an email', examples: ['logo'] });

const EITHER = 'exactly one of content and path';
const when = ({ value }: { readonly value: unknown }): boolean => value !== null && typeof value === 'object';

const AttachmentBody = z
  .object({
    filename: z
      .string()
      .max(MAX_FILENAME_LENGTH, { error: `at most ${MAX_FILENAME_LENGTH} characters` })
      .nullish()
      .meta({
        description: "Without a path; required beside `content`, the uploaded file's when omitted beside `path`",
        examples: ['invoice.pdf'],
      }),
    content: Content.nullish(),
    path: FileId.nullish().meta({ description: 'The id of an uploaded file, as POST /files answered' }),
    contentType: ContentType.nullish(),
    contentId: ContentId.nullish(),
  })
  .refine(({ content, path }) => (content == null) !== (path == null), { path: ['content'], error: EITHER, when })
  .refine(({ content, filename }) => content == null || filename != null, { path: ['filename'], error: 'required', when })
  .meta({
    id: 'Attachment',
    description: 'A file of an email',
    oneOf: [
      { required: ['content', 'filename'], properties: { path: { type: 'null' } } },
      { required: ['path'], properties: { content: { type: 'null' } } },
    ],
  });

/** How many there are, and what they have in base64, is known before any is decoded. */
export const Attachments = boundedArray(AttachmentBody, MAX_ATTACHMENTS, { error: `at most ${MAX_ATTACHMENTS}` })
  .superRefine((attachments, { addIssue }) => {
    const seen = new Set<string>();
    for (const [index, { contentId }] of attachments.entries()) {
      if (contentId == null) continue;
      if (seen.has(contentId)) addIssue({ code: 'custom', path: [index, 'contentId'], message: 'another attachment has it already' });
      seen.add(contentId);
    }
  })
  .meta({
    description: `Files, at most ${MAX_ATTACHMENTS}; in base64 and with html and text at most ${MAX_MAIL_MB} MB`,
  });
