import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import { Campaign, CampaignCount, Contact, Project, Send, WebhookEndpoint, WebhookEvent } from '../../../db/entities/index.ts';
import type { MikroORM } from '../../../db/orm.ts';
import { changeCampaign, insertCampaign, setAudience, sumCampaignCounts } from '../../../db/queries/campaigns/campaigns.ts';
import { rows } from '../../../db/rows.ts';
import type { CampaignStatus } from '../../../domain/campaigns/campaign.ts';
import { OUTCOME_UNKNOWN_AFTER_MS } from '../../../domain/sends/submission-times.ts';
import { createLogger } from '../../../platform/logger.ts';
import { createMetrics } from '../../../platform/metrics/metrics.ts';
import type { TemplateRegistry } from '../../../sending/compose/template-registry.ts';
import { NO_JOURNALS } from '../../../sending/journal/read-journals.ts';
import { createLeftBatches } from '../../../sending/left-batches.ts';
import { advanceCampaign } from '../../../usecases/campaigns/advance-campaign.ts';
import { cancelCampaign, cancelCampaignRow } from '../../../usecases/campaigns/cancel-campaign.ts';
import { checkCampaignCounts } from '../../../usecases/campaigns/check-campaign-counts.ts';
import { reportBounce } from '../../../usecases/inbound/report-bounce.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { readPage } from '../../support/metrics-page.ts';
import { bareProject, ownDatabase } from '../../support/own-database.ts';
import { shippedTemplates } from '../../support/sending.ts';

const leftBatches = createLeftBatches({ journals: NO_JOURNALS, deduplicates: true, reportBounce }, createMetrics());
const log = createLogger('silent');
let orm: MikroORM;
let registry: TemplateRegistry;

beforeAll(async () => {
  orm = await ownDatabase();
  registry = await shippedTemplates();
});

interface CampaignOfOne {
  readonly id: string;
  readonly projectId: string;
  readonly contactId: string;
}

/** Resolved, and none of its batches is there. */
async function campaignOfOne(status: CampaignStatus, endsAt: Date | null = null): Promise<CampaignOfOne> {
  const em = orm.em.fork();
  const { id: projectId, slug } = await bareProject(em);
  const [id, contactId, now] = [uuidv7(), uuidv7(), new Date()];
  await em.insert(Contact, {
    id: contactId,
    project_id: projectId,
    email: `${contactId}@to.example`,
    status: 'subscribed',
    brand_id: slug,
  });
  await insertCampaign(em, {
    ...{ id, projectId, name: '', template: 'newsletter', type: 'marketing', brand: slug, subject: 's', hasOwnSubject: false, data: {} },
    ...{ audience: { mode: 'entire' }, variants: null, scheduledAt: null, endsAt, ratePerSecond: null, now },
  });
  await setAudience(em, id, { audienceSize: 1, enrolled: 1 }, now);
  await changeCampaign(em, id, { status, started_at: now });
  return { id, projectId, contactId };
}

/** Its one batch was in flight when its process died, long ago. */
async function campaignOfUnknownOutcome(status: CampaignStatus, endsAt: Date | null): Promise<string> {
  const { id, contactId } = await campaignOfOne(status, endsAt);
  const em = orm.em.fork();
  // A second longer than it takes: instants are stored to the millisecond, and may be rounded up.
  const age = sql`make_interval(secs => ${OUTCOME_UNKNOWN_AFTER_MS / 1000 + 1})`;
  await rows(
    em,
    sql`insert into campaign_pages (campaign_id, no, contact_ids, state, available_at, token, opened_at, send_ids, subjects, variants)
        values (${id}, 0, array[${contactId}::uuid], 'open', 'infinity', ${uuidv7()}, now() - ${age}, array[${uuidv7()}::uuid], array['s'], array[null::text])`,
  );
  return id;
}

const advance = (campaignId: string) => advanceCampaign(orm.em.fork(), { registry, leftBatches, log }, { campaignId, retryNow: false });

test('where the provider deduplicates, mails of unknown outcome of a campaign that is being sent go again', async () => {
  const id = await campaignOfUnknownOutcome('sending', null);
  expect(await advance(id)).toMatchObject({ do: 'send', lanes: 1 });
  expect(await orm.em.fork().count(Send, { source_id: id })).toBe(0);
});

test.each([
  ['was cancelled', 'cancelled', null, { do: 'end', status: 'cancelled' }],
  ['is over', 'sending', new Date(Date.now() - 1_000), { do: 'end', status: 'sent' }],
] as const)(
  'mails of unknown outcome of a campaign that %s have their outcome, since nothing of it goes again',
  async (_, status, endsAt, command) => {
    const id = await campaignOfUnknownOutcome(status, endsAt);
    expect(await advance(id)).toMatchObject(command);
    const em = orm.em.fork();
    expect(await em.find(Send, { source_id: id })).toMatchObject([{ status: 'failed', error: expect.stringContaining('outcome_unknown') }]);
    expect(await sumCampaignCounts(em, id)).toMatchObject({ failed: 1, skipped: 0, cancelled: 0 });
    expect(await rows(em, sql`select 1 from campaign_pages where campaign_id = ${id}`)).toEqual([]);
  },
);

