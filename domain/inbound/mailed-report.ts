import PostalMime, { type Attachment, type Email, type PostalMimeOptions } from 'postal-mime';
import { isStorableTime } from '../instant.ts';
import { sha256 } from '../projects/crypto.ts';
import { storable } from '../storable-text.ts';
import { bounceOf } from './bounce-kind.ts';
import { NotAnEvent, type ProviderEventType, type ReportedEvent } from './event.ts';
import { hasBounceSubject, partedText, readPlainBounce } from './plain-bounce.ts';
import { type Fields, fieldBlocks, fieldsOf } from './report-fields.ts';

/** Of a mail so much is read: what is said of the delivery comes before the mail that came back. */
export const MOST_REPORT_BYTES = 256 * 1024;
/** A line costs as much as some hundred bytes. */
const MOST_LINES = 8_000;
const MOST_RECIPIENTS = 100;
/** Characters. */
const MOST_TEXT = 64 * 1024;
const MOST_KEPT_TEXT = 8_000;
const LIMITS = { maxNestingDepth: 20, maxHeadersSize: 64 * 1024, forceRfc822Attachments: true };

/** What is known of a mail beside what it says. */
export interface Arrival {
  readonly now: Date;
  /** The sender on its envelope, "" for that of mail servers (`MAIL FROM:<>`); undefined: it is not known. */
  readonly sender?: string | undefined;
  /** The send that an address is the return path of, if it surely is. */
  readonly sendIdOf: (address: string) => string | undefined;
  /** Whom its envelope names, if that is known. */
  readonly sentTo?: string | undefined;
}

/** One thing that a mail says about another. */
interface Said extends Pick<ReportedEvent, 'type' | 'details'> {
  readonly email?: string | undefined;
  readonly at?: string | undefined;
}

/** A mail that came, taken apart. */
interface Parted {
  readonly mail: Email;
  readonly parts: readonly Part[];
  /** What people read of it, before the mail that came back, and that. */
  readonly said: string;
  readonly copy: string;
  /** The type that it has as a whole, with its parameters, in lower case. */
  readonly type: string;
  /** It comes from a mail server, as far as can be told. */
  readonly isOfServer: boolean;
}

interface Part {
  readonly type: string;
  readonly text: string;
}

/**
 * What a mail says that came back: bounces and delays (RFC 3464, and the forms of qmail, Exim and others that are not), complaints (RFC 5965).
 * None where it is no such mail: an absence note, an answer of a person, a receipt. Throws NotAnEvent for what is no mail at all.
 */
export async function readMailedReport(message: Uint8Array, { now, sender, sendIdOf, sentTo }: Arrival): Promise<ReportedEvent[]> {
  const parted = await takeApart(message, sender);
  const { mail, parts, said, copy, type } = parted;
  const isComplaint = type.startsWith('multipart/report') && type.includes('feedback-report');
  const feedback = isComplaint ? parts.find((part) => part.type === 'message/feedback-report')?.text : undefined;
  const complaint = feedback === undefined ? undefined : fieldsOf(feedback);
  const status = complaint ? undefined : statusOf(parted);
  const events = complaint ? ofFeedback(complaint) : ofDelivery(status, parted);
  if (events.length === 0) return [];
  const returned = parts.find((part) => RETURNED.test(part.type))?.text ?? copy.replace(/^[^\n]*\n+/, '');
  const original = fieldsOf(returned);
  const [sendId] = [
    ...[
      sentTo,
      ...headersOf(mail, 'delivered-to'),
      ...headersOf(mail, 'x-original-to', 'envelope-to', 'x-envelope-to'),
      ...headersOf(mail, 'to'),
    ],
    ...[complaint?.get('original-mail-from'), original.get('return-path'), original.get('x-return-path')],
  ].flatMap((address) => sendIdOf(bare(address ?? '')) ?? []);
  const messageId =
    idIn(original.get('message-id')) ?? idIn(status && fieldsOf(status).get('x-original-message-id')) ?? idIn(mail.inReplyTo);
  const known = messageId ?? idOfOurs(`${said}\n${parts.map(({ text }) => text).join('\n')}`);
  const about = sendId ? { providerIds: [], sendId } : { providerIds: known ? [known] : [] };
  const kept = storable((feedback ?? status ?? said).slice(0, MOST_KEPT_TEXT));
  const report = mail.messageId ?? sha256(kept).toString('hex');
  // Addresses are no part of it: it outlives the erasure of a contact.
  const key = (event: ReportedEvent['type'], index: number) => storable([report, sendId ?? known ?? '', event, index].join('|'));
  return events.map(({ type: event, details, email, at }, index) => ({
    ...{ key: key(event, index), type: event, details, body: kept, occurredAt: timeOf(at ?? mail.date, now) },
    ...about,
    ...(email && { email: storable(email) }),
  }));
}

