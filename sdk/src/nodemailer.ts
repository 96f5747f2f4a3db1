import { Everpost } from './client.js';
import { type BodyOf, type Schema, VERSION } from './generated/operations.js';
import type { ClientOptions } from './options.js';

type SendBody = BodyOf<'send'>;

const FIELDS = ['type', 'brand', 'locale', 'topic', 'tags', 'metadata', 'sendAt', 'ignoreWindow'] as const;

/** What Nodemailer has no word for: fields of `POST /send`, for all emails of a transport, or under `everpost` of one email. */
export type EverpostFields = Pick<SendBody, (typeof FIELDS)[number]>;

/** An email of Nodemailer with its own `everpost`, which Nodemailer's types do not know: `WithEverpost<SendMailOptions>`. */
export type WithEverpost<Mail> = Mail & { readonly everpost?: EverpostFields };

export interface EverpostTransportOptions extends ClientOptions, EverpostFields {
  /** In place of one that is made of the other options. */
  readonly client?: Pick<Everpost, 'send' | 'me'>;
}

/** What `sendMail` answers. */
export interface EverpostInfo {
  /** The id of the email in the send log. */
  readonly messageId: string;
  readonly envelope: { from: string | false; to: string[] };
  readonly accepted: string[];
  /** Copies that do not go, since their addresses are suppressed. */
  readonly rejected: string[];
  readonly response: string;
  /** As `POST /send` answers it; absent when nothing is. */
  readonly missing?: readonly string[];
  /** As `POST /send` answers them; absent when there are none. */
  readonly warnings?: readonly Schema<'Warning'>[];
}

interface Mailbox {
  readonly name?: string;
  readonly address?: string;
  readonly group?: readonly Mailbox[];
}

interface File {
  readonly filename?: string | false;
  readonly content?: unknown;
  readonly encoding?: string;
  readonly contentType?: string;
  readonly contentDisposition?: string;
  readonly cid?: string;
  readonly headers?: object;
}

interface Calendar extends File {
  readonly method?: string;
}

/** As Nodemailer's `normalize` leaves it: addresses parsed, files read. */
interface Normalized {
  readonly from?: Mailbox | null;
  readonly sender?: Mailbox | null;
  readonly to?: readonly Mailbox[] | null;
  readonly cc?: readonly Mailbox[] | null;
  readonly bcc?: readonly Mailbox[] | null;
  readonly replyTo?: readonly Mailbox[] | null;
  readonly subject?: string;
  readonly html?: unknown;
  readonly text?: unknown;
  readonly attachments?: readonly File[];
  readonly alternatives?: readonly File[];
  readonly icalEvent?: Calendar;
  readonly normalizedHeaders: Readonly<Record<string, unknown>>;
  readonly messageId: string;
  readonly envelope: EverpostInfo['envelope'];
}

/** Nodemailer's message, as far as the transport uses it. */
export interface NodemailerMessage {
  // biome-ignore lint/suspicious/noExplicitAny: Nodemailer's own type differs from version to version
  readonly data: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  normalize(callback: (error: Error | null, data?: any) => void): void;
}

/** A transport of Nodemailer. */
export interface EverpostTransport {
  readonly name: string;
  readonly version: string;
  send(mail: NodemailerMessage, callback: (error: Error | null, info: EverpostInfo) => void): void;
  /** Whether the address and the key are right. */
  verify(): Promise<true>;
  verify(callback: (error: Error | null, success: true) => void): void;
}

/** Headers that a call may set. Whatever else Nodemailer makes is dropped, as by SMTP. */
const OWN_HEADER = /^(x-.+|references|in-reply-to|list-.+)$/i;
const MOST_KEY_CHARACTERS = 200;

