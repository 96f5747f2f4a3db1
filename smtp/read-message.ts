import PostalMime, { type Address, type Attachment, addressParser, decodeWords, type Header } from 'postal-mime';
import { normalizeEmail } from '../domain/contacts/email-address.ts';
import { type Mailbox, mailboxText } from '../domain/contacts/mailbox.ts';
import { CONTENT_TYPE, filenameProblem, MAX_FILENAME_LENGTH } from '../domain/files/file.ts';
import { CONTENT_ID, MAX_ATTACHMENTS, MAX_CONTENT_ID_LENGTH } from '../domain/sends/attachments.ts';
import { headerIssues, listHeaderOf, MAX_HEADERS } from '../domain/sends/own-headers.ts';
import { MAX_NAME_LENGTH } from '../domain/text-lengths.ts';

/** What a message says, as far as a mail can be made of it. Texts of its author, which nobody has checked. */
export interface ReadMessage {
  /** The first of `From`, with its name; undefined: there is none. */
  readonly from: Mailbox | undefined;
  /** Those of the envelope that `To` and `Cc` name, each once, in the order in which they stand there. */
  readonly named: readonly string[];
  readonly replyTo: string | undefined;
  readonly subject: string;
  readonly html: string | undefined;
  readonly text: string | undefined;
  /** Headers that a call may set. */
  readonly headers: Readonly<Record<string, string>>;
  /** What the message says to Everpost alone, by the name of its header. */
  readonly orders: Readonly<Partial<Record<Order, string>>>;
  readonly messageId: string | undefined;
}

/** A part that is neither text nor HTML to be shown. */
export interface MessagePart {
  readonly filename: string;
  readonly contentType: string;
  /** What the page shows it by. */
  readonly contentId?: string;
  readonly content: Uint8Array;
}

/** Headers that are for Everpost: docs/contract/smtp.md 9. */
const ORDERS = ['x-idempotency-key', 'x-template', 'x-data', 'x-type', 'x-brand', 'x-tags', 'x-metadata'] as const;
export type Order = (typeof ORDERS)[number];

/** Of all headers of all parts. */
const MAX_HEADERS_BYTES = 256 * 1024;
const MAX_NESTING = 20;
/** Addresses of `To` and `Cc` that are looked at. */
const MAX_NAMED = 1000;

/** A message that cannot be read. The message is for its sender. */
export class UnreadableMessage extends Error {
  override readonly name = 'UnreadableMessage';
}

/** Reads a message (RFC 5322). `recipients`: of the envelope, as `normalizeEmail` writes them. Throws UnreadableMessage. */
export async function readMessage(
  bytes: Uint8Array,
  recipients: readonly string[],
): Promise<{ readonly message: ReadMessage; readonly parts: readonly MessagePart[] }> {
  const email = await PostalMime.parse(bytes, {
    maxNestingDepth: MAX_NESTING,
    maxHeadersSize: MAX_HEADERS_BYTES,
    // Mails within mails are attachments of it.
    maxRfc822NestingDepth: 0,
  }).catch((error: unknown) => {
    throw error instanceof RangeError ? error : new UnreadableMessage(error instanceof Error ? error.message : String(error));
  });
  const { headers, attachments } = email;
  if (attachments.length > MAX_ATTACHMENTS) throw new UnreadableMessage(`at most ${MAX_ATTACHMENTS} attachments`);
  const orders = ordersOf(headers);
  const message: ReadMessage = {
    from: mailboxesIn(headers, 'from')[0],
    named: namedIn([...mailboxesIn(headers, 'to'), ...mailboxesIn(headers, 'cc')], recipients),
    replyTo: mailboxesIn(headers, 'reply-to').map(mailboxText)[0],
    subject: decodeWords(headerOf(headers, 'subject') ?? '')
      .replace(LINE_BREAKS_AND_CONTROLS, ' ')
      .trim(),
    html: shownText(email.html),
    text: shownText(email.text),
    headers: ownHeadersOf(headers, mayBeMarketing(orders)),
    orders,
    messageId: headerOf(headers, 'message-id')?.trim() || undefined,
  };
  return { message, parts: attachments.map((attachment, index) => partOf(attachment, index + 1, message.html)) };
}

