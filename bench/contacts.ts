import { parseArgs } from 'node:util';
import { startBenchStack } from './support/bench-stack.ts';
import { cpuBetween } from './support/cpu.ts';
import { percentile, progress, report } from './support/report.ts';

/** Contacts in and pages of them out: node bench/contacts.ts [--contacts 100000] [--profile DIR] */
const { values } = parseArgs({ options: { contacts: { type: 'string', default: '100000' }, profile: { type: 'string' } } });
const ARRAY = 1000;
const PAGE = 50;
const WALK_PAGE = 250;
const READS = 200;

interface Page {
  readonly contacts: readonly object[];
  readonly totalCount: number;
  readonly nextCursor: string | null;
}

const stack = await startBenchStack({ profileDir: values.profile, progress });
try {
  const headers = { authorization: `Bearer ${stack.key}`, 'content-type': 'application/json' };
  const timed = async <T>(method: string, query: string, body?: object): Promise<{ milliseconds: number; answer: T }> => {
    const started = performance.now();
    const response = await fetch(`${stack.apiUrl}/api/v1/contacts${query}`, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const answer = (await response.json()) as T;
    if (!response.ok) throw new Error(`${method} /contacts${query}: ${response.status} ${JSON.stringify(answer)}`);
    return { milliseconds: performance.now() - started, answer };
  };
  const total = Number(values.contacts);
  progress(`writing ${total} contacts`);
  const writes: number[] = [];
  let before = await stack.cpu();
  const startedWriting = performance.now();
  for (let from = 0; from < total; from += ARRAY) {
    const contacts = Array.from({ length: Math.min(ARRAY, total - from) }, (_, i) => contact(from + i));
    writes.push((await timed('POST', '', contacts)).milliseconds);
  }
  const writeSeconds = (performance.now() - startedWriting) / 1000;
  const writing = {
    contactsPerSecond: Math.round(total / writeSeconds),
    p50Ms: percentile(writes, 0.5),
    p99Ms: percentile(writes, 0.99),
    cpuSeconds: cpuBetween(before, await stack.cpu()),
  };
  progress('walking to the deepest page');
  before = await stack.cpu();
  const walked: number[] = [];
  let seen = 0;
  let deepest = '';
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { milliseconds, answer }: { milliseconds: number; answer: Page } = await timed(
      'GET',
      `?limit=${WALK_PAGE}${cursorParameter(cursor)}`,
    );
    walked.push(milliseconds);
    seen += answer.contacts.length;
    if (answer.totalCount !== total) throw new Error(`totalCount is ${answer.totalCount}`);
    deepest = cursor;
    cursor = answer.nextCursor;
  }
  if (seen !== total) throw new Error(`the pages hold ${seen} contacts`);
  const read = async (query: string) => {
    const samples: number[] = [];
    for (let i = 0; i < READS; i++) samples.push((await timed('GET', query)).milliseconds);
    return { p50Ms: percentile(samples, 0.5), p99Ms: percentile(samples, 0.99) };
  };
  report('contacts', {
    goal: 'a page under 20 ms at any depth',
    contacts: total,
    writing: { arrayLength: ARRAY, ...writing },
    reading: {
      walk: {
        limit: WALK_PAGE,
        pages: walked.length,
        p50Ms: percentile(walked, 0.5),
        p99Ms: percentile(walked, 0.99),
        maxMs: percentile(walked, 1),
      },
      firstPage: { limit: PAGE, ...(await read(`?limit=${PAGE}`)) },
      deepestPage: { limit: PAGE, ...(await read(`?limit=${PAGE}${cursorParameter(deepest)}`)) },
      firstPageOfATag: { limit: PAGE, ...(await read(`?limit=${PAGE}&tag=group-7`)) },
      search: { limit: PAGE, ...(await read(`?limit=${PAGE}&q=person-4242`)) },
      cpuSeconds: cpuBetween(before, await stack.cpu()),
    },
  });
} finally {
  await stack.stop();
}

function contact(i: number): object {
  return { email: `person-${i}@to.example`, firstName: `First${i % 1000}`, lastName: `Last${i}`, tags: [`group-${i % 100}`] };
}

function cursorParameter(cursor: string): string {
  return cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
}
