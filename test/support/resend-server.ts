import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What happens to one request beside what the API documents. */
export interface ResendFault {
  /** All keys so far are forgotten before the request is looked at, as after 24 hours. */
  readonly forgetsKeys?: boolean;
  /** Nothing is done with the request until then. Its key is being worked on meanwhile. */
  readonly heldUntil?: Promise<unknown>;
  readonly delayMs?: number;
  /** Nothing is taken: the connection is cut, or the request is refused. */
  readonly refused?: 'cut' | ResendError;
  /** Taken like any other, then the answer is lost: the connection is cut, or a gateway answers in its place. */
  readonly lost?: 'cut' | ResendError;
}

export interface ResendError {
  readonly status: number;
  readonly name: string;
  readonly message: string;
  readonly retryAfterSeconds?: number;
}

export const RATE_LIMITED: ResendError = {
  ...{ status: 429, name: 'rate_limit_exceeded', retryAfterSeconds: 1 },
  message: 'Too many requests. Please limit the number of requests per second.',
};
export const UNAVAILABLE: ResendError = { status: 503, name: 'service_unavailable', message: 'The service is not available for now.' };
export const BAD_GATEWAY: ResendError = { status: 502, name: 'bad_gateway', message: 'Bad gateway.' };

/** A request to send, as it came. */
export interface ResendRequest {
  readonly to: string;
  readonly key: string | undefined;
  readonly subject: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** A mail that was really taken: each of them would reach its recipient. */
export interface TakenMail extends ResendRequest {
  /** As the answer said. */
  readonly id: string;
  readonly html: string;
  readonly text: string;
  /** Those of the mail. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface ResendServer {
  /** For EMAIL_PROVIDER_URL. */
  readonly providerUrl: string;
  /** Every request to send, answered or not, oldest first. */
  readonly requests: readonly ResendRequest[];
  /** Every mail that was taken, oldest first: to all, or to this address. */
  taken(to?: string): readonly TakenMail[];
  /** Mails that were taken more than once: by recipient and subject, so that another key hides none. */
  takenTwice(): readonly TakenMail[];
  /** The next requests to an address, or to all of "@domain", or to anybody ("*"), meet these, one each. */
  next(place: string, ...faults: readonly ResendFault[]): void;
  /** Every request that `next` has nothing for meets this one. */
  always(fault: (request: ResendRequest) => ResendFault | undefined): void;
  /** Forgets all keys so far, as after 24 hours. */
  forgetKeys(): void;
  /** Refuses connections from now on. */
  goAway(): Promise<void>;
  /** Listens at the same port again. */
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

export interface ResendServerOptions {
  /** Milliseconds since 1970; by it keys grow old. */
  readonly now?: () => number;
}

const KEY_KEPT_MS = 24 * 3_600_000;
const LONGEST_KEY = 256;

interface KnownKey {
  readonly body: string;
  readonly at: number;
  /** Of the mail that was taken; undefined while the first request is being worked on. */
  id: string | undefined;
}

interface EmailBody {
  readonly from: string;
  readonly to: string | readonly string[];
  readonly subject: string;
  readonly html?: string;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Answer = 'cut' | { readonly id: string } | ResendError;

const invalid = (status: number, name: string, message: string): ResendError => ({ status, name, message });

/**
 * Answers as Resend documents it (resend.com/docs: api-reference/emails/send-email, api-reference/errors, dashboard/emails/idempotency-keys),
 * and keeps every mail in memory. Only a mail that was taken occupies its key; a refused request may come again with it.
 */
export async function startResendServer({ now = Date.now }: ResendServerOptions = {}): Promise<ResendServer> {
  const requests: ResendRequest[] = [];
  const mails: TakenMail[] = [];
  const keys = new Map<string, KnownKey>();
  const planned = new Map<string, ResendFault[]>();
  const sockets = new Set<Socket>();
  let usual: (request: ResendRequest) => ResendFault | undefined = () => undefined;

  const faultOf = (request: ResendRequest): ResendFault => {
    const places = [request.to, request.to.slice(request.to.indexOf('@')), '*'];
    const place = places.find((one) => (planned.get(one)?.length ?? 0) > 0);
    return (place === undefined ? usual(request) : planned.get(place)!.shift()) ?? {};
  };

  async function receive(incoming: IncomingMessage): Promise<Answer> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    if (incoming.url !== '/emails') return invalid(404, 'not_found', 'The requested endpoint does not exist.');
    if (incoming.method !== 'POST') return invalid(405, 'method_not_allowed', 'This endpoint does not support the specified HTTP method.');
    if (!/^Bearer ./.test(incoming.headers.authorization ?? ''))
      return invalid(401, 'missing_api_key', 'Missing API key in the authorization header.');
    const key = incoming.headers['idempotency-key'] as string | undefined;
    if (key !== undefined && (key === '' || key.length > LONGEST_KEY))
      return invalid(400, 'invalid_idempotency_key', `The key must be between 1-${LONGEST_KEY} chars.`);
    const body = readBody(text);
    if (!body) return invalid(422, 'missing_required_field', 'The request body is missing one or more required fields.');
    const to = bareAddress([body.to].flat()[0]!);
    const request: ResendRequest = { to, key, subject: body.subject, at: now() };
    requests.push(request);
    return work(request, text, body, faultOf(request));
  }

