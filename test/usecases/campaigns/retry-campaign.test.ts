import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import { CampaignCount, Send, type SendRow } from '../../../db/entities/index.ts';
import type { EntityManager, MikroORM } from '../../../db/orm.ts';
import { endBatch } from '../../../db/queries/campaigns/batch-ends.ts';
import { claimBatches, type HeldBatch } from '../../../db/queries/campaigns/campaign-batches.ts';
import { closeRecipients, openBatch } from '../../../db/queries/campaigns/campaign-mails.ts';
import {
  changeCampaign,
  insertCampaign,
  setAudience,
  sumCampaignCounts,
  unbalancedCampaigns,
} from '../../../db/queries/campaigns/campaigns.ts';
import type { GateVerdict } from '../../../db/queries/sends/gate-verdict.ts';
import type { SendIntent } from '../../../db/queries/sends/send-intents.ts';
import { rows } from '../../../db/rows.ts';
import type { SendOutcome } from '../../../domain/sends/send.ts';
import { OUTCOME_UNKNOWN_AFTER_MS, SETTLED_AFTER_MS } from '../../../domain/sends/submission-times.ts';
import { createMetrics } from '../../../platform/metrics/metrics.ts';
import { NO_JOURNALS } from '../../../sending/journal/read-journals.ts';
import { createLeftBatches } from '../../../sending/left-batches.ts';
import { cancelCampaignRow } from '../../../usecases/campaigns/cancel-campaign.ts';
import { type InPortions, type RetriedCampaign, retryInPortions } from '../../../usecases/campaigns/retry-campaign.ts';
import { reportBounce } from '../../../usecases/inbound/report-bounce.ts';
import { campaignWorkflowId } from '../../../workflows/contracts.ts';
import { bareProject, bareSend, ownDatabase } from '../../support/own-database.ts';

let orm: MikroORM;

beforeAll(async () => {
  orm = await ownDatabase();
});

/** All of its mails failed, those of every second recipient with an unknown outcome. */
async function failedCampaign(recipients: number): Promise<{ id: string; projectId: string }> {
  const em = orm.em.fork();
  const project = await bareProject(em);
  const [id, now] = [uuidv7(), new Date()];
  await insertCampaign(em, {
    ...{ id, projectId: project.id, name: '', template: 'newsletter', type: 'marketing', brand: project.slug, subject: 's' },
    ...{ hasOwnSubject: false, data: {}, audience: { mode: 'entire' }, variants: null, scheduledAt: null, endsAt: null },
    ...{ ratePerSecond: null, now },
  });
  await setAudience(em, id, { audienceSize: recipients, enrolled: recipients }, now);
  await changeCampaign(em, id, { status: 'sent', started_at: now, sent_at: now });
  for (let each = 0; each < recipients; each++)
    await bareSend(em, project, {
      ...{ source_type: 'campaign', source_id: id, status: 'failed' },
      error: each % 2 === 0 ? 'outcome_unknown' : 'provider_rejected: no',
    });
  await em.insert(CampaignCount, { campaign_id: id, variant: '', counter: 'failed', delta: recipients });
  return { id, projectId: project.id };
}

const OUTCOMES = ['outcome_unknown', 'provider_rejected'] as const;

/** In portions of two, all of them unless told; `between` happens after the first of them. */
function retry(
  campaign: { id: string; projectId: string },
  { between, ...more }: Partial<InPortions> & { between?: () => Promise<unknown> } = {},
): Promise<RetriedCampaign | undefined> {
  const em = orm.em.fork();
  const run = em.transactional.bind(em) as EntityManager['transactional'];
  let portions = 0;
  const transactional: EntityManager['transactional'] = async (work, options) => {
    if (portions++ === 1) await between?.();
    return run(work, options);
  };
  const given = { outcomes: OUTCOMES, most: 2, isTimeUp: () => false, conclude: async () => {}, ...more };
  return retryInPortions(Object.assign(em, { transactional }), campaign, given);
}

const starts = (em: EntityManager, id: string) => rows(em, sql`select 1 from outbox where workflow_id = ${campaignWorkflowId(id)}`);

async function standing(id: string): Promise<{ batches: number; failed: number; followed: number; unbalanced: number }> {
  const em = orm.em.fork();
  const batches = await rows(em, sql`select unnest(contact_ids) from campaign_pages where campaign_id = ${id}`);
  const followed = await em.count(Send, { source_id: id, retried_as: { $ne: null } });
  const unbalanced = (await unbalancedCampaigns(em, 1_000)).filter((found) => found.id === id).length;
  return { batches: batches.length, failed: (await sumCampaignCounts(em, id)).failed ?? 0, followed, unbalanced };
}

