import { REQUEST_BODIES, type WireFormat } from '../../../platform/mail/formats.ts';
import type { OutgoingMail, WrittenMail } from '../../../platform/mail/mail.ts';
import { buildMessage } from '../../../platform/mail/mime.ts';

/** A whole mail in the form in which its provider takes it, as the threads write theirs piece by piece. Throws InvalidMail. */
export function finishMail(format: WireFormat, mail: WrittenMail): OutgoingMail {
  return format === 'message' ? buildMessage(mail) : REQUEST_BODIES[format](mail);
}
