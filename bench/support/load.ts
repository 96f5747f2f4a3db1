import { createRequire } from 'node:module';
import { percentile } from './report.ts';

interface LoadRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

interface Instance {
  on(event: 'response', listener: (client: unknown, status: number, bytes: number, milliseconds: number) => void): void;
  on(event: 'done', listener: (result: { readonly duration: number; readonly errors: number; readonly timeouts: number }) => void): void;
}

/** As far as it is used here; the package has no types. */
type Autocannon = (
  options: {
    readonly url: string;
    readonly connections: number;
    readonly duration: number;
    readonly timeout: number;
    readonly requests: readonly { readonly setupRequest: (request: LoadRequest) => LoadRequest }[];
  },
  done: (error: Error | null) => void,
) => Instance;

const autocannon = createRequire(import.meta.url)('autocannon') as Autocannon;

export interface LoadResult {
  readonly seconds: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** How many answers had which status. */
  readonly answers: Readonly<Record<string, number>>;
  /** Requests without an answer. */
  readonly errors: number;
}

export interface Load {
  readonly url: string;
  readonly concurrency: number;
  readonly seconds: number;
  /** Makes one request out of autocannon's template; called for each. */
  readonly request: () => { readonly path: string; readonly headers: Record<string, string>; readonly body: object };
}

/** POSTs over keep-alive connections, as many at a time as `concurrency`, for so many seconds. */
export function runLoad({ url, concurrency, seconds, request }: Load): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const latencies: number[] = [];
    const answers: Record<string, number> = {};
    const setupRequest = (template: LoadRequest): LoadRequest => {
      const { path, headers, body } = request();
      return {
        ...template,
        method: 'POST',
        path,
        headers: { ...template.headers, ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      };
    };
    const options = { url, connections: concurrency, duration: seconds, timeout: 30, requests: [{ setupRequest }] };
    const instance = autocannon(options, (error) => error && reject(error));
    instance.on('response', (_client, status, _bytes, milliseconds) => {
      latencies.push(milliseconds);
      answers[status] = (answers[status] ?? 0) + 1;
    });
    instance.on('done', ({ duration, errors, timeouts }) => {
      resolve({
        seconds: duration,
        requestsPerSecond: Math.round(latencies.length / duration),
        p50Ms: percentile(latencies, 0.5),
        p99Ms: percentile(latencies, 0.99),
        answers,
        errors: errors + timeouts,
      });
    });
  });
}
