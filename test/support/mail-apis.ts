import { randomUUID } from 'node:crypto';
import { type HttpReaction, httpDouble, type ReceivedRequest } from '../platform/mail/http-doubles.ts';

/** A mail that was really taken: each of them would reach its recipients. */
export interface TakenByApi {
  /** As the answer said. */
  readonly id: string;
  /** Bare addresses: of the envelope. */
  readonly recipients: readonly string[];
  readonly sendId: string | undefined;
  /** As it was given. */
  // biome-ignore lint/suspicious/noExplicitAny: tests compare what they find
  readonly mail: any;
}

/** What happens to a request beside what the API documents. `lost`: its mails are taken, and then this comes in place of the answer. */
export type ApiFault = HttpReaction | { readonly lost: HttpReaction };

export interface MailApiServer {
  /** For EMAIL_PROVIDER_URL. */
  readonly providerUrl: string;
  /** Every request, answered or not. */
  readonly requests: readonly ReceivedRequest[];
  readonly taken: readonly TakenByApi[];
  /** The next requests meet these, one each. */
  next(...faults: ApiFault[]): void;
  close(): Promise<void>;
}

/** An answer to a request, and the mails that it takes. */
interface Work {
  readonly takes: readonly TakenByApi[];
  readonly answer: HttpReaction;
}

const json = (status: number, body: unknown, headers = {}): HttpReaction => ({ status, headers, body: JSON.stringify(body) });
const bare = (shown: string): string => (/<([^<>]+)>\s*$/.exec(shown)?.[1] ?? shown).trim();

async function mailApi(providerUrl: (baseUrl: string) => string, work: (request: ReceivedRequest) => Work): Promise<MailApiServer> {
  const taken: TakenByApi[] = [];
  const faults: ApiFault[] = [];
  const { url, requests, close } = await httpDouble((request) => {
    const fault = faults.shift();
    if (fault && (typeof fault === 'string' || 'status' in fault)) return fault;
    const { takes, answer } = work(request);
    taken.push(...takes);
    return fault?.lost ?? answer;
  });
  return { providerUrl: providerUrl(url), requests, taken, next: (...planned) => void faults.push(...planned), close };
}

/** Addresses to which Postmark does not send any more are those at this domain. */
export const INACTIVE = 'inactive.example';
const POSTMARK_TOKEN = 'c7a1bf0e-2c3d-4e5f-8a9b-0c1d2e3f4a5b';
const POSTMARK_MEMBERS =
  'From To Cc Bcc ReplyTo Subject HtmlBody TextBody Headers TrackOpens TrackLinks Metadata MessageStream Attachments';

