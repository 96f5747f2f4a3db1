import type { WireFormat } from '../../../platform/mail/formats.ts';
import type { OutgoingMail, WrittenMail } from '../../../platform/mail/mail.ts';
import { messageIdOf } from '../../../platform/mail/mime.ts';
import { finishMail } from './finish.ts';

let count = 0;

/** A small mail to this address, each with a send id of its own. */
export function mailTo(to: string, part: Partial<WrittenMail> = {}): WrittenMail {
  const sendId = `0199c0de-0000-7000-8000-${String(++count).padStart(12, '0')}`;
  return {
    sendId,
    messageId: messageIdOf(sendId, part.from?.email === undefined || !part.from.email.includes('@') ? 'ann@example.com' : part.from.email),
    from: { email: 'ann@example.com', name: 'Ann' },
    to,
    subject: 'Hello',
    html: '<p>Hello</p>',
    text: 'Hello',
    headers: {},
    date: new Date('2026-01-02T03:04:05Z'),
    ...part,
  };
}

/** The same, finished for the wire. */
export function finishedMailTo(to: string, part: Partial<WrittenMail> = {}, format: WireFormat = 'message'): OutgoingMail {
  return finishMail(format, mailTo(to, part));
}
