import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { EntityManager, MikroORM } from '../../../db/orm.ts';
import { insertCampaign } from '../../../db/queries/campaigns/campaigns.ts';
import { countWaiting, leaseMessages, retryMessages } from '../../../db/queries/operations/outbox-leases.ts';
import { type QueueAges, readQueueAges } from '../../../db/queries/operations/queue-ages.ts';
import { countScheduled, overdueScheduled } from '../../../db/queries/sends/overdue-scheduled.ts';
import { countActiveEnrollments } from '../../../db/queries/sequences/active-enrollments.ts';
import { row, rows } from '../../../db/rows.ts';
import { bareProject, ownDatabase } from '../../support/own-database.ts';

let orm: MikroORM;
let em: EntityManager;
let projectId: string;
let brand: string;

beforeAll(async () => {
  orm = await ownDatabase();
  em = orm.em.fork();
  const project = await bareProject(em);
  [projectId, brand] = [project.id, project.slug];
});

beforeEach(async () => {
  for (const table of ['outbox', 'scheduled_sends', 'campaigns', 'webhook_deliveries', 'webhook_events', 'webhook_endpoints', 'sequences'])
    await rows(em, sql`delete from ${sql.table(table)}`);
});

const ago = (seconds: number) => sql`now() - make_interval(secs => ${seconds}::double precision)`;

/** In whole minutes, as the statements of a test take a moment. */
async function age(of: keyof QueueAges): Promise<number> {
  return Math.round((await readQueueAges(em))[of] / 60);
}

test('where nothing waits every age is 0', async () => {
  expect(await readQueueAges(em)).toEqual({ outboxRow: 0, campaignBatch: 0, webhookDelivery: 0, scheduledSend: 0 });
});

describe('the age of the outbox', () => {
  type Message = { created: number; due: number } & Partial<Record<'attempts' | 'priority' | 'count', number>>;
  const message = ({ created, due, attempts = 0, priority = 1, count = 1 }: Message) =>
    rows(
      em,
      sql`insert into outbox (workflow_id, message, priority, attempts, due_at, created_at, project_id)
          select 'w', '{}', ${priority}::smallint, ${attempts}::integer, ${ago(due)}, ${ago(created)}, gen_random_uuid()
          from generate_series(1, ${count}::integer)`,
    );

  test('is that of the message that has been due for longest, of whatever project and priority', async () => {
    await message({ created: 60, due: 60, count: 3 });
    await message({ created: 300, due: 300, priority: 5 });
    await message({ created: 120, due: 120 });
    expect(await age('outboxRow')).toBe(5);
  });

  test('counts from the beginning for a message that is tried again and again, which is due again each time', async () => {
    await message({ created: 600, due: -2, attempts: 40 });
    expect(await age('outboxRow')).toBe(10);
  });

  test('counts from the time that a message was planned for, however long before it was written', async () => {
    await message({ created: 3_600, due: 120 });
    for (const _ of ['first', 'second']) {
      const [leased] = await leaseMessages(em, { single: 1, bulk: 1 }, 10);
      await retryMessages(em, [leased!.id], 0);
    }
    expect([await age('outboxRow'), await countWaiting(em)]).toEqual([2, 1]);
  });

  test('leaves out what is to go later, and what is tried for the first time just now', async () => {
    await message({ created: 600, due: -600 });
    await message({ created: 600, due: -5, attempts: 1 });
    expect(await age('outboxRow')).toBe(0);
  });
});

describe('the age of campaign batches', () => {
  async function campaign(fields: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const id = uuidv7();
    await insertCampaign(em, {
      ...{ id, projectId, name: '', template: 't', type: 'marketing', brand: 'b', subject: 's', hasOwnSubject: false, data: {} },
      ...{ audience: { mode: 'entire' }, variants: null, scheduledAt: null, endsAt: null, ratePerSecond: null, now: new Date() },
    });
    const set = { status: 'sending', started_at: ago(900), ...fields };
    const changes = Object.entries(set).map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
    await rows(em, sql`update campaigns set ${sql.join(changes)} where id = ${id}`);
    return id;
  }
  const batch = (id: string, at: unknown) =>
    rows(em, sql`insert into campaign_pages (campaign_id, no, contact_ids, available_at) values (${id}, 1, '{}', ${at})`);

  test('counts from the start of the campaign, or from when the provider was to be asked again', async () => {
    await batch(await campaign(), sql`'-infinity'`);
    expect(await age('campaignBatch')).toBe(15);
    await rows(em, sql`update campaign_pages set available_at = ${ago(120)}`);
    expect(await age('campaignBatch')).toBe(2);
  });

  test.each([
    ['is paused', { paused: true }],
    ['is over', { status: 'cancelled' }],
    ['waits for the provider', { retry_at: ago(-60) }],
  ])('leaves out a campaign that %s', async (_, fields) => {
    await batch(await campaign(fields), sql`'-infinity'`);
    expect(await age('campaignBatch')).toBe(0);
  });

  test('leaves out a batch in flight', async () => {
    await batch(await campaign(), sql`'infinity'`);
    expect(await age('campaignBatch')).toBe(0);
  });
});

