import { Client } from 'pg';
import { expect, test } from 'vitest';
import { OUTCOME_UNKNOWN_AFTER_MS } from '../../domain/sends/submission-times.ts';
import { campaignBecomes, campaignEnds, checkCampaign, newAudience, newCampaign } from '../support/campaigns.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import type { Everpost } from '../support/everpost.ts';
import { scriptMail } from '../support/mail.ts';
import { database } from '../support/project.ts';
import { dueCampaign, slowResolving } from '../support/slow-resolving.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';
import { sharingEverpost, withEverpost } from '../support/with-everpost.ts';

async function query<T>({ databaseUrl }: Everpost, text: string): Promise<T[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query(text)).rows as T[];
  } finally {
    await client.end();
  }
}

/** For all that dead workers held: nobody else holds anything then. */
async function timeToSettlePasses(stack: Everpost): Promise<void> {
  const before = (column: string) => `${column} = ${column} - interval '${OUTCOME_UNKNOWN_AFTER_MS} ms'`;
  await query(stack, `update campaign_pages set ${before('opened_at')} where state = 'open'`);
  await query(stack, `update campaign_pages set ${before('available_at')} where state = 'leased'`);
}

/** Of a worker, by default. */
const CONNECTIONS = 20;

const PATIENCE = { timeoutMs: 240_000, everyMs: 250 };

/** For mail servers that misbehave towards one project each. */
const withFewConnections = sharingEverpost({ env: { SEND_CONCURRENCY: '2' } });

test.concurrent('a worker that is killed five times in the middle loses nobody and sends nothing twice', async () => {
  const SIZE = 3_000;
  await withEverpost({ worker: false }, async ({ stack, project, arrived }) => {
    const { tag, emails } = await newAudience(project, SIZE);
    await scriptMail(`@to.${project.domain}`, { delayMs: 20 });
    const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
    for (let kill = 1; kill <= 5; kill++) {
      const worker = stack.addWorker();
      const before = await arrived();
      await eventually(async () => (await arrived()) >= before + 250, { timeoutMs: 60_000, everyMs: 20 });
      await worker.process.kill();
      await timeToSettlePasses(stack);
    }
    expect(await arrived()).toBeLessThan(SIZE);
    stack.addWorker();
    expect(await campaignEnds(project, id, PATIENCE)).toMatchObject({ status: 'sent', total_recipients: SIZE });
    const { outcomeUnknown, sent } = await checkCampaign(await database(stack.databaseUrl), project, id, emails);
    expect(sent + outcomeUnknown).toBe(SIZE);
    // Only what was submitted at the moments of the kills: a mail for each connection.
    expect(outcomeUnknown).toBeLessThanOrEqual(5 * CONNECTIONS);
  });
}, 400_000);

test.concurrent('a worker that was frozen past its lease sends nothing of what others took', async () => {
  const SIZE = 800;
  await withEverpost({ worker: false }, async ({ stack, project, arrived }) => {
    const { tag, emails } = await newAudience(project, SIZE);
    await scriptMail(`@to.${project.domain}`, { delayMs: 100 });
    const frozen = stack.addWorker();
    const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
    await eventually(async () => (await arrived()) >= 50, { timeoutMs: 60_000, everyMs: 20 });
    await frozen.signal('SIGSTOP');
    const other = stack.addWorker();
    // All that it held and had not opened is taken by the other, all that it had opened has an unknown outcome.
    await campaignEnds(project, id, PATIENCE);
    const atEnd = await arrived();
    await frozen.signal('SIGCONT');
    await eventually(() =>
      query(stack, `select 1 from pg_stat_activity where application_name = 'everpost-worker' and state_change > now() - interval '1 s'`),
    );
    await frozen.process.stop();
    await other.process.stop();
    const { outcomeUnknown, sent } = await checkCampaign(await database(stack.databaseUrl), project, id, emails);
    expect(sent + outcomeUnknown).toBe(SIZE);
    expect(outcomeUnknown).toBeLessThanOrEqual(CONNECTIONS);
    // What was on the wire when it froze may have arrived afterwards, once.
    expect((await arrived()) - atEnd).toBeLessThanOrEqual(20);
  });
}, 400_000);

test.concurrent('a worker that is stopped in order finishes its batches, and another goes on at once', async () => {
  const SIZE = 600;
  await withEverpost({ worker: false }, async ({ stack, project, arrived }) => {
    const { tag, emails } = await newAudience(project, SIZE);
    await scriptMail(`@to.${project.domain}`, { delayMs: 400 });
    const first = stack.addWorker();
    const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
    await eventually(async () => (await arrived()) >= 60, { timeoutMs: 60_000, everyMs: 20 });
    const second = stack.addWorker();
    await first.process.stop();
    expect(await arrived()).toBeLessThan(SIZE);
    await scriptMail(`@to.${project.domain}`, {});
    expect(second.process.running).toBe(true);
    expect(await campaignEnds(project, id, PATIENCE)).toMatchObject({ status: 'sent', sent_count: SIZE, failed_count: 0 });
    await checkCampaign(await database(stack.databaseUrl), project, id, emails);
  });
}, 300_000);

