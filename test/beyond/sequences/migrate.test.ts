import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { chain, EXIT, TRIGGER } from '../../domain/sequences/graphs.ts';
import { actionsOn } from '../../support/enrollment-actions.ts';
import { newFlow, standsAt, type TestFlow } from '../../support/flow.ts';
import { mailNow, mailTo, scriptMail } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { DAY_MINUTES, enableTemplates, enrollmentEnds, enrollmentOf, must, newContact, traceOf } from '../../support/sequences.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'welcome');
});

const NEW = { id: 'new', kind: 'send_email', config: { template: 'welcome' } };
const wait = (id: string) => ({ id, kind: 'wait_delay', config: { minutes: DAY_MINUTES } });

/** A split of four arms, each with a node of its own, which lead to the exit. */
function arms(...nodes: readonly { readonly id: string }[]): object {
  const when = (key: string) => ({ field: 'attributes.is', op: 'eq', value: key });
  const branch = { id: 'which', kind: 'branch', config: { branches: nodes.slice(1).map(({ id }) => ({ key: id, when: when(id) })) } };
  return {
    nodes: [TRIGGER, branch, ...nodes, EXIT],
    edges: [
      { from: 'trigger', to: 'which' },
      ...nodes.map(({ id }, index) => ({ from: 'which', to: id, branchKey: index === 0 ? 'default' : id })),
      ...nodes.map(({ id }) => ({ from: id, to: 'exit' })),
    ],
  };
}

async function enterAt(flow: TestFlow, nodeId: string): Promise<{ readonly id: string; readonly email: string }> {
  const email = project.address();
  await newContact(project, email, { attributes: { is: nodeId } });
  const id = await flow.enroll(email);
  await standsAt(em, id, nodeId);
  return { id, email };
}

test('a new graph moves those at one step, ends those at another, and leaves the others on their version', async () => {
  const flow = await newFlow(project, arms(wait('stays'), wait('moves'), wait('ends')));
  const early = await enterAt(flow, 'moves');
  await flow.put(arms(wait('stays'), wait('moves'), wait('ends'), wait('more')));
  const [stays, moves, ends] = [await enterAt(flow, 'stays'), await enterAt(flow, 'moves'), await enterAt(flow, 'ends')];
  const graph = { ...arms(NEW, wait('last')), migrate: { moves: 'new', ends: null } };
  const migrated = { moves: 2, ends: 1 };
  const dry = must(await project.api.put(`/sequences/${flow.key}?dryRun=1`, graph), 200);
  expect(dry).toMatchObject({ dryRun: true, version: 4, migrated });
  expect(dry.action).toBeUndefined();
  expect(Object.fromEntries(dry.changes.map((step: { nodeId: string; people: number }) => [step.nodeId, step.people]))).toEqual({
    ...migrated,
    stays: 1,
  });
  expect((await enrollmentOf(em, ends.id)).status).toBe('active');
  const { action, ...put } = must(await project.api.put(`/sequences/${flow.key}`, graph), 200);
  expect(put).toMatchObject({ version: 4, migrated });
  expect(action).toMatchObject({ action: 'migrate', migrate: { moves: 'new', ends: null }, version: 4, total: 3 });
  expect(await actionsOn(project, flow.key).ended(action.id)).toMatchObject({ status: 'completed', done: 3, skipped: 0 });
  for (const { id, email } of [early, moves]) {
    expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'completed', end_reason: 'exit', sequence_version: 4 });
    expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'which moves', 'moves moved', 'new sent', 'exit ended']);
    expect(await mailNow(email)).toHaveLength(1);
  }
  expect(await enrollmentOf(em, ends.id)).toMatchObject({ status: 'cancelled', end_reason: 'cancelled' });
  expect(await enrollmentOf(em, stays.id)).toMatchObject({ status: 'active', sequence_version: 3, current_node_id: 'stays' });
  // Who stands at a step that only an earlier version had can still be moved.
  const again = must(await project.api.put(`/sequences/${flow.key}`, { ...arms(NEW, wait('last')), migrate: { stays: 'last' } }), 200);
  expect(await actionsOn(project, flow.key).ended(again.action.id)).toMatchObject({ done: 1 });
  await standsAt(em, stays.id, 'last');
  expect(await mailNow(stays.email)).toEqual([]);
});

test('an email that failed before its run was moved is tried again as the version of then has it', async () => {
  const mail = (subject: string) => ({ id: 'mail', kind: 'send_email', config: { template: 'welcome', subject } });
  const flow = await newFlow(project, { ...chain(mail('Then'), wait('first')) });
  const email = project.address();
  await newContact(project, email);
  await scriptMail(email, { rejectRecipient: { code: 554, message: '5.7.1 policy' } });
  const id = await flow.enroll(email);
  await standsAt(em, id, 'first');
  for (const moves of [{ first: 'second' }, { second: 'third' }]) {
    const to = Object.values(moves)[0] as string;
    await flow.put({ ...chain(mail('Now'), wait(to)), migrate: moves });
    await standsAt(em, id, to);
  }
  await scriptMail(email, {});
  const { sends } = must(await project.api.get(`/sends?q=${email}`), 200);
  must(await project.api.post(`/sends/${sends[0].id}/retry`), 200);
  expect((await mailTo(email)).map(({ raw }) => /^subject: (.*)$/im.exec(raw)?.[1])).toEqual(['Then']);
});

test('what migrate names wrongly is told by its path, and nothing is applied', async () => {
  const flow = await newFlow(project, arms(wait('first'), wait('second')));
  const problemsOf = async (migrate: unknown): Promise<string[]> => {
    const { code, issues } = must(await project.api.put(`/sequences/${flow.key}`, { ...arms(NEW, wait('second')), migrate }), 422);
    expect(code).toBe('invalid_graph');
    return issues.map(({ message }: { message: string }) => message);
  };
  expect(await problemsOf({ first: 'nowhere', nobody: 'new', second: 'trigger' })).toEqual([
    'migrate.first: the graph has no node nowhere',
    'migrate.nobody: the graph that there was has no such node, and nobody stands at one',
    'migrate.second: trigger is the trigger, where no run goes on',
  ]);
  expect(await problemsOf({ first: 5 })).toEqual(['migrate.first: the id of a node, or null to end their runs']);
  expect(await problemsOf(['first'])).toEqual([expect.stringContaining('migrate: an object like')]);
  const many = Object.fromEntries(Array.from({ length: 301 }, (_, n) => [`n${n}`, null]));
  expect(await problemsOf(many)).toEqual(['migrate: at most 300 nodes']);
  expect(must(await project.api.get(`/sequences/${flow.key}`), 200).version).toBe(2);
  // Nobody stands there, so there is nothing to do.
  const put = must(await project.api.put(`/sequences/${flow.key}`, { ...arms(NEW, wait('second')), migrate: { first: 'new' } }), 200);
  expect(put).toMatchObject({ version: 3, migrated: { first: 0 } });
  expect(put.action).toBeUndefined();
  expect((await project.api.put('/sequences/new-one', { ...arms(NEW, wait('second')), migrate: { first: 'new' } })).status).toBe(422);
});
