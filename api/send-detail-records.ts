import * as z from 'zod';
import { mailboxText } from '../domain/contacts/mailbox.ts';
import type { SendDetails } from '../domain/sends/send-details.ts';

/** What each row of the log says of what its caller noted. */
export const shownNotes = {
  tags: z.array(z.string()).meta({ description: 'Those of the call' }),
  metadata: z.record(z.string(), z.string()).meta({ description: 'Those of the call' }),
};

export function notesOf(details: SendDetails | null) {
  const { tags = [], metadata = {} } = details ?? {};
  return { tags: [...tags], metadata };
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
