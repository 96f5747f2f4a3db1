import { buildMessage } from './mime.ts';
import type { OutgoingMail, WireFormat, WrittenMail } from './provider.ts';
import { resendBody } from './resend-body.ts';

/** The mail in the form in which its provider takes it. Throws InvalidMail. */
export function finishMail(format: WireFormat, mail: WrittenMail): OutgoingMail {
  switch (format) {
    case 'message':
      return buildMessage(mail);
    case 'resend':
      return resendBody(mail);
    default:
      return format satisfies never;
  }
}
