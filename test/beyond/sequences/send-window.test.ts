import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { row } from '../../../db/rows.ts';
import { enrollmentWorkflowId } from '../../../workflows/contracts.ts';
import { chain, MAIL } from '../../domain/sequences/graphs.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { eventually } from '../../support/eventually.ts';
import { newFlow } from '../../support/flow.ts';
import { mailNow, mailTo } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { closedNow, openNow, setWindow, windowOf } from '../../support/send-windows.ts';
import { enableTemplates, enrollmentBecomes, enrollmentEnds, must, newContact, traceOf } from '../../support/sequences.ts';
import { readable, temporalClient, workflowHistory } from '../../support/temporal.ts';

let em: EntityManager;
beforeAll(async () => {
  em = await database();
});

const RECEIPT = { id: 'receipt', kind: 'send_email', config: { template: 'receipt' } };

async function projectWith(window: object | null): Promise<TestProject> {
  const project = await newProject();
  await enableTemplates(project, 'welcome', 'receipt');
  if (window) await setWindow(project, window);
  return project;
}

/** Enrolls somebody new in a flow of these nodes and settings. */
async function enrolled(
  project: TestProject,
  graph: object,
  contact: object = {},
): Promise<{ id: string; email: string; contactId: string }> {
  const email = project.address();
  const contactId = await newContact(project, email, contact);
  const flow = await newFlow(project, graph);
  return { id: await flow.enroll(email), email, contactId };
}

const isHeld = (id: string) => enrollmentBecomes(em, id, ({ waiting_for }) => waiting_for === 'held:send_window');

describe("outside of the project's window", () => {
  test('marketing is held until it opens, says so, and goes when it is changed; transactional goes', async () => {
    const closed = closedNow();
    const [project, other] = [await projectWith(windowOf(closed)), await projectWith(null)];
    const { id, email } = await enrolled(project, chain(RECEIPT, MAIL));
    expect((await isHeld(id)).wakes_at).toEqual(closed.opensAt);
    expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'receipt sent', 'mail null']);
    const { waiting_for, wakes_at, steps } = must(await project.api.get(`/enrollments/${id}`), 200).enrollment;
    expect([waiting_for, wakes_at]).toEqual(['held:send_window', closed.opensAt.toISOString()]);
    expect(steps.at(-1)).toMatchObject({ node_id: 'mail', outcome: null, detail: `waits for ${closed.from} in Etc/UTC` });
    const client = await temporalClient();
    await eventually(async () =>
      readable(await workflowHistory(client, enrollmentWorkflowId(id))).includes(`waits for ${closed.from} in Etc/UTC`),
    );
    // Nobody need look at what is meant to be so.
    expect(must(await project.api.get('/attention'), 200).items).toEqual([]);
    // Neither what another project sets, nor another closed window.
    await setWindow(other, windowOf(openNow()));
    await setWindow(project, windowOf(closed, { days: [1, 2, 3, 4, 5, 6, 7] }));
    await isHeld(id);
    expect(await mailNow(email)).toHaveLength(1);
    await setWindow(project, null);
    await enrollmentEnds(em, id);
    expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'receipt sent', 'mail sent', 'exit ended']);
    expect(await mailNow(email)).toHaveLength(2);
  });

  test('transactional waits too where the window is told so', async () => {
    const project = await projectWith(windowOf(closedNow(), { transactional: true }));
    const { id } = await enrolled(project, chain(RECEIPT));
    await isHeld(id);
    await setWindow(project, windowOf(closedNow()));
    expect(await enrollmentEnds(em, id)).toMatchObject({ end_reason: 'exit' });
  });

  test('a run that is cancelled while it is held sends nothing', async () => {
    const project = await projectWith(windowOf(closedNow()));
    const { id, email } = await enrolled(project, chain(MAIL));
    await isHeld(id);
    must(await project.api.delete(`/enrollments/${id}`), 200);
    await setWindow(project, null);
    expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'cancelled' });
    expect(await mailNow(email)).toHaveLength(0);
  });

  test('a change of the window that meets a run as it is noted as held is not slept through', async () => {
    const project = await projectWith(windowOf(closedNow()));
    const { id } = await em.transactional(async (tx) => {
      await row(tx, sql`update projects set send_window = null where id = ${project.id}`);
      // It has read the window as it was, and noted that it is held.
      const run = await enrolled(project, chain(MAIL));
      await untilBlocked(tx);
      await isHeld(run.id);
      return run;
    });
    await enrollmentEnds(em, id);
  });

  test('whoever unsubscribes meanwhile is passed over', async () => {
    const project = await projectWith(windowOf(closedNow()));
    const { id, email } = await enrolled(project, chain(MAIL));
    await isHeld(id);
    must(await project.api.post('/contacts', { email, status: 'unsubscribed' }), 200);
    await setWindow(project, null);
    await enrollmentEnds(em, id);
    expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'mail skipped', 'exit ended']);
  });
});

