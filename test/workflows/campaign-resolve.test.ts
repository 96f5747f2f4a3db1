import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { rows } from '../../db/rows.ts';
import { campaignBecomes, campaignEnds, checkCampaign, newAudience, newCampaign } from '../support/campaigns.ts';
import { eventually } from '../support/eventually.ts';
import { database } from '../support/project.ts';
import { temporalClient } from '../support/temporal.ts';
import { type WithEverpost, withEverpost } from '../support/with-everpost.ts';

const SIZE = 3;
const PATIENCE = { timeoutMs: 90_000, everyMs: 250 };

/** From now on finding out who gets a campaign takes until `letGo`, as it takes long for many millions. */
async function slowResolving(em: EntityManager) {
  await em.execute('create table let_go ()');
  await em.execute(`
    create function wait_until_let_go() returns trigger language plpgsql as $$
      begin
        while not exists (select from let_go) loop perform pg_sleep(0.05); end loop;
        return null;
      end $$`);
  await em.execute('create trigger slow before insert on campaign_pages for each statement execute function wait_until_let_go()');
  const sessions = () =>
    rows(
      em,
      sql<{ pid: number }>`
        select pid from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and state = 'active' and query like '%insert into campaign_pages%'`,
    );
  return {
    /** The session that finds it out, once there is one, and another than this. */
    by: (not?: number) => eventually(async () => (await sessions()).map(({ pid }) => pid).find((pid) => pid !== not), PATIENCE),
    over: () => eventually(async () => (await sessions()).length === 0, PATIENCE),
    letGo: () => em.execute('insert into let_go default values'),
  };
}

/** A scheduled campaign whose time has come. */
async function dueCampaign({ stack, project }: WithEverpost, em: EntityManager) {
  const { tag, emails } = await newAudience(project, SIZE);
  const scheduleAt = new Date(Date.now() + 3_600_000).toISOString();
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, scheduleAt });
  await rows(em, sql`update campaigns set scheduled_at = now() where id = ${id}`);
  const handle = (await temporalClient(stack.namespace)).workflow.getHandle(`campaign/${id}`);
  await eventually(async () => {
    await handle.signal('changed');
    return true;
  });
  return { id, emails };
}

test.concurrent('when the worker that finds out who gets a campaign is killed, another begins anew at once', async () => {
  await withEverpost({ worker: false }, async (given) => {
    const { stack, project } = given;
    const em = await database(stack.databaseUrl);
    const resolving = await slowResolving(em);
    const first = stack.addWorker();
    const { id, emails } = await dueCampaign(given, em);
    const pid = await resolving.by();
    await first.process.kill();
    stack.addWorker();
    await resolving.by(pid);
    await resolving.letGo();
    expect(await campaignEnds(project, id, PATIENCE)).toMatchObject({ status: 'sent', total_recipients: SIZE, sent_count: SIZE });
    await checkCampaign(em, project, id, emails);
  });
}, 300_000);

test.concurrent('while it is found out who gets a campaign it can be paused, resumed and cancelled, and then nobody gets it', async () => {
  await withEverpost({}, async (given) => {
    const { stack, project } = given;
    const em = await database(stack.databaseUrl);
    const resolving = await slowResolving(em);
    const { id, emails } = await dueCampaign(given, em);
    const pid = await resolving.by();
    expect(await project.api.post(`/campaigns/${id}/pause`)).toMatchObject({ status: 200, body: { campaign: { paused: true } } });
    expect(await project.api.post(`/campaigns/${id}/resume`)).toMatchObject({ status: 200, body: { campaign: { paused: false } } });
    expect(await project.api.post(`/campaigns/${id}/cancel`)).toMatchObject({ status: 200, body: { cancelledJobs: SIZE } });
    expect(await resolving.by()).toBe(pid);
    await resolving.letGo();
    await resolving.over();
    const handle = (await temporalClient(stack.namespace)).workflow.getHandle(`campaign/${id}`);
    await handle.result();
    expect(await checkCampaign(em, project, id, emails)).toMatchObject({
      arrived: 0,
      record: { status: 'cancelled', total_recipients: SIZE, cancelled_count: SIZE },
    });
  });
}, 300_000);

test.concurrent('a campaign that is paused while it is found out who gets it is sent when it is resumed', async () => {
  await withEverpost({}, async (given) => {
    const { stack, project } = given;
    const em = await database(stack.databaseUrl);
    const resolving = await slowResolving(em);
    const { id, emails } = await dueCampaign(given, em);
    await resolving.by();
    expect(await project.api.post(`/campaigns/${id}/pause`)).toMatchObject({ status: 200 });
    await resolving.letGo();
    await campaignBecomes(project, id, ({ status, paused }) => status === 'queued' && paused, PATIENCE);
    expect(await project.api.post(`/campaigns/${id}/resume`)).toMatchObject({ status: 200 });
    await campaignEnds(project, id, PATIENCE);
    expect(await checkCampaign(em, project, id, emails)).toMatchObject({ sent: SIZE, arrived: SIZE });
  });
}, 300_000);
