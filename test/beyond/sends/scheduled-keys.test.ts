import { beforeAll, expect, test } from 'vitest';
import { mailCount } from '../../support/mail.ts';
import { newProject, type TestProject } from '../../support/project.ts';
import { DAY_MS, inMs, scheduledMails, tomorrow } from '../../support/scheduled-mails.ts';
import { enableTemplates, must } from '../../support/sequences.ts';

let project: TestProject;

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'receipt');
});

const { later, scheduled, move, sendNow, settled } = scheduledMails(() => project);

test('the key of a call that is repeated gives the same answer and one mail; with another payload it is refused', async () => {
  const to = project.address();
  const body = { to, sendAt: tomorrow(), idempotencyKey: `later-${to}` };
  const answers = await Promise.all([later(body), later(body), later(body)]);
  const [first] = answers;
  for (const { status, body: answer } of answers) expect([status, answer]).toEqual([202, first!.body]);
  const again = await later(body);
  expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([202, first!.body, 'true']);
  expect((await later({ ...body, sendAt: inMs(2 * DAY_MS) })).body.code).toBe('idempotency_key_reuse');
  await sendNow(first!.body.id);
  await settled(first!.body.id);
  expect((await later(body)).body).toEqual(first!.body);
  expect(await mailCount(to)).toBe(1);
  const key = `now-${to}`;
  must(await project.api.post('/send', { template: 'receipt', to, idempotencyKey: key }), 200);
  expect((await later({ to, idempotencyKey: key })).body.code).toBe('idempotency_key_reuse');
});

test('what a test key has asked for under a key never stands for the mail that a live key asks for under it', async () => {
  const to = project.address();
  const call = { template: 'receipt', to, sendAt: tomorrow(), idempotencyKey: `both-${to}` };
  const { api: tester } = await project.newKey(['*'], true);
  const ids = [must(await tester.post('/send', call), 202).id, must(await project.api.post('/send', call), 202).id];
  expect(ids[0]).not.toBe(ids[1]);
  for (const id of ids) await sendNow(id);
  expect(await Promise.all(ids.map(async (id) => (await settled(id)).sandboxed))).toEqual([true, false]);
  expect(await mailCount(to)).toBe(1);
});

test('another project neither sees, moves nor cancels it', async () => {
  const other = await newProject();
  const id = await scheduled({ to: project.address() });
  const { get, delete: remove } = other.api;
  for (const reply of [await get(`/sends/${id}`), await move(id, inMs(0), other), await remove(`/sends/${id}`)])
    expect([reply.status, reply.body.code]).toEqual([404, 'not_found']);
  expect((await get('/sends?status=scheduled')).body.sends).toEqual([]);
  expect((await project.api.get(`/sends/${id}`)).body.send.status).toBe('scheduled');
});

test('a test key moves and cancels the scheduled mails that test keys asked for, and no others', async () => {
  const { api: tester } = await project.newKey(['*'], true);
  const ofLive = await scheduled({ to: project.address() });
  for (const reply of [await tester.call('PATCH', `/sends/${ofLive}`, { sendAt: inMs(0) }), await tester.delete(`/sends/${ofLive}`)])
    expect([reply.status, reply.body.code, reply.body.error]).toEqual([
      403,
      'forbidden',
      expect.stringContaining('can change only what test keys'),
    ]);
  expect((await project.api.get(`/sends/${ofLive}`)).body.send.status).toBe('scheduled');
  const [moved, cancelled] = [project.address(), project.address()];
  const tried = async (to: string) => must(await tester.post('/send', { template: 'receipt', to, sendAt: tomorrow() }), 202).id;
  const [first, second] = [await tried(moved), await tried(cancelled)];
  must(await tester.call('PATCH', `/sends/${first}`, { sendAt: inMs(0) }), 200);
  expect(await settled(first)).toMatchObject({ status: 'sent', sandboxed: true });
  must(await tester.delete(`/sends/${second}`), 200);
  expect((await tester.delete(`/sends/${second}`)).status).toBe(404);
  expect((await tester.delete(`/sends/${first}`)).body.code).toBe('invalid_status');
  expect([await mailCount(moved), await mailCount(cancelled)]).toEqual([0, 0]);
});

test('mails of a batch go later, each at its own time, beside those that go at once; a repeated batch schedules none again', async () => {
  const [now, later1, later2, tooFar] = [project.address(), project.address(), project.address(), project.address()];
  const sendAt = tomorrow();
  const batch = {
    mails: [
      { template: 'receipt', to: now },
      { template: 'receipt', to: later1, sendAt },
      { template: 'receipt', to: later2, sendAt: inMs(0) },
      { template: 'receipt', to: tooFar, sendAt: inMs(91 * DAY_MS) },
    ],
    idempotencyKey: `batch-${now}`,
  };
  const { results } = must(await project.api.post('/send/batch', batch), 200);
  expect(results).toMatchObject([
    { ok: true, id: expect.any(String) },
    { ok: true, id: expect.any(String), status: 'scheduled', sendAt },
    { ok: true, id: expect.any(String), status: 'scheduled' },
    { ok: false, code: 'invalid_request', issues: [{ path: 'sendAt', message: expect.any(String) }] },
  ]);
  expect(await settled(results[2].id)).toMatchObject({ status: 'sent' });
  const again = must(await project.api.post('/send/batch', batch), 200).results;
  expect(again.slice(0, 3)).toMatchObject(results.slice(0, 3).map((result: object) => ({ ...result, replayed: true })));
  expect([await mailCount(now), await mailCount(later1), await mailCount(later2)]).toEqual([1, 0, 1]);
  expect((await project.api.get(`/sends?status=scheduled&q=${encodeURIComponent(later1)}`)).body.sends).toMatchObject([
    { id: results[1].id },
  ]);
});