test('what a retry has done when its time is up stays done, and asking again goes on to the end', async () => {
  const campaign = await failedCampaign(5);
  const first = await retry(campaign, { isTimeUp: () => true });
  expect(first).toMatchObject({ status: 'sending', retried: 2, mayArriveTwice: 1, last: expect.any(String) });
  expect(await standing(campaign.id)).toEqual({ batches: 2, failed: 3, followed: 2, unbalanced: 0 });
  expect(await starts(orm.em.fork(), campaign.id)).not.toHaveLength(0);
  expect(await retry(campaign)).toMatchObject({ status: 'sending', retried: 3, mayArriveTwice: 2, last: null });
  expect(await standing(campaign.id)).toEqual({ batches: 5, failed: 0, followed: 5, unbalanced: 0 });
  expect(await retry(campaign)).toMatchObject({ retried: 0, last: null });
});

test('portions that were made before a retry fails stay, and the answer is stored with the last of them alone', async () => {
  const campaign = await failedCampaign(5);
  const failing = retry(campaign, {
    conclude: async () => {
      throw new Error('the process died');
    },
  });
  await expect(failing).rejects.toThrow('the process died');
  expect(await standing(campaign.id)).toEqual({ batches: 4, failed: 1, followed: 4, unbalanced: 0 });
  const concluded: number[] = [];
  expect(await retry(campaign, { conclude: async (_tx, { retried }) => void concluded.push(retried) })).toMatchObject({ retried: 1 });
  expect(concluded).toEqual([1]);
});

test('between two portions of a retry another takes the recipients that are left, and each is taken by one', async () => {
  const campaign = await failedCampaign(9);
  let other: RetriedCampaign | undefined;
  const between = async () => {
    other = await retry(campaign);
  };
  expect(await retry(campaign, { between })).toMatchObject({ retried: 2, mayArriveTwice: 1, last: null });
  expect(other).toMatchObject({ retried: 7, mayArriveTwice: 4 });
  expect(await standing(campaign.id)).toEqual({ batches: 9, failed: 0, followed: 9, unbalanced: 0 });
});

test('a mail that fails again between two portions is not sent a third time by the same retry', async () => {
  const campaign = await failedCampaign(5);
  const between = async () => {
    const em = orm.em.fork();
    const [again] = await em.find(Send, { source_id: campaign.id, retried_as: { $ne: null } });
    await em.insert(Send, { ...(again as SendRow), id: again?.retried_as as string, retried_as: null, retried_at: null });
    await em.insert(CampaignCount, { campaign_id: campaign.id, variant: '', counter: 'failed', delta: 1 });
  };
  expect(await retry(campaign, { between })).toMatchObject({ retried: 5, last: null });
  expect(await retry(campaign)).toMatchObject({ retried: 1 });
});

test('a campaign that is cancelled between two portions of a retry says what was done before it', async () => {
  const campaign = await failedCampaign(5);
  const between = () => orm.em.fork().transactional((tx) => cancelCampaignRow(tx, campaign.id, null));
  expect(await retry(campaign, { between })).toMatchObject({ status: 'cancelled', retried: 2, last: null });
  expect((await standing(campaign.id)).failed).toBe(3);
  await expect(retry(campaign)).rejects.toMatchObject({ code: 'invalid_status' });
});

test('recipients who are sent it again by a process that died have an outcome, and none of them is lost', async () => {
  const campaign = await failedCampaign(2);
  expect(await retry(campaign)).toMatchObject({ retried: 2 });
  const em = orm.em.fork();
  // A second longer than it takes: instants are stored to the millisecond, and may be rounded up.
  const age = sql`make_interval(secs => ${SETTLED_AFTER_MS / 1000 + 1})`;
  await rows(
    em,
    sql`update campaign_pages set state = 'open', available_at = 'infinity', token = ${uuidv7()}, opened_at = now() - ${age},
        subjects = array['s', 's'], variants = array[null, null]::text[] where campaign_id = ${campaign.id}`,
  );
  const leftBatches = createLeftBatches({ journals: NO_JOURNALS, deduplicates: false, reportBounce }, createMetrics());
  expect(await em.transactional((tx) => leftBatches.settle(tx, campaign.id, { ageMs: OUTCOME_UNKNOWN_AFTER_MS, mayWait: true }))).toBe(2);
  expect(await standing(campaign.id)).toEqual({ batches: 0, failed: 2, followed: 2, unbalanced: 0 });
});

const SENT: SendOutcome = { status: 'sent', providerId: 'p' };
const REJECTED: SendOutcome = { status: 'failed', reason: 'provider_rejected', message: 'no' };