/** Answers as Postmark documents it (postmarkapp.com/developer/api: email-api, overview). */
export function startPostmark(query = ''): Promise<MailApiServer> {
  // biome-ignore lint/suspicious/noExplicitAny: a request's body may be anything
  const one = (mail: any): { readonly result: object; readonly takes: readonly TakenByApi[] } => {
    const refused = (ErrorCode: number, Message: string) => ({ result: { ErrorCode, Message }, takes: [] });
    const unknown = Object.keys(mail).find((name) => !POSTMARK_MEMBERS.split(' ').includes(name));
    if (unknown) return refused(403, `The field ${unknown} is not known.`);
    if (!mail.From?.includes('@')) return refused(300, "Invalid 'From' address.");
    const all = [mail.To, mail.Cc, mail.Bcc].flatMap((list) => (list ? list.split(/,\s*(?=[^"]*(?:"[^"]*"[^"]*)*$)/) : [])).map(bare);
    const inactive = all.filter((address) => address.endsWith(`@${INACTIVE}`)).map((address) => address.toLowerCase());
    const reason = 'Inactive recipients are ones that have generated a hard bounce, a spam complaint, or a manual suppression.';
    const found = `inactive addresses: ${inactive.join(', ')}. ${reason}`;
    if (inactive.length === all.length)
      return refused(406, `You tried to send to recipient(s) that have been marked as inactive. Found ${found}`);
    const id = randomUUID();
    const message = inactive.length === 0 ? 'OK' : `Message OK, but will not deliver to these ${found}`;
    const recipients = all.filter((address) => !inactive.includes(address.toLowerCase()));
    return {
      result: { To: mail.To, SubmittedAt: '2026-01-02T03:04:05.0000000Z', MessageID: id, ErrorCode: 0, Message: message },
      takes: [{ id, recipients, sendId: mail.Metadata?.everpost_send_id, mail }],
    };
  };
  return mailApi(
    (url) => `postmark://${POSTMARK_TOKEN}?baseUrl=${url}${query}`,
    ({ path, headers, body }) => {
      if (headers['x-postmark-server-token'] !== POSTMARK_TOKEN)
        return { takes: [], answer: json(401, { ErrorCode: 10, Message: 'Bad or missing API token.' }) };
      const value = JSON.parse(body);
      if (path === '/email') {
        const { result, takes } = one(value);
        return { takes, answer: json(takes.length > 0 ? 200 : 422, result) };
      }
      if (path !== '/email/batch' || !Array.isArray(value)) return { takes: [], answer: { status: 404, body: '' } };
      if (value.length > 500) return { takes: [], answer: json(422, { ErrorCode: 410, Message: 'Too many batch messages.' }) };
      const results = value.map(one);
      const answers = results.map(({ result }) => result);
      return { takes: results.flatMap(({ takes }) => takes), answer: json(200, answers) };
    },
  );
}

/** Answers as SendGrid documents it (twilio.com/docs/sendgrid/api-reference/mail-send). */
export function startSendgrid(): Promise<MailApiServer> {
  return mailApi(
    (url) => `sendgrid://SG.key-1_2.abc?baseUrl=${url}`,
    ({ path, headers, body }) => {
      const refused = (status: number, message: string, field: string | null = null): Work => ({
        takes: [],
        answer: json(status, { errors: [{ message, field, help: null }] }),
      });
      if (path !== '/v3/mail/send') return refused(404, 'not found');
      if (headers.authorization !== 'Bearer SG.key-1_2.abc') return refused(401, 'The provided authorization grant is invalid');
      const mail = JSON.parse(body);
      if (mail.from.email.endsWith('@unverified.example'))
        return refused(403, 'The from address does not match a verified Sender Identity.', 'from');
      const [{ to, cc = [], bcc = [] }] = mail.personalizations;
      const recipients = [...to, ...cc, ...bcc].map(({ email }: { email: string }) => email);
      if (new Set(recipients).size < recipients.length) return refused(400, 'Each email address should be unique.', 'personalizations');
      if (mail.content.some(({ value }: { value: string }) => value === ''))
        return refused(400, 'The content value must be a string', 'content');
      const id = randomUUID().replaceAll('-', '').slice(0, 22);
      return {
        takes: [{ id, recipients, sendId: mail.custom_args?.everpost_send_id, mail }],
        answer: { status: 202, headers: { 'x-message-id': id }, body: '' },
      };
    },
  );
}

const MAILGUN_DOMAIN = 'mg.sender.example';

/** Answers as Mailgun documents it (documentation.mailgun.com, messages.mime). Of a mail its test has the fields, with `message`. */
export function startMailgun(): Promise<MailApiServer> {
  const authorization = `Basic ${Buffer.from('api:key-1a2b3c').toString('base64')}`;
  return mailApi(
    (url) => `mailgun://key-1a2b3c@${MAILGUN_DOMAIN}?baseUrl=${url}`,
    ({ path, headers, body }) => {
      if (headers.authorization !== authorization) return { takes: [], answer: { status: 401, body: 'Forbidden' } };
      if (path !== `/v3/${MAILGUN_DOMAIN}/messages.mime`) return { takes: [], answer: json(404, { message: 'Domain not found' }) };
      const fields = formFields(body, headers['content-type'] ?? '');
      const [message] = fields.get('message') ?? [];
      const id = message && /^Message-ID: (<[^>]+>)\r$/m.exec(message)?.[1];
      const recipients = fields.get('to') ?? [];
      if (!id || recipients.length === 0) return { takes: [], answer: json(400, { message: 'to and message are required' }) };
      const [sendId] = fields.get('v:everpost_send_id') ?? [];
      const mail = { ...Object.fromEntries(fields), message };
      return { takes: [{ id, recipients, sendId, mail }], answer: json(200, { id, message: 'Queued. Thank you.' }) };
    },
  );
}

/** The fields of multipart/form-data (RFC 7578), each with its values. */
function formFields(body: string, contentType: string): Map<string, string[]> {
  const boundary = /^multipart\/form-data; boundary=(\S+)$/.exec(contentType)?.[1];
  if (!boundary || !body.endsWith(`\r\n--${boundary}--\r\n`)) return new Map();
  const parts = `\r\n${body}`.split(`\r\n--${boundary}`).slice(1, -1);
  const fields = new Map<string, string[]>();
  for (const part of parts) {
    const [head = '', ...rest] = part.split('\r\n\r\n');
    const name = / name="([^"]+)"/.exec(head)?.[1] ?? '';
    fields.set(name, [...(fields.get(name) ?? []), rest.join('\r\n\r\n')]);
  }
  return fields;
}
