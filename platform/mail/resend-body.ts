import { inMailOrder } from '../../domain/sends/attachments.ts';
import { displayAddress, oneLine, wireAddress } from './header.ts';
import { type AttachedFile, type GappedMail, type WrittenMail, withGaps } from './mail.ts';

/** The mail as the body of a request, with gaps for its files. Throws InvalidMail. */
export function resendBody(mail: WrittenMail): GappedMail {
  const { sendId, messageId, attachments = [] } = mail;
  const [from, to] = [wireAddress(mail.from.email), wireAddress(mail.to)];
  const body = JSON.stringify(requestBody(mail));
  const pieces = attachments.length === 0 ? [body] : withFiles(body, inMailOrder(attachments));
  return { sendId, messageId, from, to, internationalized: false, ...withGaps(pieces.map((piece) => Buffer.from(piece))) };
}

/** The body with its member `attachments`, in pieces: the base64 text of a file stands behind each but the last. */
function withFiles(body: string, files: readonly AttachedFile[]): string[] {
  const heads = files.map(({ filename, contentType, contentId }) => {
    const file = { filename: oneLine(filename), content_type: contentType, ...(contentId === undefined ? {} : { content_id: contentId }) };
    return `${JSON.stringify(file).slice(0, -1)},"content":"`;
  });
  return [...heads.map((head, index) => `${index === 0 ? `${body.slice(0, -1)},"attachments":[` : '"},'}${head}`), '"}]}'];
}

function requestBody(mail: WrittenMail): Readonly<Record<string, unknown>> {
  return {
    from: displayAddress(mail.from),
    to: [displayAddress({ email: mail.to, ...(mail.toName === undefined ? {} : { name: mail.toName }) })],
    ...(mail.cc?.length ? { cc: mail.cc.map(displayAddress) } : {}),
    ...(mail.bcc?.length ? { bcc: mail.bcc.map(displayAddress) } : {}),
    ...(mail.replyTo === undefined ? {} : { reply_to: displayAddress(mail.replyTo) }),
    subject: oneLine(mail.subject),
    html: mail.html,
    text: mail.text,
    headers: Object.fromEntries(Object.entries(mail.headers).map(([name, value]) => [name, oneLine(value)])),
  };
}
