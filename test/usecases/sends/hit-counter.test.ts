import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { Send, SendHit, type SendRow, WebhookEndpoint } from '../../../db/entities/index.ts';
import type { MikroORM } from '../../../db/orm.ts';
import { row, rows } from '../../../db/rows.ts';
import type { Tracked } from '../../../domain/sends/tracking.ts';
import { createLogger } from '../../../platform/logger.ts';
import { createHitCounter, type HitCounter } from '../../../usecases/sends/hit-counter.ts';
import { countHits } from '../../../usecases/sends/record-hits.ts';
import { eventually } from '../../support/eventually.ts';
import { bareProject, bareSend, ownDatabase } from '../../support/own-database.ts';

const LINK = 'https://shop.example/sale';
const HOUR_MS = 3_600_000;

let orm: MikroORM;
let project: { id: string; slug: string };
beforeAll(async () => {
  orm = await ownDatabase();
  project = await bareProject(orm.em.fork());
  await orm.em.fork().insert(WebhookEndpoint, {
    id: uuidv7(),
    project_id: project.id,
    url: 'https://nobody.example/',
    sealed_secret: Buffer.from('x'),
    events: null,
    enabled: true,
  });
});

let send: SendRow;
let opened: Tracked;
let clicked: Tracked;
beforeEach(async () => {
  send = await bareSend(orm.em.fork(), project);
  await watch(send);
  opened = { kind: 'opened', sendId: send.id };
  clicked = { kind: 'clicked', sendId: send.id, url: LINK };
});

/** Writes repeats when it is stopped and not before. */
const counter = (): HitCounter => createHitCounter({ orm, log: createLogger('silent', {}), everyMs: 2 ** 30 });
const byPerson = (at = new Date()) => ({ at, isBot: false });
const counts = async () => {
  const { open_count, click_count } = await orm.em.fork().findOneOrFail(Send, { id: send.id });
  return { opens: open_count, clicks: click_count };
};
const hitRows = () => orm.em.fork().find(SendHit, { send_id: send.id }, { orderBy: { id: 'asc' } });
const told = async (type: string) =>
  (
    await row(
      orm.em.fork(),
      sql<{ count: number }>`select count(*) as count from webhook_events where type = ${type} and data ->> 'send_id' = ${send.id}`,
    )
  )?.count;
/** How often the run that watches the contact was signalled since the last look. */
const signals = async () => (await rows(orm.em.fork(), sql`delete from outbox where message ->> 'kind' = 'signal' returning 1`)).length;

/** A run of the mail's contact whose wait looks at the contact. */
async function watch({ contact_id: contactId }: SendRow): Promise<void> {
  const em = orm.em.fork();
  const [sequence, run] = [uuidv7(), uuidv7()];
  await row(
    em,
    sql`insert into sequences (id, project_id, key, name, status, version) values (${sequence}, ${project.id}, ${sequence}, 'x', 'active', 1)`,
  );
  await row(
    em,
    sql`insert into enrollments (id, project_id, sequence_id, sequence_version, contact_id, watches_contact)
        values (${run}, ${project.id}, ${sequence}, 1, ${contactId}, true)`,
  );
  await signals();
}

test('the first open and the first click of a link count, signal and are told at once; repeats raise a counter, written now and then', async () => {
  const hits = counter();
  await hits.count(opened, byPerson());
  await hits.count(clicked, byPerson());
  expect(await counts()).toEqual({ opens: 1, clicks: 1 });
  expect(await signals()).toBe(2);
  for (let n = 0; n < 30; n++) {
    await hits.count(opened, byPerson());
    await hits.count(clicked, byPerson());
  }
  expect(await counts()).toEqual({ opens: 1, clicks: 1 });
  await hits.stop();
  expect(await counts()).toEqual({ opens: 31, clicks: 31 });
  expect((await hitRows()).map(({ kind, count }) => [kind, count])).toEqual([
    ['opened', 31],
    ['clicked', 31],
  ]);
  expect([await told('email.opened'), await told('email.clicked'), await signals()]).toEqual([1, 1, 0]);
});

test('processes that count the same link tell of its first click once between them', async () => {
  const all = [counter(), counter(), counter(), counter()];
  await Promise.all(all.flatMap((hits) => Array.from({ length: 10 }, () => hits.count(clicked, byPerson()))));
  await Promise.all(all.map((hits) => hits.stop()));
  expect([await counts(), await told('email.clicked'), await signals()]).toEqual([{ opens: 0, clicks: 40 }, 1, 1]);
});

