import { buildMessage } from '../../../platform/mail/mime.ts';
import type { OutgoingMail, WireFormat, WrittenMail } from '../../../platform/mail/provider.ts';
import { resendBody } from '../../../platform/mail/resend-body.ts';

/** A whole mail in the form in which its provider takes it, as the threads write theirs piece by piece. Throws InvalidMail. */
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
