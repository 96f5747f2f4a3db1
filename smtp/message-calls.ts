import type * as z from 'zod';
import { jsonOf } from '../api/middleware/read-json.ts';
import { SendBody } from '../api/routes/sends/send.ts';
import { readMailbox } from '../domain/contacts/mailbox.ts';
import { type Issue, invalidRequest, Refusal } from '../domain/errors.ts';
import { issuesOf } from '../domain/issues.ts';
import { sha256 } from '../domain/projects/crypto.ts';
import { SpooledContent } from '../usecases/sends/keep-attachments.ts';
import type { SpooledPart } from './message-thread.ts';
import type { Order, ReadMessage } from './read-message.ts';

/** A call of POST /send that a message comes to. */
export interface MessageCall {
  readonly body: SendBody;
  /** undefined: the message names none. */
  readonly key: string | undefined;
}

/**
 * The calls that a message comes to: one for all whom its `To` and `Cc` name, with copies to the others of the envelope; where they name none of the
 * envelope, one for each, since no recipient should be shown to another. Throws the Refusal of a message that no mail can be made of.
 */
export async function callsOf(message: ReadMessage, parts: readonly SpooledPart[], recipients: readonly string[]): Promise<MessageCall[]> {
  if (!message.from) throw invalidRequest([{ path: 'From', message: 'required: an address that the project may send from' }]);
  const shared = { ...(await sharedFields(message)), ...(parts.length > 0 ? { attachments: parts.map(attachmentOf) } : {}) };
  return envelopesOf(message.named, recipients).map((envelope) => {
    const parsed = SendBody.safeParse({ ...shared, ...envelope } satisfies z.input<typeof SendBody>);
    if (!parsed.success) throw invalidRequest(issuesOf(parsed.error).map(inWordsOfMail));
    return { body: withWholeTypes(parsed.data, parts), key: keyOf(message, envelope) };
  });
}

/** Whoever reads the message removes its files. */
function attachmentOf({ filename, contentType, contentId, path, size, sha256 }: SpooledPart) {
  const content = new SpooledContent({ path, size, sha256, [Symbol.asyncDispose]: async () => {} });
  return { filename, contentType: contentType.split(';')[0]!, contentId, content };
}

/** A call gives types without parameters; those of a message are kept. */
function withWholeTypes(body: SendBody, parts: readonly SpooledPart[]): SendBody {
  const { attachments } = body;
  if (!attachments) return body;
  return { ...body, attachments: attachments.map((attachment, index) => ({ ...attachment, contentType: parts[index]!.contentType })) };
}

interface Envelope {
  readonly to: string;
  readonly cc?: string[];
  readonly bcc?: string[];
}

function envelopesOf([to, ...cc]: readonly string[], recipients: readonly string[]): Envelope[] {
  if (to === undefined) return recipients.map((email) => ({ to: email }));
  const named = new Set([to, ...cc].map(emailOf));
  return [{ to, cc, bcc: recipients.filter((email) => !named.has(email)) }];
}

function emailOf(mailbox: string): string | undefined {
  return readMailbox(mailbox)?.email;
}

type SharedFields = Omit<z.input<typeof SendBody>, 'to'>;

async function sharedFields({ from, replyTo, subject, html, text, headers, orders }: ReadMessage): Promise<SharedFields> {
  const template = orders['x-template'];
  return {
    ...(template === undefined ? contentOf({ subject, html, text }) : { template, ...(subject === '' ? {} : { subject }) }),
    type: typeOf(orders['x-type'], template),
    from,
    replyTo,
    headers,
    brand: orders['x-brand'],
    data: await objectIn(orders, 'x-data'),
    tags: orders['x-tags']?.split(',').flatMap((tag) => tag.trim() || []),
    metadata: await objectIn(orders, 'x-metadata'),
  } as SharedFields;
}

/** Where POST /send asks for words, and a message has none: as printers, scanners and cron send. */
const NO_TEXT = '\n';
const NO_SUBJECT = '(no subject)';

function contentOf({
  subject,
  html,
  text,
}: Pick<ReadMessage, 'subject' | 'html' | 'text'>): Pick<SharedFields, 'subject' | 'html' | 'text'> {
  const brought = html === undefined ? { text: text ?? NO_TEXT } : { html, ...(text === undefined ? {} : { text }) };
  return { ...brought, subject: subject || NO_SUBJECT };
}

/** As it stands where it is none: the schema says so. */
function typeOf(given: string | undefined, template: string | undefined): SharedFields['type'] {
  return (given?.toLowerCase() ?? (template === undefined ? 'transactional' : undefined)) as SharedFields['type'];
}

async function objectIn(orders: ReadMessage['orders'], name: Order): Promise<unknown> {
  const text = orders[name];
  if (text === undefined) return undefined;
  try {
    return await jsonOf(Buffer.from(text), {});
  } catch (error) {
    if (error instanceof Refusal) throw invalidRequest([{ path: NAMES[name] ?? name, message: `not a JSON object: ${error.message}` }]);
    throw error;
  }
}

/** How headers are written, by the field of POST /send that they stand for. */
const FIELDS: Readonly<Record<string, string>> = {
  type: 'X-Type',
  template: 'X-Template',
  brand: 'X-Brand',
  data: 'X-Data',
  tags: 'X-Tags',
  metadata: 'X-Metadata',
  subject: 'Subject',
  replyTo: 'Reply-To',
  from: 'From',
};
const NAMES: Partial<Record<Order, string>> = { 'x-data': FIELDS.data!, 'x-metadata': FIELDS.metadata! };

function inWordsOfMail({ path, message }: Issue): Issue {
  const [, field = '', rest = ''] = /^(\w*)(.*)$/s.exec(path) ?? [];
  return { path: `${FIELDS[field] ?? field}${rest}`, message };
}

/** Longer ones stand for themselves by their hash, so that a key keeps to what keys may have. */
const MAX_ID_LENGTH = 150;

/**
 * Clients may send one message in several transactions, with some of its recipients each (RFC 5321 4.5.3.1.10), under one Message-ID: each is a mail of
 * its own. Whoever repeats one names the same recipients.
 */
function keyOf({ orders, messageId }: ReadMessage, { to, cc = [], bcc = [] }: Envelope): string | undefined {
  const id = orders['x-idempotency-key'] ?? messageId;
  if (id === undefined) return undefined;
  const shown = /^[\x21-\x7e]+$/.test(id) && id.length <= MAX_ID_LENGTH ? id : sha256(id).toString('base64url');
  const recipients = [to, ...cc, ...bcc].map(emailOf).sort().join(' ');
  return `${shown} ${sha256(recipients).toString('base64url').slice(0, 22)}`;
}
