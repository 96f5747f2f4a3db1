import { SEND_ID_FIELD } from '../../domain/inbound/send-id-field.ts';
import { displayAddress, oneLine } from './header.ts';
import { encodedHeaders, type FilesInJson, jsonMail, jsonPieces, recipientOf } from './json-body.ts';
import type { GappedMail, Mailbox, WrittenMail } from './mail.ts';

const FILES: FilesInJson = {
  list: 'Attachments',
  content: 'Content',
  membersOf: ({ filename, contentType, contentId }) => ({
    Name: oneLine(filename),
    ContentType: contentType,
    ...(contentId === undefined ? {} : { ContentID: `cid:${contentId}` }),
  }),
};

/** The mail as a message of Postmark, without the brace that opens it: the provider puts what is its own in front. Throws InvalidMail. */
export function postmarkBody(mail: WrittenMail): GappedMail {
  const [first, ...rest] = jsonPieces(message(mail), mail.attachments, FILES);
  return jsonMail(mail, [(first as string).slice(1), ...rest]);
}

function message(mail: WrittenMail): object {
  const headers = [...encodedHeaders(mail), ...KEEP_ID];
  return {
    From: displayAddress(mail.from),
    To: displayAddress(recipientOf(mail)),
    ...(mail.cc?.length ? { Cc: addresses(mail.cc) } : {}),
    ...(mail.bcc?.length ? { Bcc: addresses(mail.bcc) } : {}),
    ...(mail.replyTo === undefined ? {} : { ReplyTo: displayAddress(mail.replyTo) }),
    Subject: oneLine(mail.subject),
    HtmlBody: mail.html,
    TextBody: mail.text,
    Headers: headers.map(([Name, Value]) => ({ Name, Value })),
    // Opens and clicks are counted by links of our own.
    TrackOpens: false,
    TrackLinks: 'None',
    Metadata: { [SEND_ID_FIELD]: mail.sendId },
  };
}

/** Has Postmark keep our Message-ID (postmarkapp.com/support: "Can I use my own Message-ID?"). */
const KEEP_ID: readonly [name: string, value: string][] = [['X-PM-KeepID', 'true']];

function addresses(mailboxes: readonly Mailbox[]): string {
  return mailboxes.map(displayAddress).join(', ');
}