async function endpoint({ enabled = true, hasBurst = false } = {}): Promise<string> {
  const id = uuidv7();
  await rows(
    em,
    sql`insert into webhook_endpoints (id, project_id, url, enabled, has_lane, sealed_secret)
        values (${id}, ${projectId}, 'https://example.com', ${enabled}, ${hasBurst}, '')`,
  );
  return id;
}

async function delivery(endpointId: string, { due = 0, attempts = 0, inBurst = false, status = 'pending', count = 1 }): Promise<void> {
  const [event] = await rows(
    em,
    sql<{ id: string }>`insert into webhook_events (project_id, type, data) values (${projectId}, 't', '{}') returning id`,
  );
  await rows(
    em,
    sql`insert into webhook_deliveries (project_id, endpoint_id, event_id, status, attempts, next_attempt_at, in_lane)
        select ${projectId}::uuid, ${endpointId}::uuid, ${event!.id}::uuid, ${status}, ${attempts}::smallint, ${ago(due)}, ${inBurst}::boolean
        from generate_series(1, ${count}::integer)`,
  );
}

describe('the age of webhook deliveries', () => {
  test('is that of the delivery that has been due for longest, of whatever endpoint and number of attempts', async () => {
    const [one, other] = [await endpoint(), await endpoint()];
    await delivery(one, { due: 60 });
    await delivery(one, { due: 420, attempts: 3 });
    await delivery(other, { due: 120 });
    await delivery(other, { due: 9_000, status: 'delivered' });
    expect(await age('webhookDelivery')).toBe(7);
  });

  test('counts those of a burst', async () => {
    await delivery(await endpoint({ hasBurst: true }), { due: 240, inBurst: true });
    expect(await age('webhookDelivery')).toBe(4);
  });

  test('leaves out what is not due yet, and what a disabled endpoint holds', async () => {
    await delivery(await endpoint(), { due: -600, attempts: 1 });
    await delivery(await endpoint({ enabled: false }), { due: 600 });
    expect(await age('webhookDelivery')).toBe(0);
  });
});

async function scheduled(of: string, { due, availableIn = -due, count = 1 }: { due: number; availableIn?: number; count?: number }) {
  await rows(
    em,
    sql`insert into scheduled_sends (id, project_id, due_at, available_at, call, caller, to_email, template, type, brand_id, subject)
        select uuid_v7(), ${of}::uuid, ${ago(due)}, ${ago(-availableIn)}, '{}', '{}', 'a@b.example', 't', 'transactional', 'b', ''
        from generate_series(1, ${count}::integer)`,
  );
}

describe('the age of scheduled mails', () => {
  test('is that of the one that has been due for longest, of whatever project, though it was put off', async () => {
    const other = await bareProject(em);
    await scheduled(projectId, { due: 120 });
    await scheduled(other.id, { due: 480, availableIn: 300 });
    await scheduled(other.id, { due: -600 });
    expect(await age('scheduledSend')).toBe(8);
    expect(await countScheduled(em)).toBe(3);
  });

  test('leaves out what is not due yet, and what a project holds that may not send', async () => {
    const held = await bareProject(em);
    await rows(em, sql`update projects set status = 'suspended' where id = ${held.id}`);
    await scheduled(held.id, { due: 600 });
    await scheduled(projectId, { due: -600 });
    expect(await age('scheduledSend')).toBe(0);
  });
});

async function enrollments(states: readonly [status: string, waitingFor: string | null, count: number][]): Promise<void> {
  const [sequence, contact] = [uuidv7(), uuidv7()];
  await rows(
    em,
    sql`insert into sequences (id, project_id, key, name, status, version) values (${sequence}, ${projectId}, ${sequence}, 's', 'active', 1)`,
  );
  await rows(
    em,
    sql`insert into contacts (id, project_id, email, status, brand_id) values (${contact}, ${projectId}, ${contact}, 'subscribed', ${brand})`,
  );
  for (const [status, waitingFor, count] of states)
    await rows(
      em,
      sql`insert into enrollments (id, project_id, sequence_id, sequence_version, contact_id, status, waiting_for)
          select uuid_v7(), ${projectId}::uuid, ${sequence}::uuid, 1, ${contact}::uuid, ${status}, ${waitingFor}::text
          from generate_series(1, ${count}::integer)`,
    );
}

