import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { callApi } from './api-call.ts';
import type { BenchProject } from './bench-stack.ts';
import { LETTER } from './letter.ts';
import { spread } from './report.ts';

const EVERY_MS = 200;

/** The sequence whose mails `singleMails` looks at. */
export async function addSequence(project: BenchProject): Promise<void> {
  await callApi(project, 'POST', '/sequences', {
    ...{ key: 'bench', name: 'Bench', status: 'active', trigger: 'bench' },
    steps: [{ template: LETTER }],
  });
}

export interface Latencies {
  /** Milliseconds from the request to its answer. */
  readonly sends: readonly number[];
  /** Milliseconds from the enrollment's row to its mail. */
  readonly sequences: readonly number[];
}

/** Five POST /send and five enrollments a second, until this has ended. */
export async function singleMails(database: Client, project: BenchProject, name: string, until: Promise<unknown>): Promise<Latencies> {
  let isOver = false;
  void until.finally(() => {
    isOver = true;
  });
  const sends: Promise<number>[] = [];
  const events: Promise<unknown>[] = [];
  for (let n = 0; !isOver; n++) {
    sends.push(timed(() => callApi(project, 'POST', '/send', { template: LETTER, to: `${name}-${n}@to.example` })));
    events.push(callApi(project, 'POST', '/events', { type: 'bench', email: `${name}-run-${n}@to.example` }));
    await sleep(EVERY_MS);
  }
  await until;
  await Promise.all(events);
  return { sends: await Promise.all(sends), sequences: await sequenceMails(database, `${name}-run-%`, events.length) };
}

async function sequenceMails(database: Client, like: string, expected: number): Promise<number[]> {
  for (;;) {
    const { rows } = await database.query<{ ms: number }>(
      `select (extract(epoch from s.closed_at - e.started_at) * 1000)::float8 as ms from sends s
       join contacts c on c.id = s.contact_id and c.project_id = s.project_id
       join enrollments e on e.contact_id = c.id
       where s.to_email like $1 and s.status = 'sent'`,
      [like],
    );
    if (rows.length >= expected) return rows.map(({ ms }) => ms);
    await sleep(100);
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** For a report. */
export function figures({ sends, sequences }: Latencies): object {
  return { sends: spread(sends), sequences: spread(sequences) };
}
