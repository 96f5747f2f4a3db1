import type { OutgoingMail, WireFormat, WrittenMail } from './provider.ts';
import { resendBody } from './resend-body.ts';

/** What writes a whole mail as the body of a request. A message, which has no place here, is written piece by piece. They throw InvalidMail. */
export const REQUEST_BODIES: Readonly<Record<Exclude<WireFormat, 'message'>, (mail: WrittenMail) => OutgoingMail>> = {
  resend: resendBody,
};
