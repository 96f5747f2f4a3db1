import { sql } from 'kysely';
import type { EntityManager } from '../../db/orm.ts';
import { rows } from '../../db/rows.ts';
import { newAudience, newCampaign } from './campaigns.ts';
import { eventually } from './eventually.ts';
import { temporalClient } from './temporal.ts';
import type { WithEverpost } from './with-everpost.ts';

const PATIENCE = { timeoutMs: 90_000, everyMs: 250 };

/** From now on finding out who gets a campaign takes until `letGo`, as it takes long for many millions. */
export async function slowResolving(em: EntityManager) {
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
        select a.pid from pg_stat_activity a join pg_locks l on l.pid = a.pid
        where a.datname = current_database() and a.state = 'active' and l.relation = 'campaign_pages'::regclass and l.mode = 'RowExclusiveLock'`,
    );
  return {
    /** The session that finds it out, once there is one, and another than this. */
    by: (not?: number) => eventually(async () => (await sessions()).map(({ pid }) => pid).find((pid) => pid !== not), PATIENCE),
    over: () => eventually(async () => (await sessions()).length === 0, PATIENCE),
    letGo: () => em.execute('insert into let_go default values'),
    /** It takes no longer than it does otherwise. */
    end: () => em.execute('drop function wait_until_let_go cascade; drop table let_go'),
  };
}

/** A scheduled campaign to so many, whose time has come. */
export async function dueCampaign({ stack, project }: WithEverpost, em: EntityManager, size: number) {
  const { tag, emails } = await newAudience(project, size);
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
