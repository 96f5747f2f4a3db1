import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import type { ContactRow } from '../../../db/entities/index.ts';
import type { EntityManager, MikroORM } from '../../../db/orm.ts';
import { findSequenceOf } from '../../../db/queries/sequences/sequences.ts';
import { row, rows } from '../../../db/rows.ts';
import { parseGraph } from '../../../domain/sequences/validate.ts';
import { upsertContacts } from '../../../usecases/contacts/upsert-contacts.ts';
import { type AcceptedEvent, acceptEvent } from '../../../usecases/sequences/accept-event.ts';
import { advanceEnrollment } from '../../../usecases/sequences/advance-enrollment.ts';
import { createSequence } from '../../../usecases/sequences/create-sequence.ts';
import { enroll } from '../../../usecases/sequences/enroll.ts';
import type { EnrollmentCommand } from '../../../workflows/contracts.ts';
import { chain, KNOWN, type LooseGraph, MAIL, TRIGGER } from '../../domain/sequences/graphs.ts';
import { untilBlocked } from '../../support/blocked.ts';
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

const DIGEST = { id: 'd', kind: 'digest', config: { windowMinutes: 60 } };

/** An active sequence of an event type of its own, and a contact. */
async function newCase(loose: LooseGraph, settings: object = {}): Promise<{ id: string; type: string; contact: ContactRow }> {
  const [id, type] = [uuidv7(), `t-${uuidv7()}`];
  const parsed = parseGraph({ ...loose, triggers: [{ kind: 'event', config: { type }, enabled: true }], ...settings }, 'active', KNOWN);
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  const { graph } = parsed.valid;
  await createSequence(em, { id, projectId: project.id, key: `s-${id}`, name: type, status: 'active', graph, now: new Date() });
  const origin = { source: 'test', ip: undefined, userAgent: undefined, isSandboxed: false, now: new Date() };
  const upsert = { projectId: project.id, defaultBrand: project.slug, isList: false, origin, newId: uuidv7 };
  const inputs = [{ email: `${uuidv7()}@to.example` }];
  const [contact] = await orm.em.fork().transactional((tx) => upsertContacts(tx, { ...upsert, inputs }));
  return { id, type, contact: contact as ContactRow };
}

function happens(type: string, contact: ContactRow): Promise<AcceptedEvent> {
  return orm.em.fork().transactional((tx) =>
    acceptEvent(tx, {
      project: { id: project.id, default_brand: project.slug },
      ...{ type, recipient: { contactId: contact.id }, data: {}, exitSequences: [], isSandboxed: false },
      ...{ caller: { ip: undefined, userAgent: undefined }, now: new Date(), newId: uuidv7 },
    }),
  );
}

function advance(enrollmentId: string, outcome?: string, step = 2): Promise<EnrollmentCommand> {
  const report = outcome === undefined ? undefined : { step, outcome };
  return advanceEnrollment(orm.em.fork(), { enrollmentId, report, now: new Date(), newId: uuidv7, firstRetrySeconds: 1 });
}

/** Both at once, in this order: each is seen to wait for the contact's row before the next one is called. */
async function inOrder(contact: ContactRow, ...calls: readonly (() => Promise<unknown>)[]): Promise<unknown[]> {
  const { running } = await orm.em.fork().transactional(async (tx) => {
    await row(tx, sql`select 1 from contacts where id = ${contact.id} for update`);
    const running: Promise<unknown>[] = [];
    for (const call of calls) {
      running.push(call());
      await untilBlocked(tx, running.length);
    }
    return { running };
  });
  return Promise.all(running);
}

const countsOf = (enrollmentId: string) =>
  rows(em, sql<{ count: number }>`select count from digests where enrollment_id = ${enrollmentId} order by step`);

test('the event that comes first when the time of a digest is over is in it', async () => {
  const { type, contact } = await newCase(chain(DIGEST, MAIL));
  const [run = ''] = (await happens(type, contact)).enrolledIds;
  const [accepted, command] = await inOrder(
    contact,
    () => happens(type, contact),
    () => advance(run, 'gathered'),
  );
  expect(accepted).toMatchObject({ enrolled: 0, gathered: 1 });
  expect(command).toMatchObject({ do: 'send', nodeId: 'mail' });
  expect(await countsOf(run)).toEqual([{ count: 2 }]);
});

test('the event that comes just after the time of a digest was over is in the next one alone', async () => {
  for (const reentry of ['always', 'once_active']) {
    const { id, type, contact } = await newCase(chain(DIGEST, MAIL), { reentry });
    const [run = ''] = (await happens(type, contact)).enrolledIds;
    const [command, accepted] = await inOrder(
      contact,
      () => advance(run, 'gathered'),
      () => happens(type, contact),
    );
    expect(command).toMatchObject({ do: 'send', nodeId: 'mail' });
    expect(accepted).toMatchObject(reentry === 'always' ? { enrolled: 1, gathered: 0 } : { enrolled: 0, gathered: 1 });
    expect(await advance(run, 'sent', 3)).toMatchObject({ do: 'end', reason: 'exit' });
    expect(await countsOf(run)).toEqual([{ count: 1 }]);
    const next = await row(em, sql<{ id: string }>`select id from enrollments where sequence_id = ${id} and id <> ${run}`);
    expect(await advance(next!.id)).toMatchObject({ do: 'wait', waitingFor: 'more events, 1 gathered when it last looked' });
    expect(await countsOf(next!.id)).toEqual([{ count: 1 }]);
  }
});

