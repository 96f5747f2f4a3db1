import * as z from 'zod';
import { type Mailbox, readMailbox } from '../../../domain/contacts/mailbox.ts';
import { invalidRequest } from '../../../domain/errors.ts';
import { listHeaderOf } from '../../../domain/sends/own-headers.ts';
import type { SendType } from '../../../domain/sends/send.ts';
import { MAX_RECIPIENTS, type SendDetails } from '../../../domain/sends/send-details.ts';
import { Copies, MailboxText, Metadata, OwnHeaders, SendTags, TOO_MANY_RECIPIENTS } from '../../mail-schemas.ts';
import { TopicKey } from '../../schemas.ts';
import { refuseTopicOf } from '../../topic.ts';
import { Attachments } from './attachment-fields.ts';

/** Fields of POST /send that are kept with the row of the mail. */
export const detailFields = {
  cc: Copies.nullish().meta({ description: 'Who gets a copy and is named in it' }),
  bcc: Copies.nullish().meta({ description: 'Who gets a copy that nobody sees' }),
  replyTo: MailboxText.nullish().meta({ description: "Where answers go; the brand's, else the sender, when omitted" }),
  headers: OwnHeaders.nullish(),
  topic: TopicKey.nullish(),
  tags: SendTags.nullish(),
  metadata: Metadata.nullish(),
  attachments: Attachments.nullish(),
};
const DetailFields = z.object(detailFields);
/** With the recipient, whose name may be among them. */
type DetailFields = z.output<typeof DetailFields> & {
  readonly to?: string | null | undefined;
  readonly contactId?: string | null | undefined;
};

/** A call without these fields, where what they say is kept beside it. */
export function withoutDetailFields<Call extends object>(call: Call): Omit<Call, keyof typeof detailFields> {
  return Object.fromEntries(Object.entries(call).filter(([name]) => !(name in detailFields))) as Omit<Call, keyof typeof detailFields>;
}

/** What the call says of its mail in these fields but its files; undefined: nothing. Throws invalid_request for what a mail of this type may not have. */
export function detailsOf(fields: DetailFields, type: SendType): SendDetails | undefined {
  const { to, contactId, replyTo, headers, topic, tags, metadata } = fields;
  refuseTopicOf(type, topic);
  const listHeader = headers && type === 'marketing' ? listHeaderOf(headers) : undefined;
  if (listHeader !== undefined)
    throw invalidRequest([{ path: `headers.${listHeader}`, message: 'marketing mails have List-… headers of their own' }]);
  const named = to && !contactId ? readMailbox(to) : undefined;
  const { cc, bcc } = copiesOnce(fields, named?.email);
  const details: SendDetails = {
    ...(named?.name === undefined ? {} : { toName: named.name }),
    ...(cc.length > 0 ? { cc } : {}),
    ...(bcc.length > 0 ? { bcc } : {}),
    ...(replyTo ? { replyTo: readMailbox(replyTo) as Mailbox } : {}),
    ...(headers && Object.keys(headers).length > 0 ? { headers } : {}),
    ...(topic ? { topic } : {}),
    ...(tags && tags.length > 0 ? { tags: [...new Set(tags)] } : {}),
    ...(metadata && Object.keys(metadata).length > 0 ? { metadata } : {}),
  };
  return Object.keys(details).length > 0 ? details : undefined;
}

/** Each address once, where it comes first, and none that has the mail as `to`. Throws invalid_request for too many. */
function copiesOnce(
  { cc, bcc }: Pick<DetailFields, 'cc' | 'bcc'>,
  to: string | undefined,
): { readonly cc: Mailbox[]; readonly bcc: Mailbox[] } {
  const [open, blind] = [cc, bcc].map((given) => [given ?? []].flat()) as [string[], string[]];
  if (1 + open.length + blind.length > MAX_RECIPIENTS)
    throw invalidRequest([{ path: blind.length > 0 ? 'bcc' : 'cc', message: TOO_MANY_RECIPIENTS }]);
  const seen = new Set(to === undefined ? [] : [to]);
  const once = (texts: readonly string[]): Mailbox[] =>
    texts.map((text) => readMailbox(text) as Mailbox).filter(({ email }) => !seen.has(email) && seen.add(email));
  return { cc: once(open), bcc: once(blind) };
}
