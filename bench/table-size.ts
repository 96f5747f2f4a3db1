import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { startBenchStack } from './support/bench-stack.ts';
import { progress, report } from './support/report.ts';

/**
 * What the size of `sends` costs: writing batches of a campaign, the queries of every day, and removing the oldest rows, at each size, in blocks,
 * WAL and CPU, which say the same on a busy machine; and the size of a row of each of the four tables that grow with every day.
 * node bench/table-size.ts [--millions 1,3,6]
 */
const { values } = parseArgs({ options: { millions: { type: 'string', default: '1,3,6' } } });
const SIZES = values.millions.split(',').map((million) => Number(million) * 1e6);
/** Of a batch of a campaign. */
const BATCH = 500;
const BATCHES = 40;
/** db/queries/operations/expired.ts takes so many at once. */
const PRUNED = 10_000;
const READS = 5;
const ROWS_OF_OTHERS = 200_000;

/** Of every day. */
const QUERIES = {
  newestBatch: `select * from sends where project_id = $1 and status is not null order by created_at desc, id desc limit 50`,
  ofOneContact: `select * from sends where contact_id = md5('contact77')::uuid and project_id = $1 order by created_at desc limit 50`,
  ofOneCampaign: `select * from sends where source_id = md5('campaign3')::uuid::text and project_id = $1 order by created_at desc limit 50`,
  reported: `select id from sends where project_id = $1 and provider_id = '<' || md5('4711') || '@bench.example>'`,
} as const;

const stack = await startBenchStack({ api: false, progress });
const database = new Client({ connectionString: stack.databaseUrl });
try {
  await database.connect();
  await database.query("set maintenance_work_mem = '512MB'");
  await database.query('alter table sends set (autovacuum_enabled = off)');
  const sends: object[] = [];
  for (const [index, size] of SIZES.entries()) sends.push(await measureAt(SIZES[index - 1] ?? 0, size));
  report('table-size', { sharedBuffersMb: 128, sends, bytesPerRow: await bytesPerRow() });
} finally {
  await database.end();
  await stack.stop();
}

/** The rows are spread over a year and all of campaigns of 100,000, the last one now. */
async function measureAt(before: number, size: number): Promise<object> {
  progress(`filling sends up to ${size} rows`);
  await withoutIndexes(() => insertSends(before, size));
  progress('measuring');
  await database.query('vacuum (analyze) sends');
  await database.query('checkpoint');
  const sized = await one<{ table_mb: number; indexes_mb: number }>(
    `select round(pg_table_size('sends') / 1e6)::integer as table_mb, round(pg_indexes_size('sends') / 1e6)::integer as indexes_mb`,
  );
  return {
    rows: size,
    ...sized,
    insert: await inserting(size),
    reads: await reading(),
    prune: await pruning(),
  };
}

/** n-th row: v7 ids in the order of time, as the product makes them. */
async function insertSends(from: number, to: number): Promise<void> {
  await database.query(
    `insert into sends (id, project_id, contact_id, brand_id, to_email, template, type, subject, status, delivery_status, provider_id,
                        source_type, source_id, opened_at, closed_at, created_at)
     select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' ||
             substr(md5(n::text), 4, 15))::uuid,
            $1, md5('contact' || n % 1000003)::uuid, 'bench', 'person-' || n % 1000003 || '@to.example', 'newsletter', 'marketing',
            'News of this week', 'sent', 'delivered', '<' || md5(n::text) || '@bench.example>', 'campaign',
            md5('campaign' || n / 100000)::uuid::text, at, at, at
     from (select n, now() - interval '365 days' * (1 - n / $4::float8) as at
           from generate_series($2::integer, $3::integer - 1) n) s`,
    [stack.projectId, from, to, SIZES.at(-1)],
  );
}

async function inserting(size: number): Promise<object> {
  const before = await stack.cpu();
  let [wal, read, milliseconds] = [0, 0, 0];
  for (let batch = 0; batch < BATCHES; batch++) {
    const { plan, took } = await explained(
      `insert into sends (id, project_id, contact_id, brand_id, to_email, template, type, subject, status, provider_id, source_type, source_id,
                          closed_at)
       select uuid_v7(), $1, gen_random_uuid(), 'bench', 'new-' || n || '@to.example', 'newsletter', 'marketing', 'News of this week', 'sent',
              '<' || gen_random_uuid() || '@bench.example>', 'campaign', md5('newest' || $2::bigint)::uuid::text, now()
       from generate_series(1, ${BATCH}) n on conflict do nothing`,
      [stack.projectId, size],
    );
    wal += plan['WAL Bytes'];
    read += plan['Shared Read Blocks'];
    milliseconds += took;
  }
  const rows = BATCH * BATCHES;
  const cpu = (await stack.cpu()).postgres - before.postgres;
  return per1000(rows, { cpuSeconds: cpu, milliseconds, walKb: wal / 1024, blocksRead: read });
}

async function reading(): Promise<object> {
  const results: Record<string, object> = {};
  for (const [name, text] of Object.entries(QUERIES)) {
    const runs = [];
    for (let run = 0; run < READS; run++) runs.push(await explained(text, [stack.projectId]));
    const { plan } = runs.at(-1)!;
    results[name] = {
      milliseconds: Math.min(...runs.map(({ took }) => took)),
      blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
    };
  }
  return results;
}