test('a report that comes twice, and the time that is over when a digest is full, change nothing', async () => {
  const { type, contact } = await newCase(chain({ ...DIGEST, config: { windowMinutes: 60, max: 2 } }, MAIL));
  const [run = ''] = (await happens(type, contact)).enrolledIds;
  await inOrder(
    contact,
    () => happens(type, contact),
    () => advance(run, 'gathered'),
    () => advance(run, 'gathered'),
  );
  const steps = await rows(
    em,
    sql<object>`select node_id, outcome, detail from enrollment_steps where enrollment_id = ${run} order by step`,
  );
  expect(steps.slice(1)).toEqual([
    { node_id: 'd', outcome: 'gathered', detail: '2 events' },
    { node_id: 'mail', outcome: null, detail: null },
  ]);
});

/** A run that no event began: it has not begun to walk. */
async function enrolled(sequenceId: string, contact: ContactRow): Promise<string> {
  const sequence = (await findSequenceOf(em, sequenceId))!;
  const request = { project, sequence, eventId: null, isBulk: false, isSandboxed: false, newId: uuidv7 };
  const entered = await orm.em.fork().transactional((tx) => enroll(tx, { ...request, contacts: [contact] }));
  return entered!.enrolled[0]!.enrollmentId;
}

test('an event that comes before a run has begun to walk is in its digest', async () => {
  const { id, type, contact } = await newCase(chain(DIGEST, MAIL));
  const run = await enrolled(id, contact);
  expect(await happens(type, contact)).toMatchObject({ enrolled: 0, gathered: 1 });
  expect(await advance(run)).toMatchObject({ do: 'wait', nodeId: 'd' });
  expect(await countsOf(run)).toEqual([{ count: 1 }]);
});

const throttled = (otherwise: string): LooseGraph => ({
  nodes: [TRIGGER, { id: 't', kind: 'throttle', config: { count: 1, window: 60, otherwise } }, MAIL, { id: 'late', kind: 'exit' }],
  edges: [
    { from: 'trigger', to: 't' },
    { from: 't', to: 'mail', branchKey: 'passed' },
    ...(otherwise === 'drop' ? [{ from: 't', to: 'late', branchKey: 'dropped' }] : [{ from: 'mail', to: 'late' }]),
  ],
});

/** Three runs of one contact that come to their first step at once. */
async function together(otherwise: string): Promise<{ contact: ContactRow; type: string; ids: string[]; commands: EnrollmentCommand[] }> {
  const { id, type, contact } = await newCase(throttled(otherwise), { reentry: 'always' });
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) ids.push(await enrolled(id, contact));
  const commands = (await inOrder(contact, ...ids.map((id) => () => advance(id)))) as EnrollmentCommand[];
  return { contact, type, ids, commands };
}

test('of runs that come to a throttle at once so many pass, and the others are dropped', async () => {
  const { commands, type, contact } = await together('drop');
  expect(commands.map((command) => command.do).sort()).toEqual(['end', 'end', 'send']);
  // Once the window has slid on, the next one passes.
  await row(em, sql`update throttle_passes set at = at - interval '61 minutes' where contact_id = ${contact.id}`);
  const [next = ''] = (await happens(type, contact)).enrolledIds;
  expect(await advance(next)).toMatchObject({ do: 'send' });
});

test('of runs that are delayed each passes when the window has a place for it, in the order in which they came', async () => {
  const { commands, ids, contact } = await together('delay');
  const hours = (command: EnrollmentCommand): number =>
    command.do === 'wait' && command.until !== null ? Math.round((command.until - Date.now()) / 3_600_000) : 0;
  expect(commands.map(hours)).toEqual([0, 1, 2]);
  expect(commands[1]).toMatchObject({ waitingFor: 'throttle', timeoutOutcome: 'passed' });
  const passes = await rows(
    em,
    sql<{ enrollment_id: string; at: Date }>`
    select enrollment_id, at from throttle_passes where contact_id = ${contact.id} order by at, enrollment_id`,
  );
  for (const [index, { at }] of passes.entries())
    expect(passes.filter((pass) => pass.at > new Date(at.getTime() - 3_600_000) && pass.at <= at).length, `pass ${index}`).toBe(1);
  expect(await advance(ids[1]!, 'passed')).toMatchObject({ do: 'send', nodeId: 'mail' });
});
