import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import { ProviderEvent, SendHit } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { keepProviderEvents, takeUnapplied } from '../../db/queries/inbound/provider-events.ts';
import { row, rows } from '../../db/rows.ts';
import { pruneExpired } from '../../usecases/operations/prune-expired.ts';
import { countHits } from '../../usecases/sends/record-hits.ts';
import { bareProject, bareSend, ownDatabase } from '../support/own-database.ts';

const DAY_MS = 86_400_000;
const NOW = new Date('2026-06-01T12:00:00Z');
const later = (ms: number): Date => new Date(NOW.getTime() + ms);

let em: EntityManager;
let project: { id: string; slug: string };
beforeAll(async () => {
  em = (await ownDatabase()).em.fork();
  project = await bareProject(em);
});

const keep = (providerIds: readonly string[], now: Date) => {
  const event = { key: uuidv7(), type: 'delivered', providerIds, occurredAt: now, details: {}, body: '{}' } as const;
  return keepProviderEvents(em, { projectId: project.id, provider: 'generic', events: [event], now, newId: () => uuidv7() });
};

test('an event about a send that nobody knows is looked at ever more rarely, and is found when its send is known', async () => {
  const [id] = await keep(['early'], NOW);
  const looks: number[] = [];
  // The first pauses to the five seconds, those of hours to the minute.
  for (let second = 0; second <= 86_400; second += second < 600 ? 5 : 60) {
    const looked = await takeUnapplied(em, later(second * 1000), 100);
    if (looked.some((event) => event.id === id)) looks.push(second);
  }
  expect(looks.slice(0, 6)).toEqual([0, 5, 10, 20, 40, 80]);
  // Doubling up to an hour, and then each hour.
  expect(looks.length).toBeLessThan(40);
  await bareSend(em, project, { provider_id: 'early' });
  expect(await takeUnapplied(em, later(DAY_MS + 3_600_000), 100)).toEqual([{ id, applicable: true }]);
});

test('hits are kept for 90 days from the last one, reports for 90 days, and those about mail of others for one', async () => {
  const send = await bareSend(em, project);
  const hit = (url: string, daysAgo: number) => {
    const at = later(-daysAgo * DAY_MS);
    return { sendId: send.id, kind: 'clicked', url, isBot: false, count: 1, firstAt: at, lastAt: at } as const;
  };
  await countHits(em.fork(), [hit('https://a.example/', 91), hit('https://b.example/', 91), hit('https://c.example/', 89)]);
  await countHits(em.fork(), [hit('https://b.example/', 1)]);
  await rows(em, sql`delete from provider_events`);
  const [foreign] = await keep(['foreign'], later(-DAY_MS - 1000));
  const [waiting] = await keep(['waiting'], later(-DAY_MS + 1000));
  const [old] = await keep(['old'], later(-90 * DAY_MS - 1000));
  const [known] = await keep(['known'], later(-90 * DAY_MS + 1000));
  await rows(em, sql`update provider_events set applied_at = received_at where id = any(${[old, known]}::uuid[])`);
  await pruneExpired(em.fork(), { now: NOW });
  const kept = await em.fork().find(SendHit, { send_id: send.id }, { orderBy: { url: 'asc' } });
  expect(kept.map(({ url }) => url)).toEqual(['https://b.example/', 'https://c.example/']);
  const ids = (await em.fork().find(ProviderEvent, {})).map(({ id }) => id);
  expect(ids.sort()).toEqual([waiting, known].sort());
  expect(ids).not.toContain(foreign);
});

test('provider events that are to be looked at are found by an index', async () => {
  const plan = await em.fork().transactional(async (tx) => {
    await row(tx, sql`set local enable_seqscan = off`);
    await row(tx, sql`set local enable_sort = off`);
    await row(tx, sql`set local enable_bitmapscan = off`);
    return rows(
      tx,
      sql<{ 'QUERY PLAN': string }>`
        explain select id from provider_events where applied_at is null and look_at < ${NOW} order by look_at limit 10`,
    );
  });
  const text = plan.map((line) => line['QUERY PLAN']).join('\n');
  expect(text).toContain('Index');
  expect(text).not.toMatch(/Sort|Seq Scan/);
});
