import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { insertCampaign } from '../../db/queries/campaigns/campaigns.ts';
import { row } from '../../db/rows.ts';
import { createLogger } from '../../platform/logger.ts';
import { startDatabaseReadings } from '../../platform/metrics/database-readings.ts';
import { createMetrics } from '../../platform/metrics/metrics.ts';
import { eventually } from '../support/eventually.ts';
import { readPage } from '../support/metrics-page.ts';
import { bareProject, ownDatabase } from '../support/own-database.ts';

test('what cannot be read has no samples rather than a 0, the page comes all the same, and it is read again later', async () => {
  const orm = await ownDatabase();
  const metrics = createMetrics();
  const page = async () => readPage(await metrics.page());
  const isUp = async (read: string) => (await page()).sum('everpost_database_read_up', { read });
  const readings = startDatabaseReadings({ orm, log: createLogger('silent'), metrics });
  try {
    // One that took too long is read again after a minute.
    for (const read of ['queue_ages', 'enrollments', 'scheduled_sends', 'reputation'])
      await eventually(async () => (await isUp(read)) === 1, { timeoutMs: 90_000 });
    await orm.em.fork().transactional(async (tx) => {
      await row(tx, sql`lock table outbox in access exclusive mode`);
      await eventually(async () => (await isUp('queue_ages')) === 0);
      expect((await page()).sum('everpost_outbox_oldest_seconds')).toBeUndefined();
      expect(await isUp('enrollments')).toBe(1);
    });
    await eventually(async () => (await isUp('queue_ages')) === 1);
    expect((await page()).sum('everpost_outbox_oldest_seconds')).toBe(0);
  } finally {
    await readings.stop();
  }
});

test('each age stands for its own queue, so that an alert names the one that is late', async () => {
  const orm = await ownDatabase();
  const em = orm.em.fork();
  const { id: projectId } = await bareProject(em);
  const ago = (minutes: number) => sql`now() - make_interval(mins => ${minutes}::integer)`;
  await row(
    em,
    sql`insert into outbox (workflow_id, message, priority, due_at, project_id) values ('w', '{}', 1, ${ago(10)}, ${projectId})`,
  );
  const [campaignId, endpointId] = [uuidv7(), uuidv7()];
  await insertCampaign(em, {
    ...{ id: campaignId, projectId, name: '', template: 't', type: 'marketing', brand: 'b', subject: 's', hasOwnSubject: false, data: {} },
    ...{ audience: { mode: 'entire' }, variants: null, scheduledAt: null, endsAt: null, ratePerSecond: null, now: new Date() },
  });
  await row(em, sql`update campaigns set status = 'sending', started_at = ${ago(20)} where id = ${campaignId}`);
  await row(em, sql`insert into campaign_pages (campaign_id, no, contact_ids, available_at) values (${campaignId}, 1, '{}', ${ago(20)})`);
  await row(
    em,
    sql`with endpoint as (
          insert into webhook_endpoints (id, project_id, url, sealed_secret) values (${endpointId}, ${projectId}, 'https://example.com', '')
        ), event as (
          insert into webhook_events (id, project_id, type, data) values (${endpointId}, ${projectId}, 't', '{}')
        )
        insert into webhook_deliveries (project_id, endpoint_id, event_id, next_attempt_at) values (${projectId}, ${endpointId}, ${endpointId}, ${ago(30)})`,
  );
  await row(
    em,
    sql`insert into scheduled_sends (id, project_id, due_at, available_at, call, caller, to_email, template, type, brand_id, subject)
        values (${endpointId}, ${projectId}, ${ago(40)}, ${ago(-5)}, '{}', '{}', 'a@b.example', 't', 'transactional', 'b', '')`,
  );
  const metrics = createMetrics();
  const readings = startDatabaseReadings({ orm, log: createLogger('silent'), metrics });
  const page = async () => readPage(await metrics.page());
  try {
    await eventually(async () => (await page()).sum('everpost_database_read_up', { read: 'queue_ages' }) === 1, { timeoutMs: 90_000 });
    const shown = await page();
    const minutes = (queue: string) => Math.floor((shown.sum(`everpost_${queue}_oldest_seconds`) ?? 0) / 60);
    expect(['outbox', 'campaign_page', 'webhook_delivery', 'scheduled_send'].map(minutes)).toEqual([10, 20, 30, 40]);
    await eventually(async () => (await page()).sum('everpost_scheduled_sends') === 1, { timeoutMs: 90_000 });
  } finally {
    await readings.stop();
  }
});

