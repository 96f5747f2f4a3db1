import type * as z from 'zod';
import { jsonOf } from '../api/middleware/read-json.ts';
import { SendBody } from '../api/routes/sends/send.ts';
import { readMailbox } from '../domain/contacts/mailbox.ts';
import { invalidRequest, Refusal } from '../domain/errors.ts';
import { issuesOf } from '../domain/issues.ts';
import { sha256 } from '../domain/projects/crypto.ts';
import { SpooledContent } from '../usecases/sends/keep-attachments.ts';
import type { SpooledPart } from './message-thread.ts';
import type { ReadMessage } from './read-message.ts';
import { issueOfMail, type KeyHeader, noSender, notAnObject } from './words-of-mail.ts';

/** A call of POST /send that a message comes to. */
export interface MessageCall {
  readonly body: SendBody;
  /** undefined: the message names none. */
  readonly key: string | undefined;
  /** The header that names it. */
  readonly keyHeader: KeyHeader;
}

/**
 * The calls that a message comes to: one for all whom its `To` and `Cc` name, with copies to the others of the envelope; where they name none of the
 * envelope, one for each, since no recipient should be shown to another. Throws the Refusal of a message that no mail can be made of.
 */
export async function callsOf(message: ReadMessage, parts: readonly SpooledPart[], recipients: readonly string[]): Promise<MessageCall[]> {
  if (!message.from) throw invalidRequest([{ path: 'From', message: noSender(message.writtenFrom) }]);
  const filenames = parts.map(({ filename }) => filename);
  const shared = { ...(await sharedFields(message)), ...(parts.length > 0 ? { attachments: parts.map(attachmentOf) } : {}) };
  return envelopesOf(message.named, recipients).map((envelope) => {
    const parsed = SendBody.safeParse({ ...shared, ...envelope } satisfies z.input<typeof SendBody>);
    if (!parsed.success) throw invalidRequest(issuesOf(parsed.error).map((issue) => issueOfMail(issue, filenames)));
    return { body: withWholeTypes(parsed.data, parts), ...keyOf(message, envelope) };
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
    topic: orders['x-topic'],
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

async function objectIn(orders: ReadMessage['orders'], name: 'x-data' | 'x-metadata'): Promise<unknown> {
  const text = orders[name];
  if (text === undefined) return undefined;
  try {
    return await jsonOf(Buffer.from(text), {});
  } catch (error) {
    if (error instanceof Refusal) throw invalidRequest([notAnObject(name, error)]);
    throw error;
  }
}

/** Longer ones stand for themselves by their hash, so that a key keeps to what keys may have. */
const MAX_ID_LENGTH = 150;

/**
 * Clients may send one message in several transactions, with some of its recipients each (RFC 5321 4.5.3.1.10), under one Message-ID: each is a mail of
 * its own. Whoever repeats one names the same recipients.
 */
function keyOf({ orders, messageId }: ReadMessage, { to, cc = [], bcc = [] }: Envelope): Pick<MessageCall, 'key' | 'keyHeader'> {
  const own = orders['x-idempotency-key'];
  const keyHeader = own === undefined ? 'Message-ID' : 'X-Idempotency-Key';
  const id = own ?? messageId;
  if (id === undefined) return { key: undefined, keyHeader };
  const shown = /^[\x21-\x7e]+$/.test(id) && id.length <= MAX_ID_LENGTH ? id : sha256(id).toString('base64url');
  const recipients = [to, ...cc, ...bcc].map(emailOf).sort().join(' ');
  return { key: `${shown} ${sha256(recipients).toString('base64url').slice(0, 22)}`, keyHeader };
}
