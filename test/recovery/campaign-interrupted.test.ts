import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { row, rows } from '../../db/rows.ts';
import { campaignBecomes, campaignEnds, checkCampaign, newAudience, newCampaign } from '../support/campaigns.ts';
import { eventually } from '../support/eventually.ts';
import { heldCount, scriptMail } from '../support/mail.ts';
import { database } from '../support/project.ts';
import { reconcileNow } from '../support/reconcile-run.ts';
import { resetWorkflow } from '../support/reset-workflow.ts';
import { dueCampaign, slowResolving } from '../support/slow-resolving.ts';
import { temporalClient, workflowHistory } from '../support/temporal.ts';
import { sharingEverpost, withEverpost } from '../support/with-everpost.ts';

/** Each campaign is alone in its project. */
const withOwn = sharingEverpost({});

const RESOLVED = 3;
const PATIENCE = { timeoutMs: 90_000, everyMs: 250 };

test.concurrent('of a campaign whose workflow an operator terminates nothing more is taken, and the next pass of reconcile cancels the rest', async () => {
  const SIZE = 400;
  await withEverpost({ env: { SEND_CONCURRENCY: '4' } }, async ({ stack, project, arrived }) => {
    const em = await database(stack.databaseUrl);
    const client = await temporalClient(stack.namespace);
    const { tag, emails } = await newAudience(project, SIZE);
    const everybody = `@to.${project.domain}`;
    await scriptMail(everybody, { hold: true });
    const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
    const batches = async (state: string): Promise<number> =>
      (await row(em, sql<{ count: number }>`select count(*) as count from campaign_pages where campaign_id = ${id} and state = ${state}`))
        ?.count ?? 0;
    // Of a batch whose first mails are not on the wire yet nothing would go.
    await eventually(async () => (await heldCount(everybody)) > 0 && (await batches('leased')) > 0, { everyMs: 20 });
    await client.workflow.getHandle(`campaign/${id}`).terminate();
    // The senders have noticed: what they had taken and not begun is given back. The mails on the wire are still held.
    await eventually(async () => (await batches('leased')) === 0, { everyMs: 20 });
    const inFlight = await batches('open');
    expect([inFlight > 0, await arrived()]).toEqual([true, 0]);
    await scriptMail(everybody, {});
    await eventually(async () => (await batches('open')) === 0);
    const sent = await arrived();
    // Of a batch of fifty what no connection had taken stays.
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThan(inFlight * 50);
    await reconcileNow(client);
    expect(await campaignBecomes(project, id, ({ status }) => status === 'cancelled')).toMatchObject({
      reason: 'terminated',
      total_recipients: SIZE,
      sent_count: sent,
      cancelled_count: SIZE - sent,
    });
    expect(await checkCampaign(em, project, id, emails)).toMatchObject({ arrived: sent, outcomeUnknown: 0 });
  });
});

test.concurrent('a campaign whose workflow is reset while its mails are in flight goes on when they have gone, and sends each once', async () => {
  const SIZE = 3;
  await withOwn(async ({ stack, project }) => {
    const em = await database(stack.databaseUrl);
    const client = await temporalClient(stack.namespace);
    const { tag, emails } = await newAudience(project, SIZE);
    const everybody = `@to.${project.domain}`;
    await scriptMail(everybody, { hold: true });
    const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
    await eventually(
      async () => (await rows(em, sql`select 1 from campaign_pages where campaign_id = ${id} and state = 'open'`)).length > 0,
      { everyMs: 20 },
    );
    await resetWorkflow(client, `campaign/${id}`);
    // It does not wait as long as a process that has died might hold them.
    const timer = await eventually(async () => {
      const last = (await workflowHistory(client, `campaign/${id}`)).events.at(-1);
      return last?.timerStartedEventAttributes as { readonly startToFireTimeout: string } | undefined;
    });
    expect(Number.parseFloat(timer.startToFireTimeout)).toBeLessThanOrEqual(5);
    await scriptMail(everybody, {});
    expect(await campaignEnds(project, id)).toMatchObject({ status: 'sent', total_recipients: SIZE, sent_count: SIZE });
    expect(await checkCampaign(em, project, id, emails)).toMatchObject({ arrived: SIZE, outcomeUnknown: 0 });
  });
});

