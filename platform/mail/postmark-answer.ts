import type { RefusedCopy } from '../../domain/sends/send-details.ts';
import { errorMessage, type HttpReading, type HttpRefusal, later, leavesOpen, UNREADABLE } from './http-answer.ts';
import { readObject } from './http-exchange.ts';
import type { OutgoingMail } from './mail.ts';
import type { ProviderAnswer } from './provider.ts';

/**
 * Errors about the mail (postmarkapp.com/developer/api/overview, API error codes): it is not valid, its sender is not confirmed, its recipients are on
 * Postmark's suppression list, an attachment is not allowed. All others are about the token, the account, the stream or the moment, and may pass.
 */
const REJECTIONS: readonly unknown[] = [300, 400, 401, 402, 403, 406, 411];

type Recipients = Pick<OutgoingMail, 'copies'>;

/** How the answer to one mail is read. */
export function readingOf(mail: Recipients): HttpReading {
  return { taken: ({ body }) => answerAbout(readObject(body), mail), refused };
}

/** What Postmark says of one mail: the answer to it, or its place in that to a batch. */
export function answerAbout(result: Readonly<Record<string, unknown>> | undefined, mail: Recipients): ProviderAnswer {
  const id = typeof result?.MessageID === 'string' && result.MessageID !== '' ? result.MessageID : undefined;
  // Without a code where Postmark takes a mail that it is slow to deliver.
  const code = result?.ErrorCode ?? (id === undefined ? undefined : 0);
  if (code === 0) return { outcome: 'accepted', providerId: id, ...refusedCopies(result?.Message, mail) };
  return typeof code === 'number' ? refusedBy(code, result?.Message) : UNREADABLE;
}

/** What becomes of the mails of a request that was refused as a whole. */
export function refused({ status, headers, body }: HttpRefusal): ProviderAnswer {
  const code = body?.ErrorCode;
  const message = typeof code === 'number' ? errorText(code, body?.Message) : `status ${status}`;
  // 500 is "an issue with Postmark's servers", after which "in most cases the message is lost".
  if (leavesOpen(status)) return { outcome: 'unknown', message };
  if (status === 413) return { outcome: 'rejected', message, badAddress: false };
  if (status === 422 && typeof code === 'number') return refusedBy(code, body?.Message);
  return later(message, headers);
}

/** 406 is no word about whether the address exists: it may have complained. */
function refusedBy(code: number, said: unknown): ProviderAnswer {
  const message = errorText(code, said);
  return REJECTIONS.includes(code) ? { outcome: 'rejected', message, badAddress: false } : { outcome: 'later', message };
}

function errorText(code: number, said: unknown): string {
  return errorMessage(`error ${code}`, said);
}

/** A mail that goes to some of its recipients is taken, in these words about the others. */
const LEFT_OUT = /\binactive addresses: (.+?)(?:\.\s|\.?$)/;

function refusedCopies(said: unknown, { copies = [] }: Recipients): { readonly refusedCopies?: readonly RefusedCopy[] } {
  const [, list = ''] = (typeof said === 'string' && LEFT_OUT.exec(said)) || [];
  const inactive = new Set(list.toLowerCase().split(/,\s*/));
  const left = copies.filter((copy) => inactive.has(copy.toLowerCase()));
  if (left.length === 0) return {};
  return { refusedCopies: left.map((email) => ({ email, message: 'Postmark does not send to it: it is inactive', badAddress: false })) };
}
