import { type RawBuilder, sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager, MikroORM } from '../../../db/orm.ts';
import { lockContact } from '../../../db/queries/contacts/contacts.ts';
import { LOOKED_AT_ONCE } from '../../../db/queries/sequences/date-triggers.ts';
import { row, rows } from '../../../db/rows.ts';
import { parseGraph } from '../../../domain/sequences/validate.ts';
import { changeSequence } from '../../../usecases/sequences/change-sequence.ts';
import { createSequence } from '../../../usecases/sequences/create-sequence.ts';
import { deleteSequence } from '../../../usecases/sequences/delete-sequence.ts';
import { enterDue, lookAtDates } from '../../../usecases/sequences/enter-by-date.ts';
import { chain, KNOWN } from '../../domain/sequences/graphs.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { bareProject, ownDatabase } from '../../support/own-database.ts';

/** No worker looks at it. */
let orm: MikroORM;
let em: EntityManager;

beforeAll(async () => {
  orm = await ownDatabase();
  em = orm.em.fork();
});

const HOUR_MS = 3_600_000;
const momentIn = (hours: number): Date => new Date(Date.now() + hours * HOUR_MS);
const dayIn = (hours: number): string => momentIn(hours).toISOString().slice(0, 10);
const timeIn = (hours: number): string => momentIn(hours).toISOString().slice(11, 16);

function graphOf(config: object) {
  const parsed = parseGraph({ ...chain(), reentry: 'always', triggers: [{ kind: 'date', config }] }, 'active', KNOWN);
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.valid.graph;
}

/** A project with a sequence that was turned on two days ago, and is entered once on the date `day` at a time of UTC so many hours from now. */
async function newEntry(hours: number, rule: object = {}) {
  const project = await bareProject(em);
  const [id, key] = [uuidv7(), `s-${project.slug}`];
  const ruleAt = (from: number) => ({ attribute: 'day', at: timeIn(from), ...rule });
  const of = { projectId: project.id, key, now: new Date() };
  await createSequence(em, { ...of, id, name: id, status: 'active', graph: graphOf(ruleAt(hours)) });
  const trigger = async (): Promise<string> => {
    const found = await row(em, sql<{ id: string }>`select id from date_triggers where sequence_id = ${id} and ended_at is null`);
    return found?.id ?? uuidv7();
  };
  await row(em, sql`update date_triggers set since = now() - interval '2 days' where sequence_id = ${id}`);
  const change = (changes: object) => changeSequence(em, { ...of, name: undefined, status: undefined, graph: undefined, ...changes });
  return {
    project,
    /** Contacts, each with this day. */
    async add(day: string, ...emails: string[]): Promise<void> {
      await row(
        em,
        sql`insert into contacts (id, project_id, email, status, brand_id, attributes)
            select uuid_v7(), ${project.id}, e, 'subscribed', ${project.slug}, ${JSON.stringify({ day })}::jsonb from unnest(${emails}::text[]) e`,
      );
    },
    addedAt: (email: string, at: RawBuilder<unknown>) =>
      row(em, sql`update contacts set created_at = ${at} where project_id = ${project.id} and email = ${email}`),
    /** The next page of a look at everybody, which is due. */
    async look(): Promise<boolean> {
      await row(em, sql`update date_triggers set look_at = now() - interval '1 second' where sequence_id = ${id} and ended_at is null`);
      return lookAtDates(orm.em.fork(), await trigger());
    },
    enter: async (newId: () => string = uuidv7) => enterDue(orm.em.fork(), await trigger(), newId),
    reruled: (from: number) => change({ graph: graphOf(ruleAt(from)) }),
    turn: (status: 'active' | 'paused') => change({ status }),
    remove: () => deleteSequence(em, project.id, key),
    set: (attributes: object) =>
      row(em, sql`update contacts set attributes = ${JSON.stringify(attributes)}::jsonb where project_id = ${project.id}`),
    /** How often each was enrolled, by address. */
    async enrolled(): Promise<Record<string, number>> {
      const found = await rows(
        em,
        sql<{ email: string; times: number }>`
          select c.email, count(*) as times from enrollments e join contacts c on c.id = e.contact_id
          where e.sequence_id = ${id} group by c.email order by c.email`,
      );
      return Object.fromEntries(found.map(({ email, times }) => [email, Number(times)]));
    },
  };
}

type Entry = Awaited<ReturnType<typeof newEntry>>;

/** Looks at everybody, and enrolls who is due. */
async function goRound(entry: Entry): Promise<void> {
  while (await entry.look());
  while (await entry.enter());
}

test('who is due enters once, however often everybody is looked at; whose day is another does not', async () => {
  const entry = await newEntry(-1);
  await entry.add(dayIn(-1), 'today@to.example');
  await entry.add(dayIn(-73), 'other@to.example');
  for (let round = 0; round < 3; round++) await goRound(entry);
  expect(await entry.enrolled()).toEqual({ 'today@to.example': 1 });
});

test('so many days after it was added each contact enters once, and each year from the next one on', async () => {
  const [after, yearly] = await Promise.all([
    newEntry(-1, { attribute: undefined, field: 'created_at', daysAfter: 3 }),
    newEntry(-1, { attribute: undefined, field: 'created_at', every: 'year' }),
  ]);
  for (const entry of [after, yearly]) {
    await entry.add('none', 'now@to.example', 'two@to.example', 'three@to.example', 'four@to.example', 'year@to.example');
    for (const [name, ago] of Object.entries({ now: '1 hour', two: '49 hours', three: '73 hours', four: '97 hours' }))
      await entry.addedAt(`${name}@to.example`, sql`now() - ${ago}::interval`);
    await entry.addedAt('year@to.example', sql`now() - interval '1 hour' - interval '1 year'`);
    for (let round = 0; round < 3; round++) await goRound(entry);
  }
  expect(await after.enrolled()).toEqual({ 'three@to.example': 1 });
  expect(await yearly.enrolled()).toEqual({ 'year@to.example': 1 });
});

