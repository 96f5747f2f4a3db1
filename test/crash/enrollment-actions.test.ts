import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { rows } from '../../db/rows.ts';
import { chain } from '../domain/sequences/graphs.ts';
import { actionsOn } from '../support/enrollment-actions.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { newFlow } from '../support/flow.ts';
import { mailNow } from '../support/mail.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { DAY_MINUTES, enableTemplates, must } from '../support/sequences.ts';

const RUNS = 300;
const KILLS = 2;

let everpost: Everpost;
let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  everpost = await startEverpost();
  em = await database(everpost.databaseUrl);
  project = await newProject({ everpost });
  await enableTemplates(project, 'welcome');
});
afterAll(() => everpost?.stop());

const wait = (id: string) => ({ id, kind: 'wait_delay', config: { minutes: DAY_MINUTES } });
const mail = { id: 'new', kind: 'send_email', config: { template: 'welcome' } };

test('killing everything while many are moved moves each once, and each gets the mail of the new step at most once', async () => {
  const flow = await newFlow(project, chain(wait('first')));
  const emails = Array.from({ length: RUNS }, () => project.address());
  must(
    await project.api.post(
      '/contacts',
      emails.map((email) => ({ email })),
    ),
    200,
  );
  must(await project.api.post(`/sequences/${flow.key}/enroll/bulk`, { emails }), 200);
  const standing = sql<{ id: string }>`select id from enrollments where sequence_id = ${flow.id} and waiting_for = 'delay'`;
  await eventually(async () => (await rows(em, standing)).length === RUNS, { timeoutMs: 120_000 });
  const put = must(await project.api.put(`/sequences/${flow.key}`, { ...chain(mail, wait('last')), migrate: { first: 'new' } }), 200);
  const { read, ended } = actionsOn(project, flow.key);
  const { id } = put.action;
  for (let nth = 1; nth <= KILLS; nth++) {
    const wanted = (RUNS / (KILLS + 1)) * nth;
    await eventually(
      async () => (await rows(em, sql`select 1 from enrollment_actions where id = ${id} and done >= ${wanted}`)).length === 1,
      { everyMs: 5, timeoutMs: 120_000 },
    );
    expect((await read(id)).status).toBe('running');
    await everpost.kill();
    await everpost.start();
  }
  expect(await ended(id, { timeoutMs: 170_000 })).toMatchObject({ status: 'completed', total: RUNS, done: RUNS, skipped: 0 });
  const atLast = sql<{ id: string }>`
    select id from enrollments where sequence_id = ${flow.id} and current_node_id = 'last' and sequence_version = ${put.version}`;
  await eventually(async () => (await rows(em, atLast)).length === RUNS, { timeoutMs: 170_000 });
  const visits = await rows(
    em,
    sql<{ trace: string }>`
      select string_agg(st.node_id, ' ' order by st.step) as trace from enrollment_steps st
      join enrollments e on e.id = st.enrollment_id where e.sequence_id = ${flow.id} group by e.id`,
  );
  expect(new Set(visits.map(({ trace }) => trace))).toEqual(new Set(['trigger first new last']));
  const moved = await rows(em, sql`select 1 from enrollment_steps where node_id = 'first' and outcome = 'moved'`);
  expect(moved).toHaveLength(RUNS);
  for (const email of emails) expect((await mailNow(email)).length).toBeLessThanOrEqual(1);
}, 600_000);
