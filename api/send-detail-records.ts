import * as z from 'zod';
import { mailboxText } from '../domain/contacts/mailbox.ts';
import type { SendDetails } from '../domain/sends/send-details.ts';
import { LeftOutRecord } from './mail-schemas.ts';

/** What each row of the log says of copies, and of what its caller noted. */
export const shownNotes = {
  cc: z.array(z.string()).meta({ description: 'Who was to get a copy and is named in it' }),
  bcc: z.array(z.string()).meta({ description: 'Who was to get a copy that nobody sees' }),
  left_out: z.array(LeftOutRecord).meta({ description: 'Those of cc and bcc who did not get it, and why' }),
  tags: z.array(z.string()).meta({ description: 'Those of the call' }),
  metadata: z.record(z.string(), z.string()).meta({ description: 'Those of the call' }),
};

export function notesOf(details: SendDetails | null) {
  const { cc = [], bcc = [], leftOut = [], tags = [], metadata = {} } = details ?? {};
  return { cc: cc.map(mailboxText), bcc: bcc.map(mailboxText), left_out: [...leftOut], tags: [...tags], metadata };
}

/** What the record of one send says of what its caller asked for. */
export const shownDetails = {
  reply_to: z.string().nullable().meta({ description: "Where answers go as the call says it; null: the brand's, or the sender" }),
  headers: z.record(z.string(), z.string()).meta({ description: 'Those that the call set' }),
};

export function recordOfDetails(details: SendDetails | null) {
  const { replyTo, headers = {} } = details ?? {};
  return { reply_to: replyTo ? mailboxText(replyTo) : null, headers };
}
