import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { mailNow, mailTo } from '../../support/mail.ts';
import { newProject, type TestProject } from '../../support/project.ts';
import { closedNow, openNow, setWindow, windowOf } from '../../support/send-windows.ts';
import { enableTemplates, must } from '../../support/sequences.ts';

let project: TestProject;
const closed = closedNow();
beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'welcome', 'receipt');
  await setWindow(project, windowOf(closed));
});

const send = (fields: object, of = project) => of.api.post('/send', { template: 'welcome', ...fields });
const SCHEDULED = { status: 'scheduled', sendAt: closed.opensAt.toISOString() };

describe("outside of the project's window", () => {
  test('a marketing mail waits for it as a scheduled one, which can be moved; transactional mail and what is told so goes', async () => {
    const to = project.address();
    const { status, body } = await send({ to });
    expect([status, body]).toEqual([202, { ok: true, id: expect.any(String), ...SCHEDULED }]);
    expect(must(await project.api.get(`/sends/${body.id}`), 200).send).toMatchObject({ status: 'scheduled', send_at: SCHEDULED.sendAt });
    expect(await mailNow(to)).toHaveLength(0);
    expect((await send({ to, ignoreWindow: true })).status).toBe(200);
    expect((await send({ to, type: 'transactional' })).status).toBe(200);
    expect((await send({ to, template: 'receipt' })).status).toBe(200);
    // The caller's own instant is not moved.
    const sendAt = new Date(Date.now() + 60_000).toISOString();
    expect((await send({ to: project.address(), sendAt })).body).toMatchObject({ status: 'scheduled', sendAt });
    must(await project.api.call('PATCH', `/sends/${body.id}`, { sendAt: new Date().toISOString() }), 200);
    await expect.poll(() => mailNow(to)).toHaveLength(4);
  });

  test('under its key it waits once, whether the window is open by then or gone, and is another mail with another payload', async () => {
    const own = await newProject();
    await enableTemplates(own, 'welcome');
    await setWindow(own, windowOf(closed));
    const [to, idempotencyKey] = [own.address(), randomUUID()];
    const first = must(await send({ to, idempotencyKey }, own), 202);
    for (const window of [windowOf(closed), windowOf(openNow()), null]) {
      await setWindow(own, window);
      const again = await send({ to, idempotencyKey }, own);
      expect([again.status, again.body.id, again.body.sendAt, again.headers.get('idempotent-replayed')]).toEqual([
        202,
        first.id,
        SCHEDULED.sendAt,
        'true',
      ]);
      expect((await send({ to: own.address(), idempotencyKey }, own)).body.code).toBe('idempotency_key_reuse');
    }
    must(await own.api.call('PATCH', `/sends/${first.id}`, { sendAt: new Date().toISOString() }), 200);
    await mailTo(to);
    expect(await mailNow(to)).toHaveLength(1);
  });

  test('what went while it was open is answered again under its key, and not once more when it opens', async () => {
    const own = await newProject();
    await enableTemplates(own, 'welcome');
    const [to, idempotencyKey] = [own.address(), randomUUID()];
    const first = must(await send({ to, idempotencyKey }, own), 200);
    await setWindow(own, windowOf(closed));
    const again = await send({ to, idempotencyKey }, own);
    expect([again.status, again.body.id]).toEqual([200, first.id]);
    expect(must(await own.api.get('/sends?status=scheduled'), 200).sends).toEqual([]);
  });

  test('it is by the clock of whoever gets the mail', async () => {
    const own = await newProject();
    await enableTemplates(own, 'welcome');
    await setWindow(own, windowOf({ ...openNow(), timezone: 'contact' }, { fallback: 'Etc/UTC' }));
    const [here, there] = [own.address(), own.address()];
    const { contacts } = must(await own.api.post('/contacts', [{ email: here }, { email: there, timezone: 'Pacific/Kiritimati' }]), 200);
    const statuses = await Promise.all(
      [{ to: here }, { to: there }, { contactId: contacts[1].id }, { to: own.address() }].map((fields) => send(fields, own)),
    );
    expect(statuses.map(({ status }) => status)).toEqual([200, 202, 202, 200]);
  });

  test('of a batch those wait that would by themselves', async () => {
    const mails = [
      { template: 'welcome', to: project.address() },
      { template: 'receipt', to: project.address() },
      { template: 'welcome', to: project.address(), ignoreWindow: true },
    ];
    const ask = async () => must(await project.api.post('/send/batch', { mails, idempotencyKey: `batch-${project.id}` }), 200).results;
    const [first, ...others] = await ask();
    expect(first).toMatchObject({ ok: true, ...SCHEDULED });
    for (const other of others) expect(other).toMatchObject({ ok: true, id: expect.any(String) });
    expect(others.map(({ status }: { status?: string }) => status)).toEqual([undefined, undefined]);
    expect((await ask())[0]).toMatchObject({ id: first.id, ...SCHEDULED, replayed: true });
  });

  test('tests of a template go at once, and so do mails of another project', async () => {
    const [to, other] = [project.address(), await newProject()];
    must(await project.api.post('/templates/welcome/test', { to }), 200);
    await mailTo(to);
    await enableTemplates(other, 'welcome');
    expect((await send({ to }, other)).status).toBe(200);
  });

  test('what cannot be made now is refused now', async () => {
    expect((await send({ to: project.address(), template: 'newsletter' })).body.code).toBe('template_not_enabled');
    expect((await send({ contactId: randomUUID() })).status).toBe(404);
    expect((await send({ to: project.address(), ignoreWindow: 'yes' })).body.issues).toMatchObject([{ path: 'ignoreWindow' }]);
  });
});

test('a window for all mail holds transactional mail, too', async () => {
  const own = await newProject();
  await enableTemplates(own, 'receipt');
  await setWindow(own, windowOf(closed, { transactional: true }));
  expect((await send({ to: own.address(), template: 'receipt' }, own)).body).toMatchObject(SCHEDULED);
});
