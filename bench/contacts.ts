import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { startBenchStack } from './support/bench-stack.ts';
import { cpuBetween } from './support/cpu.ts';
import { fillContacts, fillSends } from './support/filling.ts';
import { percentile, progress, report } from './support/report.ts';

/**
 * Contacts in, pages and searches of them and of the send log out:
 * node bench/contacts.ts [--contacts 1000000] [--sends 5000000] [--strangers 0.1] [--profile DIR]
 */
const { values } = parseArgs({
  options: {
    contacts: { type: 'string', default: '1000000' },
    sends: { type: 'string', default: '5000000' },
    /** The share of the sends that go to somebody who is no contact. */
    strangers: { type: 'string', default: '0.1' },
    profile: { type: 'string' },
  },
});
/** Through the API; the rest is there before. */
const WRITTEN = 50_000;
const ARRAY = 1000;
const PAGE = 50;
const WALK_PAGE = 250;
const READS = 200;

interface Page {
  readonly contacts?: readonly object[];
  readonly sends?: readonly object[];
  readonly totalCount?: number;
  readonly nextCursor: string | null;
}

const CONTACT_READS: Readonly<Record<string, string>> = {
  firstPage: '',
  'a status': 'status=unsubscribed',
  'an address': 'email=person-4244@to.example',
  'a tag that half have': 'tag=half',
  'a tag that one in a hundred has': 'tag=group-7',
  'a tag that one in ten thousand has': 'tag=few',
  'a tag that the oldest tenth has': 'tag=imported',
  'a tag that nobody has': 'tag=none',
  'a tag and a status': 'tag=group-8&status=unsubscribed',
  'one name': 'q=last77777',
  'part of an address, hundreds': 'q=person-4242',
  'part of a name, a thousand': 'q=first77%20',
  'a name beyond ASCII, a hundred': `q=${encodeURIComponent('Мария77')}`,
  nothing: 'q=no-such-person',
  'a name in a tag': 'tag=group-7&q=last777',
};
/** Every match is counted, so these take longer the more there are. */
const BROAD_READS: Readonly<Record<string, string>> = { 'a tenth of all': 'q=first7', 'a quarter of all': 'q=gmail' };
const SEND_READS: Readonly<Record<string, string>> = {
  firstPage: '',
  'one recipient': 'q=person-77777@',
  'part of an address, hundreds': 'q=person-4242',
  'part of an address, thousands': 'q=person-777',
  'somebody who is no contact': 'q=guest-person-4242',
  'a quarter of all': 'q=gmail',
  'the oldest alone': 'q=early-adopter',
  'a name that no address has': 'q=first77',
  nothing: 'q=no-such-person',
};

const stack = await startBenchStack({ profileDir: values.profile, progress });
const database = new Client({ connectionString: stack.databaseUrl });
try {
  await database.connect();
  const total = Number(values.contacts);
  const sends = Number(values.sends);
  const filling = { database, project: stack, progress };
  await fillContacts(filling, total - WRITTEN);
  await fillSends(filling, sends, Number(values.strangers));
  await database.query('vacuum analyze');

  progress(`writing ${WRITTEN} contacts`);
  const writes: number[] = [];
  let before = await stack.cpu();
  const startedWriting = performance.now();
  for (let from = total - WRITTEN + 1; from <= total; from += ARRAY) {
    const contacts = Array.from({ length: ARRAY }, (_, i) => contact(from + i));
    writes.push((await timed('POST', '/contacts', contacts)).milliseconds);
  }
  const writing = {
    arrayLength: ARRAY,
    contactsPerSecond: Math.round(WRITTEN / ((performance.now() - startedWriting) / 1000)),
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
    const { milliseconds, answer }: Timed = await timed('GET', `/contacts?limit=${WALK_PAGE}${cursorParameter(cursor)}`);
    walked.push(milliseconds);
    seen += answer.contacts?.length ?? 0;
    if (answer.totalCount !== total) throw new Error(`totalCount is ${answer.totalCount}`);
    deepest = cursor;
    cursor = answer.nextCursor;
  }
  if (seen !== total) throw new Error(`the pages hold ${seen} contacts`);

  progress('reading');
  report('contacts', {
    goal: 'every page, filter and search under 50 ms at p99; those that count very many matches aside',
    contacts: total,
    sends,
    strangers: Number(values.strangers),
    writing,
    walk: { limit: WALK_PAGE, pages: walked.length, ...times(walked) },
    reading: {
      limit: PAGE,
      deepestPage: await read(`/contacts?limit=${PAGE}${cursorParameter(deepest)}`),
      contacts: await readAll('/contacts', CONTACT_READS),
      broadSearches: await readAll('/contacts', BROAD_READS),
      sends: await readAll('/sends', SEND_READS),
      cpuSeconds: cpuBetween(before, await stack.cpu()),
    },
  });
} finally {
  await database.end();
  await stack.stop();
}

interface Timed {
  readonly milliseconds: number;
  readonly answer: Page;
}

async function timed(method: string, path: string, body?: object): Promise<Timed> {
  const headers = { authorization: `Bearer ${stack.key}`, 'content-type': 'application/json' };
  const started = performance.now();
  const response = await fetch(`${stack.apiUrl}/api/v1${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  const answer = (await response.json()) as Page;
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
  return { milliseconds: performance.now() - started, answer };
}

async function readAll(path: string, queries: Readonly<Record<string, string>>) {
  const results: Record<string, object> = {};
  for (const [label, query] of Object.entries(queries)) results[label] = await read(`${path}?limit=${PAGE}${query && `&${query}`}`);
  return results;
}

async function read(path: string) {
  const samples: number[] = [];
  let last: Page | undefined;
  for (let i = 0; i < READS; i++) {
    const { milliseconds, answer } = await timed('GET', path);
    samples.push(milliseconds);
    last = answer;
  }
  return { ...(last?.totalCount === undefined ? {} : { matches: last.totalCount }), ...times(samples) };
}

function times(samples: readonly number[]) {
  return { p50Ms: percentile(samples, 0.5), p99Ms: percentile(samples, 0.99), maxMs: percentile(samples, 1) };
}

function contact(i: number): object {
  return {
    email: `person-${i}@to.example`,
    firstName: `First${i % 1000} `,
    lastName: `Last${i}`,
    tags: [`group-${i % 100}`, ...(i % 2 === 0 ? ['half'] : [])],
  };
}

function cursorParameter(cursor: string): string {
  return cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
}
