import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import { Contact } from '../../../db/entities/index.ts';
import type { EntityManager, MikroORM } from '../../../db/orm.ts';
import { openSegmentChanges, TOLD_AT_ONCE } from '../../../db/queries/segments/segment-changes.ts';
import { row, rows } from '../../../db/rows.ts';
import { parseGraph } from '../../../domain/sequences/validate.ts';
import { deleteSegment } from '../../../usecases/segments/delete-segment.ts';
import { createSegment } from '../../../usecases/segments/save-segment.ts';
import { tellRuns } from '../../../usecases/segments/tell-runs.ts';
import { createSequence } from '../../../usecases/sequences/create-sequence.ts';
import { chain, KNOWN, type LooseNode } from '../../domain/sequences/graphs.ts';
import { bareProject, ownDatabase } from '../../support/own-database.ts';

/** No worker looks at it. */
let orm: MikroORM;
let em: EntityManager;

beforeAll(async () => {
  orm = await ownDatabase();
  em = orm.em.fork();
});

const waitFor = (condition: object): LooseNode => ({ id: 'w', kind: 'wait_until', config: { condition, timeoutMinutes: 60 } });
const passBy = (condition: object): LooseNode => ({ id: 'g', kind: 'goal', config: { condition } });

/** A project with a contact, whose runs are rows alone. */
async function newRuns() {
  const project = await bareProject(em);
  const contactId = uuidv7();
  const email = `${contactId}@to.example`;
  await em.insert(Contact, { id: contactId, project_id: project.id, email, status: 'subscribed', brand_id: project.slug });
  const newSequence = async (node: LooseNode): Promise<string> => {
    const id = uuidv7();
    const parsed = parseGraph(chain(node), 'active', KNOWN);
    if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
    const { graph } = parsed.valid;
    await createSequence(em, { id, projectId: project.id, key: `s-${id}`, name: id, status: 'active', graph, now: new Date() });
    return id;
  };
  const runs = async (
    sequenceId: string,
    count: number,
    { waitingFor = null, minutes = null, watches = false }: Standing = {},
  ): Promise<string[]> => {
    const made = await rows(
      em,
      sql<{ id: string }>`
        insert into enrollments (id, project_id, sequence_id, sequence_version, contact_id, waiting_for, wakes_at, watches_contact)
        select uuid_v7(), ${project.id}, ${sequenceId}, 1, ${contactId}, ${waitingFor}, now() + make_interval(mins => ${minutes}::integer), ${watches}
        from generate_series(1, ${count}::integer) returning id`,
    );
    return made.map(({ id }) => id).toSorted();
  };
  const newSegment = (label: string) =>
    createSegment(em, { id: uuidv7(), projectId: project.id, label, filter: {}, brand: null, now: new Date() });
  /** The runs that were told since the last time. */
  const told = async (): Promise<string[]> => {
    const messages = await rows(
      em,
      sql<{ workflow_id: string }>`delete from outbox where project_id = ${project.id} returning workflow_id`,
    );
    return messages.map(({ workflow_id }) => workflow_id.replace('enrollment/', '')).toSorted();
  };
  const open = async () => (await openSegmentChanges(em)).filter(({ project_id }) => project_id === project.id);
  return { project, newSequence, runs, newSegment, told, open };
}

interface Standing {
  readonly waitingFor?: string | null;
  readonly minutes?: number | null;
  readonly watches?: boolean;
}

test('a changed segment is told to the runs that wait on it or may be on their way there, and to nobody else', async () => {
  const { newSequence, runs, newSegment, told, open } = await newRuns();
  const waiting = await newSequence(waitFor({ any: [{ not: { segment: 'NOISY' } }] }));
  const wanted = [
    await runs(waiting, 1, { waitingFor: 'condition', minutes: 60, watches: true }),
    await runs(waiting, 1, { waitingFor: 'event:x', minutes: 60 }),
    await runs(waiting, 1, { waitingFor: 'held:paused' }),
    await runs(waiting, 1, { waitingFor: 'delay', minutes: 1 }),
    await runs(waiting, 1),
  ].flat();
  await runs(waiting, 1, { waitingFor: 'delay', minutes: 60 });
  await runs(await newSequence(passBy({ segment: 'noisy' })), 1);
  await runs(await newSequence(waitFor({ segment: 'quiet' })), 1, { waitingFor: 'condition', watches: true });
  const others = await newRuns();
  await others.runs(await others.newSequence(waitFor({ segment: 'noisy' })), 1, { waitingFor: 'condition', watches: true });
  await newSegment('Noisy');
  const [change] = await open();
  expect(await tellRuns(em.fork(), change!)).toBe(false);
  expect(await told()).toEqual(wanted.toSorted());
  expect(await others.told()).toEqual([]);
  expect(await open()).toEqual([]);
});

test('more runs than are told at once are each told once, and all of them again when the segment changes meanwhile', async () => {
  const { project, newSequence, runs, newSegment, told, open } = await newRuns();
  const ids = await runs(await newSequence(waitFor({ segment: 'noisy' })), TOLD_AT_ONCE + 3, { waitingFor: 'condition', watches: true });
  const { id } = await newSegment('noisy');
  const [change] = await open();
  expect(await tellRuns(em.fork(), change!)).toBe(true);
  expect(await told()).toEqual(ids.slice(0, TOLD_AT_ONCE));
  expect(await tellRuns(em.fork(), change!)).toBe(false);
  expect(await told()).toEqual(ids.slice(TOLD_AT_ONCE));
  await deleteSegment(em.fork(), project.id, id);
  await tellRuns(em.fork(), change!);
  await newSegment('noisy');
  await told();
  expect(await tellRuns(em.fork(), change!)).toBe(true);
  expect(await told()).toEqual(ids.slice(0, TOLD_AT_ONCE));
  expect(await open()).toEqual([change]);
});

test('two processes do not tell the same runs, and a change that is being told keeps nobody waiting', async () => {
  const { newSequence, runs, newSegment, told, open } = await newRuns();
  const ids = await runs(await newSequence(waitFor({ segment: 'noisy' })), 1, { waitingFor: 'condition', watches: true });
  await newSegment('noisy');
  const [change] = await open();
  await orm.em.fork().transactional(async (tx) => {
    await row(tx, sql`select 1 from segment_changes where project_id = ${change!.project_id} for update`);
    expect(await tellRuns(em.fork(), change!)).toBe(false);
  });
  expect(await told()).toEqual([]);
  expect(await open()).toEqual([change]);
  await tellRuns(em.fork(), change!);
  expect(await told()).toEqual(ids);
});