test.concurrent('a mail server that is away for a while fails nobody, and the campaign says why it waits', async () => {
  const SIZE = 150;
  const proxy = await tcpProxy(new URL(testEnvironment().smtpUrl).host);
  try {
    await withEverpost({ smtpUrl: `smtp://${proxy.address}` }, async ({ stack, project, arrived }) => {
      const { tag, emails } = await newAudience(project, SIZE);
      await scriptMail(`@to.${project.domain}`, { delayMs: 30 });
      await proxy.down();
      const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
      await campaignBecomes(project, id, ({ status, reason }) => status === 'sending' && reason === 'provider_unavailable');
      expect(await arrived()).toBe(0);
      await proxy.up();
      expect(await campaignEnds(project, id, PATIENCE)).toMatchObject({ status: 'sent', sent_count: SIZE, failed_count: 0, reason: null });
      await checkCampaign(await database(stack.databaseUrl), project, id, emails);
    });
  } finally {
    await proxy.close();
  }
}, 300_000);

test.concurrent('a mail server that takes one in three at a time gets every mail once', async () => {
  const SIZE = 90;
  await withFewConnections(async ({ stack, project }) => {
    const { tag, emails } = await newAudience(project, SIZE);
    for (const [index, email] of emails.entries())
      if (index % 3 > 0)
        await scriptMail(email, index % 3 === 1 ? { rejectRecipient: { code: 451, times: 4 } } : { rejectData: { code: 421, times: 1 } });
    const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
    expect(await campaignEnds(project, id, PATIENCE)).toMatchObject({ status: 'sent', sent_count: SIZE, failed_count: 0 });
    await checkCampaign(await database(stack.databaseUrl), project, id, emails);
  });
}, 300_000);

test.concurrent('a mail server that ends each connection with 421 after fifty mails gets every mail once', async () => {
  const SIZE = 250;
  await withFewConnections(async ({ stack, project }) => {
    const { tag, emails } = await newAudience(project, SIZE);
    await scriptMail(`@to.${project.domain}`, { mailsPerConnection: 50 });
    const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
    expect(await campaignEnds(project, id, PATIENCE)).toMatchObject({ status: 'sent', sent_count: SIZE, failed_count: 0 });
    await checkCampaign(await database(stack.databaseUrl), project, id, emails);
  });
}, 300_000);

test.concurrent('PostgreSQL that is away in the middle costs no mail and sends none twice', async () => {
  const SIZE = 400;
  const proxy = await tcpProxy(new URL(testEnvironment().databaseUrl).host);
  try {
    await withEverpost({ databaseAddress: proxy.address }, async ({ stack, project, arrived }) => {
      const { tag, emails } = await newAudience(project, SIZE);
      await scriptMail(`@to.${project.domain}`, { delayMs: 300 });
      const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
      await eventually(async () => (await arrived()) >= 60, { timeoutMs: 60_000, everyMs: 20 });
      const before = await arrived();
      await proxy.down();
      // Mails that are in flight go out, though what becomes of them cannot be written.
      await eventually(async () => (await arrived()) > before);
      await proxy.up();
      await scriptMail(`@to.${project.domain}`, {});
      expect(await campaignEnds(project, id, PATIENCE)).toMatchObject({ status: 'sent', total_recipients: SIZE });
      const { sent, outcomeUnknown } = await checkCampaign(await database(stack.databaseUrl), project, id, emails);
      expect(sent + outcomeUnknown).toBe(SIZE);
    });
  } finally {
    await proxy.close();
  }
}, 300_000);

test.concurrent('when the worker that finds out who gets a campaign is killed, another begins anew at once', async () => {
  const SIZE = 3;
  await withEverpost({ worker: false }, async (given) => {
    const { stack, project } = given;
    const em = await database(stack.databaseUrl);
    const resolving = await slowResolving(em);
    const first = stack.addWorker();
    const { id, emails } = await dueCampaign(given, em, SIZE);
    const pid = await resolving.by();
    await first.process.kill();
    stack.addWorker();
    await resolving.by(pid);
    await resolving.letGo();
    expect(await campaignEnds(project, id, PATIENCE)).toMatchObject({ status: 'sent', total_recipients: SIZE, sent_count: SIZE });
    await checkCampaign(em, project, id, emails);
  });
}, 300_000);
