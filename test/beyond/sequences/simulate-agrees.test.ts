import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import { type ContactRow, Enrollment, EnrollmentStep, ProductEvent } from '../../../db/entities/index.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { judgeFor, lookUpFacts } from '../../../db/queries/conditions/condition-facts.ts';
import { findSequence } from '../../../db/queries/sequences/sequences.ts';
import type { Condition } from '../../../domain/conditions/condition.ts';
import { conditionsOf } from '../../../domain/sequences/conditions-of.ts';
import { nodeOf, type SequenceGraph } from '../../../domain/sequences/graph.ts';
import { taskAt } from '../../../domain/sequences/interpret.ts';
import { type Simulation, simulate } from '../../../domain/sequences/simulate.ts';
import { parseGraph } from '../../../domain/sequences/validate.ts';
import { upsertContacts } from '../../../usecases/contacts/upsert-contacts.ts';
import { advanceEnrollment } from '../../../usecases/sequences/advance-enrollment.ts';
import { claimWaits } from '../../../usecases/sequences/claim-waits.ts';
import { createSequence } from '../../../usecases/sequences/create-sequence.ts';
import { enroll } from '../../../usecases/sequences/enroll.ts';
import type { EnrollmentCommand, StepReport } from '../../../workflows/contracts.ts';
import { KNOWN, type LooseGraph } from '../../domain/sequences/graphs.ts';
import { graphArbitrary } from '../../domain/sequences/random-graphs.ts';
import { createMigrated } from '../../support/databases.ts';
import { testEnvironment } from '../../support/environment.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';

/** Without a worker: the test itself does what a workflow would do. */
let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  const { databaseUrl, apiUrl } = testEnvironment();
  const own = await createMigrated(databaseUrl);
  em = await database(own);
  project = await newProject({ everpost: { url: apiUrl, databaseUrl: own } });
});

const NOW = new Date('2027-03-01T10:00:00Z');
/** Longer walks go round in a loop. */
const COMPARED = 60;

/** How a node that takes time may end, for those that a test may choose an end for. */
const ENDS: Readonly<Record<string, readonly string[]>> = {
  send_email: ['sent', 'failed', 'skipped'],
  webhook: ['called', 'failed', 'failed'],
  wait_delay: ['waited'],
  wait_until: ['event', 'timeout', 'met', 'waited'],
};

interface Case {
  readonly graph: SequenceGraph;
  readonly sequenceKey: string;
  readonly contact: ContactRow;
  readonly event: { readonly id: string; readonly type: string; readonly data: Record<string, unknown> } | undefined;
  readonly assume: Readonly<Record<string, string>>;
}

async function simulated({ graph, sequenceKey, contact, event, assume }: Case): Promise<Simulation> {
  const conditions = conditionsOf(graph);
  const facts = await lookUpFacts(em, { projectId: project.id, contactId: contact.id, conditions, event: event?.data, now: NOW });
  const mails = { templates: {}, topics: [], isSuppressed: false, isUnconfirmed: false, marketingAt: [], sendWindow: null };
  return simulate({ graph, sequenceKey, contact, event: event?.data, assume, facts, mails, now: NOW, eventType: event?.type })!;
}

/** Drives the enrollment as its workflow would, until it ends or has gone far enough. */
async function drive(enrollmentId: string, { graph, event, assume }: Case): Promise<void> {
  const ask = (report?: StepReport) => advanceEnrollment(em, { enrollmentId, report, now: NOW, newId: uuidv7, firstRetrySeconds: 1 });
  for (let command = await ask(); command.do !== 'end' && command.step < COMPARED; ) {
    command = (await arrives(enrollmentId, graph, command, event, assume[command.nodeId]))
      ? await ask()
      : await ask({ step: command.step, outcome: assume[command.nodeId] ?? usual(command) });
  }
}

function usual(command: Exclude<EnrollmentCommand, { do: 'end' }>): string {
  return { send: 'sent', call: 'called', wait: command.do === 'wait' ? command.timeoutOutcome : '' }[command.do];
}

/** Whether the event came, as it does at every wait that it or the goal ends, unless another end is assumed there. */
async function arrives(
  enrollmentId: string,
  graph: SequenceGraph,
  { nodeId }: { readonly nodeId: string },
  event: Case['event'],
  assumed: string | undefined,
): Promise<boolean> {
  const task = taskAt(nodeOf(graph, nodeId)!);
  if (task.does !== 'wait' || !event || (assumed !== undefined && assumed !== 'event')) return false;
  const awaited = task.endedBy && 'event' in task.endedBy ? task.endedBy.event : undefined;
  const patterns = [graph.goal?.event, awaited].filter((pattern) => pattern?.type === event.type);
  const { contact_id } = await em.fork().findOneOrFail(Enrollment, { id: enrollmentId });
  const [contact] = await upserted(contact_id);
  const request = { projectId: project.id, contactId: contact_id, event: event.data, now: NOW };
  const fits = async (match: Condition | undefined): Promise<boolean> =>
    !match || (await judgeFor(em, { ...request, conditions: [match] }))(contact!, match);
  const fitting = await Promise.all(patterns.map((pattern) => fits(pattern?.match)));
  if (!fitting.includes(true)) return false;
  await em.transactional((tx) => claimWaits(tx, contact!, { ...event, now: NOW, newId: uuidv7, isSandboxed: false }));
  return true;
}

