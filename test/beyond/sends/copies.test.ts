import PostalMime from 'postal-mime';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, describe, expect, test } from 'vitest';
import { Send } from '../../../db/entities/index.ts';
import { API_GATE } from '../../../db/queries/sends/send-gates.ts';
import { openMany } from '../../../db/queries/sends/send-intents.ts';
import { eventually } from '../../support/eventually.ts';
import { failedRow } from '../../support/failed-mails.ts';
import { report } from '../../support/inbound.ts';
import { mailNow, mailTo, scriptMail } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must, newContact } from '../../support/sequences.ts';
import { createEndpoint, deliveriesOf } from '../../support/webhook-endpoints.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'receipt', 'welcome');
});

const send = (body: object, on = project) => on.api.post('/send', { template: 'receipt', ...body });
const addresses = (count: number): string[] => Array.from({ length: count }, () => project.address());
const recordOf = async (id: string, on = project) => must(await on.api.get(`/sends/${encodeURIComponent(id)}`), 200).send;
const suppressed = async (email: string): Promise<string[]> =>
  must(await project.api.get(`/suppressions?email=${email}`), 200).suppressions.map(({ reason }: { reason: string }) => reason);

test('one mail goes to all of its recipients at once, each address once; nobody sees who has a blind copy', async () => {
  const [to, open, named, blind] = addresses(4) as [string, string, string, string];
  const cc = [open, `"Bell, Änn" <${named}>`, open.toUpperCase(), to];
  const { id } = must(await send({ to: `Ada <${to}>`, cc, bcc: [blind, named, blind] }), 200);
  const [message, ...more] = await mailTo(blind);
  expect([message!.to, more]).toEqual([[to, open, named, blind], []]);
  for (const address of [to, open, named]) expect(await mailNow(address)).toEqual([message]);
  const mail = await PostalMime.parse(message!.raw);
  expect([mail.to, mail.cc]).toMatchObject([[{ address: to }], [{ address: open }, { address: named, name: 'Bell, Änn' }]]);
  expect(message!.raw).not.toContain(blind);
  expect(message!.raw).not.toMatch(/^bcc:/im);
  expect(await recordOf(id)).toMatchObject({
    to_email: to,
    cc: [open, `"Bell, Änn" <${named}>`],
    bcc: [blind],
    left_out: [],
    status: 'sent',
  });
  const [contactTo, single] = addresses(2) as [string, string];
  const contactId = await newContact(project, contactTo);
  must(await send({ contactId, cc: single, bcc: [contactTo] }), 200);
  expect((await mailTo(single))[0]?.to).toEqual([contactTo, single]);
});

test('a copy is left out by the gate that its address has, and named in the answer, also in that to a repeated call', async () => {
  const [to, gone, left, fine] = addresses(4) as [string, string, string, string];
  must(await project.api.post('/suppressions', { email: gone }), 201);
  await newContact(project, left, { status: 'unsubscribed' });
  const call = { template: 'welcome', to, cc: [gone, left], bcc: [fine], idempotencyKey: uuidv7() };
  const first = must(await send(call), 200);
  const leftOut = [
    { email: gone, reason: 'suppressed' },
    { email: left, reason: 'unsubscribed' },
  ];
  expect(first).toMatchObject({ ok: true, leftOut });
  expect(must(await send(call), 200)).toEqual(first);
  const [message, ...more] = await mailTo(to);
  expect([message!.to, more]).toEqual([[to, fine], []]);
  expect(message!.raw).not.toMatch(/^cc:/im);
  expect(await recordOf(first.id)).toMatchObject({ cc: [gone, left], bcc: [fine], left_out: leftOut });
  expect(must(await send({ to, cc: left }), 200)).not.toHaveProperty('leftOut');
  expect((await send({ to: gone, cc: fine })).body.reason).toBe('suppressed');
  expect(await mailNow(fine)).toHaveLength(1);
});

test('no intent is written for a copy that was suppressed while the mail was made', async () => {
  const em = await database();
  const [to, copy] = addresses(2) as [string, string];
  const intent = {
    ...{ id: uuidv7(), projectId: project.id, contactId: null, brandId: project.slug, toEmail: to, template: 'receipt' },
    ...({ type: 'transactional', subject: '', sourceType: 'api', sourceId: null, identity: { by: 'nothing' }, journal: null } as const),
    details: { cc: [{ email: copy }] },
  };
  must(await project.api.post('/suppressions', { email: copy }), 201);
  expect(await openMany(em, API_GATE, [intent])).toEqual([{ state: 'known' }]);
  const leftOut = [{ email: copy, reason: 'suppressed' as const }];
  expect(await openMany(em, API_GATE, [{ ...intent, details: { ...intent.details, leftOut } }])).toMatchObject([{ state: 'opened' }]);
  await em.nativeDelete(Send, { id: intent.id });
});