/** Emails of Nodemailer go by `POST /send`: `nodemailer.createTransport(everpostTransport())`. */
export function everpostTransport(options: EverpostTransportOptions = {}): EverpostTransport {
  const { client, ...rest } = options;
  const isField = (name: string): boolean => FIELDS.some((field) => field === name);
  const everpost = client ?? new Everpost(entriesOf(rest, (name) => !isField(name)));
  const fields: EverpostFields = entriesOf(rest, isField);
  return {
    name: 'Everpost',
    version: VERSION,
    send(mail, callback) {
      sendMail(everpost, fields, mail).then(
        (info) => callback(null, info),
        (error: Error) => callback(error, undefined as never),
      );
    },
    verify(callback?: (error: Error | null, success: true) => void) {
      const verified = everpost.me().then(() => true as const);
      if (callback === undefined) return verified;
      verified.then(
        () => callback(null, true),
        (error: Error) => callback(error, undefined as never),
      );
      return undefined as never;
    },
  };
}

async function sendMail(everpost: Pick<Everpost, 'send'>, fields: EverpostFields, mail: NodemailerMessage): Promise<EverpostInfo> {
  refuseWhatWouldBeLost(mail.data);
  makeReadable(mail.data);
  const data = await normalized(mail);
  if (data.sender?.address && data.sender.address.toLowerCase() !== data.from?.address?.toLowerCase())
    throw new TypeError('sender: an email is from one address, that of from; leave it out');
  if (mailboxes('replyTo', data.replyTo).length > 1) throw new TypeError('replyTo: an email has one address for replies; give one');
  const body = bodyOf(data, fields);
  const answer = await everpost.send(body, { idempotencyKey: await keyOf(data.messageId) });
  const rejected = 'leftOut' in answer && answer.leftOut ? answer.leftOut.map(({ email }) => email) : [];
  return {
    messageId: answer.id ?? data.messageId,
    envelope: data.envelope,
    accepted: data.envelope.to.filter((address) => !rejected.includes(address.toLowerCase())),
    rejected,
    response: 'sendAt' in answer ? `scheduled for ${answer.sendAt}` : 'sent',
    ...('missing' in answer ? { missing: answer.missing } : {}),
    ...('warnings' in answer ? { warnings: answer.warnings } : {}),
  };
}

const MADE_HERE = 'Everpost makes the message and its envelope of the other fields';
const TWO_PARTS = 'an email has HTML and text';

/** Fields of Nodemailer that `POST /send` has no place for, and why. */
const REFUSED: Readonly<Record<string, string>> = {
  raw: MADE_HERE,
  envelope: MADE_HERE,
  dkim: MADE_HERE,
  amp: TWO_PARTS,
  watchHtml: TWO_PARTS,
  dsn: 'what became of an email is told by webhooks',
  otp: 'an email cannot have the header OTP-Token',
  requireTLSExtensionEnabled: 'an email cannot ask for its way to the recipient',
};

/** What would be lost is refused in words, so that nothing is missing from an email that went. */
function refuseWhatWouldBeLost(data: NodemailerMessage['data']): void {
  const { alternatives, headers, everpost } = data;
  const refused = Object.entries(REFUSED).find(([name]) => data[name]);
  if (refused) throw new TypeError(`${refused.join(': ')}; leave it out`);
  const unknown = Object.keys(everpost ?? {}).find((name) => !FIELDS.some((field) => field === name));
  if (unknown !== undefined) throw new TypeError(`everpost: ${unknown} is no field of it; it takes ${FIELDS.join(', ')}`);
  const others = ((alternatives ?? []) as File[]).filter(({ contentType }) => !contentType?.startsWith('text/calendar'));
  if (others.length > 0) throw new TypeError('alternatives: only invitations can be sent, those with the contentType text/calendar');
  // Nodemailer would keep the first.
  const given: [string, unknown][] = Array.isArray(headers)
    ? headers.map(({ key, value }: { key: string; value: unknown }) => [key, value])
    : Object.entries(headers ?? {});
  const names = given.flatMap(([name, value]) => (Array.isArray(value) ? value.map(() => name) : [name])).map((name) => name.toLowerCase());
  const twice = names.find((name, at) => OWN_HEADER.test(name) && names.indexOf(name) !== at);
  if (twice !== undefined) throw new TypeError(`headers: ${twice} has several values; give one`);
}