test('recurring campaigns are counted by how they stand, each once', async () => {
  const orm = await ownDatabase();
  const em = orm.em.fork();
  const { id: projectId } = await bareProject(em);
  const made = async (status: string, dueMinutes: number | null, outcomes: readonly string[] = []): Promise<void> => {
    const id = uuidv7();
    await row(
      em,
      sql`insert into recurring_campaigns (id, project_id, status, recurrence, next_due_at, template, audience, type, created_at, changed_at)
          values (${id}, ${projectId}, ${status}, '{}', now() + make_interval(mins => ${dueMinutes}::int), 't', '{}', 'marketing', now(), now())`,
    );
    for (const [index, outcome] of outcomes.entries())
      await row(
        em,
        sql`insert into recurring_runs (recurring_id, due_at, outcome, campaign_id, at)
            values (${id}, now() - make_interval(hours => ${index + 1}), ${outcome}, ${outcome === 'created' ? uuidv7() : null}, now())`,
      );
  };
  await made('active', 60);
  // What was skipped is nothing that anybody has to look at, nor what went wrong before the last one.
  await made('active', 60, ['skipped', 'created', 'missed']);
  await made('active', -5);
  await made('active', -11, ['not_created']);
  await made('active', 60, ['skipped', 'not_created', 'created']);
  await made('paused', null, ['missed']);
  await made('ended', null, ['missed']);
  const metrics = createMetrics();
  const readings = startDatabaseReadings({ orm, log: createLogger('silent'), metrics });
  const page = async () => readPage(await metrics.page());
  try {
    await eventually(async () => (await page()).sum('everpost_database_read_up', { read: 'recurring_campaigns' }) === 1, {
      timeoutMs: 90_000,
    });
    const shown = await page();
    const counts = ['active', 'overdue', 'not_made', 'paused'].map((state) => shown.sum('everpost_recurring_campaigns', { state }));
    expect(counts).toEqual([3, 1, 1, 1]);
  } finally {
    await readings.stop();
  }
});

test('sending domains are counted by their state, and mails by receivers of the list alone, so that labels are few', async () => {
  const orm = await ownDatabase();
  const em = orm.em.fork();
  const [one, other] = [await bareProject(em), await bareProject(em)];
  const counted = (project: { id: string }, domain: string, receiver: string, sent: number, complained: number, hoursAgo = 1) =>
    row(
      em,
      sql`insert into reputation_counts values (${project.id}, date_trunc('hour', now(), 'UTC') - make_interval(hours => ${hoursAgo}), ${domain}, ${receiver},
            ${sent}, 0, 0, 0, 0, 0, ${complained})`,
    );
  await counted(one, 'a.example', 'gmail.com', 900, 1);
  await counted(one, 'a.example', 'to.example', 100, 0);
  await counted(one, 'b.example', 'her-own.example', 200, 1);
  // The same domain of another project is another sender.
  await counted(other, 'a.example', 'gmail.com', 500, 0);
  await counted(other, 'few.example', '', 99, 50);
  await counted(other, 'old.example', 'gmail.com', 10_000, 500, 168);
  const metrics = createMetrics();
  const readings = startDatabaseReadings({ orm, log: createLogger('silent'), metrics });
  const page = async () => readPage(await metrics.page());
  try {
    await eventually(async () => (await page()).sum('everpost_database_read_up', { read: 'reputation' }) === 1, { timeoutMs: 90_000 });
    const shown = await page();
    const domains = ['good', 'warning', 'critical'].map((state) => shown.sum('everpost_reputation_domains', { state }));
    expect(domains).toEqual([1, 1, 1]);
    const mails = (receiver: string, outcome: string) => shown.sum('everpost_reputation_mails', { receiver, outcome });
    expect([mails('gmail.com', 'sent'), mails('gmail.com', 'complained')]).toEqual([1_400, 1]);
    expect([mails('other', 'sent'), mails('other', 'complained')]).toEqual([399, 51]);
    expect(mails('her-own.example', 'sent')).toBeUndefined();
  } finally {
    await readings.stop();
  }
});
