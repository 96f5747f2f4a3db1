import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { rows } from '../../db/rows.ts';
import { eventually } from '../support/eventually.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { must, newContact, newSequence, type TestSequence } from '../support/sequences.ts';
import { temporalClient } from '../support/temporal.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
});

/** A segment of these many contacts with a tag of its own; `gone`: one more, who has unsubscribed. */
async function newSegment(count: number, gone = false): Promise<{ readonly id: string; readonly emails: readonly string[] }> {
  const tag = project.address('tag');
  const emails = Array.from({ length: count }, () => project.address());
  must(
    await project.api.post(
      '/contacts',
      emails.map((email) => ({ email, tags: [tag] })),
    ),
    200,
  );
  if (gone) await newContact(project, project.address('gone'), { tags: [tag], status: 'unsubscribed' });
  return { id: must(await project.api.post('/segments', { label: tag, filter: { tags: [tag] } }), 201).segment.id, emails };
}

const begin = ({ key }: TestSequence, segmentId: string, headers: Record<string, string> = {}) =>
  project.api.call('POST', `/sequences/${key}/bulk-enrollments`, { segmentId }, { headers });
const read = async ({ key }: TestSequence, id: string) => must(await project.api.get(`/sequences/${key}/bulk-enrollments/${id}`), 200).bulk;
const turn = ({ key }: TestSequence, status: string) => project.api.call('PATCH', `/sequences/${key}`, { status });

async function ended(sequence: TestSequence, id: string) {
  return eventually(async () => {
    const bulk = await read(sequence, id);
    return bulk.status !== 'running' && bulk;
  });
}

async function enrolledIn({ id }: TestSequence): Promise<number> {
  const [{ count }] = (await rows(em, sql<{ count: number }>`select count(*) as count from enrollments where sequence_id = ${id}`)) as [
    { count: number },
  ];
  return count;
}

test('all members of a segment are enrolled by one call, which says how many there are; who cannot be is counted by reason', async () => {
  const sequence = await newSequence(project);
  const { id, emails } = await newSegment(7, true);
  await sequence.enroll(emails[0]!);
  const { bulk } = must(await begin(sequence, id), 201);
  expect(bulk).toMatchObject({ sequence_key: sequence.key, total: 8, workflow_id: `bulk-enrollment/${bulk.id}` });
  expect(await ended(sequence, bulk.id)).toMatchObject({
    ...{ status: 'completed', total: 8, enrolled: 6, skipped: 2, reasons: { already_enrolled: 1, contact_unsubscribed: 1 } },
    ended_at: expect.any(String),
  });
  expect(await enrolledIn(sequence)).toBe(7);
  const { bulks } = must(await project.api.get(`/sequences/${sequence.key}/bulk-enrollments`), 200);
  expect(bulks.map((one: { id: string }) => one.id)).toEqual([bulk.id]);
});

test('a call that is repeated under its idempotency key enrolls once', async () => {
  const sequence = await newSequence(project);
  await project.api.put(`/sequences/${sequence.key}`, {
    ...must(await project.api.get(`/sequences/${sequence.key}`), 200),
    reentry: 'always',
  });
  const { id } = await newSegment(3);
  const headers = { 'Idempotency-Key': project.address('key') };
  const { bulk } = must(await begin(sequence, id, headers), 201);
  await ended(sequence, bulk.id);
  expect(must(await begin(sequence, id, headers), 201).bulk.id).toBe(bulk.id);
  expect(await enrolledIn(sequence)).toBe(3);
});

test('while the sequence is paused nobody is enrolled, and one at a time goes; cancelled, nobody is when it is turned on', async () => {
  const sequence = await newSequence(project, { status: 'paused' });
  const { id } = await newSegment(3);
  const { bulk } = must(await begin(sequence, id), 201);
  expect(await begin(sequence, id)).toMatchObject({ status: 422, body: { code: 'invalid_status' } });
  const cancelled = must(await project.api.delete(`/sequences/${sequence.key}/bulk-enrollments/${bulk.id}`), 200).bulk;
  expect(cancelled).toMatchObject({ status: 'cancelled', enrolled: 0 });
  expect((await project.api.delete(`/sequences/${sequence.key}/bulk-enrollments/${bulk.id}`)).status).toBe(404);
  const client = await temporalClient();
  await eventually(async () => (await client.workflow.getHandle(bulk.workflow_id).describe()).status.name === 'COMPLETED');
  must(await turn(sequence, 'active'), 200);
  expect(await enrolledIn(sequence)).toBe(0);
  const next = must(await begin(sequence, id), 201).bulk;
  expect(await ended(sequence, next.id)).toMatchObject({ status: 'completed', enrolled: 3 });
});

test('a sequence that is turned on goes on with it at once, and one that is archived ends it', async () => {
  const [on, off] = [await newSequence(project, { status: 'paused' }), await newSequence(project, { status: 'paused' })];
  const { id } = await newSegment(2);
  const [first, second] = [must(await begin(on, id), 201).bulk, must(await begin(off, id), 201).bulk];
  must(await turn(on, 'active'), 200);
  must(await turn(off, 'archived'), 200);
  expect(await ended(on, first.id)).toMatchObject({ status: 'completed', enrolled: 2 });
  expect(await ended(off, second.id)).toMatchObject({ status: 'cancelled', enrolled: 0 });
  expect(await begin(off, id)).toMatchObject({ status: 422, body: { code: 'enroll_failed', reason: 'sequence_not_active' } });
});

test('a segment and a bulk enrollment that the project does not have are told', async () => {
  const sequence = await newSequence(project);
  const other = await newProject();
  const { segment } = must(await other.api.post('/segments', { label: 'theirs' }), 201);
  expect(await begin(sequence, segment.id)).toMatchObject({ status: 422, body: { code: 'unknown_segment' } });
  expect((await project.api.get(`/sequences/${sequence.key}/bulk-enrollments/${segment.id}`)).status).toBe(404);
  expect((await other.api.get(`/sequences/${sequence.key}/bulk-enrollments`)).status).toBe(404);
});
