import { type Address, addressParser, decodeWords, type Header } from 'postal-mime';
import { normalizeEmail } from '../domain/contacts/email-address.ts';
import { type Mailbox, mailboxText } from '../domain/contacts/mailbox.ts';
import { CONTENT_TYPE, filenameProblem, MAX_FILENAME_LENGTH, withFitCharacters } from '../domain/files/file.ts';
import {
  ANY_TYPE,
  CONTENT_ID,
  extensionOfType,
  MAX_ATTACHMENTS,
  MAX_CONTENT_ID_LENGTH,
  shownContentIds,
} from '../domain/sends/attachments.ts';
import { headerIssues, listHeaderOf, MAX_HEADERS } from '../domain/sends/own-headers.ts';
import { MAX_NAME_LENGTH } from '../domain/text-lengths.ts';
import { decodedWords } from './charsets.ts';
import type { MessageSource } from './message-source.ts';
import { type FoundPart, parseMessage } from './mime-parser.ts';

/** What a message says, as far as a mail can be made of it. Texts of its author, which nobody has checked. */
export interface ReadMessage {
  /** The first of `From`, with its name; undefined: there is none. */
  readonly from: Mailbox | undefined;
  /** As it is written. */
  readonly writtenFrom: string;
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
  /** With those parameters that say how its bytes are read. */
  readonly contentType: string;
  /** What the page shows it by. */
  readonly contentId?: string;
  /** Piece by piece. Throws NotAsEncoded. */
  pieces(): Iterable<Uint8Array>;
}

/** Headers that are for Everpost: docs/contract/smtp.md 9. */
const ORDERS = ['x-idempotency-key', 'x-template', 'x-data', 'x-type', 'x-topic', 'x-brand', 'x-tags', 'x-metadata'] as const;
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

/** Reads a message (RFC 5322). `recipients`: of the envelope, as `normalizeEmail` writes them. Throws UnreadableMessage and UnknownCharset. */
export async function readMessage(
  source: MessageSource,
  recipients: readonly string[],
): Promise<{ readonly message: ReadMessage; readonly parts: readonly MessagePart[] }> {
  const { email, parts } = await parseMessage(source, {
    maxNestingDepth: MAX_NESTING,
    maxHeadersSize: MAX_HEADERS_BYTES,
    // Mails within mails are attachments of it.
    maxRfc822NestingDepth: 0,
  }).catch((error: unknown) => {
    // What the disk refuses may pass, and is no fault of the message.
    if (error instanceof RangeError || (error as NodeJS.ErrnoException).code !== undefined) throw error;
    throw unreadable(error instanceof Error ? error.message : String(error));
  });
  const { headers } = email;
  if (parts.length > MAX_ATTACHMENTS) {
    throw new UnreadableMessage(`the message is refused: at most ${MAX_ATTACHMENTS} attachments, and it has ${parts.length}`);
  }
  const orders = ordersOf(headers);
  const message: ReadMessage = {
    from: mailboxesIn(headers, 'from')[0],
    writtenFrom: wordsOf(headers, 'from'),
    named: namedIn([...mailboxesIn(headers, 'to'), ...mailboxesIn(headers, 'cc')], recipients),
    replyTo: mailboxesIn(headers, 'reply-to').map(mailboxText)[0],
    subject: wordsOf(headers, 'subject'),
    html: shownText(email.html),
    text: shownText(email.text),
    headers: ownHeadersOf(headers, mayBeMarketing(orders)),
    orders,
    messageId: headerOf(headers, 'message-id')?.trim() || undefined,
  };
  const shownIds = new Set(shownContentIds(message.html ?? '').map((id) => id.toLowerCase()));
  return { message, parts: eachShownOnce(parts.map((part, index) => partOf(part, index + 1, shownIds))) };
}

/** Of what is wrong with its bytes. */
export function unreadable(why: string): UnreadableMessage {
  return new UnreadableMessage(`the message cannot be read: ${why}`);
}

/** A mail has each Content-ID once: whatever has it again is an attachment of its own. */
function eachShownOnce(parts: readonly MessagePart[]): MessagePart[] {
  const seen = new Set<string>();
  return parts.map(({ contentId, ...part }) => {
    if (contentId === undefined || seen.has(contentId)) return part;
    seen.add(contentId);
    return { ...part, contentId };
  });
}

/** Those that say how the bytes are read: without them a text of another charset is not what it was, and an invitation none. */
const KEPT_PARAMETERS = ['charset', 'method'];
const PARAMETER_VALUE = /^[A-Za-z0-9!#$&^_.+:-]{1,60}$/;

/** As an attachment of a call may be, whatever its author called it. */
function partOf({ about, parameters, pieces }: FoundPart, number: number, shownIds: ReadonlySet<string>): MessagePart {
  const { filename, mimeType, contentId } = about;
  const id = contentId?.trim().replace(/^<|>$/g, '') ?? '';
  const isShown = CONTENT_ID.test(id) && id.length <= MAX_CONTENT_ID_LENGTH && shownIds.has(id.toLowerCase());
  return {
    filename: filenameOf(filename, number, mimeType),
    contentType: CONTENT_TYPE.test(mimeType) ? typeWith(mimeType, parameters) : ANY_TYPE,
    ...(isShown ? { contentId: id } : {}),
    pieces,
  };
}

function typeWith(mimeType: string, parameters: FoundPart['parameters']): string {
  const kept = KEPT_PARAMETERS.filter((name) => Object.hasOwn(parameters, name) && PARAMETER_VALUE.test(parameters[name] as string));
  return [mimeType, ...kept.map((name) => `${name}=${parameters[name]}`)].join('; ');
}

/** Without a path and what a name may not have. */
function filenameOf(given: string | null, number: number, mimeType: string): string {
  const base = (given ?? '').split(/[/\\]/).at(-1)!;
  const name = withFitCharacters(base).trim().slice(-MAX_FILENAME_LENGTH);
  if (filenameProblem(name) === undefined) return name;
  if (mimeType.startsWith('message/')) return `message-${number}.eml`;
  // What readers of mails offer to put into a calendar.
  if (mimeType === 'text/calendar') return 'invite.ics';
  const extension = extensionOfType(mimeType);
  return `attachment-${number}${extension === undefined ? '' : `.${extension}`}`;
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

/** In one line. Throws UnknownCharset. */
function wordsOf(headers: readonly Header[], name: string): string {
  return decodedWords(headerOf(headers, name) ?? '')
    .replace(LINE_BREAKS_AND_CONTROLS, ' ')
    .trim();
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