test('who is due soon is known before, and does not enter before the time', async () => {
  const entry = await newEntry(1);
  await entry.add(dayIn(1), 'soon@to.example');
  await goRound(entry);
  expect(await entry.enrolled()).toEqual({});
  const planned = await rows(
    em,
    sql<{ due_at: Date }>`select due_at from date_entries e join date_triggers t on t.id = e.trigger_id
    where t.project_id = ${entry.project.id} and settled_at is null`,
  );
  expect(planned.map(({ due_at }) => due_at.toISOString())).toEqual([`${dayIn(1)}T${timeIn(1)}:00.000Z`]);
  await row(
    em,
    sql`update date_entries set due_at = now() - interval '1 second' where trigger_id in (select id from date_triggers where project_id = ${entry.project.id})`,
  );
  // It is looked up again whether the contact is due: the time alone was moved.
  while (await entry.enter());
  expect(await entry.enrolled()).toEqual({});
});

test('two that enroll at once enroll each once', async () => {
  const entry = await newEntry(-1);
  await entry.add(dayIn(-1), 'both@to.example');
  while (await entry.look());
  const both = await em.transactional(async (tx) => {
    await lockContact(tx, entry.project.id, { email: 'both@to.example' });
    const first = entry.enter();
    await untilBlocked(tx, 1);
    const second = entry.enter();
    await untilBlocked(tx, 2);
    return [first, second];
  });
  await Promise.all(both);
  expect(await entry.enrolled()).toEqual({ 'both@to.example': 1 });
});

test('who dies while it enrolls has enrolled nobody, and whoever comes next enrolls each once', async () => {
  const entry = await newEntry(-1);
  await entry.add(dayIn(-1), 'cut@to.example', 'off@to.example');
  while (await entry.look());
  let made = 0;
  const dies = (): string => {
    if (++made === 2) throw new Error('dead');
    return uuidv7();
  };
  await expect(entry.enter(dies)).rejects.toThrow('dead');
  expect(await entry.enrolled()).toEqual({});
  while (await entry.enter());
  expect(await entry.enrolled()).toEqual({ 'cut@to.example': 1, 'off@to.example': 1 });
});

test('what was missed for less than a day is caught up, and what was for longer is let be', async () => {
  const caught = await newEntry(-23);
  await caught.add(dayIn(-23), 'caught@to.example');
  await goRound(caught);
  expect(await caught.enrolled()).toEqual({ 'caught@to.example': 1 });
  const late = await newEntry(-25);
  await late.add(dayIn(-25), 'late@to.example');
  await goRound(late);
  expect(await late.enrolled()).toEqual({});
  // Planned in time, and then nobody was there to enroll.
  const away = await newEntry(-25);
  await away.add(dayIn(-25), 'away@to.example');
  await row(
    em,
    sql`insert into date_entries (trigger_id, contact_id, date, due_at)
    select t.id, c.id, ${dayIn(-25)}, now() - interval '25 hours' from date_triggers t join contacts c on c.project_id = t.project_id
    where t.project_id = ${away.project.id}`,
  );
  while (await away.enter());
  expect(await away.enrolled()).toEqual({});
});

test('an attribute that changes meanwhile counts: the new day enters, the old one does not', async () => {
  const entry = await newEntry(-1);
  await entry.add(dayIn(-1), 'moved@to.example');
  while (await entry.look());
  await entry.set({ day: dayIn(200) });
  while (await entry.enter());
  expect(await entry.enrolled()).toEqual({});
  await entry.set({ day: dayIn(-1) });
  await goRound(entry);
  expect(await entry.enrolled()).toEqual({ 'moved@to.example': 1 });
});

test('another time of the day enrolls nobody a second time', async () => {
  const entry = await newEntry(-2);
  await entry.add(dayIn(-2), 'once@to.example');
  await goRound(entry);
  await entry.reruled(-1);
  await goRound(entry);
  expect(await entry.enrolled()).toEqual({ 'once@to.example': 1 });
});

test('nobody enters whose time came before the sequence was turned on, or while it was paused', async () => {
  const entry = await newEntry(-1);
  await entry.add(dayIn(-1), 'paused@to.example');
  while (await entry.look());
  await entry.turn('paused');
  expect(await entry.enter()).toBe(false);
  await entry.turn('active');
  await goRound(entry);
  expect(await entry.enrolled()).toEqual({});
});

test('a sequence that is deleted, or entered by no date any more, enrolls nobody', async () => {
  const entry = await newEntry(-1);
  await entry.add(dayIn(-1), 'gone@to.example');
  while (await entry.look());
  await entry.remove();
  expect(await entry.enter()).toBe(false);
  expect(await entry.look()).toBe(false);
  expect(await entry.enrolled()).toEqual({});
});

test('more than a page of contacts is looked at page by page, and all who are due enter, each once', async () => {
  const entry = await newEntry(-1);
  const count = LOOKED_AT_ONCE + 700;
  await entry.add(dayIn(-1), ...Array.from({ length: count }, (_, index) => `${index}@to.example`));
  let pages = 0;
  while (await entry.look()) pages++;
  expect(pages).toBe(2);
  while (await entry.enter());
  expect(Object.values(await entry.enrolled()).filter((times) => times === 1)).toHaveLength(count);
});
