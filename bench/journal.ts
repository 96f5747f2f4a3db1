import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { createLogger } from '../platform/logger.ts';
import { openJournal } from '../sending/journal/submission-journal.ts';
import { startBenchStack } from './support/bench-stack.ts';
import { cpuSeconds } from './support/cpu.ts';
import { progress, report } from './support/report.ts';

/**
 * What it costs a mail that a crash leaves only that of unknown outcome which was submitted: two lines in the journal of the process, or, in its place, a mark
 * in PostgreSQL for each group of mails before it is submitted. CPU of this process and of PostgreSQL, which says the same on a busy machine.
 * node bench/journal.ts
 */
const MAILS = 200_000;
const MARKS = 5_000;
/** As many as a worker has connections: at most so many have an unknown outcome, as with the journal. */
const GROUP = 20;
/** Of one batch of a campaign. */
const BATCH = 250;
/** That are at the provider at the same time. */
const IN_FLIGHT = 20;

const stack = await startBenchStack({ api: false, progress });
const database = new Client({ connectionString: stack.databaseUrl });
const folder = await mkdtemp(join(tmpdir(), 'everpost-bench-journal-'));
try {
  await database.connect();
  progress(`writing ${MAILS} mails to a journal`);
  const journal = await measured(writeJournal, MAILS);
  progress(`marking ${MARKS} groups in PostgreSQL`);
  const marks = await measured(markGroups, MARKS * GROUP);
  report('journal', { microsecondsPerMail: { journal, marks }, group: GROUP });
} finally {
  await database.end();
  await rm(folder, { recursive: true });
  await stack.stop();
}

async function writeJournal(): Promise<void> {
  const written = await openJournal({ folder, id: uuidv7(), log: createLogger('warn', {}) });
  const ids = Array.from({ length: MAILS }, () => uuidv7());
  for (let at = 0; at < MAILS; at += IN_FLIGHT) {
    const batch = ids.slice(at, at + IN_FLIGHT);
    for (const id of batch) written.submitting(id, 'main');
    // They are answered one by one, as a server does.
    for (const id of batch) {
      written.answered(id, { outcome: 'accepted', providerId: `${id}@acme.example` });
      written.recorded(id);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  written.close();
}

/** The batch's row says which of its mails may have been submitted. */
async function markGroups(): Promise<void> {
  await database.query(
    'create table marked_batches (no integer primary key, contact_ids uuid[], send_ids uuid[], begun integer) with (fillfactor = 50)',
  );
  await database.query(
    `insert into marked_batches select no, array(select gen_random_uuid() from generate_series(1, ${BATCH})), array(select gen_random_uuid() from generate_series(1, ${BATCH})), 0
     from generate_series(1, 20) no`,
  );
  for (let mark = 0; mark < MARKS; mark++)
    await database.query({
      name: 'mark',
      text: 'update marked_batches set begun = $2 where no = $1',
      values: [1 + (mark % 20), (mark * GROUP) % BATCH],
    });
}

async function measured(work: () => Promise<void>, mails: number): Promise<{ cpu: number; wall: number }> {
  const before = await cpuSeconds(process.pid);
  const startedAt = performance.now();
  await work();
  const [used, seconds] = [(await cpuSeconds(process.pid)) - before, (performance.now() - startedAt) / 1_000];
  const each = (total: number): number => Number(((total * 1e6) / mails).toFixed(1));
  return { cpu: each(used), wall: each(seconds) };
}