test('a click that comes while the first one is being written is a repeat', async () => {
  const hits = counter();
  const at = new Date();
  let second: Promise<void> | undefined;
  await orm.em.fork().transactional(async (tx) => {
    await countHits(tx, [{ sendId: send.id, kind: 'clicked', url: LINK, isBot: false, count: 1, firstAt: at, lastAt: at }]);
    second = hits.count(clicked, byPerson(at));
    const waits = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await eventually(() => row(orm.em.fork(), waits));
  });
  await second;
  expect([await counts(), await told('email.clicked'), await signals()]).toEqual([{ opens: 0, clicks: 2 }, 1, 1]);
  await hits.stop();
});

test('each link of a mail has its own first click', async () => {
  const hits = counter();
  await Promise.all([hits.count(clicked, byPerson()), hits.count({ ...clicked, url: `${LINK}/2` } as Tracked, byPerson())]);
  await hits.stop();
  expect([await counts(), await told('email.clicked')]).toEqual([{ opens: 0, clicks: 2 }, 2]);
});

test('a repeat after more than an hour signals runs again and is told no more', async () => {
  const hits = counter();
  await hits.count(opened, byPerson(new Date(Date.now() - HOUR_MS - 1_000)));
  expect(await signals()).toBe(1);
  await hits.count(opened, byPerson());
  await hits.stop();
  expect([await signals(), await told('email.opened'), await counts()]).toEqual([1, 1, { opens: 2, clicks: 0 }]);
});

test('a hit of a bot before that of a person hides it neither way', async () => {
  const hits = counter();
  await hits.count(clicked, { at: new Date(), isBot: true });
  expect([await counts(), await told('email.clicked'), await signals()]).toEqual([{ opens: 0, clicks: 0 }, 0, 0]);
  await hits.count(clicked, byPerson());
  expect([await counts(), await told('email.clicked'), await signals()]).toEqual([{ opens: 0, clicks: 1 }, 1, 1]);
  await hits.stop();
  expect((await hitRows()).map(({ is_bot, count }) => [is_bot, count])).toEqual([
    [true, 1],
    [false, 1],
  ]);
});

test('a click too soon after the submission is a bot’s, and the next one is looked at anew', async () => {
  const hits = counter();
  const { closed_at: submittedAt } = send;
  await hits.count(clicked, byPerson(new Date(submittedAt!.getTime() + 1_999)));
  expect(await counts()).toEqual({ opens: 0, clicks: 0 });
  await hits.count(clicked, byPerson(new Date(submittedAt!.getTime() + 2_000)));
  expect([await counts(), await told('email.clicked')]).toEqual([{ opens: 0, clicks: 1 }, 1]);
  await hits.stop();
});

test('a mail so old that its hits are forgotten tells of no click for a second time', async () => {
  const longAgo = new Date(Date.now() - 91 * 24 * HOUR_MS);
  send = await bareSend(orm.em.fork(), project, { opened_at: longAgo, closed_at: longAgo, click_count: 1, first_clicked_at: longAgo });
  const hits = counter();
  await hits.count({ kind: 'clicked', sendId: send.id, url: LINK }, byPerson());
  await hits.stop();
  expect([await counts(), await told('email.clicked')]).toEqual([{ opens: 0, clicks: 2 }, 0]);
});

test('what cannot be recorded rejects nothing, and the next hit is tried again', async () => {
  const hits = counter();
  await rows(orm.em.fork(), sql`alter table send_hits rename to send_hits_away`);
  await hits.count(opened, byPerson());
  await rows(orm.em.fork(), sql`alter table send_hits_away rename to send_hits`);
  await hits.count(opened, byPerson());
  expect(await counts()).toEqual({ opens: 1, clicks: 0 });
  await hits.stop();
});

test('a hit that comes before the row of its mail counts, however many looks the row takes to be there', async () => {
  const hits = createHitCounter({ orm, log: createLogger('silent', {}), everyMs: 20 });
  const late = uuidv7();
  const opensOf = async (id: string) => (await orm.em.fork().findOne(Send, { id }))?.open_count;
  await hits.count(opened, byPerson());
  await hits.count({ kind: 'opened', sendId: late }, byPerson());
  // What has come after it is written in a look that found no row for it.
  for (const looks of [1, 2, 3]) {
    await hits.count(opened, byPerson());
    await eventually(async () => (await opensOf(send.id)) === 1 + looks);
  }
  await bareSend(orm.em.fork(), project, { id: late });
  await eventually(async () => (await opensOf(late)) === 1);
  await hits.stop();
});
