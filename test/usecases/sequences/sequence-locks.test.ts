import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import { Contact, type ContactRow, Sequence } from '../../../db/entities/index.ts';
import type { EntityManager, MikroORM } from '../../../db/orm.ts';
import { findSequence } from '../../../db/queries/sequences/sequences.ts';
import { row } from '../../../db/rows.ts';
import type { ContactInput } from '../../../domain/contacts/contact.ts';
import type { SequenceStatus } from '../../../domain/sequences/statuses.ts';
import { parseGraph } from '../../../domain/sequences/validate.ts';
import { upsertContacts } from '../../../usecases/contacts/upsert-contacts.ts';
import { advanceEnrollment } from '../../../usecases/sequences/advance-enrollment.ts';
import { changeSequence } from '../../../usecases/sequences/change-sequence.ts';
import { createSequence } from '../../../usecases/sequences/create-sequence.ts';
import { endSequenceRuns } from '../../../usecases/sequences/end-sequence-runs.ts';
import { enroll } from '../../../usecases/sequences/enroll.ts';
import { chain, KNOWN, type LooseNode, MAIL } from '../../domain/sequences/graphs.ts';
import { blockedBy, untilBlocked } from '../../support/blocked.ts';
import { eventually } from '../../support/eventually.ts';
import { bareProject, ownDatabase } from '../../support/own-database.ts';

/** No worker looks at it. */
let orm: MikroORM;
let em: EntityManager;
let project: { id: string; slug: string };

beforeAll(async () => {
  orm = await ownDatabase();
  em = orm.em.fork();
  project = await bareProject(em);
});

/** The key of an active sequence with these nodes. */
async function newSequence(...nodes: readonly LooseNode[]): Promise<{ id: string; key: string }> {
  const [id, key] = [uuidv7(), `s-${uuidv7()}`];
  const parsed = parseGraph(chain(...nodes), 'active', KNOWN);
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  const { graph } = parsed.valid;
  await createSequence(em, { id, projectId: project.id, key, name: key, status: 'active', graph, now: new Date() });
  return { id, key };
}

/** As by a call of the API. */
async function upserted(input: ContactInput): Promise<ContactRow> {
  const origin = { source: 'test', ip: undefined, userAgent: undefined, isSandboxed: false, now: new Date() };
  const upsert = { projectId: project.id, defaultBrand: project.slug, isList: false, origin, newId: uuidv7 };
  const [contact] = await orm.em.fork().transactional((tx) => upsertContacts(tx, { ...upsert, inputs: [input] }));
  return contact as ContactRow;
}

async function becomes({ key }: { key: string }, status: SequenceStatus): Promise<void> {
  const change = { projectId: project.id, key, name: undefined, graph: undefined, status, now: new Date() };
  await changeSequence(orm.em.fork(), change);
}

test('a run that changes its contact keeps what a call has changed just before', async () => {
  const { key } = await newSequence({ id: 'u', kind: 'update_contact', config: { set: { firstName: 'Ann' } } });
  const sequence = (await findSequence(em, project.id, key))!;
  const email = `${uuidv7()}@to.example`;
  const contact = await upserted({ email });
  const entered = await orm.em
    .fork()
    .transactional((tx) =>
      enroll(tx, { project, sequence, contacts: [contact], eventId: null, isBulk: false, isSandboxed: false, newId: uuidv7 }),
    );
  const advance = { enrollmentId: entered!.enrolled[0]!.enrollmentId, report: undefined, newId: uuidv7, firstRetrySeconds: 30 };
  const { changing } = await orm.em.fork().transactional(async (tx) => {
    await row(tx, sql`select 1 from contacts where id = ${contact.id} for update`);
    const called = upserted({ email, lastName: 'Bell' });
    await untilBlocked(tx);
    const advanced = advanceEnrollment(orm.em.fork(), { ...advance, now: new Date() });
    await untilBlocked(tx, 2);
    return { changing: [called, advanced] };
  });
  await Promise.all(changing);
  const changed = await orm.em.fork().findOneOrFail(Contact, { id: contact.id, project_id: project.id });
  expect(changed).toMatchObject({ first_name: 'Ann', last_name: 'Bell' });
});

test('a sequence that is archived again while the last runs of before are looked for is not taken for one that has none', async () => {
  const sequence = await newSequence(MAIL);
  await becomes(sequence, 'archived');
  const { both } = await orm.em.fork().transactional(async (tx) => {
    // Runs are read, and none is locked.
    await row(tx, sql`lock table enrollments in exclusive mode`);
    const ending = endSequenceRuns(orm.em.fork(), sequence.id, { now: new Date() });
    await untilBlocked(tx);
    let isAgain = false;
    const again = (async () => {
      for (const status of ['draft', 'active', 'archived'] as const) await becomes(sequence, status);
      isAgain = true;
    })();
    await eventually(async () => isAgain || (await blockedBy(tx)) === 2);
    return { both: [ending, again] };
  });
  await Promise.all(both);
  const { status, is_ending } = await orm.em.fork().findOneOrFail(Sequence, { id: sequence.id });
  expect({ status, is_ending }).toEqual({ status: 'archived', is_ending: true });
});
