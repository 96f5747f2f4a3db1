import type { GappedMail, WrittenMail } from './mail.ts';
import { postmarkBody } from './postmark-body.ts';
import { resendBody } from './resend-body.ts';
import { sendgridBody } from './sendgrid-body.ts';

type RequestBody = (mail: WrittenMail) => GappedMail;

/** What writes a whole mail as the body of a request to an API. They throw InvalidMail. */
export const REQUEST_BODIES = {
  resend: resendBody,
  postmark: postmarkBody,
  sendgrid: sendgridBody,
} satisfies Readonly<Record<string, RequestBody>>;

/** The form in which a provider takes a mail: an RFC 5322 message, which is written piece by piece, or one of these bodies. */
export type WireFormat = 'message' | keyof typeof REQUEST_BODIES;
