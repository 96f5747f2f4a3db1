import * as z from 'zod';
import { type Mailbox, readMailbox } from '../../../domain/contacts/mailbox.ts';
import { invalidRequest } from '../../../domain/errors.ts';
import { listHeaderOf } from '../../../domain/sends/own-headers.ts';
import type { SendType } from '../../../domain/sends/send.ts';
import type { SendDetails } from '../../../domain/sends/send-details.ts';
import { MailboxText, Metadata, OwnHeaders, SendTags } from '../../mail-schemas.ts';

/** Fields of POST /send that are kept with the row of the mail. */
export const detailFields = {
  replyTo: MailboxText.nullish().meta({ description: "Where answers go; the brand's, else the sender, when omitted" }),
  headers: OwnHeaders.nullish(),
  tags: SendTags.nullish(),
  metadata: Metadata.nullish(),
};
const DetailFields = z.object(detailFields);
/** With the recipient, whose name may be among them. */
type DetailFields = z.output<typeof DetailFields> & {
  readonly to?: string | null | undefined;
  readonly contactId?: string | null | undefined;
};

/** What the call says of its mail in these fields; undefined: nothing. Throws invalid_request for what a mail of this type may not have. */
export function detailsOf({ to, contactId, replyTo, headers, tags, metadata }: DetailFields, type: SendType): SendDetails | undefined {
  const listHeader = headers && type === 'marketing' ? listHeaderOf(headers) : undefined;
  if (listHeader !== undefined)
    throw invalidRequest([{ path: `headers.${listHeader}`, message: 'marketing mails have List-… headers of their own' }]);
  const toName = to && !contactId ? readMailbox(to)?.name : undefined;
  const details: SendDetails = {
    ...(toName === undefined ? {} : { toName }),
    ...(replyTo ? { replyTo: readMailbox(replyTo) as Mailbox } : {}),
    ...(headers && Object.keys(headers).length > 0 ? { headers } : {}),
    ...(tags && tags.length > 0 ? { tags: [...new Set(tags)] } : {}),
    ...(metadata && Object.keys(metadata).length > 0 ? { metadata } : {}),
  };
  return Object.keys(details).length > 0 ? details : undefined;
}
