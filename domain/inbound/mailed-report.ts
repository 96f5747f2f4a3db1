import PostalMime, { type Attachment, type Email } from 'postal-mime';
import { isStorableTime } from '../instant.ts';
import { sha256 } from '../projects/crypto.ts';
import { sendIdIn } from '../sends/return-path.ts';
import { storable } from '../storable-text.ts';
import { bounceOf } from './bounce-kind.ts';
import { NotAnEvent, type ProviderEventType, type ReportedEvent } from './event.ts';
import { plainMessageId } from './parse.ts';
import { readPlainBounce, saidBeforeCopy } from './plain-bounce.ts';
import { type Fields, fieldBlocks, fieldsOf } from './report-fields.ts';

/** Of a mail so much is read: what is said of the delivery comes before the mail that came back. */
export const MOST_REPORT_BYTES = 256 * 1024;
/** A line costs as much as some hundred bytes. */
const MOST_LINES = 8_000;
const MOST_RECIPIENTS = 100;
/** Characters. */
const MOST_TEXT = 64 * 1024;
const MOST_KEPT_TEXT = 8_000;
const LIMITS = { maxNestingDepth: 20, maxHeadersSize: 256 * 1024, forceRfc822Attachments: true };

/** One thing that a mail says about another. */
interface Said extends Pick<ReportedEvent, 'type' | 'details'> {
  readonly email?: string | undefined;
  readonly at?: string | undefined;
}

/**
 * What a mail says that came back: bounces and delays (RFC 3464, and the forms of qmail, Exim and others that are not), complaints (RFC 5965).
 * `sentTo`: whom its envelope names. None where it is no such mail: an absence note, an answer of a person. Throws NotAnEvent for what is no
 * mail at all.
 */
export async function readMailedReport(message: Uint8Array, now: Date, sentTo?: string): Promise<ReportedEvent[]> {
  const mail = await parse(beginOf(message));
  const parts = mail.attachments.map(partOf);
  const status = parts.find(({ type }) => /^message\/(?:global-)?delivery-status$/.test(type))?.text;
  const feedback = parts.find(({ type }) => type === 'message/feedback-report')?.text;
  const plain = (mail.text ?? textOfHtml(mail.html ?? '')).slice(0, MOST_TEXT).replaceAll('\r\n', '\n');
  // Some write the part for programs as if it were for people.
  const inText = /^Final-Recipient:/im.test(plain) ? plain.slice(plain.search(/^(?:Reporting-MTA|Final-Recipient):/im)) : undefined;
  const said = feedback === undefined ? ofDelivery(status ?? inText, mail, plain) : ofFeedback(fieldsOf(feedback));
  if (said.length === 0) return [];
  const returned = parts.find(({ type }) =>
    /^(?:message\/(?:rfc822|global)|text\/rfc822-headers|message\/global-headers)$/.test(type),
  )?.text;
  const original = fieldsOf(returned ?? saidBeforeCopy(plain).copy.replace(/^[^\n]*\n+/, ''));
  const [sendId] = [
    ...[sentTo, ...headersOf(mail, 'to', 'delivered-to', 'x-original-to', 'envelope-to', 'x-envelope-to')],
    ...[feedback && fieldsOf(feedback).get('original-mail-from'), original.get('return-path'), original.get('x-return-path')],
  ].flatMap((address) => sendIdIn(bare(address ?? '')) ?? []);
  const messageId = original.get('message-id') ?? (status && fieldsOf(status).get('x-original-message-id')) ?? mail.inReplyTo;
  const about = sendId ? { providerIds: [], sendId } : { providerIds: messageId ? [plainMessageId(messageId.trim())] : [] };
  const kept = storable((feedback ?? status ?? plain).slice(0, MOST_KEPT_TEXT));
  const report = mail.messageId ?? sha256(kept).toString('hex');
  return said.map(({ type, details, email, at }) => ({
    ...{
      key: storable([report, sendId ?? messageId ?? '', type, email ?? ''].join('|')),
      type,
      details,
      body: kept,
      occurredAt: timeOf(at ?? mail.date, now),
    },
    ...about,
    ...(email && { email: storable(email) }),
  }));
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

async function parse(message: Uint8Array): Promise<Email> {
  const mail = await PostalMime.parse(message, LIMITS).catch(() => undefined);
  if (!mail?.headers.some(({ value }) => value !== ''))
    throw new NotAnEvent([{ path: '', message: 'the body is no mail that can be read' }]);
  return mail;
}

function partOf({ mimeType: type, content }: Attachment): { readonly type: string; readonly text: string } {
  const text = typeof content === 'string' ? content : Buffer.from(content as Uint8Array).toString('utf8');
  return { type, text: text.slice(0, MOST_TEXT).replaceAll('\r\n', '\n') };
}

function ofDelivery(status: string | undefined, mail: Email, text: string): Said[] {
  if (status !== undefined) {
    const recipients = fieldBlocks(status).filter((fields) => fields.has('final-recipient') || fields.has('original-recipient'));
    return recipients.slice(0, MOST_RECIPIENTS).flatMap((fields) => ofRecipient(fields, text) ?? []);
  }
  const from = mail.from && 'address' in mail.from ? (mail.from.address ?? '') : '';
  const failedRecipients = headersOf(mail, 'x-failed-recipients').flatMap((list) => list.split(',').map((one) => one.trim()));
  const bounce = readPlainBounce({ from, subject: mail.subject ?? '', text, failedRecipients: failedRecipients.slice(0, MOST_RECIPIENTS) });
  if (bounce === undefined) return [];
  if (bounce === 'delayed') return [{ type: 'queued', details: {} }];
  return bounce.failures.map(({ recipient, ...failure }) => ({
    type: 'bounced',
    details: { bounce: bounceOf(failure) },
    email: recipient,
  }));
}

/** RFC 3464 2.3. undefined: nothing that counts. */
function ofRecipient(fields: Fields, text: string): Said | undefined {
  const type = TYPE_OF_ACTION.get((fields.get('action') ?? 'failed').split(/[\s(]/)[0]!.toLowerCase());
  if (!type) return undefined;
  const said = { email: addressIn(fields.get('original-recipient')) ?? addressIn(fields.get('final-recipient')) };
  const at = fields.get('last-attempt-date');
  if (type !== 'bounced') return { type, details: {}, ...said, at };
  const status = /[245]\.\d{1,3}\.\d{1,3}/.exec(fields.get('status') ?? '')?.[0];
  const words = fields.get('diagnostic-code')?.replace(/^[\w-]+\s*;\s*/, '') ?? saidBeforeCopy(text).said;
  return { type, details: { bounce: bounceOf({ status, words }) }, ...said, at };
}

/** `relayed` and `expanded` say that somebody else has it now, which may come to anything. */
const TYPE_OF_ACTION: ReadonlyMap<string, ProviderEventType> = new Map([
  ['failed', 'bounced'],
  ['delayed', 'queued'],
  ['delivered', 'delivered'],
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
