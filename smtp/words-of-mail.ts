import type { SendBody } from '../api/routes/sends/send.ts';
import { type Issue, invalidRequest, Refusal } from '../domain/errors.ts';

/** A header that a message may be known by. */
export type KeyHeader = 'Message-ID' | 'X-Idempotency-Key';

/** How headers are written, by the field of POST /send that they stand for. */
const FIELDS: Readonly<Record<string, string>> = {
  type: 'X-Type',
  topic: 'X-Topic',
  template: 'X-Template',
  brand: 'X-Brand',
  data: 'X-Data',
  tags: 'X-Tags',
  metadata: 'X-Metadata',
  subject: 'Subject',
  replyTo: 'Reply-To',
  from: 'From',
};

/** What a call was refused for, in words of the message that it was made of; anything else stays as it is. */
export function inWordsOfMail(
  error: unknown,
  { keyHeader, body }: { readonly keyHeader: KeyHeader; readonly body: Pick<SendBody, 'attachments'> },
): unknown {
  if (!(error instanceof Refusal)) return error;
  const { code, details } = error;
  if (code === 'idempotency_key_reuse')
    return new Refusal(code, `this ${keyHeader} was used with another message; give another message one of its own`, details);
  if (code === 'idempotency_in_progress')
    return new Refusal(code, `another message with this ${keyHeader} is under way; try again with the same one`, details);
  const issues = code === 'invalid_request' ? (details.body?.issues as readonly Issue[] | undefined) : undefined;
  const filenames = (body.attachments ?? []).map(({ filename }) => filename ?? '');
  return issues === undefined ? error : invalidRequest(issues.map((issue) => issueOfMail(issue, filenames)));
}

/** With the header, or the name of the file, in the place of the field. */
export function issueOfMail({ path, message }: Issue, filenames: readonly string[]): Issue {
  const [, number] = /^attachments\[(\d+)\]/.exec(path) ?? [];
  const filename = number === undefined ? undefined : filenames[Number(number)];
  if (filename !== undefined) return { path: `the attachment ${filename}`, message };
  const [, field = '', rest = ''] = /^(\w*)(.*)$/s.exec(path) ?? [];
  return { path: `${FIELDS[field] ?? field}${rest}`, message };
}

/** What is wrong with a header that should be a JSON object. */
export function notAnObject(name: 'x-data' | 'x-metadata', { message }: Refusal): Issue {
  const path = name === 'x-data' ? 'X-Data' : 'X-Metadata';
  return { path, message: `not a JSON object: ${message.replace(/^the body\b/, 'it')}` };
}

const MAX_SHOWN = 100;

/** `written`: what `From` says, without an address. */
export function noSender(written: string): string {
  const should = 'an address that the project may send from';
  return written === '' ? `required: ${should}` : `"${written.slice(0, MAX_SHOWN)}" has no address with a domain; it should be ${should}`;
}