/** Nodemailer's `normalize` knows no bytes but a Buffer's and changes what it reads: it gets parts that it knows, in objects of their own. */
function makeReadable(data: NodemailerMessage['data']): void {
  for (const name of ['html', 'text', 'icalEvent']) if (data[name]) data[name] = readable(name, data[name]);
  for (const name of ['attachments', 'alternatives'])
    if (data[name]) data[name] = [data[name]].flat().map((part: unknown, at: number) => readable(`${name}[${at}]`, part));
}

/** What Nodemailer reads from elsewhere. */
interface Source {
  readonly path?: unknown;
  readonly href?: unknown;
}

/** Refuses what Nodemailer would leave empty, and what a file of an email cannot have. */
function readable(name: string, part: unknown): unknown {
  if (typeof part === 'string' || isStream(part)) return part;
  const ownBytes = bytesOf(part);
  if (ownBytes) return { content: base64(ownBytes), encoding: 'base64' };
  const file = { ...(part as File & Source & { readonly raw?: unknown }) };
  if (file.raw) throw new TypeError(`${name}: \`raw\` cannot be sent; give \`content\`, \`path\` or \`href\``);
  if (Object.keys(file.headers ?? {}).length > 0)
    throw new TypeError(`${name}: \`headers\` of its own cannot be sent; leave them out, and give a Content-ID as \`cid\``);
  if (/^inline$/i.test(file.contentDisposition ?? '') && !file.cid)
    throw new TypeError(`${name}: only an image of the page can be inline; give it a \`cid\`, or leave \`contentDisposition\` out`);
  const bytes = bytesOf(file.content);
  if (bytes) return { ...file, content: base64(bytes), encoding: 'base64' };
  const uri = addressOf(file.content ?? file);
  if (typeof file.content !== 'string' && !isStream(file.content) && !uri)
    throw new TypeError(
      `${name}: give a string, bytes (a Buffer or Uint8Array), a stream, or a \`path\` or \`href\`; there is none of them`,
    );
  if (/^data:/i.test(String(uri)) && !/^data:[^,]*,/.test(String(uri)))
    throw new TypeError(`${name}: this is no data URI; write it like data:text/plain;base64,aGk=`);
  return file;
}

function isStream(value: unknown): boolean {
  return typeof (value as { readonly pipe?: unknown } | null | undefined)?.pipe === 'function';
}

function addressOf(value: unknown): unknown {
  const { path, href } = (value ?? {}) as Source;
  return path || href;
}

/** The bytes of an ArrayBuffer or of a view of one, as a Buffer is; undefined: it is neither. */
function bytesOf(value: unknown): Uint8Array | undefined {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  return ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : undefined;
}

function normalized(mail: NodemailerMessage): Promise<WithEverpost<Normalized>> {
  return new Promise((resolve, reject) => mail.normalize((error, data) => (error ? reject(error) : resolve(data))));
}

function bodyOf(data: WithEverpost<Normalized>, fields: EverpostFields): SendBody {
  const [to, ...others] = mailboxes('to', data.to);
  // An address of `bcc` in the place of `to` would be shown to all the others.
  if (to === undefined) throw new TypeError('to: there is no address in it; an email needs a recipient who may be seen, beside cc and bcc');
  const [replyTo] = mailboxes('replyTo', data.replyTo);
  const cc = [...others, ...mailboxes('cc', data.cc)];
  const bcc = mailboxes('bcc', data.bcc);
  const attachments = [...(data.attachments ?? []), ...invitations(data)].map(attachmentOf);
  const html = asText(data.html);
  const text = asText(data.text);
  const headers = headersOf(data.normalizedHeaders);
  const body = {
    ...fields,
    ...entriesOf(data.everpost ?? {}),
    type: data.everpost?.type ?? fields.type ?? 'transactional',
    to,
    subject: literally(data.subject?.trim() || '(no subject)'),
    ...(data.from?.address ? { from: { email: data.from.address, ...(data.from.name ? { name: data.from.name } : {}) } } : {}),
    ...(cc.length > 0 ? { cc } : {}),
    ...(bcc.length > 0 ? { bcc } : {}),
    ...(replyTo === undefined ? {} : { replyTo }),
    ...(html === undefined ? {} : { html: literally(html) }),
    // A message without any words is an empty line, as it is by SMTP.
    ...(text === undefined ? (html === undefined ? { text: '\n' } : {}) : { text: literally(text) }),
    ...(attachments.length > 0 ? { attachments } : {}),
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
  };
  // Either part may be missing, which the types cannot follow; one of them is there.
  return body as typeof body & { html: string };
}

