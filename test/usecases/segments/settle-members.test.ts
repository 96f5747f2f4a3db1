import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager, MikroORM } from '../../../db/orm.ts';
import { lockContact } from '../../../db/queries/contacts/contacts.ts';
import { LOOKED_AT_ONCE, lookAtSegments } from '../../../db/queries/segments/membership-looks.ts';
import { openTriggers } from '../../../db/queries/segments/segment-triggers.ts';
import { row, rows } from '../../../db/rows.ts';
import { parseGraph } from '../../../domain/sequences/validate.ts';
import { upsertContacts } from '../../../usecases/contacts/upsert-contacts.ts';
import { createSegment } from '../../../usecases/segments/save-segment.ts';
import { checkMembers, lookAtMembers } from '../../../usecases/segments/settle-members.ts';
import { createSequence } from '../../../usecases/sequences/create-sequence.ts';
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

/** A project with an active sequence that is entered by the segment of everybody who carries the tag `in`. */
async function newEntry() {
  const project = await bareProject(em);
  const label = `l-${project.slug}`;
  await createSegment(em, { id: uuidv7(), projectId: project.id, label, filter: { tags: ['in'] }, brand: null, now: new Date() });
  const turnOn = async (): Promise<string> => {
    const id = uuidv7();
    const parsed = parseGraph({ ...chain(), triggers: [{ kind: 'segment', config: { segment: label } }] }, 'active', KNOWN);
    if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
    await createSequence(em, {
      id,
      projectId: project.id,
      key: `s-${id}`,
      name: id,
      status: 'active',
      graph: parsed.valid.graph,
      now: new Date(),
    });
    return id;
  };
  const upsert = (tx: EntityManager, emails: readonly string[], tags: readonly string[] = ['in']) =>
    upsertContacts(tx, {
      ...{ projectId: project.id, defaultBrand: project.slug, isList: true, newId: uuidv7 },
      inputs: emails.map((email) => ({ email, tags: [...tags] })),
      origin: { source: 'test', ip: undefined, userAgent: undefined, isSandboxed: false, now: new Date() },
    });
  const add = (...emails: string[]) => em.transactional((tx) => upsert(tx, emails));
  const check = (newId = uuidv7) => checkMembers(orm.em.fork(), project.id, newId as () => string);
  /** The next page of a look at everybody, which is due. */
  const look = async () => {
    const [trigger] = await openTriggers(em, project.id);
    await row(em, sql`update segment_triggers set look_at = date_trunc('milliseconds', now()) where id = ${trigger!.id}`);
    return lookAtMembers(orm.em.fork(), trigger!.id, uuidv7);
  };
  /** From the first page on. Answers with how many pages they were. */
  const lookAtAll = () =>
    orm.em.fork().transactional(async (tx) => {
      const [trigger] = await openTriggers(tx, project.id);
      await lookAtSegments(tx, project.id, [label]);
      let pages = 0;
      while (await lookAtMembers(tx, trigger!.id, uuidv7)) pages++;
      return pages;
    });
  return { project, turnOn, upsert, add, check, look, lookAtAll };
}

/** How often each contact of the sequence was enrolled. */
async function enrolled(sequenceId: string): Promise<number[]> {
  const found = await rows(
    em,
    sql<{ times: number }>`select count(*) as times from enrollments where sequence_id = ${sequenceId} group by contact_id`,
  );
  return found.map(({ times }) => times);
}

test('two that look at a contact at once enroll it once', async () => {
  const { project, turnOn, add, check, look } = await newEntry();
  const sequenceId = await turnOn();
  await add('both@to.example');
  await row(em, sql`delete from membership_checks where project_id = ${project.id}`);
  const looks = await em.transactional(async (tx) => {
    await lockContact(tx, project.id, { email: 'both@to.example' });
    const first = look();
    await untilBlocked(tx, 1);
    await row(
      em.fork(),
      sql`insert into membership_checks (project_id, contact_id, sandboxed) select project_id, id, false from contacts where project_id = ${project.id}`,
    );
    const second = check();
    await untilBlocked(tx, 2);
    return [first, second];
  });
  await Promise.all(looks);
  expect(await enrolled(sequenceId)).toEqual([1]);
});

test('who dies between the membership and the enrollment keeps neither: whoever comes next enrolls once', async () => {
  const { turnOn, add, check } = await newEntry();
  const sequenceId = await turnOn();
  await add('cut@to.example', 'off@to.example');
  let made = 0;
  const dies = (): string => {
    if (++made === 2) throw new Error('dead');
    return uuidv7();
  };
  await expect(check(dies as typeof uuidv7)).rejects.toThrow('dead');
  expect(await enrolled(sequenceId)).toEqual([]);
  while (await check());
  expect(await enrolled(sequenceId)).toEqual([1, 1]);
});

test('a change that was under way when the sequence was turned on is found by the look that follows', async () => {
  const { project, turnOn, upsert, check, look } = await newEntry();
  let sequenceId = '';
  await em.transactional(async (tx) => {
    await upsert(tx, ['late@to.example']);
    sequenceId = await turnOn.call(undefined);
  });
  expect(await check()).toBe(false);
  expect(await enrolled(sequenceId)).toEqual([]);
  const [{ due }] = (await rows(
    em,
    sql<{ due: boolean }>`select look_at is not null as due from segment_triggers where project_id = ${project.id}`,
  )) as [{ due: boolean }];
  expect(due).toBe(true);
  while (await look());
  expect(await enrolled(sequenceId)).toEqual([1]);
});

test('more than a page who became members unnoticed enter page by page, each once, and who is no member any more is forgotten', async () => {
  const { project, turnOn, look, lookAtAll } = await newEntry();
  const sequenceId = await turnOn();
  const count = 2 * LOOKED_AT_ONCE + 10;
  await row(
    em,
    sql`insert into contacts (id, project_id, email, status, brand_id, tags)
        select uuid_v7(), ${project.id}, n || '@to.example', 'subscribed', ${project.slug}, '{in}' from generate_series(1, ${count}::integer) n`,
  );
  expect(await lookAtAll()).toBe(3);
  expect((await enrolled(sequenceId)).filter((times) => times === 1)).toHaveLength(count);
  await row(em, sql`update contacts set tags = '{}' where project_id = ${project.id}`);
  while (await look());
  const left = await rows(
    em,
    sql`select 1 from segment_trigger_members m join segment_triggers t on t.id = m.trigger_id where t.project_id = ${project.id}`,
  );
  expect(left).toEqual([]);
  expect(await enrolled(sequenceId)).toHaveLength(count);
});
