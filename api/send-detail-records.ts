import * as z from 'zod';
import { mailboxText } from '../domain/contacts/mailbox.ts';
import type { SendDetails } from '../domain/sends/send-details.ts';
import { LeftOutRecord } from './mail-schemas.ts';

/** What each row of the log says of copies, and of what its caller noted. */
export const shownNotes = {
  cc: z.array(z.string()).meta({ description: 'Who was to get a copy and is named in it' }),
  bcc: z.array(z.string()).meta({ description: 'Who was to get a copy that nobody sees' }),
  left_out: z.array(LeftOutRecord).meta({ description: 'Those of cc and bcc who did not get it, and why' }),
  topic: z
    .string()
    .nullable()
    .meta({ description: 'The key of the topic that the call or the step named; null: none. That of a campaign is in its record' }),
  tags: z.array(z.string()).meta({ description: 'Those of the call' }),
  metadata: z.record(z.string(), z.string()).meta({ description: 'Those of the call' }),
};

export function notesOf(details: SendDetails | null) {
  const { cc = [], bcc = [], leftOut = [], topic = null, tags = [], metadata = {} } = details ?? {};
  return { cc: cc.map(mailboxText), bcc: bcc.map(mailboxText), left_out: [...leftOut], topic, tags: [...tags], metadata };
}

const AttachmentRecord = z
  .object({
    number: z.int().meta({ description: 'By which GET /sends/:id/attachments/:number knows it' }),
    filename: z.string().meta({ description: 'As the email names it' }),
    content_type: z.string().meta({ description: 'Its media type' }),
    content_id: z.string().nullable().meta({ description: 'The page shows it as `cid:…`; null: it is an attachment of its own' }),
    size: z.int().meta({ description: 'Bytes' }),
    sha256: z.string().meta({ description: 'Of its bytes, 64 hex digits' }),
  })
  .meta({ id: 'SentAttachment', description: 'A file of an email; its bytes are kept for a time' });

/** What the record of one send says of what its caller asked for. */
export const shownDetails = {
  reply_to: z.string().nullable().meta({ description: "Where answers go as the call says it; null: the brand's, or the sender" }),
  headers: z.record(z.string(), z.string()).meta({ description: 'Those that the call set' }),
  attachments: z.array(AttachmentRecord).meta({ description: 'Its files, in the order of the call' }),
};

export function recordOfDetails(details: SendDetails | null) {
  const { replyTo, headers = {}, attachments = [] } = details ?? {};
  const files = attachments.map(({ filename, contentType, contentId, size, sha256 }, number) => ({
    ...{ number, filename, content_type: contentType, content_id: contentId ?? null, size, sha256 },
  }));
  return { reply_to: replyTo ? mailboxText(replyTo) : null, headers, attachments: files };
}