/** Contents of a call are Liquid; what Nodemailer sends is what it says. */
function literally(text: string): string {
  return text.replace(/\{[{%]/g, (begin) => `{{ "${begin}" }}`);
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** `Ann <ann@example.com>`, each; groups are their members. Throws a TypeError for one without an address, who would get nothing. */
function mailboxes(field: string, list: readonly Mailbox[] | null | undefined): string[] {
  return (list ?? []).flatMap(({ name, address, group }) => {
    if (group) return mailboxes(field, group);
    if (!address)
      throw new TypeError(`${field}: ${JSON.stringify(name ?? '')} is no address; write ann@example.com or Ann <ann@example.com>`);
    return name ? `"${name.replace(/["\\]/g, '\\$&')}" <${address}>` : address;
  });
}

/** An invitation is a file that readers of mails offer to put into a calendar. */
function invitations({ icalEvent, alternatives = [] }: Normalized): File[] {
  const calendars = alternatives.filter(({ contentType }) => contentType?.startsWith('text/calendar'));
  return [...(icalEvent ? [icalEvent] : []), ...calendars].map((calendar) => {
    refuseMethodOutside(calendar);
    const { filename, content, encoding } = calendar;
    return { filename: filename || 'invite.ics', contentType: 'text/calendar', content, ...(encoding === undefined ? {} : { encoding }) };
  });
}

/** A media type goes without parameters, so that only the calendar can say its method. */
function refuseMethodOutside({ method, contentType, content, encoding }: Calendar): void {
  const asked = (method || /;\s*method="?([\w-]+)/i.exec(contentType ?? '')?.[1])?.trim().toUpperCase();
  const text = typeof content === 'string' ? content : '';
  const own = /^METHOD[^:\r\n]*:(.*)$/im
    .exec(encoding === 'base64' ? atob(text) : text)?.[1]
    ?.trim()
    .toUpperCase();
  if (asked && asked !== own)
    throw new TypeError(`icalEvent: its method has to stand in the calendar; write the line METHOD:${asked} there`);
}

function attachmentOf({ filename, content, encoding, contentType, cid }: File): NonNullable<SendBody['attachments']>[number] {
  const [mediaType] = (contentType ?? '').split(';');
  // Nodemailer gives the file itself for a content that is empty.
  const text = typeof content === 'string' ? content : '';
  return {
    filename: filename || 'attachment',
    content: encoding === 'base64' ? text.replace(/\s/g, '') : base64(new TextEncoder().encode(text)),
    ...(mediaType ? { contentType: mediaType.trim() } : {}),
    ...(cid ? { contentId: cid } : {}),
  };
}

function base64(bytes: Uint8Array): string {
  let characters = '';
  for (const byte of bytes) characters += String.fromCharCode(byte);
  return btoa(characters);
}

function headersOf(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  const own = Object.entries(headers).filter(([name, value]) => OWN_HEADER.test(name) && value !== undefined && value !== null);
  return Object.fromEntries(own.map(([name, value]) => [name, String(value).replace(/\s+/g, ' ').trim()]));
}

/** The same message is the same email: a call that is repeated with its `messageId` sends once. */
async function keyOf(messageId: string): Promise<string> {
  if (messageId.length <= MOST_KEY_CHARACTERS && /^[\x21-\x7e]+$/.test(messageId)) return messageId;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(messageId));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Those of an object that are there and have such a name. */
function entriesOf(object: object, has: (name: string) => boolean = () => true): object {
  return Object.fromEntries(Object.entries(object).filter(([name, value]) => value !== undefined && has(name)));
}
