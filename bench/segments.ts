import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { startBenchStack } from './support/bench-stack.ts';
import { percentile, progress, report } from './support/report.ts';

/** Counts of segments over many contacts: node bench/segments.ts [--contacts 1000000] */
const { values } = parseArgs({ options: { contacts: { type: 'string', default: '1000000' } } });
const READS = 20;

const FILTERS: Readonly<Record<string, { readonly filter: object; readonly brand?: string }>> = {
  everyone: { filter: {} },
  'one status, most of all': { filter: { status: 'subscribed' } },
  'two statuses': { filter: { status: ['pending', 'bounced'] } },
  'a tag that half have': { filter: { tags: ['half'] } },
  'a tag that few have': { filter: { tags: ['few'] } },
  'two tags': { filter: { tags: ['half', 'tenth'] } },
  'a source that a third have': { filter: { source: 'import' } },
  'a status, a tag and a source': { filter: { status: 'subscribed', tags: ['half'], source: 'import' } },
  'a brand': { filter: {}, brand: 'bench' },
};

const stack = await startBenchStack({ progress });
const database = new Client({ connectionString: stack.databaseUrl });
try {
  await database.connect();
  const contacts = Number(values.contacts);
  progress(`writing ${contacts} contacts`);
  await database.query(
    `insert into contacts (id, project_id, email, status, brand_id, source, tags, created_at)
     select uuid_v7(), p.id, 'person-' || n || '@example.com',
            case when n % 10 < 8 then 'subscribed' when n % 10 = 8 then 'unsubscribed' when n % 20 = 9 then 'pending' else 'bounced' end,
            b.slug, (array['import', 'form', 'api'])[1 + n % 3],
            array_remove(array[case when n % 2 = 0 then 'half' end, case when n % 10 = 0 then 'tenth' end,
                               case when n % 10000 = 0 then 'few' end, 'tag-' || n % 50], null),
            now() - make_interval(secs => n)
     from projects p join brands b on b.project_id = p.id, generate_series(1, $1::integer) n`,
    [contacts],
  );
  const headers = { authorization: `Bearer ${stack.key}`, 'content-type': 'application/json' };
  const call = async (method: string, path: string, body?: object) => {
    const started = performance.now();
    const response = await fetch(`${stack.apiUrl}/api/v1${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    const answer = (await response.json()) as { segment: { id: string; count: number } };
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return { milliseconds: performance.now() - started, segment: answer.segment };
  };
  const { rows: brands } = await database.query<{ slug: string }>('select slug from brands');
  const ids = new Map<string, string>();
  for (const [label, { filter, brand }] of Object.entries(FILTERS)) {
    const created = await call('POST', '/segments', { label, filter, ...(brand ? { brand: brands[0]?.slug } : {}) });
    ids.set(label, created.segment.id);
  }
  const measure = async () => {
    const counts: Record<string, { count: number; p50Ms: number; maxMs: number }> = {};
    for (const [label, id] of ids) {
      const samples: number[] = [];
      let count = 0;
      for (let i = 0; i < READS; i++) {
        const { milliseconds, segment } = await call('GET', `/segments/${id}`);
        samples.push(milliseconds);
        count = segment.count;
      }
      counts[label] = { count, p50Ms: percentile(samples, 0.5), maxMs: percentile(samples, 1) };
    }
    const list: number[] = [];
    for (let i = 0; i < 3; i++) list.push((await call('GET', '/segments')).milliseconds);
    return { counts, listOfAllMs: percentile(list, 0.5) };
  };
  progress('counting right after the writes');
  const fresh = await measure();
  await database.query('vacuum analyze contacts');
  progress('counting after a vacuum');
  const vacuumed = await measure();
  report('segments', { goal: 'a count under 1000 ms at a million contacts', contacts, fresh, vacuumed });
} finally {
  await database.end();
  await stack.stop();
}