const RETURNED = /^(?:message\/(?:rfc822|global)|text\/rfc822-headers|message\/global-headers)$/;

/** The library makes a text of HTML beside a text, which takes as long as its length squared. */
class PartsParser extends (PostalMime as unknown as new (
  options: PostalMimeOptions,
) => { isInlineTextNode(node: object): boolean; parse(message: Uint8Array): Promise<Email> }) {
  override isInlineTextNode(): boolean {
    return false;
  }
}

async function takeApart(message: Uint8Array, sender: string | undefined): Promise<Parted> {
  const mail = await new PartsParser(LIMITS).parse(beginOf(message)).catch(() => undefined);
  if (!mail?.headers.some(({ value }) => value !== ''))
    throw new NotAnEvent([{ path: '', message: 'the body is no mail that can be read' }]);
  const parts = mail.attachments.map(partOf);
  const html = parts.find(({ type }) => type === 'text/html');
  const text = parts.find(({ type }) => type === 'text/plain')?.text ?? (html ? textOfHtml(html.text) : '');
  return {
    mail,
    parts,
    ...partedText(text),
    type: (headersOf(mail, 'content-type')[0] ?? '').toLowerCase(),
    isOfServer: isOfServer(mail, sender),
  };
}

function beginOf(message: Uint8Array): Uint8Array {
  const begin = message.subarray(0, MOST_REPORT_BYTES);
  let end = 0;
  for (let lines = 0; lines < MOST_LINES; lines++) {
    end = begin.indexOf(0x0a, end) + 1;
    if (end === 0) return begin;
  }
  return begin.subarray(0, end);
}

function partOf({ mimeType: type, content }: Attachment): Part {
  const text = typeof content === 'string' ? content : Buffer.from(content as Uint8Array).toString('utf8');
  return { type, text: text.slice(0, MOST_TEXT).replaceAll('\r\n', '\n') };
}

const SERVERS = /^(?:mailer-?daemon|mail-daemon|mdaemon|postmaster|mail-delivery-subsystem|microsoftexchange\w+)@/i;

/** Programs and people answer from the empty sender and from postmaster, too: what they say of themselves comes first. */
function isOfServer(mail: Email, sender: string | undefined): boolean {
  const from = mail.from && 'address' in mail.from ? (mail.from.address ?? '') : '';
  const subject = mail.subject ?? '';
  if (/^(?:re|aw|fwd?|wg|tr|rv)(?:\[\d+\])?\s*:/i.test(subject)) return false;
  if (headersOf(mail, 'x-autoreply', 'x-autorespond', 'x-autoresponder', 'list-id').length > 0) return false;
  if (headersOf(mail, 'precedence').some((value) => /auto_?reply|list/i.test(value))) return false;
  if (SERVERS.test(from)) return true;
  const isNull = sender === '' || headersOf(mail, 'return-path').some((value) => value.trim() === '<>');
  const isAnswer = headersOf(mail, 'auto-submitted').some((value) => /auto-replied/i.test(value));
  return hasBounceSubject(subject) && (isNull || !isAnswer);
}

/** The part for programs; some write it as if it were for people. */
function statusOf({ parts, said, type, isOfServer }: Parted): string | undefined {
  const isReport = type.startsWith('multipart/report') && !type.includes('disposition-notification');
  if (!isReport && !isOfServer) return undefined;
  const status = parts.find((part) => /^message\/(?:global-)?delivery-status$/.test(part.type))?.text;
  if (status !== undefined) return status;
  const inText = [said, ...parts.map(({ text }) => text)].find((text) => WRITTEN.every((field) => field.test(text)));
  if (inText === undefined || /^Disposition:/im.test(inText)) return undefined;
  return inText.slice(Math.max(0, inText.search(/^(?:Reporting-MTA|Final-Recipient):/im)));
}

const WRITTEN = [/^Final-Recipient:/im, /^Action:/im, /^Status:/im];

