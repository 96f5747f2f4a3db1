import { openAsBlob } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { callApi } from './support/api-call.ts';
import { type BenchProject, startBenchStack } from './support/bench-stack.ts';
import { cpuBetween, startMeter } from './support/cpu.ts';
import { progress, report } from './support/report.ts';
import { timed } from './support/timed.ts';

/**
 * An import of a file of contacts, from its upload to its last row, and an export of them; beside it the same file by COPY into a bare table, and from there by
 * INSERT into contacts with nothing beside it, which is what their indexes cost alone; and an import without the dearest of these:
 * node bench/imports.ts [--rows 200000]
 */
const { values } = parseArgs({ options: { rows: { type: 'string', default: '200000' } } });
const ROWS = Number(values.rows);
/** Of one INSERT of those that are compared, as of one portion of an import. */
const PORTION = 2_000;
const MAPPING = { mapping: { city: 'attributes.city', plan: 'attributes.plan' }, tags: ['imported'] };

const stack = await startBenchStack({ workflows: true, apiProcesses: 1, progress });
const database = new Client({ connectionString: stack.databaseUrl });
try {
  await database.connect();
  const path = join(stack.folder, 'people.csv');
  await writePeople(path);
  const { size } = await stat(path);

  progress(`COPY of ${ROWS} rows into a bare table`);
  await database.query('create table bare (email text, first_name text, last_name text, tags text, city text, plan text, status text)');
  const copySeconds = await timed(async () => {
    await database.query(`copy bare from '${path}' with (format csv, header)`);
  });

  progress('INSERT of them into contacts, alone');
  const beside = await stack.addProject('beside');
  const insertSeconds = await timed(() => insertAlone(beside));

  progress('an import of them');
  // The connections and the code of a first one are there.
  await imported(stack, new Blob(['email\nfirst@warm.example\n']));
  const before = await stack.peakMemory();
  const stop = await startMeter(stack.cpu);
  const uploadedAt = performance.now();
  const { seconds, inserted } = await imported(stack, await openAsBlob(path));
  const total = (performance.now() - uploadedAt) / 1000;
  const cpu = await stop(async () => ROWS);
  const after = await stack.peakMemory();
  if (inserted !== ROWS) throw new Error(`${inserted} of ${ROWS} rows were inserted`);

  progress('the same file once more, which changes nothing');
  const again = await imported(stack, await openAsBlob(path));

  progress('an export of them');
  const [exportBefore, exportCpu] = [await stack.peakMemory(), await stack.cpu()];
  let bytes = 0;
  const exportSeconds = await timed(async () => {
    const answer = await call(stack, '/contacts/export');
    for await (const piece of answer.body as AsyncIterable<Uint8Array>) bytes += piece.length;
  });
  const exportAfter = await stack.peakMemory();

  progress('an import without the index that searches by text need');
  await database.query('drop index contacts_columns_idx');
  const unsearched = await imported(await stack.addProject('unsearched'), await openAsBlob(path));

  const rate = (took: number): number => Math.round(ROWS / took);
  report('imports', {
    ...{ rows: ROWS, bytes: size },
    rowsPerSecond: rate(seconds),
    withUpload: rate(total),
    unchangedRowsPerSecond: rate(again.seconds),
    copyIntoBareTable: { rowsPerSecond: rate(copySeconds), ratio: ratio(copySeconds, seconds) },
    insertIntoContactsAlone: { rowsPerSecond: rate(insertSeconds), ratio: ratio(insertSeconds, seconds) },
    withoutIndexOfTexts: { rowsPerSecond: rate(unsearched.seconds), ratioToCopy: ratio(copySeconds, unsearched.seconds) },
    ...cpu,
    workerPeakMb: { before: before.worker, after: after.worker },
    apiPeakMb: { before: before.api, after: after.api },
    export: {
      rowsPerSecond: rate(exportSeconds),
      mbPerSecond: Number((bytes / 1024 / 1024 / exportSeconds).toFixed(1)),
      cpuSeconds: cpuBetween(exportCpu, await stack.cpu()),
      apiPeakMb: { before: exportBefore.api, after: exportAfter.api },
    },
  });
} finally {
  await database.end();
  await stack.stop();
}

/** Of what the reference took, as a share of its rate. */
function ratio(reference: number, took: number): number {
  return Number((reference / took).toFixed(3));
}

/** In the order in which lists come from elsewhere: by no index of ours. */
async function writePeople(path: string): Promise<void> {
  const file = await open(path, 'w', 0o644);
  await file.write('email,first_name,last_name,tags,city,plan,status\n');
  for (let first = 0; first < ROWS; first += PORTION) {
    const lines = Array.from({ length: Math.min(PORTION, ROWS - first) }, (_, nth) => {
      const no = first + nth;
      const word = ((no * 2_654_435_761) % 4_294_967_296).toString(36);
      return `${word}.${no}@mail${no % 500}.example,First${no % 5_000},"Last, ${word}",spring,Berlin,pro${no % 5},subscribed\n`;
    });
    await file.write(lines.join(''));
  }
  await file.close();
}

async function insertAlone({ projectId }: BenchProject): Promise<void> {
  for (let first = 0; first < ROWS; first += PORTION) {
    await database.query(
      `insert into contacts (id, project_id, email, first_name, last_name, status, brand_id, source, tags, attributes)
       select uuid_v7(), $1, email, first_name, last_name, status, 'beside', 'import', array['imported', tags], jsonb_build_object('city', city, 'plan', plan)
       from (select * from bare limit $2 offset $3) b order by email on conflict (project_id, email) do nothing`,
      [projectId, PORTION, first],
    );
  }
}

function call({ apiUrl, key }: BenchProject, path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${apiUrl}/api/v1${path}`, { ...init, headers: { authorization: `Bearer ${key}` } });
}

interface Imported {
  /** From its answer to its end. */
  readonly seconds: number;
  readonly inserted: number;
}

async function imported(project: BenchProject, file: Blob): Promise<Imported> {
  const form = new FormData();
  form.append('settings', JSON.stringify(file.size > 1_000 ? MAPPING : {}));
  form.append('file', file, 'people.csv');
  const begun = await call(project, '/imports', { method: 'POST', body: form });
  if (begun.status !== 201) throw new Error(`POST /imports was answered with ${begun.status}: ${await begun.text()}`);
  const { id } = ((await begun.json()) as { import: { id: string } }).import;
  const startedAt = performance.now();
  for (;;) {
    const { import: at } = await callApi(project, 'GET', `/imports/${id}`);
    if (at.status === 'completed') return { seconds: (performance.now() - startedAt) / 1000, inserted: at.inserted };
    if (at.status !== 'running') throw new Error(`the import is ${at.status}: ${at.error}`);
    await sleep(100);
  }
}
