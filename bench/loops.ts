import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { callApi } from './support/api-call.ts';
import { startBenchStack } from './support/bench-stack.ts';
import { LETTER } from './support/letter.ts';
import { addRecipients } from './support/recipients.ts';
import { progress, report } from './support/report.ts';
import { addSequence, figures, singleMails } from './support/single-mails.ts';

/**
 * What runs that go round in a loop without a pause worth the name cost other projects: node bench/loops.ts [--loops 60] [--seconds 90]
 */
const { values } = parseArgs({ options: { loops: { type: 'string', default: '60' }, seconds: { type: 'string', default: '90' } } });
const LOOPS = Number(values.loops);

/** It waits six milliseconds, for ever. */
const LOOP = {
  status: 'active',
  nodes: [
    { id: 'trigger', kind: 'trigger' },
    { id: 'wait', kind: 'wait_delay', config: { minutes: 0.0001 } },
  ],
  edges: [
    { from: 'trigger', to: 'wait' },
    { from: 'wait', to: 'wait' },
  ],
};

const stack = await startBenchStack({ template: LETTER, workflows: true, progress });
const database = new Client({ connectionString: stack.databaseUrl });
try {
  await database.connect();
  const other = await stack.addProject('other');
  await addSequence(other);
  await callApi(stack, 'POST', '/sequences', {
    key: 'loop',
    name: 'Loop',
    status: 'draft',
    trigger: 'loop',
    steps: [{ template: LETTER }],
  });
  await callApi(stack, 'PUT', '/sequences/loop', LOOP);
  await addRecipients(stack.databaseUrl, stack.projectId, LOOPS);
  progress('warming up');
  await singleMails(database, other, 'warm', sleep(5_000));
  const alone = await singleMails(database, other, 'alone', sleep(10_000));
  for (let n = 0; n < LOOPS; n++) await callApi(stack, 'POST', '/sequences/loop/enroll', { email: `person-${n}@to.example` });
  const before = await steps();
  const begun = performance.now();
  const rounds: object[] = [];
  for (let n = 1; (performance.now() - begun) / 1000 < Number(values.seconds); n++) {
    progress(`single mails beside ${LOOPS} loops, ten seconds, ${n}`);
    rounds.push(figures(await singleMails(database, other, `beside${n}`, sleep(10_000))));
  }
  const { rows } = await database.query<{ slowed: number }>('select count(*)::int as slowed from enrollments where slowed_at is not null');
  report('loops', {
    goal: `a run in a loop of more than 60 steps a minute makes a pass a minute, and holds up no other project`,
    loops: LOOPS,
    stepsPerSecond: Math.round(((await steps()) - before) / ((performance.now() - begun) / 1000)),
    slowed: rows[0]?.slowed,
    alone: figures(alone),
    beside: rounds,
  });
} finally {
  await database.end();
  await stack.stop();
}

async function steps(): Promise<number> {
  const { rows } = await database.query<{ steps: number }>("select count(*)::int as steps from enrollment_steps where kind = 'wait_delay'");
  return rows[0]?.steps ?? 0;
}