const emails = new Map<string, string>();

async function upserted(id: string, attributes?: Record<string, unknown>): Promise<ContactRow[]> {
  const email = emails.get(id) ?? project.address();
  emails.set(id, email);
  return em.transactional((tx) =>
    upsertContacts(tx, {
      ...{ projectId: project.id, defaultBrand: project.slug, isList: false, newId: uuidv7 },
      inputs: [{ id, email, attributes }],
      origin: { source: 'test', ip: undefined, userAgent: undefined, isSandboxed: false, now: NOW },
    }),
  );
}

/** Puts the graph and enrolls a contact whose attribute `is` has this value. */
async function enrolled(loose: LooseGraph, is: string, type: string | null, ends: readonly number[]): Promise<{ id: string; given: Case }> {
  const parsed = parseGraph(JSON.parse(JSON.stringify(loose)), 'draft', KNOWN);
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  const { graph } = parsed.valid;
  const contactId = uuidv7();
  const [contact] = await upserted(contactId, { is });
  const event = type === null ? undefined : { id: uuidv7(), type, data: { is } };
  if (event) await em.insert(ProductEvent, { ...event, project_id: project.id, contact_id: contactId, created_at: NOW });
  const sequenceKey = `s-${contactId}`;
  await createSequence(em, { id: uuidv7(), projectId: project.id, key: sequenceKey, name: 'one', status: 'active', graph, now: NOW });
  const sequence = (await findSequence(em, project.id, sequenceKey))!;
  const assume = Object.fromEntries(
    graph.nodes.flatMap(({ id, kind }, index) => {
      const possible = ENDS[kind] ?? [];
      const end = possible[(ends[index] ?? 0) % (possible.length + 2)];
      return end === undefined ? [] : [[id, end]];
    }),
  );
  const entered = await em.transactional((tx) =>
    enroll(tx, { project, sequence, contacts: [contact!], eventId: event?.id ?? null, isBulk: false, isSandboxed: false, newId: uuidv7 }),
  );
  return { id: entered!.enrolled[0]!.enrollmentId, given: { graph, sequenceKey, contact: contact!, event, assume } };
}

test('of every random graph a real run and simulate take the same way to the same end, whatever end of a step is assumed', async () => {
  const seen: Record<string, number> = {};
  const of = fc.constantFrom('x', 'y');
  const ends = fc.array(fc.nat(), { minLength: 13, maxLength: 13 });
  const agrees = fc.asyncProperty(graphArbitrary, of, fc.option(fc.constantFrom('x', 'y', 'z')), ends, async (loose, is, type, chosen) => {
    // Each begins without the entities of those before, which every flush would compare.
    em = em.fork();
    const { id, given } = await enrolled(loose, is, type, chosen);
    const { path, endedBy } = await simulated(given);
    await drive(id, given);
    const run = await em.fork().findOneOrFail(Enrollment, { id });
    const steps = await em.fork().find(EnrollmentStep, { enrollment_id: id }, { orderBy: { step: 1 } });
    // A wait that has nothing to wait for passes by itself in a real run, whatever is assumed.
    const own = steps.findIndex(
      ({ node_id, outcome }) => given.assume[node_id] !== undefined && outcome !== null && outcome !== given.assume[node_id],
    );
    const compared = Math.min(COMPARED, own < 0 ? COMPARED : own + 1);
    const ways = { real: steps.map(({ node_id }) => node_id), imagined: path.map(({ nodeId }) => nodeId) };
    expect(ways.real.slice(0, compared)).toEqual(ways.imagined.slice(0, compared));
    if (own >= 0 || ways.imagined.length >= COMPARED) return;
    expect({ ways, ends: run.end_reason }).toEqual({ ways, ends: endedBy });
    seen[endedBy] = (seen[endedBy] ?? 0) + 1;
  });
  const all = ['dead_end', 'exit', 'failed', 'goal'];
  // One in some hundred of them lacks an end by chance.
  for (let batch = 0; batch < 3 && Object.keys(seen).length < all.length; batch++) await fc.assert(agrees, { numRuns: 150 });
  // Otherwise the graphs would not be worth it.
  expect(Object.keys(seen).toSorted()).toEqual(all);
});