/** The oldest rows as others of the tables lose theirs, and the vacuum that gives their place back: it reads every index as a whole. */
async function pruning(): Promise<object> {
  const before = await stack.cpu();
  const { took } = await explained(`delete from sends where id in (select id from sends order by id limit ${PRUNED})`, []);
  const deleted = await stack.cpu();
  const started = performance.now();
  await database.query('vacuum (index_cleanup on) sends');
  const milliseconds = performance.now() - started;
  const vacuumed = await stack.cpu();
  return {
    rows: PRUNED,
    delete: { cpuSeconds: rounded(deleted.postgres - before.postgres), milliseconds: rounded(took) },
    vacuum: { cpuSeconds: rounded(vacuumed.postgres - deleted.postgres), milliseconds: rounded(milliseconds) },
  };
}

/** Of the table with its indexes. */
async function bytesPerRow(): Promise<object> {
  progress('filling the other tables');
  const project = stack.projectId;
  const series = `generate_series(1, ${ROWS_OF_OTHERS}) n`;
  await database.query(
    `insert into contacts (id, project_id, email, status, brand_id)
     select md5('c' || n)::uuid, $1, 'c-' || n || '@to.example', 'subscribed', 'bench' from generate_series(1, 1000) n`,
    [project],
  );
  await database.query(
    `insert into events (id, project_id, contact_id, type, data)
     select uuid_v7(), $1, md5('c' || 1 + n % 1000)::uuid, 'order.paid', jsonb_build_object('order', n, 'total', 12.5, 'currency', 'EUR') from ${series}`,
    [project],
  );
  const sequence = `insert into sequences (id, project_id, key, name, status, version) values (md5('s')::uuid, $1, 's', 's', 'active', 1)`;
  await database.query(sequence, [project]);
  await database.query(
    `insert into enrollments (id, project_id, sequence_id, sequence_version, contact_id, status)
     select md5('e' || n)::uuid, $1, md5('s')::uuid, 1, md5('c' || n % 1000 + 1)::uuid, 'completed' from generate_series(1, $2::integer) n`,
    [project, ROWS_OF_OTHERS / 5],
  );
  await database.query(
    `insert into enrollment_steps (enrollment_id, step, node_id, visit, kind, outcome)
     select md5('e' || 1 + n / 5)::uuid, n % 5, 'step-' || n % 5, 1, 'send_email', 'sent' from generate_series(0, ${ROWS_OF_OTHERS} - 1) n`,
  );
  await database.query(
    `insert into webhook_events (id, project_id, type, data)
     select md5('w' || n)::uuid, $1, 'contact.subscribed', jsonb_build_object('email', 'c-' || n || '@to.example', 'status', 'subscribed', 'tags', '{}')
     from ${series}`,
    [project],
  );
  await database.query(
    `insert into webhook_deliveries (project_id, endpoint_id, event_id, status, attempts, response_status, attempt_log)
     select $1, md5('endpoint')::uuid, md5('w' || n)::uuid, 'delivered', 1, 200,
            '[{"series": 1, "number": 1, "at": "2026-06-01T12:00:00.000Z", "status": 200, "error": null, "milliseconds": 12}]' from ${series}`,
    [project],
  );
  const sizes: Record<string, number> = {};
  for (const table of ['sends', 'events', 'enrollment_steps', 'webhook_deliveries', 'webhook_events']) {
    const { bytes } = await one<{ bytes: number }>(
      `select (pg_total_relation_size('${table}') / greatest(1, (select count(*) from ${table})))::integer as bytes`,
    );
    sizes[table] = bytes;
  }
  return sizes;
}

/** Those beside the primary key, made anew at the end: that takes a fraction of the time. */
async function withoutIndexes(fill: () => Promise<unknown>): Promise<void> {
  const { rows } = await database.query<{ indexname: string; indexdef: string }>(
    `select indexname, indexdef from pg_indexes where tablename = 'sends' and indexname <> 'sends_pkey'`,
  );
  for (const { indexname } of rows) await database.query(`drop index ${indexname}`);
  await fill();
  for (const { indexdef } of rows) await database.query(indexdef);
}

interface Plan {
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly 'WAL Bytes': number;
}

async function explained(text: string, parameters: readonly unknown[]): Promise<{ plan: Plan; took: number }> {
  const { rows } = await database.query(`explain (analyze, buffers, wal, format json) ${text}`, [...parameters]);
  const [answer] = rows[0]['QUERY PLAN'];
  return { plan: answer.Plan, took: answer['Execution Time'] };
}

async function one<T>(text: string): Promise<T> {
  return (await database.query(text)).rows[0] as T;
}

function per1000(rows: number, totals: Readonly<Record<string, number>>): object {
  return Object.fromEntries(Object.entries(totals).map(([name, total]) => [`${name}Per1000`, rounded((total / rows) * 1000)]));
}

function rounded(value: number): number {
  return Number(value.toFixed(3));
}
