import { Everpost } from '@everpost/client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Everpost as Server, startEverpost } from '../../support/everpost.ts';
import { mailNow } from '../../support/mail.ts';
import { newProject } from '../../support/project.ts';

let server: Server;
beforeAll(async () => {
  server = await startEverpost({ env: { RATE_LIMIT_BURST: '10', RATE_LIMIT_PER_SECOND: '10' }, worker: false });
});
afterAll(() => server?.stop());

test('a hundred calls at once above the rate limit all succeed, and each email goes once', async () => {
  const project = await newProject({ everpost: server });
  /** What each call was answered, by its idempotency key. */
  const statuses: Record<string, number[]> = {};
  const noting: typeof fetch = async (url, init) => {
    const response = await fetch(url, init);
    const key = new Headers(init!.headers).get('idempotency-key')!;
    statuses[key] = [...(statuses[key] ?? []), response.status];
    return response;
  };
  const everpost = new Everpost({ apiKey: project.key, url: server.url, fetch: noting });
  const mails = Array.from({ length: 100 }, (_, at) => project.address(`person-${at}`));
  const content = { subject: 'Hello', text: 'Hello', type: 'transactional' } as const;
  const answers = await Promise.all(mails.map((to) => everpost.send({ to, ...content })));
  expect(Object.values(statuses).map((of) => of.at(-1))).toEqual(Array(100).fill(200));
  expect(new Set(Object.values(statuses).flat())).toEqual(new Set([200, 429]));
  // More than a call that fails is tried.
  expect(Math.max(...Object.values(statuses).map((of) => of.length))).toBeGreaterThan(4);
  expect(new Set(answers.map(({ id }) => id)).size).toBe(100);
  const came = await mailNow(`@${mails[0]!.split('@')[1]}`);
  expect(came.flatMap(({ to }) => to).sort()).toEqual(mails.sort());
});

/** What a call does whose server answers this, one after the other and the last for ever, with its tries in milliseconds. */
async function tried(answers: readonly Response[], options: object): Promise<{ readonly ends: string; readonly tries: readonly number[] }> {
  const start = Date.parse('2026-06-02T12:00:00Z');
  vi.useFakeTimers({ now: start });
  vi.spyOn(Math, 'random').mockReturnValue(0);
  try {
    const tries: number[] = [];
    const fetch = async () => {
      tries.push(Date.now() - start);
      return answers[Math.min(tries.length, answers.length) - 1]!.clone();
    };
    const called = new Everpost({ apiKey: 'ep_test_any', fetch, ...options }).safe.me();
    await vi.runAllTimersAsync();
    const { error } = await called;
    return { ends: error === null ? 'done' : `${error.code} ${error.retryAfterSeconds}`, tries };
  } finally {
    vi.useRealTimers();
    vi.restoreAllMocks();
  }
}

const answer = (status: number, code: string, retryAfter?: number) =>
  Response.json(
    { ok: status < 400, error: 'in words', code },
    { status, headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) } },
  );
const limited = (retryAfter?: number) => answer(429, 'rate_limited', retryAfter);
const broken = answer(503, 'unavailable');
const done = answer(200, 'none');

test.each([
  [
    'waits that take no tries for what fails',
    [limited(10), limited(10), broken, limited(10), broken, done],
    { maxRetries: 2 },
    'done',
    [0, 10, 20, 20.375, 30.375, 31.125],
  ],
  ['waits of a minute in all', [limited(25)], {}, 'rate_limited 25', [0, 25, 50]],
  ['no wait that is longer than what is left of it', [limited(61)], {}, 'rate_limited 61', [0]],
  ['waits as long as the caller says', [limited(25)], { rateLimitWaitMs: 24_999 }, 'rate_limited 25', [0]],
  ['waits of an hour where the caller says so', [limited(3_600), done], { rateLimitWaitMs: 3_600_000 }, 'done', [0, 3_600]],
  ['no wait with rateLimitWaitMs of 0', [limited(1)], { rateLimitWaitMs: 0 }, 'rate_limited 1', [0]],
  ['one try with maxRetries of 0', [limited(1)], { maxRetries: 0 }, 'rate_limited 1', [0]],
  ['tries as after any failure where no time is said', [limited()], { maxRetries: 2 }, 'rate_limited undefined', [0, 0.375, 1.125]],
] as const)('429 has %s', async (_, answers, options, ends, seconds) => {
  expect(await tried(answers, options)).toEqual({ ends, tries: seconds.map((second) => second * 1000) });
});

test('a signal ends the wait for the rate limit at once', async () => {
  const control = new AbortController();
  const fetch = async () => limited(50);
  const called = new Everpost({ apiKey: 'ep_test_any', fetch }).me({ signal: control.signal });
  setImmediate(() => control.abort());
  await expect(called).rejects.toMatchObject({ code: 'aborted', operation: 'me' });
});

test.each([-1, Number.NaN])('rateLimitWaitMs of %d is refused before anything is asked for', async (rateLimitWaitMs) => {
  const words = `rateLimitWaitMs is ${rateLimitWaitMs}: give milliseconds, 0 to wait for none, or Infinity for no limit`;
  expect(() => new Everpost({ apiKey: 'ep_test_any', rateLimitWaitMs })).toThrow(words);
  const fetch = vi.fn();
  await expect(new Everpost({ apiKey: 'ep_test_any', fetch }).me({ rateLimitWaitMs })).rejects.toThrow(words);
  expect(fetch).not.toHaveBeenCalled();
});