test("the window is by the contact's own clock, by the fallback's of who has none, and looks again when the zone is changed", async () => {
  // It is 14 hours later in the east than in the west of UTC's day: open in one, closed in the other.
  const project = await projectWith(windowOf({ ...openNow(), timezone: 'contact' }, { fallback: 'Pacific/Kiritimati' }));
  const here = await enrolled(project, chain(MAIL), { timezone: 'Etc/UTC' });
  await enrollmentEnds(em, here.id);
  const there = await enrolled(project, chain(MAIL), { timezone: 'Pacific/Kiritimati' });
  const nowhere = await enrolled(project, chain(MAIL));
  await isHeld(there.id);
  await isHeld(nowhere.id);
  must(await project.api.post('/contacts', { email: there.email, timezone: 'Etc/UTC' }), 200);
  await mailTo(there.email);
  await enrollmentEnds(em, there.id);
  expect(await mailNow(nowhere.email)).toHaveLength(0);
  // Only the time zone has it look again.
  must(await project.api.post('/contacts', { email: nowhere.email, firstName: 'Ada' }), 200);
  await isHeld(nowhere.id);
});

describe('a sequence of its own', () => {
  test("window goes in place of the project's, and none waits for none", async () => {
    const project = await projectWith(windowOf(closedNow()));
    const open = await enrolled(project, { ...chain(MAIL), sendWindow: windowOf(openNow()) });
    const never = await enrolled(project, { ...chain(MAIL), sendWindow: 'none' });
    await enrollmentEnds(em, open.id);
    await enrollmentEnds(em, never.id);
    await setWindow(project, null);
    const closed = await enrolled(project, { ...chain(MAIL), sendWindow: windowOf(closedNow()) });
    await isHeld(closed.id);
    // The project's is not its own.
    await setWindow(project, windowOf(openNow()));
    await isHeld(closed.id);
    expect(await mailNow(closed.email)).toHaveLength(0);
  });

  test('window is read as it was put, put back as it was read, and refused by its path', async () => {
    const project = await projectWith(null);
    const given = { from: '22:00', to: '06:00', days: [7, 6], timezone: 'contact' };
    const stored = { ...given, days: [6, 7], fallback: 'UTC', transactional: false };
    const flow = await newFlow(project, { ...chain(MAIL), sendWindow: given });
    const read = () => project.api.get(`/sequences/${flow.key}`).then((answer) => must(answer, 200));
    expect((await read()).sendWindow).toEqual(stored);
    await flow.put(await read());
    expect((await read()).sendWindow).toEqual(stored);
    await flow.put({ ...(await read()), sendWindow: 'none' });
    expect((await read()).sendWindow).toBe('none');
    await flow.put({ ...chain(MAIL) });
    expect('sendWindow' in (await read())).toBe(false);
    for (const [wrong, path] of [
      [{ ...given, to: '22:00' }, 'sendWindow.to'],
      [{ ...given, timezone: 'Mars' }, 'sendWindow.timezone'],
      ['always', 'sendWindow'],
    ] as const) {
      const { status, body } = await project.api.put(`/sequences/${flow.key}`, { ...chain(MAIL), sendWindow: wrong });
      expect([status, body.issues?.map(({ message }: { message: string }) => message.split(': ')[0])]).toEqual([422, [path]]);
    }
    const steps = { key: `${flow.key}-2`, name: 'Linear', steps: [{ template: 'welcome' }], sendWindow: given };
    must(await project.api.post('/sequences', steps), 201);
    expect(must(await project.api.get(`/sequences/${steps.key}`), 200).sendWindow).toEqual(stored);
  });
});

test('a simulation says when a window opens, and goes on from there', async () => {
  const closed = closedNow();
  const project = await projectWith(windowOf(closed));
  const flow = await newFlow(project, {
    ...chain(MAIL, { id: 'w', kind: 'wait_delay', config: { minutes: 30 } }, { ...MAIL, id: 'mail2' }),
  });
  const { path, sends } = must(await project.api.post(`/sequences/${flow.key}/simulate`, { contact: {} }), 200);
  const opensAt = closed.opensAt.toISOString();
  expect(path.map(({ nodeId, detail }: { nodeId: string; detail: string }) => [nodeId, detail]).slice(1, 4)).toEqual([
    ['mail', `would send welcome, waits for ${closed.from} in Etc/UTC until ${opensAt}`],
    ['w', `would wait for delay until ${new Date(closed.opensAt.getTime() + 1_800_000).toISOString()}`],
    ['mail2', 'would send welcome'],
  ]);
  expect(sends).toEqual(['welcome', 'welcome']);
});