test('a cancel that comes while the next step of its campaign is decided waits for that, and the campaign stays cancelled', async () => {
  const { id, projectId, contactId } = await campaignOfOne('queued');
  await rows(orm.em.fork(), sql`insert into campaign_pages (campaign_id, no, contact_ids) values (${id}, 0, array[${contactId}::uuid])`);
  const { step, cancel } = await orm.em.fork().transactional(async (tx) => {
    // Whether a campaign may begin is asked of its project as well.
    await rows(tx, sql`lock table projects in access exclusive mode`);
    const step = advance(id);
    await untilBlocked(tx);
    const cancel = cancelCampaign(orm.em.fork(), leftBatches, { projectId, id });
    await untilBlocked(tx, 2);
    return { step, cancel };
  });
  expect(await step).toMatchObject({ do: 'end', status: 'failed' });
  expect(await cancel).toBe(0);
  const em = orm.em.fork();
  expect(await em.findOne(Campaign, { id })).toMatchObject({ status: 'cancelled', reason: 'template_not_enabled' });
  expect(await sumCampaignCounts(em, id)).toMatchObject({ skipped: 1, cancelled: 0 });
});

test('a campaign whose counts do not add up to its recipients is told in the log and in a metric, and one whose counts do is not', async () => {
  const em = orm.em.fork();
  const lines: string[] = [];
  const log = {
    ...createLogger('silent', {}),
    error: (event: string, fields?: object) => void lines.push(`${event} ${JSON.stringify(fields)}`),
  };
  const metrics = createMetrics();
  const fine = await campaignToFinish();
  // Of a batch that is open those are left that have no row.
  await campaignOfUnknownOutcome('sending', null);
  await checkCampaignCounts(em, { log, metrics });
  expect(lines).toEqual([]);
  await em.insert(CampaignCount, { campaign_id: fine.id, variant: '', counter: 'skipped', delta: 1 });
  await checkCampaignCounts(em, { log, metrics });
  expect(lines).toEqual([`campaigns.unbalanced {"campaignId":"${fine.id}","total":1,"settled":2,"left":0}`]);
  expect(readPage(await metrics.page()).sum('everpost_campaigns_unbalanced_total')).toBe(1);
  await em.nativeDelete(CampaignCount, { campaign_id: fine.id, counter: 'skipped' });
});

/** Its one recipient has the mail, and its workflow has not looked since. */
async function campaignToFinish(): Promise<CampaignOfOne> {
  const em = orm.em.fork();
  const campaign = await campaignOfOne('sending');
  await em.insert(CampaignCount, { campaign_id: campaign.id, variant: '', counter: 'sent', delta: 1 });
  return campaign;
}

test('a cancel of a campaign whose recipients are all settled finds it sent, and its completion is told', async () => {
  const em = orm.em.fork();
  const { id, projectId } = await campaignToFinish();
  await em.nativeUpdate(Project, { id: projectId }, { has_webhooks: true });
  await em.insert(WebhookEndpoint, {
    ...{ id: uuidv7(), project_id: projectId, url: 'https://example.com', events: ['campaign.completed'] },
    sealed_secret: Buffer.from('s'),
  });
  for (let call = 1; call <= 2; call++)
    await expect(cancelCampaign(orm.em.fork(), leftBatches, { projectId, id })).rejects.toMatchObject({ code: 'already_sent' });
  expect(await orm.em.fork().findOne(Campaign, { id })).toMatchObject({ status: 'sent', sent_at: expect.any(Date), reason: null });
  expect(await orm.em.fork().find(WebhookEvent, { project_id: projectId })).toMatchObject([
    { type: 'campaign.completed', data: { id, status: 'sent', sent_count: 1, cancelled_count: 0 } },
  ]);
});

test('what ends a workflow leaves a campaign whose recipients are all settled sent', async () => {
  const { id } = await campaignToFinish();
  await orm.em.fork().transactional((tx) => cancelCampaignRow(tx, id, 'terminated'));
  expect(await orm.em.fork().findOne(Campaign, { id })).toMatchObject({ status: 'sent', reason: null });
});

test('the details of a campaign that sends say as of when, since they stay where its workflow is terminated', async () => {
  const id = await campaignOfUnknownOutcome('sending', null);
  expect(await advance(id)).toMatchObject({
    do: 'send',
    details: expect.stringMatching(
      /^Sending: 0 of 1 recipients done as of \d{4}-\d\d-\d\dT[\d:]{8}Z\. GET \/campaigns\/:id has the present count\.$/,
    ),
  });
});

test('what a campaign waits for is told in one sentence, without the rate of senders that do not run', async () => {
  const em = orm.em.fork();
  const { id, contactId } = await campaignOfOne('sending');
  await rows(em, sql`insert into campaign_pages (campaign_id, no, contact_ids) values (${id}, 0, array[${contactId}::uuid])`);
  const away = { message: '4.3.0 later' };
  const report = { sent: 0, failed: 0, seconds: 1, away };
  const asked = { campaignId: id, retryNow: false, report };
  expect(await advanceCampaign(em, { registry, leftBatches, log }, asked)).toMatchObject({
    do: 'wait',
    details: expect.stringMatching(/^The provider is away \(4\.3\.0 later\); next try [\dTZ:.-]+; 0 of 1 recipients done\.$/),
  });
});