const ANY_TYPE = 'application/octet-stream';

/** As an attachment of a call may be, whatever its author called it. */
function partOf({ filename, mimeType, contentId, content }: Attachment, number: number, html = ''): MessagePart {
  const id = contentId?.trim().replace(/^<|>$/g, '') ?? '';
  const isShown =
    CONTENT_ID.test(id) && id.length <= MAX_CONTENT_ID_LENGTH && [id, encodeURIComponent(id)].some((one) => html.includes(`cid:${one}`));
  return {
    filename: filenameOf(filename, number, mimeType),
    contentType: CONTENT_TYPE.test(mimeType) ? mimeType : ANY_TYPE,
    ...(isShown ? { contentId: id } : {}),
    content: new Uint8Array(content as ArrayBuffer),
  };
}

/** Without a path and what a name may not have. */
function filenameOf(given: string | null, number: number, mimeType: string): string {
  const name = (given ?? '')
    .split(/[/\\]/)
    .at(-1)!
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\ufffd\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '_')
    .trim()
    .slice(-MAX_FILENAME_LENGTH);
  if (filenameProblem(name) === undefined) return name;
  return mimeType.startsWith('message/') ? `message-${number}.eml` : `attachment-${number}`;
}

const LINE_BREAKS_AND_CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;
/** All but tabs and line breaks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** undefined when there is nothing to be seen. */
function shownText(text: string | undefined): string | undefined {
  const shown = text?.replace(CONTROLS, '').toWellFormed();
  return shown?.trim() ? shown : undefined;
}

function headerOf(headers: readonly Header[], name: string): string | undefined {
  return headers.find(({ key }) => key === name)?.value;
}

/** Of the headers of this name, without what is no address. */
function mailboxesIn(headers: readonly Header[], name: string): Mailbox[] {
  return headers
    .filter(({ key }) => key === name)
    .flatMap(({ value }) => addressParser(value, { flatten: true }) as Address[])
    .slice(0, MAX_NAMED)
    .flatMap(({ name: shown, address }) => {
      const email = normalizeEmail(address ?? '');
      const words = shown.replace(LINE_BREAKS_AND_CONTROLS, ' ').trim().slice(0, MAX_NAME_LENGTH).toWellFormed();
      return email === undefined ? [] : words === '' || words === address ? { email } : { email, name: words };
    });
}

function namedIn(mailboxes: readonly Mailbox[], recipients: readonly string[]): string[] {
  const left = new Set(recipients);
  return mailboxes.filter(({ email }) => left.delete(email)).map(mailboxText);
}

function ordersOf(headers: readonly Header[]): ReadMessage['orders'] {
  return Object.fromEntries(
    ORDERS.flatMap((name) => {
      const value = decodeWords(headerOf(headers, name) ?? '').trim();
      return value === '' ? [] : [[name, value.toWellFormed()]];
    }),
  );
}

/** A marketing mail has List-… headers of its own. */
function mayBeMarketing(orders: ReadMessage['orders']): boolean {
  const type = orders['x-type']?.toLowerCase();
  return type === 'marketing' || (type === undefined && orders['x-template'] !== undefined);
}

/** The first of each name; what a call may not set is left out, as are those beyond the most that it may. */
function ownHeadersOf(headers: readonly Header[], isMarketing: boolean): Record<string, string> {
  const own: Record<string, string> = {};
  const seen = new Set<string>(ORDERS);
  for (const { key, originalKey, value: given } of headers) {
    const header = { [originalKey]: given.trim() };
    if (seen.has(key) || headerIssues(header).length > 0 || (isMarketing && listHeaderOf(header))) continue;
    seen.add(key);
    Object.assign(own, header);
    if (Object.keys(own).length === MAX_HEADERS) break;
  }
  return own;
}
