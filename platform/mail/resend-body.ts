import { displayAddress, oneLine, wireAddress } from './header.ts';
import type { OutgoingMail, WrittenMail } from './mail.ts';

/** The mail as the body of a request. Throws InvalidMail. */
export function resendBody(mail: WrittenMail): OutgoingMail {
  const { sendId, messageId } = mail;
  const [from, to] = [wireAddress(mail.from.email), wireAddress(mail.to)];
  return { sendId, messageId, from, to, internationalized: false, content: Buffer.from(JSON.stringify(requestBody(mail))) };
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
