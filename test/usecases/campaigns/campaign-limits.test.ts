import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import { Campaign, CampaignCount, Project } from '../../../db/entities/index.ts';
import type { MikroORM } from '../../../db/orm.ts';
import { changeCampaign, insertCampaign, lockCampaign } from '../../../db/queries/campaigns/campaigns.ts';
import { row } from '../../../db/rows.ts';
import { createLogger } from '../../../platform/logger.ts';
import { createMetrics } from '../../../platform/metrics/metrics.ts';
import { NO_JOURNALS } from '../../../sending/journal/read-journals.ts';
import { createLeftBatches } from '../../../sending/left-batches.ts';
import { advanceCampaign } from '../../../usecases/campaigns/advance-campaign.ts';
import { pauseBeyondLimits } from '../../../usecases/campaigns/campaign-limits.ts';
import { reportBounce } from '../../../usecases/inbound/report-bounce.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { bareProject, ownDatabase } from '../../support/own-database.ts';
import { shippedTemplates } from '../../support/sending.ts';

const leftBatches = createLeftBatches({ journals: NO_JOURNALS, deduplicates: true, reportBounce }, createMetrics());
const REASON = { limit: 'bounceRate', value: 0.05, count: 6, mails: 100 };

let orm: MikroORM;
beforeAll(async () => {
  orm = await ownDatabase();
});

/** Six of its hundred mails have bounced, where five may; one batch is left. */
async function beyondItsLimit(): Promise<string> {
  const em = orm.em.fork();
  const { id: projectId, slug } = await bareProject(em);
  await em.nativeUpdate(Project, { id: projectId }, { campaign_bounce_limit: 0.05 });
  const [id, now] = [uuidv7(), new Date()];
  await insertCampaign(em, {
    ...{ id, projectId, name: '', template: 'newsletter', type: 'marketing', brand: slug, subject: 's', hasOwnSubject: false, data: {} },
    ...{ audience: { mode: 'entire' }, variants: null, scheduledAt: null, endsAt: null, ratePerSecond: null, now },
  });
  await changeCampaign(em, id, { status: 'sending', started_at: now });
  for (const [counter, delta] of [
    ['sent', 97],
    ['failed', 3],
    ['bounced', 6],
  ] as const)
    await em.insert(CampaignCount, { campaign_id: id, variant: '', counter, delta });
  await row(em, sql`insert into campaign_pages (campaign_id, no, contact_ids) values (${id}, 1, array[${uuidv7()}::uuid])`);
  return id;
}

/** With what is logged. */
function logged() {
  const lines: unknown[] = [];
  return { lines, log: { warn: (event: string, fields: object) => lines.push([event, fields]) } as never };
}

const stateOf = async (id: string) => {
  const { status, paused, paused_reason } = await orm.em.fork().findOneOrFail(Campaign, { id });
  return { status, paused, paused_reason };
};

test('whoever looks at once pauses a campaign once, tells its workflow, and says so in the log', async () => {
  const [id, well] = [await beyondItsLimit(), await beyondItsLimit()];
  await orm.em.fork().nativeUpdate(CampaignCount, { campaign_id: well, counter: 'bounced' }, { delta: 5 });
  const { lines, log } = logged();
  await Promise.all(Array.from({ length: 3 }, () => pauseBeyondLimits(orm.em.fork(), { log }, [id, well])));
  expect(await stateOf(id)).toEqual({ status: 'sending', paused: true, paused_reason: REASON });
  expect(await stateOf(well)).toEqual({ status: 'sending', paused: false, paused_reason: null });
  expect(lines).toEqual([['campaign.paused_by_limit', expect.objectContaining({ campaignId: id, ...REASON })]]);
  const signals = await row(orm.em.fork(), sql<{ count: number }>`select count(*) as count from outbox where workflow_id like ${`%${id}`}`);
  expect(signals?.count).toBe(1);
});

test('a campaign that somebody resumes at that moment does not pause for what was judged', async () => {
  const id = await beyondItsLimit();
  const other = orm.em.fork();
  let looking: Promise<void> | undefined;
  await orm.em.fork().transactional(async (tx) => {
    await lockCampaign(tx, id);
    looking = pauseBeyondLimits(other, { log: createLogger('silent') }, [id]);
    await untilBlocked(tx, 1);
    await changeCampaign(tx, id, { judged: { sent: 97, failed: 3, bounced: 6, complained: 0 } });
  });
  await looking;
  expect(await stateOf(id)).toEqual({ status: 'sending', paused: false, paused_reason: null });
});

test('its workflow pauses it before it sends more, and Temporal Web says why', async () => {
  const id = await beyondItsLimit();
  const deps = { registry: await shippedTemplates(), leftBatches, log: createLogger('silent') };
  expect(await advanceCampaign(orm.em.fork(), deps, { campaignId: id, retryNow: false })).toMatchObject({
    ...{ do: 'wait', state: 'paused', summary: 'paused by itself: 6 % of 100 emails bounced, and the limit is 5 %' },
    details: expect.stringMatching(/^Paused by itself: 6 % of 100 emails bounced, and the limit is 5 %; /),
  });
  expect(await stateOf(id)).toEqual({ status: 'sending', paused: true, paused_reason: REASON });
});
