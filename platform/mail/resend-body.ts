import { displayAddress, oneLine } from './header.ts';
import { type FilesInJson, jsonMail, jsonPieces, recipientOf } from './json-body.ts';
import type { GappedMail, WrittenMail } from './mail.ts';

const FILES: FilesInJson = {
  list: 'attachments',
  content: 'content',
  membersOf: ({ filename, contentType, contentId }) => ({
    filename: oneLine(filename),
    content_type: contentType,
    ...(contentId === undefined ? {} : { content_id: contentId }),
  }),
};

/** The mail as the body of a request to Resend, with gaps for its files. Throws InvalidMail. */
export function resendBody(mail: WrittenMail): GappedMail {
  return jsonMail(mail, jsonPieces(requestBody(mail), mail.attachments, FILES));
}

function requestBody(mail: WrittenMail): Readonly<Record<string, unknown>> {
  return {
    from: displayAddress(mail.from),
    to: [displayAddress(recipientOf(mail))],
    ...(mail.cc?.length ? { cc: mail.cc.map(displayAddress) } : {}),
    ...(mail.bcc?.length ? { bcc: mail.bcc.map(displayAddress) } : {}),
    ...(mail.replyTo === undefined ? {} : { reply_to: displayAddress(mail.replyTo) }),
    subject: oneLine(mail.subject),
    html: mail.html,
    text: mail.text,
    headers: Object.fromEntries(Object.entries(mail.headers).map(([name, value]) => [name, oneLine(value)])),
  };
}
