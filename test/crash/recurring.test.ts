import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { rows } from '../../db/rows.ts';
import { campaignEnds, newAudience } from '../support/campaigns.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { mailNow } from '../support/mail.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { campaignsOf, newRecurring, passDays, runsOf } from '../support/recurring.ts';
import { enableTemplates } from '../support/sequences.ts';

const RECURRING = 20;

let everpost: Everpost;
let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  everpost = await startEverpost();
  em = await database(everpost.databaseUrl);
  project = await newProject({ everpost });
  await enableTemplates(project, 'newsletter');
});
afterAll(() => everpost?.stop());

test(`killing everything while ${RECURRING} recurring campaigns are due, and being away for days, makes one campaign of each and sends it once`, async () => {
  const { tag, emails } = await newAudience(project, 3);
  const audience = { mode: 'tag', tag };
  const all = await Promise.all(Array.from({ length: RECURRING }, () => newRecurring(project, { audience })));
  for (const { id } of all) await passDays(em, id, 3);
  // Some of them run in the next pass of reconcile; everything dies in the middle of that, twice.
  for (const made of [1, RECURRING / 2]) {
    await eventually(async () => (await madeRuns()) >= made, { everyMs: 5, timeoutMs: 120_000 });
    await everpost.kill();
    await everpost.start();
  }
  await eventually(async () => (await madeRuns()) >= RECURRING, { timeoutMs: 170_000, everyMs: 250 });
  for (const { id, next_runs } of all) {
    expect((await runsOf(project, id)).map(({ outcome }) => outcome)).toEqual(['created', 'missed', 'missed']);
    const campaigns = await campaignsOf(project, id);
    expect(campaigns).toHaveLength(1);
    expect(await campaignEnds(project, campaigns[0].id, { timeoutMs: 120_000 })).toMatchObject({ status: 'sent', total_recipients: 3 });
    expect(Date.parse(next_runs[0])).toBeGreaterThan(Date.now());
  }
  const sends = await rows(
    em,
    sql<{ source_id: string; to_email: string; error: string | null }>`select source_id, to_email, error from sends`,
  );
  expect(new Set(sends.map(({ source_id, to_email }) => `${source_id} ${to_email}`)).size).toBe(RECURRING * emails.length);
  expect(sends).toHaveLength(RECURRING * emails.length);
  const unsure = sends.filter(({ error }) => error?.startsWith('outcome_unknown')).length;
  const arrived = (await mailNow(`@to.${project.domain}`)).length;
  expect(arrived).toBeLessThanOrEqual(sends.length);
  expect(arrived).toBeGreaterThanOrEqual(sends.length - unsure);
}, 400_000);

async function madeRuns(): Promise<number> {
  return (await rows(em, sql`select 1 from recurring_runs where outcome = 'created'`)).length;
}