  async function work(request: ResendRequest, text: string, body: EmailBody, fault: ResendFault): Promise<Answer> {
    const { key } = request;
    if (fault.forgetsKeys) keys.clear();
    const known = key === undefined ? undefined : knownKey(key);
    const mine: KnownKey | undefined = key !== undefined && !known ? { body: text, at: request.at, id: undefined } : undefined;
    if (mine) keys.set(key!, mine);
    try {
      await fault.heldUntil;
      if (fault.delayMs !== undefined) await sleep(fault.delayMs);
      if (fault.refused) return fault.refused;
      if (known && known.body !== text)
        return invalid(409, 'invalid_idempotent_request', 'This idempotency key has been used with a different request body.');
      if (known && known.id === undefined)
        return invalid(409, 'concurrent_idempotent_requests', 'Another request with this idempotency key is being worked on.');
      const id = known?.id ?? take(request, body);
      if (mine) mine.id = id;
      return fault.lost ?? { id };
    } finally {
      if (mine && mine.id === undefined && keys.get(key!) === mine) keys.delete(key!);
    }
  }

  function knownKey(key: string): KnownKey | undefined {
    const known = keys.get(key);
    return known && now() - known.at < KEY_KEPT_MS ? known : undefined;
  }

  function take(request: ResendRequest, { html = '', text = '', headers = {} }: EmailBody): string {
    const id = crypto.randomUUID();
    mails.push({ ...request, id, html, text, headers });
    return id;
  }

  const server = createServer((incoming, response) => {
    receive(incoming).then(
      (answer) => reply(incoming, response, answer),
      // Its caller has gone in the middle.
      () => incoming.socket.destroy(),
    );
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const listen = (port: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject);
        resolve();
      });
    });
  const unlisten = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    providerUrl: `resend://re_test?baseUrl=http://127.0.0.1:${port}`,
    requests,
    taken: (to) => (to === undefined ? mails : mails.filter((mail) => mail.to === to)),
    takenTwice() {
      const same = Map.groupBy(mails, ({ to, subject }) => `${to} ${subject}`);
      return [...same.values()].flatMap((some) => some.slice(1));
    },
    next: (place, ...faults) => void planned.set(place, [...(planned.get(place) ?? []), ...faults]),
    always(fault) {
      usual = fault;
    },
    forgetKeys: () => keys.clear(),
    goAway: unlisten,
    comeBack: () => listen(port),
    close: async () => {
      if (server.listening) await unlisten();
    },
  };
}

function reply(incoming: IncomingMessage, response: ServerResponse, answer: Answer): void {
  if (answer === 'cut') return void incoming.socket.destroy();
  response.setHeader('content-type', 'application/json');
  if ('id' in answer) return void response.writeHead(200).end(JSON.stringify({ id: answer.id }));
  const { status, name, message, retryAfterSeconds } = answer;
  if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds));
  response.writeHead(status).end(JSON.stringify({ statusCode: status, name, message }));
}

function readBody(text: string): EmailBody | undefined {
  try {
    const body = JSON.parse(text) as Partial<EmailBody>;
    const isWhole = body.from && body.to && body.subject !== undefined && (body.html !== undefined || body.text !== undefined);
    return isWhole ? (body as EmailBody) : undefined;
  } catch {
    return undefined;
  }
}

/** Of "Ann <ann@example.org>" too. */
function bareAddress(shown: string): string {
  return (/<([^<>]+)>\s*$/.exec(shown)?.[1] ?? shown).trim().toLowerCase();
}