describe('a mail server that refuses a recipient', () => {
  test('of a copy for good leaves that one out: it is named, and an address that does not exist has bounced', async () => {
    const [to, gone, unwanted, fine] = addresses(4) as [string, string, string, string];
    await newContact(project, gone);
    await scriptMail(gone, { rejectRecipient: { code: 550, message: '5.1.1 no such user' } });
    await scriptMail(unwanted, { rejectRecipient: { code: 554, message: '5.7.1 policy' } });
    const call = { to, cc: [gone, fine], bcc: unwanted, idempotencyKey: uuidv7() };
    const first = must(await send(call), 200);
    expect(first.leftOut).toEqual([
      { email: gone, reason: 'provider_rejected', message: expect.stringContaining('5.1.1') },
      { email: unwanted, reason: 'provider_rejected', message: expect.stringContaining('policy') },
    ]);
    expect(must(await send(call), 200)).toEqual(first);
    expect((await mailTo(to)).map(({ to: envelope }) => envelope)).toEqual([[to, fine]]);
    expect(await recordOf(first.id)).toMatchObject({ status: 'sent', delivery_status: null, bounce: null, left_out: first.leftOut });
    expect([await suppressed(gone), await suppressed(unwanted), await suppressed(to)]).toEqual([['bounce'], [], []]);
    expect(must(await project.api.get(`/contacts?q=${gone}`), 200).contacts).toMatchObject([{ status: 'bounced' }]);
    must(await send({ to }), 200);
  });

  test('of `to` for good, or of anybody for now, takes the mail for nobody, and says nothing of the others', async () => {
    const [to, copy] = addresses(2) as [string, string];
    await scriptMail(to, { rejectRecipient: { code: 550, message: '5.1.1 no such user' } });
    expect((await send({ to, cc: copy })).body).toMatchObject({ code: 'send_failed', reason: 'provider_rejected' });
    const [other, busy] = addresses(2) as [string, string];
    await scriptMail(busy, { rejectRecipient: { code: 451 } });
    expect(await send({ to: other, bcc: [copy, busy] })).toMatchObject({ status: 503, body: { reason: 'provider_unavailable' } });
    for (const address of [to, copy, other, busy]) expect(await mailNow(address)).toEqual([]);
    expect(await suppressed(copy)).toEqual([]);
    await scriptMail(busy, {});
    const { id } = await failedRow(await database(), other);
    must(await project.api.post(`/sends/${id}/retry`, {}), 200);
    expect((await mailTo(other)).map(({ to: envelope }) => envelope)).toEqual([[other, copy, busy]]);
  });
});

test('a report about a copy is about its address: the row is that of `to`, and endpoints are told whom it is about', async () => {
  const own = await newProject();
  await enableTemplates(own, 'receipt');
  const [to, copy] = [own.address(), own.address()];
  await newContact(own, to);
  await newContact(own, copy);
  const { id: endpoint } = await createEndpoint(own, 'http://127.0.0.1:9/events');
  const { id: providerId } = must(await send({ to, cc: copy, tags: ['invoice'], metadata: { order: '1' } }, own), 200);
  const at = '2026-01-01T10:00:00.000Z';
  await report(own, { type: 'bounced', providerId, timestamp: at, bounce: { kind: 'hard', code: '5.1.1' }, email: copy.toUpperCase() });
  await report(own, { type: 'delivered', providerId, timestamp: at, email: to });
  await report(own, { type: 'bounced', providerId, timestamp: at, email: 'nobody@else.example' });
  expect(await recordOf(providerId, own)).toMatchObject({ delivery_status: 'delivered', bounce: null });
  const bounced = (email: string) => own.api.get(`/suppressions?email=${email}`).then(({ body }) => body.suppressions.length);
  expect([await bounced(copy), await bounced(to)]).toEqual([1, 0]);
  expect(must(await own.api.get(`/contacts?q=${copy}`), 200).contacts).toMatchObject([{ status: 'bounced' }]);
  const told = async () =>
    (await deliveriesOf(own, endpoint)).map(({ payload }) => payload).filter(({ type }) => type.startsWith('email.'));
  const events = await eventually(async () => (await told()).length >= 3 && (await told()));
  expect(events.find(({ type }) => type === 'email.bounced')?.data).toMatchObject({
    ...{ email: copy, contact_id: null, copy: true, subject: 'Your receipt', tags: ['invoice'], metadata: { order: '1' } },
    bounce: { kind: 'hard', code: '5.1.1' },
  });
  expect(events.filter(({ type }) => type === 'email.bounced')).toHaveLength(1);
});

test('who is erased is in no copy any more, and the mail stays that of the others', async () => {
  const [to, copy, other] = addresses(3) as [string, string, string];
  const contactId = await newContact(project, copy);
  must(await project.api.post('/suppressions', { email: copy }), 201);
  const { id } = must(await send({ to, cc: [`Bo <${copy}>`, other] }), 200);
  must(await project.api.call('DELETE', `/contacts/${contactId}`), 200);
  expect(await recordOf(id)).toMatchObject({ to_email: to, cc: [other], bcc: [], left_out: [] });
  const row = await (await database()).findOneOrFail(Send, { provider_id: id });
  expect(JSON.stringify(row)).not.toContain(copy);
});

test('what is no list of at most fifty recipients is refused with its place, and nothing goes', async () => {
  const to = project.address();
  for (const [body, path] of [
    [{ cc: 'nobody' }, 'cc'],
    [{ cc: 7 }, 'cc'],
    [{ cc: [to, 'a@x.example, b@x.example'] }, 'cc[1]'],
    [{ bcc: ['a@x.example\r\nRCPT TO:<eve@example.net>'] }, 'bcc[0]'],
    [{ cc: addresses(51) }, 'cc'],
    [{ cc: addresses(25), bcc: addresses(25) }, 'bcc'],
  ] as const) {
    const answer = await send({ to, ...body });
    expect([path, answer.status, answer.body.issues?.[0]?.path]).toEqual([path, 422, path]);
  }
  expect(await mailNow(to)).toEqual([]);
  must(await send({ to, cc: addresses(24), bcc: addresses(25) }), 200);
  expect((await mailTo(to))[0]?.to).toHaveLength(50);
});
