import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { lockContact } from '../../../db/queries/contacts/contacts.ts';
import { findSequence } from '../../../db/queries/sequences/sequences.ts';
import { row } from '../../../db/rows.ts';
import type { SequenceStatus } from '../../../domain/sequences/statuses.ts';
import { changeSequence } from '../../../usecases/sequences/change-sequence.ts';
import { endSequenceRuns } from '../../../usecases/sequences/end-sequence-runs.ts';
import { enroll } from '../../../usecases/sequences/enroll.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { enrollmentEnds, enrollmentOf, newContact, newSequence, type TestSequence } from '../../support/sequences.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
});

const MINUTES = 60_000;
const CLOCKS = [
  ['five minutes slow', -5 * MINUTES],
  ['right', 0],
  ['five minutes fast', 5 * MINUTES],
] as const;

/**
 * Archived and active again before anything could end a run, by a process whose clock is wrong by so much. `before`: what happens after its
 * transaction has begun.
 */
async function archivedAndActiveAgain({ key }: TestSequence, clockIsOffMs: number, before?: () => Promise<void>): Promise<void> {
  await em.fork().transactional(async (tx) => {
    await row(tx, sql`select 1`);
    await before?.();
    const become = (status: SequenceStatus) =>
      changeSequence(tx, {
        ...{ projectId: project.id, key, name: undefined, graph: undefined, status },
        now: new Date(Date.now() + clockIsOffMs),
      });
    for (const status of ['archived', 'draft', 'active'] as const) await become(status);
  });
}

/** By a process whose clock is wrong by so much, as far as it says one. `before`: what happens after its transaction has begun. */
async function entered({ key }: TestSequence, clockIsOffMs: number, before?: () => Promise<void>): Promise<string> {
  const email = project.address();
  await newContact(project, email);
  const sequence = (await findSequence(em, project.id, key))!;
  const result = await em.fork().transactional(async (tx) => {
    await row(tx, sql`select 1`);
    await before?.();
    const contact = (await lockContact(tx, project.id, { email }))!;
    const request = { project, sequence, contacts: [contact], eventId: null, isBulk: false, isSandboxed: false, newId: uuidv7 };
    return enroll(tx, { ...request, now: new Date(Date.now() + clockIsOffMs) } as typeof request);
  });
  return result!.enrolled[0]!.enrollmentId;
}

async function endWhatIsOver({ id }: TestSequence): Promise<void> {
  while (await endSequenceRuns(em.fork(), id, { now: new Date() }));
}

test.each(CLOCKS)('a run is over that was there when a process archived its sequence whose clock is %s', async (_, clockIsOffMs) => {
  const sequence = await newSequence(project);
  const run = await entered(sequence, 0);
  await archivedAndActiveAgain(sequence, clockIsOffMs);
  await endWhatIsOver(sequence);
  expect(await enrollmentEnds(em, run)).toMatchObject({ status: 'cancelled', end_reason: 'archived' });
});

test.each(CLOCKS)('a run is over that a process began whose clock is %s, when its sequence is archived', async (_, clockIsOffMs) => {
  const sequence = await newSequence(project);
  const run = await entered(sequence, clockIsOffMs);
  await archivedAndActiveAgain(sequence, 0);
  await endWhatIsOver(sequence);
  expect(await enrollmentEnds(em, run)).toMatchObject({ status: 'cancelled', end_reason: 'archived' });
});

test.each(CLOCKS)('a run goes on that began after a process had archived its sequence whose clock is %s', async (_, clockIsOffMs) => {
  const sequence = await newSequence(project);
  await archivedAndActiveAgain(sequence, clockIsOffMs);
  const run = await entered(sequence, 0);
  await endWhatIsOver(sequence);
  expect(await enrollmentOf(em, run)).toMatchObject({ status: 'active' });
});

test.each(CLOCKS)('a run goes on that a process begins whose clock is %s, after its sequence was archived', async (_, clockIsOffMs) => {
  const sequence = await newSequence(project);
  await archivedAndActiveAgain(sequence, 0);
  const run = await entered(sequence, clockIsOffMs);
  await endWhatIsOver(sequence);
  expect(await enrollmentOf(em, run)).toMatchObject({ status: 'active' });
});

test('a run goes on that enters after its sequence was archived and made active again, also where its transaction had begun before that', async () => {
  const sequence = await newSequence(project);
  const run = await entered(sequence, 0, () => archivedAndActiveAgain(sequence, 0));
  await endWhatIsOver(sequence);
  expect(await enrollmentOf(em, run)).toMatchObject({ status: 'active' });
});

test('a run is over that entered before its sequence was archived, also where the transaction that archives it had begun before that', async () => {
  const sequence = await newSequence(project);
  let run = '';
  await archivedAndActiveAgain(sequence, 0, async () => {
    run = await entered(sequence, 0);
  });
  await endWhatIsOver(sequence);
  expect(await enrollmentEnds(em, run)).toMatchObject({ status: 'cancelled', end_reason: 'archived' });
});