test('enrollments that have not ended are counted by what they do and why, and so are those whose wait was over ten minutes ago', async () => {
  const standings: [waitingFor: string | null, state: string, reason: string][] = [
    [null, 'going', ''],
    ['delay', 'waiting', 'delay'],
    ['condition', 'waiting', 'condition'],
    ['time', 'waiting', 'time'],
    ['subflow', 'waiting', 'subflow'],
    ['digest', 'waiting', 'digest'],
    ['throttle', 'waiting', 'throttle'],
    ['held:paused', 'held', 'paused'],
    ['held:project_suspended', 'held', 'project_suspended'],
    ['held:email_unverified', 'held', 'email_unverified'],
    ['held:send_window', 'held', 'send_window'],
    ['held:frequency_cap', 'held', 'frequency_cap'],
    ['held:provider_unavailable', 'retrying', 'provider_unavailable'],
    ['held:too_many_steps', 'held', 'too_many_steps'],
    ['webhook', 'retrying', 'webhook'],
  ];
  await enrollments([
    ...standings.map(([waitingFor], place): [string, string | null, number] => ['active', waitingFor, place + 1]),
    ['active', 'event:order', 20],
    ['active', 'event:project_created', 1],
    ['completed', null, 5],
    ['cancelled', null, 6],
  ]);
  for (const [waitingFor, seconds, limit] of [
    ['delay', 660, 1],
    ['condition', 540, 3],
    ['held:frequency_cap', 660, 2],
    ['event:order', 660, 7],
  ] as const)
    await rows(
      em,
      sql`update enrollments set wakes_at = ${ago(seconds)}
          where id in (select id from enrollments where waiting_for = ${waitingFor} limit ${limit}::integer)`,
    );
  const overdue: Record<string, number> = { delay: 1, frequency_cap: 2, event: 7 };
  const counted = [
    ...standings.map(([, state, reason], place) => ({ state, reason, count: place + 1 })),
    { state: 'waiting', reason: 'event', count: 21 },
  ];
  const byReason = (a: { reason: string }, b: { reason: string }): number => a.reason.localeCompare(b.reason);
  expect((await countActiveEnrollments(em)).sort(byReason)).toEqual(
    counted.map((of) => ({ ...of, overdue: overdue[of.reason] ?? 0 })).sort(byReason),
  );
});

describe('however many rows there are', () => {
  /** Rows of the table that PostgreSQL read for it. */
  async function rowsRead(table: string, work: (tx: EntityManager) => Promise<unknown>): Promise<number> {
    const read = sql<{ count: number }>`
      select (seq_tup_read + coalesce(idx_tup_fetch, 0)) as count from pg_stat_user_tables where relname = ${table}`;
    const flushed = (tx: EntityManager) => rows(tx, sql`select pg_stat_force_next_flush()`);
    await rows(em, sql`analyze ${sql.table(table)}`);
    await orm.em.fork().transactional(flushed);
    const before = (await row(em, read))?.count ?? 0;
    await orm.em.fork().transactional(async (tx) => {
      await work(tx);
      await flushed(tx);
    });
    return ((await row(em, read))?.count ?? 0) - before;
  }

  test('the ages look at a bounded number of deliveries and messages', async () => {
    const id = await endpoint();
    await delivery(id, { due: 60, count: 20_000 });
    await delivery(await endpoint({ enabled: false }), { due: 60, count: 20_000 });
    await delivery(id, { status: 'delivered', count: 20_000 });
    await rows(
      em,
      sql`insert into outbox (workflow_id, message, project_id, due_at) select 'w', '{}', ${projectId}::uuid, ${ago(-60)} from generate_series(1, 20000)`,
    );
    expect(await rowsRead('webhook_deliveries', readQueueAges)).toBeLessThan(200);
    expect(await rowsRead('outbox', readQueueAges)).toBeLessThan(5_100);
  });

  test('what is said of scheduled mails looks at a bounded number of them', async () => {
    const other = await bareProject(em);
    await scheduled(projectId, { due: -600, count: 20_000 });
    await scheduled(projectId, { due: 900, availableIn: 300, count: 20_000 });
    await scheduled(other.id, { due: 900, count: 20_000 });
    expect(await rowsRead('scheduled_sends', readQueueAges)).toBeLessThan(100);
    expect(await rowsRead('scheduled_sends', (tx) => overdueScheduled(tx, projectId, 50))).toBeLessThan(100);
  });

  test('the count of enrollments looks at none that has ended', async () => {
    await enrollments([
      ['active', null, 10],
      ['completed', null, 20_000],
    ]);
    expect(await rowsRead('enrollments', countActiveEnrollments)).toBeLessThan(100);
  });
});
