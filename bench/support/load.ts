import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { buildGoProgram } from './go-program.ts';

export interface LoadResult {
  readonly seconds: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** How many answers had which status. */
  readonly answers: Readonly<Record<string, number>>;
  /** Requests without an answer. */
  readonly errors: number;
  /** The last answer that was no success, or the last error; "" when there was none. */
  readonly refused: string;
  /** What making the requests cost. */
  readonly clientCpuSeconds: number;
}

export interface Load {
  readonly url: string;
  readonly authorization: string;
  /** `{{n}}` in a string of it is the number of the request, from 0 and again from 0 after `numbers` requests. */
  readonly body: object;
  readonly numbers: number;
  readonly concurrency: number;
  readonly seconds: number;
}

/** What bench/http-load prints. */
type Printed = Omit<LoadResult, 'requestsPerSecond' | 'clientCpuSeconds'> & { readonly requests: number; readonly cpuSeconds: number };

/**
 * POSTs over keep-alive connections, as many at a time as `concurrency`, for so many seconds. The requests are made by a program in Go: it
 * costs what autocannon does, about 0.1 ms each, but in threads of its own, so that a server that is faster than one thread is not held back.
 */
export async function runLoad({ url, authorization, body, numbers, concurrency, seconds }: Load): Promise<LoadResult> {
  const args = {
    url,
    auth: authorization,
    body: JSON.stringify(body),
    mod: String(numbers),
    c: String(concurrency),
    d: `${seconds}s`,
  };
  const program = await buildGoProgram('http-load');
  const { stdout } = await promisify(execFile)(
    program,
    Object.entries(args).map(([name, value]) => `-${name}=${value}`),
  );
  const { requests, cpuSeconds, ...result } = JSON.parse(stdout) as Printed;
  return { requestsPerSecond: Math.round(requests / result.seconds), ...result, clientCpuSeconds: Number(cpuSeconds.toFixed(2)) };
}
