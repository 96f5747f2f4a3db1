import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { rows } from '../../db/rows.ts';
import { chain } from '../domain/sequences/graphs.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { enrollmentsOf, eventTrigger, newEventType, newFlow } from '../support/flow.ts';
import { mailTo } from '../support/mail.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, enrollmentEnds } from '../support/sequences.ts';
import { temporalClient } from '../support/temporal.ts';

let everpost: Everpost;
let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  everpost = await startEverpost();
  em = await database(everpost.databaseUrl);
  project = await newProject({ everpost });
  await enableTemplates(project, 'receipt');
});
afterAll(() => everpost?.stop());

const MAIL = {
  ...{ id: 'mail', kind: 'send_email' },
  config: { template: 'receipt', subject: '{{ digest.count }} came', data: { amount: '1', receiptUrl: 'https://a.example' } },
};

test('killing everything while events gather loses none that was answered and counts none twice, in one mail', async () => {
  const type = newEventType('reply');
  const digest = { id: 'd', kind: 'digest', config: { windowMinutes: 1440 } };
  const flow = await newFlow(project, { ...chain(digest, MAIL), triggers: eventTrigger(type) });
  const email = project.address();
  let answered = 0;
  let isDown = false;
  const post = async (): Promise<void> => {
    while (!isDown) {
      const answer = await project.api.post('/events', { type, email }).catch(() => undefined);
      if (answer?.status === 200) answered++;
    }
  };
  const posting = Promise.all([post(), post(), post(), post()]);
  await eventually(async () => answered >= 60, { everyMs: 5 });
  isDown = true;
  await everpost.kill();
  await posting;
  await everpost.start();
  const [run = ''] = await enrollmentsOf(em, flow.id, email);
  // What was committed and not answered counts, too: each event has its row.
  const [{ events = 0 } = {}] = await rows(em, sql<{ events: number }>`select count(*) as events from events where type = ${type}`);
  expect(events).toBeGreaterThanOrEqual(answered);
  expect(await rows(em, sql`select count from digests where enrollment_id = ${run}`)).toEqual([{ count: events }]);
  // Its time comes while nobody is there.
  await everpost.kill();
  await rows(em, sql`update enrollment_steps set until = now() where enrollment_id = ${run} and outcome is null`);
  await everpost.start();
  const client = await temporalClient(everpost.namespace);
  await client.workflow.getHandle(`enrollment/${run}`).signal('changed');
  await enrollmentEnds(em, run, { timeoutMs: 60_000 });
  const mails = await mailTo(email);
  expect(mails).toHaveLength(1);
  expect(mails[0]?.raw).toMatch(new RegExp(`^subject: ${events} came$`, 'im'));
}, 300_000);
