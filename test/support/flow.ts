import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { EntityManager } from '../../db/orm.ts';
import { rows } from '../../db/rows.ts';
import { eventually } from './eventually.ts';
import type { TestProject } from './project.ts';
import { enrollmentBecomes, must, newSequence } from './sequences.ts';

export interface TestFlow {
  readonly id: string;
  readonly key: string;
  put(graph: object): Promise<void>;
  enroll(email: string): Promise<string>;
  /** The node ids of the path. */
  simulate(body: object): Promise<string[]>;
}

/** A sequence with this graph, active unless the graph says otherwise. */
export async function newFlow(project: Pick<TestProject, 'api'>, graph: object): Promise<TestFlow> {
  const { id, key, enroll } = await newSequence(project, { status: 'draft' });
  const put = async (next: object): Promise<void> => void must(await project.api.put(`/sequences/${key}`, next), 200);
  await put({ status: 'active', ...graph });
  const simulate: TestFlow['simulate'] = async (body) => {
    const { path } = must(await project.api.post(`/sequences/${key}/simulate`, body), 200);
    return path.map(({ nodeId }: { nodeId: string }) => nodeId);
  };
  return { id, key, put, enroll, simulate };
}

/** An event type that no other test uses. */
export function newEventType(name = 'event'): string {
  return `${name}-${randomBytes(5).toString('hex')}`;
}

export function eventTrigger(type: string, match?: object): object[] {
  return [{ kind: 'event', config: { type, ...(match ? { match } : {}) }, enabled: true }];
}

/** Posts an event that has to be accepted; answers with the counts. */
export async function happens(
  project: Pick<TestProject, 'api'>,
  body: object,
): Promise<{ contactId: string; enrolled: number; reArmed: number; goals: number; exited: number }> {
  return must(await project.api.post('/events', body), 200);
}

/** Waits until the enrollment stands at the node. */
export async function standsAt(em: EntityManager, enrollmentId: string, nodeId: string): Promise<void> {
  await enrollmentBecomes(em, enrollmentId, ({ current_node_id, waiting_for }) => current_node_id === nodeId && waiting_for !== null);
}

/** The enrollments of a contact in a sequence, the first started first. */
export async function enrollmentsOf(em: EntityManager, sequenceId: string, email: string): Promise<string[]> {
  const found = await rows(
    em,
    sql<{ id: string }>`select e.id from enrollments e join contacts c on c.id = e.contact_id
      where e.sequence_id = ${sequenceId} and c.email = ${email} order by e.id`,
  );
  return found.map(({ id }) => id);
}

/** Waits for the only enrollment of a contact in a sequence. */
export async function enrollmentIn(em: EntityManager, sequenceId: string, email: string): Promise<string> {
  const [id] = await eventually(async () => {
    const found = await enrollmentsOf(em, sequenceId, email);
    return found.length === 1 && found;
  });
  return id as string;
}