function ofDelivery(status: string | undefined, { mail, said, type, isOfServer }: Parted): Said[] {
  if (status !== undefined) {
    const recipients = fieldBlocks(status).filter((fields) => fields.has('final-recipient') || fields.has('original-recipient'));
    return recipients.slice(0, MOST_RECIPIENTS).flatMap((fields) => ofRecipient(fields, said) ?? []);
  }
  if (!isOfServer || type.includes('disposition-notification')) return [];
  const failedRecipients = headersOf(mail, 'x-failed-recipients').flatMap((list) => list.split(',').map((one) => one.trim()));
  const bounce = readPlainBounce({ subject: mail.subject ?? '', said, failedRecipients: failedRecipients.slice(0, MOST_RECIPIENTS) });
  if (bounce === undefined) return [];
  if (bounce === 'delayed') return [{ type: 'queued', details: { isDelay: true } }];
  return bounce.failures.map(({ recipient, ...failure }) => ({
    type: 'bounced',
    details: { bounce: bounceOf(failure) },
    email: recipient,
  }));
}

/** RFC 3464 2.3. `said`: of all recipients. undefined: nothing that counts. */
function ofRecipient(fields: Fields, said: string): Said | undefined {
  const status = /[245]\.\d{1,3}\.\d{1,3}/.exec(fields.get('status') ?? '')?.[0];
  const action = /^[a-z]+/i.exec(fields.get('action') ?? '')?.[0].toLowerCase();
  const type = action === undefined ? TYPE_OF_CLASS.get(status?.[0] ?? '') : TYPE_OF_ACTION.get(action);
  if (!type) return undefined;
  const about = { email: addressIn(fields.get('original-recipient')) ?? addressIn(fields.get('final-recipient')) };
  const at = fields.get('last-attempt-date');
  if (type !== 'bounced') return { type, details: type === 'queued' ? { isDelay: true } : {}, ...about, at };
  const words = fields.get('diagnostic-code')?.replace(/^[\w-]+\s*;\s*/, '') ?? said;
  return { type, details: { bounce: bounceOf({ status, words }) }, ...about, at };
}

/** `relayed` and `expanded` say that somebody else has it now, which may come to anything. */
const TYPE_OF_ACTION: ReadonlyMap<string, ProviderEventType> = new Map([
  ['failed', 'bounced'],
  ['delayed', 'queued'],
  ['delivered', 'delivered'],
]);
/** Of the status, where a report lacks its action. */
const TYPE_OF_CLASS: ReadonlyMap<string, ProviderEventType> = new Map([
  ['5', 'bounced'],
  ['4', 'queued'],
  ['2', 'delivered'],
]);

/** RFC 5965 7.3; `opt-out` is of its drafts. What reports tell beside it (`not-spam`, `auth-failure`, `virus`) is no complaint of a person. */
const COMPLAINTS = new Set(['abuse', 'fraud', 'opt-out', 'opt-out-list', 'other']);

function ofFeedback(fields: Fields): Said[] {
  if (!COMPLAINTS.has((fields.get('feedback-type') ?? '').toLowerCase())) return [];
  const at = fields.get('arrival-date') ?? fields.get('received-date');
  return [{ type: 'complained', details: {}, email: addressIn(fields.get('original-rcpt-to')), at }];
}

/** Of `rfc822; ann@example.com` and the like; undefined: of another kind, as of X.400, or hidden from us. */
function addressIn(value: string | undefined): string | undefined {
  const address = bare((value ?? '').replace(/^(?:rfc822|utf-?8)\s*;/i, ''));
  return /^[^\s@;]+@[^\s@;]+$/.test(address) ? address : undefined;
}

function bare(address: string): string {
  return (/<([^<>]*)>/.exec(address)?.[1] ?? address).trim();
}

/** What a Message-ID says, without what somebody wrote behind it. */
function idIn(value: string | undefined): string | undefined {
  return /<([^<>\s]+)>/.exec(value ?? '')?.[1];
}

/** An id of the form of ours, wherever it stands. */
function idOfOurs(text: string): string | undefined {
  return /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}@[a-z0-9.-]{1,253}[a-z0-9]/.exec(text.slice(0, MOST_TEXT))?.[0];
}

function headersOf(mail: Email, ...names: readonly string[]): string[] {
  return mail.headers.filter(({ key }) => names.includes(key)).map(({ value }) => value);
}

/** Only to look for codes and words in it. */
function textOfHtml(html: string): string {
  return html.replace(/<br\s*\/?>|<\/(?:p|div|tr|li)>/gi, '\n').replace(/<[^<>]*>/g, ' ');
}

function timeOf(text: string | undefined, now: Date): Date {
  const time = new Date(text ?? '');
  return Number.isNaN(time.getTime()) || !isStorableTime(time) || time > now ? now : time;
}
