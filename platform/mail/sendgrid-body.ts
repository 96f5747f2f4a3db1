import { SEND_ID_FIELD } from '../../domain/inbound/send-id-field.ts';
import { isInline } from '../../domain/sends/attachments.ts';
import { oneLine, quoted, wireAddress } from './header.ts';
import { encodedHeaders, type FilesInJson, jsonMail, jsonPieces, recipientOf } from './json-body.ts';
import type { GappedMail, Mailbox, WrittenMail } from './mail.ts';

const FILES: FilesInJson = {
  list: 'attachments',
  content: 'content',
  membersOf: (file) => ({
    filename: oneLine(file.filename),
    type: file.contentType,
    ...(isInline(file) ? { disposition: 'inline', content_id: file.contentId } : { disposition: 'attachment' }),
  }),
};

/** Opens, clicks and unsubscribes are counted by links of our own. */
const NO_TRACKING = {
  click_tracking: { enable: false, enable_text: false },
  open_tracking: { enable: false },
  subscription_tracking: { enable: false },
  ganalytics: { enable: false },
};

/** The mail as the body of a request to SendGrid, with gaps for its files. Throws InvalidMail. */
export function sendgridBody(mail: WrittenMail): GappedMail {
  return jsonMail(mail, jsonPieces(requestBody(mail), mail.attachments, FILES));
}

function requestBody(mail: WrittenMail): object {
  const { cc, bcc, replyTo } = mail;
  // Text comes first, and no part may be empty.
  const content = [
    { type: 'text/plain', value: mail.text },
    { type: 'text/html', value: mail.html },
  ];
  return {
    personalizations: [
      {
        to: [recipient(recipientOf(mail))],
        ...(cc?.length ? { cc: cc.map(recipient) } : {}),
        ...(bcc?.length ? { bcc: bcc.map(recipient) } : {}),
      },
    ],
    from: sender(mail.from),
    ...(replyTo === undefined ? {} : { reply_to: sender(replyTo) }),
    subject: oneLine(mail.subject),
    content: content.filter(({ value }) => value !== ''),
    headers: Object.fromEntries(encodedHeaders(mail)),
    custom_args: { [SEND_ID_FIELD]: mail.sendId },
    tracking_settings: NO_TRACKING,
  };
}

function sender({ email, name }: Mailbox): object {
  const shown = oneLine(name ?? '').toWellFormed();
  return { email: wireAddress(email), ...(shown === '' ? {} : { name: shown }) };
}

/** SendGrid writes the names of recipients as they are, where a comma would begin another one (github.com/sendgrid/sendgrid-python, issue 291). */
function recipient({ email, name }: Mailbox): object {
  const needsQuotes = name !== undefined && /[,;]/.test(name);
  return sender({ email, ...(name === undefined ? {} : { name: needsQuotes ? quoted(name) : name }) });
}