interface FailedMail {
  readonly id: string;
  readonly contact_id: string;
  readonly to_email: string;
}

/** Those of unknown outcome, in the order of contacts. */
const unknownMails = ({ id }: { id: string }) =>
  rows(
    orm.em.fork(),
    sql<FailedMail>`select id, contact_id, to_email from sends
      where source_id = ${id} and error like 'outcome_unknown%' and status = 'failed' order by contact_id`,
  );

function intentOf(campaign: { id: string; projectId: string }, mail: FailedMail): SendIntent {
  const { id, contact_id: contactId, to_email: toEmail } = mail;
  return {
    ...{ id, contactId, toEmail, projectId: campaign.projectId, brandId: 'b', template: 'newsletter', type: 'marketing', subject: 's' },
    ...{ sourceType: 'campaign', sourceId: campaign.id, identity: { by: 'nothing' }, journal: null },
  };
}

/** Their process has woken up and knows how the mail ended. */
const isTold = (campaign: { id: string; projectId: string }, mail: FailedMail, outcome: SendOutcome) =>
  closeRecipients(orm.em.fork(), [{ intent: intentOf(campaign, mail), openedAt: new Date(), outcome, hasWebhooks: false }]);

/** Opens all batches that a retry has made: what the gate said of each contact, and the mails that may go. */
async function openRetries(campaign: {
  id: string;
  projectId: string;
}): Promise<{ batches: HeldBatch[]; going: FailedMail[]; verdicts: Map<string, GateVerdict | null> }> {
  const em = orm.em.fork();
  const batches = await claimBatches(em, campaign.id, 10, uuidv7());
  const verdicts = new Map<string, GateVerdict | null>();
  const going: FailedMail[] = [];
  for (const batch of batches) {
    const mails = await rows(
      em,
      sql<FailedMail>`select m.id, k.id as contact_id, k.email as to_email
        from unnest(${batch.send_ids}::uuid[], ${batch.contact_ids}::uuid[]) with ordinality as m(id, contact_id, place)
        join contacts k on k.id = m.contact_id order by m.place`,
    );
    const intents = mails.map((mail) => intentOf(campaign, mail));
    const opened = await openBatch(em, batch, intents, { deduplicates: false, journal: null });
    if (opened.state !== 'opened') throw new Error(`the batch is ${opened.state}`);
    for (const [index, mail] of mails.entries()) {
      const verdict = opened.verdicts[index] ?? null;
      verdicts.set(mail.contact_id, verdict);
      if (verdict === null) going.push(mail);
    }
  }
  return { batches, going, verdicts };
}

test('a recipient whose mail turns out to have been sent before its retry goes gets no other, and counts as sent', async () => {
  const campaign = await failedCampaign(5);
  await retry(campaign);
  const [arrived, unsubscribed, unknown] = (await unknownMails(campaign)) as [FailedMail, FailedMail, FailedMail];
  for (const mail of [arrived, unsubscribed]) await isTold(campaign, mail, SENT);
  await rows(orm.em.fork(), sql`update contacts set status = 'unsubscribed' where id = ${unsubscribed.contact_id}`);
  const { verdicts, going } = await openRetries(campaign);
  for (const mail of [arrived, unsubscribed]) expect(verdicts.get(mail.contact_id)).toEqual({ by: 'sent_before' });
  expect(verdicts.get(unknown.contact_id)).toBeNull();
  expect(going).toHaveLength(3);
  expect(await sumCampaignCounts(orm.em.fork(), campaign.id)).toMatchObject({ sent: 2, failed: 0, skipped: 0 });
  expect((await standing(campaign.id)).unbalanced).toBe(0);
});

test('a recipient whose first mail turns out to have been sent gets no third one when the second has failed', async () => {
  const campaign = await failedCampaign(1);
  await retry(campaign);
  const [first] = (await unknownMails(campaign)) as [FailedMail];
  const { going, batches } = await openRetries(campaign);
  await isTold(campaign, going[0] as FailedMail, REJECTED);
  for (const batch of batches) await endBatch(orm.em.fork(), batch, { later: [], pauseMs: 0, wasAway: false });
  await retry(campaign);
  await isTold(campaign, first, SENT);
  expect((await openRetries(campaign)).verdicts).toEqual(new Map([[first.contact_id, { by: 'sent_before' }]]));
  expect(await sumCampaignCounts(orm.em.fork(), campaign.id)).toMatchObject({ sent: 1, failed: 0, skipped: 0 });
  expect((await standing(campaign.id)).unbalanced).toBe(0);
});