test.concurrent('a campaign whose workflow is reset in the middle goes on, sends nothing twice and adds up', async () => {
  const SIZE = 600;
  await withOwn(async ({ stack, project, arrived }) => {
    const em = await database(stack.databaseUrl);
    const client = await temporalClient(stack.namespace);
    const { tag, emails } = await newAudience(project, SIZE);
    // So slow that a reset, which takes a while on a busy machine, comes before the end.
    await scriptMail(`@to.${project.domain}`, { delayMs: 500 });
    const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
    for (const many of [30, 120]) {
      await eventually(async () => (await arrived()) >= many, { timeoutMs: 60_000, everyMs: 20 });
      await resetWorkflow(client, `campaign/${id}`);
    }
    const open = sql`select 1 from campaign_pages where campaign_id = ${id}`;
    expect(await rows(em, open)).not.toEqual([]);
    await scriptMail(`@to.${project.domain}`, {});
    expect(await campaignEnds(project, id)).toMatchObject({ status: 'sent', total_recipients: SIZE, sent_count: SIZE });
    expect(await checkCampaign(em, project, id, emails)).toMatchObject({ arrived: SIZE, outcomeUnknown: 0 });
    const handle = client.workflow.getHandle(`campaign/${id}`);
    await eventually(async () => (await handle.describe()).status.name === 'COMPLETED');
  });
});

test('while it is found out who gets a campaign it can be paused, resumed and cancelled, and then nobody gets it', async () => {
  await withOwn(async (given) => {
    const { stack, project } = given;
    const em = await database(stack.databaseUrl);
    const resolving = await slowResolving(em);
    const { id, emails } = await dueCampaign(given, em, RESOLVED);
    const pid = await resolving.by();
    expect(await project.api.post(`/campaigns/${id}/pause`)).toMatchObject({ status: 200, body: { campaign: { paused: true } } });
    expect(await project.api.post(`/campaigns/${id}/resume`)).toMatchObject({ status: 200, body: { campaign: { paused: false } } });
    expect(await project.api.post(`/campaigns/${id}/cancel`)).toMatchObject({ status: 200, body: { cancelledJobs: RESOLVED } });
    expect(await resolving.by()).toBe(pid);
    await resolving.letGo();
    await resolving.over();
    const handle = (await temporalClient(stack.namespace)).workflow.getHandle(`campaign/${id}`);
    await handle.result();
    expect(await checkCampaign(em, project, id, emails)).toMatchObject({
      arrived: 0,
      record: { status: 'cancelled', total_recipients: RESOLVED, cancelled_count: RESOLVED },
    });
    await resolving.end();
  });
}, 300_000);

test('a campaign that is paused while it is found out who gets it is sent when it is resumed', async () => {
  await withOwn(async (given) => {
    const { stack, project } = given;
    const em = await database(stack.databaseUrl);
    const resolving = await slowResolving(em);
    const { id, emails } = await dueCampaign(given, em, RESOLVED);
    await resolving.by();
    expect(await project.api.post(`/campaigns/${id}/pause`)).toMatchObject({ status: 200 });
    await resolving.letGo();
    await campaignBecomes(project, id, ({ status, paused }) => status === 'queued' && paused, PATIENCE);
    expect(await project.api.post(`/campaigns/${id}/resume`)).toMatchObject({ status: 200 });
    await campaignEnds(project, id, PATIENCE);
    expect(await checkCampaign(em, project, id, emails)).toMatchObject({ sent: RESOLVED, arrived: RESOLVED });
    await resolving.end();
  });
}, 300_000);
