import { setTimeout as sleep } from 'node:timers/promises';
import { mailCalls } from './mail-calls.ts';
import type { Call, CallKind } from './observed.ts';
import type { Random } from './random.ts';

/** What a caller asks for. */
export interface Asked extends Pick<Call, 'kind' | 'method' | 'path' | 'body' | 'key' | 'about'> {}

/** Calls the API, and keeps every answer. */
export interface Driver {
  readonly calls: readonly Call[];
  /** One call, of any API process. Never throws. */
  call(asked: Asked, ask?: Ask): Promise<Call>;
  /** Again while the connection breaks or the answer says to come again, as docs/contract/http.md 27 advises; until the time is over. Answers with the last. */
  insist(asked: Asked, until?: number, ask?: Ask): Promise<Call>;
}

/** Asks in another way than by HTTP. Throws where there was no answer. */
export type Ask = () => Promise<Pick<Call, 'status' | 'answer'>>;

/** Longer than the API lets a call take, and than a process is stopped. */
const PATIENCE_MS = 40_000;
const PAUSE_MS = { least: 300, most: 1_500 };

export function createDriver({
  apiUrls,
  apiKey,
  random,
  insistUntil,
}: {
  readonly apiUrls: readonly string[];
  readonly apiKey: string;
  readonly random: Random;
  /** Nobody insists for longer. Milliseconds since 1970. */
  readonly insistUntil: () => number;
}): Driver {
  const calls: Call[] = [];
  const byHttp = async ({ method, path, body, key }: Asked): ReturnType<Ask> => {
    const response = await fetch(`${random.one(apiUrls)}/api/v1${path}`, {
      method,
      signal: AbortSignal.timeout(PATIENCE_MS),
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, answer: response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text };
  };
  const call: Driver['call'] = async (asked, ask = () => byHttp(asked)) => {
    const sentAt = Date.now();
    // Without an answer what became of it is unknown.
    const { status, answer } = await ask().catch(() => ({ status: null, answer: undefined }));
    const made: Call = { ...asked, sentAt, answeredAt: Date.now(), status, answer };
    calls.push(made);
    return made;
  };
  return {
    calls,
    call,
    async insist(asked, until = Number.POSITIVE_INFINITY, ask) {
      let last = await call(asked, ask);
      while (comesAgain(last) && Date.now() < Math.min(until, insistUntil())) {
        await sleep(random.between(PAUSE_MS.least, PAUSE_MS.most));
        last = await call(asked, ask);
      }
      return last;
    },
  };
}

/** Of a batch that was answered, because of one of its mails that is to go at once. */
function comesAgain({ kind, status, ...call }: Call): boolean {
  if (kind === 'batch' && status === 200)
    return mailCalls([{ kind, status, ...call }]).some((one) => one.kind === 'send' && comesAgain(one));
  return status === null || status === 409 || status === 429 || status >= 500;
}

/** A call that only reads. */
export function reading(path: string): Asked {
  return { kind: 'read' satisfies CallKind, method: 'GET', path };
}
