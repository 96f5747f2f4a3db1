import { beforeAll, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { report } from '../../support/inbound.ts';
import { mailNow } from '../../support/mail.ts';
import { newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must, newContact } from '../../support/sequences.ts';
import { createEndpoint, deliveriesOf } from '../../support/webhook-endpoints.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'receipt');
});

const send = (body: object, on = project) => on.api.post('/send', { template: 'receipt', ...body });
const found = async (query: Readonly<Record<string, string>>, on = project) =>
  must(await on.api.get(`/sends?${new URLSearchParams(query)}`), 200).sends.map(({ to_email }: { to_email: string }) => to_email);

test('the log finds a mail by one of its tags and of its metadata, exactly, and not that of another project', async () => {
  const [both, tagged, plain] = [project.address(), project.address(), project.address()];
  const metadata = { order: '10:42', 'a.b': 'ä "q"' };
  must(await send({ to: both, tags: ['invoice', 'Eu', 'invoice'], metadata }), 200);
  must(await send({ to: tagged, tags: ['invoice'] }), 200);
  must(await send({ to: plain }), 200);
  const other = await newProject();
  await enableTemplates(other, 'receipt');
  must(await send({ to: other.address(), tags: ['invoice'], metadata }, other), 200);
  for (const [query, expected] of [
    [{ tag: 'invoice' }, [tagged, both]],
    [{ tag: 'Eu' }, [both]],
    [{ tag: 'eu' }, []],
    [{ tag: 'inv' }, []],
    [{ metadata: 'order:10:42' }, [both]],
    [{ metadata: 'a.b:ä "q"', tag: 'invoice', status: 'sent' }, [both]],
    [{ metadata: 'order:10' }, []],
    [{ metadata: 'invoice:' }, []],
    [{ tag: 'invoice', q: both }, [both]],
    [{ tag: 'invoice', deliveryStatus: 'none' }, [tagged, both]],
  ] as const)
    expect([query, await found(query)]).toEqual([query, expected]);
  const first = must(await project.api.get('/sends?tag=invoice&limit=1'), 200);
  expect(first.sends).toMatchObject([{ to_email: tagged, tags: ['invoice'], metadata: {} }]);
  const rest = must(await project.api.get(`/sends?tag=invoice&limit=1&cursor=${encodeURIComponent(first.nextCursor)}`), 200);
  expect(rest).toMatchObject({ sends: [{ to_email: both, tags: ['invoice', 'Eu'], metadata }], nextCursor: null });
  expect((await project.api.get(`/sends?tag=Eu&cursor=${encodeURIComponent(first.nextCursor)}`)).body.code).toBe('invalid_cursor');
  expect((await project.api.get('/sends?metadata=order')).body.issues).toMatchObject([{ path: 'metadata' }]);
});

test('what is too many, too long or no text is refused with its place, and nothing goes', async () => {
  const to = project.address();
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, '']));
  for (const [body, path] of [
    [{ tags: 'a' }, 'tags'],
    [{ tags: Array.from({ length: 21 }, () => 'a') }, 'tags'],
    [{ tags: ['a', ''] }, 'tags[1]'],
    [{ tags: ['x'.repeat(101)] }, 'tags[0]'],
    [{ tags: [7] }, 'tags[0]'],
    [{ metadata: ['a'] }, 'metadata'],
    [{ metadata: many(21) }, 'metadata'],
    [{ metadata: { a: 7 } }, 'metadata.a'],
    [{ metadata: { a: 'x'.repeat(501) } }, 'metadata.a'],
    [{ metadata: { 'a:b': 'x' } }, 'metadata.a:b'],
    [{ metadata: { '': 'x' } }, 'metadata.'],
  ] as const) {
    const answer = await send({ to, ...body });
    expect([body, answer.status, answer.body.issues?.[0]?.path]).toEqual([body, 422, path]);
  }
  expect(await mailNow(to)).toEqual([]);
  must(await send({ to, tags: Array.from({ length: 20 }, (_, index) => `${index}${'x'.repeat(98)}`), metadata: many(20) }), 200);
});

test('webhooks are told tags and metadata with the mail and with what the provider reports of it, and forget them with its recipient', async () => {
  const own = await newProject();
  await enableTemplates(own, 'receipt');
  const to = own.address();
  const contactId = await newContact(own, to);
  const { id: endpoint } = await createEndpoint(own, 'http://127.0.0.1:9/events');
  const noted = { tags: ['invoice'], metadata: { order: '1042' } };
  const call = { to, ...noted, idempotencyKey: 'noted' };
  const { id: providerId } = must(await send(call, own), 200);
  expect((await send({ ...call, tags: ['other'] }, own)).body.code).toBe('idempotency_key_reuse');
  must(await send({ to: own.address() }, own), 200);
  await report(own, { type: 'delivered', providerId, timestamp: '2026-01-01T10:00:00.000Z' });
  const told = async () => {
    const payloads = (await deliveriesOf(own, endpoint)).map(({ payload }) => payload);
    return payloads.filter(({ type }) => type.startsWith('email.')).map(({ type, data }) => [type, data.email, data.tags, data.metadata]);
  };
  expect((await eventually(async () => (await told()).length === 3 && (await told()))).reverse()).toEqual([
    ['email.sent', to, noted.tags, noted.metadata],
    ['email.sent', expect.any(String), undefined, undefined],
    ['email.delivered', to, noted.tags, noted.metadata],
  ]);
  must(await own.api.call('DELETE', `/contacts/${contactId}`), 200);
  expect((await told()).filter(([, email, ...others]) => email === undefined && others.some((value) => value !== undefined))).toEqual([]);
  expect(await found({ tag: 'invoice' }, own)).toEqual([]);
  expect((await told()).filter(([, email]) => email === undefined)).toHaveLength(2);
});
