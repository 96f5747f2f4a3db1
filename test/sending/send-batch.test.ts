import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { SendRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { rows } from '../../db/rows.ts';
import { Refusal } from '../../domain/errors.ts';
import type { MailRequest } from '../../sending/request.ts';
import { createSendPace } from '../../sending/send-pace.ts';
import type { Sending } from '../../sending/sending.ts';
import { eventually } from '../support/eventually.ts';
import { readPage } from '../support/metrics-page.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { keyed, mailRequest, sendingsOfFile } from '../support/sending.ts';
import { enableTemplates, must } from '../support/sequences.ts';

let em: EntityManager;
let project: TestProject;
const openSending = sendingsOfFile();

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'receipt', 'welcome', 'magic-link');
});

async function logOf(...addresses: readonly string[]): Promise<SendRow[]> {
  return rows(em, sql<SendRow>`select * from sends where to_email = any(${[...addresses]}) order by created_at, id`);
}

/** What each came to, or why it was refused. */
async function come(sending: Sending, requests: readonly MailRequest[]): Promise<unknown[]> {
  return (await sending.sendCalls(requests)).map((one) => (one.status === 'fulfilled' ? one.value : one.reason));
}

test('a batch of 500 mails asks the database twice for each hundred of them and as often as outcomes come together, and each mail goes once', async () => {
  const { sending, submitted, statements } = await openSending();
  const addresses = Array.from({ length: 500 }, (_, index) => `batch-${index}@to.${project.domain}`);
  await sending.sendCalls([await mailRequest(project, addresses[0] as string)]);
  statements();
  const results = await come(sending, await Promise.all(addresses.map((to) => mailRequest(project, to))));
  // Facts and intents of each portion, and outcomes of what ends while the statement before is under way.
  const asked = statements();
  expect(asked).toBeGreaterThanOrEqual(11);
  expect(asked).toBeLessThanOrEqual(25);
  expect(results).toEqual(results.map(() => expect.objectContaining({ state: 'sent' })));
  expect(new Set(submitted.map(({ to }) => to)).size).toBe(500);
  const log = await logOf(...addresses.slice(1));
  expect(log).toHaveLength(499);
  expect(log.every(({ status, provider_id, subject }) => status === 'sent' && provider_id !== null && subject !== '')).toBe(true);
});

test('what is wrong with one mail of a batch is that mail alone, and the results stand in the order of the requests', async () => {
  const [fine, suppressed, unrendered, rejected, unanswered, away, other] = Array.from({ length: 7 }, () => project.address()) as [
    string,
    ...string[],
  ];
  must(await project.api.post('/suppressions', { email: suppressed }), 201);
  const { sending } = await openSending({
    answer({ to, messageId }) {
      if (to === rejected) return { outcome: 'rejected', message: '550 no', badAddress: false };
      if (to === unanswered) return { outcome: 'unknown', message: 'cut off' };
      if (to === away) return { outcome: 'later', message: 'busy', retryAfterSeconds: 60 };
      return { outcome: 'accepted', providerId: messageId };
    },
  });
  const requests = await Promise.all([
    mailRequest(project, fine),
    mailRequest(project, suppressed as string),
    mailRequest(project, unrendered as string, {
      subject: '{{ name | append: name | split: "" | join: "," }}',
      data: { name: 'x'.repeat(5000) },
    }),
    mailRequest(project, rejected as string),
    mailRequest(project, unanswered as string),
    mailRequest(project, away as string),
    mailRequest(project, project.address(), { template: 'newsletter' }),
    mailRequest(project, project.address(), { recipient: { contactId: '0199c0de-0000-7000-8000-000000000000' } }),
    mailRequest(project, other as string, { brand: project.slug }),
  ]);
  const results = await come(sending, requests);
  expect(results).toMatchObject([
    { state: 'sent' },
    { state: 'failed', reason: 'suppressed' },
    { state: 'failed', reason: 'render_failed' },
    { state: 'failed', reason: 'provider_rejected' },
    { state: 'failed', reason: 'outcome_unknown' },
    { state: 'unavailable', retryAfterSeconds: 60 },
    { code: 'template_not_enabled' },
    { code: 'not_found' },
    { state: 'sent' },
  ]);
  const log = await logOf(fine, ...[suppressed, unrendered, rejected, unanswered, away, other].map(String));
  const errors = Object.fromEntries(log.map(({ to_email, error }) => [to_email, error?.split(':')[0] ?? null]));
  expect(errors).toEqual({
    [fine]: null,
    [suppressed as string]: 'suppressed',
    [unrendered as string]: 'render_failed',
    [rejected as string]: 'provider_rejected',
    [unanswered as string]: 'outcome_unknown',
    [away as string]: 'provider_unavailable',
    [other as string]: null,
  });
});

test('each mail is counted once by how it ended, and not again when its answer is given again', async () => {
  const suppressed = project.address();
  must(await project.api.post('/suppressions', { email: suppressed }), 201);
  const { sending, metrics } = await openSending({
    answer: ({ to }) =>
      to.startsWith('away') ? { outcome: 'later', message: 'busy', retryAfterSeconds: 60 } : { outcome: 'accepted', providerId: to },
  });
  const identity = { by: 'key', key: project.address(), requestHash: Buffer.from('same') } as const;
  const keyed = await mailRequest(project, project.address(), { identity });
  await sending.sendCalls([
    keyed,
    await mailRequest(project, suppressed),
    await mailRequest(project, project.address('away')),
    await mailRequest(project, project.address(), {
      subject: '{{ name | append: name | split: "" | join: "," }}',
      data: { name: 'x'.repeat(5000) },
    }),
  ]);
  expect(await sending.sendCall(keyed)).toMatchObject({ state: 'sent', replayed: true });
  const page = readPage(await metrics.page());
  const counted = page.samples.filter(({ name }) => name === 'everpost_sends_total').map(({ labels, value }) => [labels.outcome, value]);
  expect(Object.fromEntries(counted)).toEqual({ sent: 1, provider_unavailable: 1, render_failed: 1 });
  expect(page.sum('everpost_sends_refused_total')).toBe(1);
  expect(page.sum('everpost_sends_refused_total', { source: 'api', by: 'suppressed' })).toBe(1);
});

test('of mails with one key in a batch the first goes, and the others are answered as if they had waited for it', async () => {
  const [free, rejected] = [project.address(), project.address()];
  let tries = 0;
  const { sending, submitted } = await openSending({
    answer({ to, messageId }) {
      if (to === rejected && ++tries === 1) return { outcome: 'later', message: 'busy', retryAfterSeconds: 60 };
      return { outcome: 'accepted', providerId: messageId };
    },
  });
  const call = (to: string, key: string, payload: string, given: Partial<MailRequest> = {}) =>
    mailRequest(project, to, { identity: { by: 'key', key, requestHash: Buffer.from(payload) }, ...given });
  const unknown = { recipient: { contactId: '0199c0de-0000-7000-8000-000000000000' } };
  const requests = await Promise.all([
    call(free, free, 'same'),
    call(free, free, 'same'),
    call(free, free, 'other'),
    // What frees its key, or never had a row, leaves the place to the next.
    call(rejected, rejected, 'same'),
    call(rejected, rejected, 'same'),
    call('', 'of nobody', 'same', unknown),
    call(free, 'of nobody', 'other'),
  ]);
  expect(await come(sending, requests)).toMatchObject([
    { state: 'sent', replayed: false },
    { state: 'sent', replayed: true },
    { state: 'key_reused' },
    { state: 'unavailable' },
    { state: 'sent', replayed: false },
    { code: 'not_found' },
    { state: 'sent', replayed: false },
  ]);
  expect(submitted.map(({ to }) => to).toSorted()).toEqual([free, free, rejected, rejected].toSorted());
});

test('marketing to unknown addresses of a batch makes a contact of each, with its unsubscribe link', async () => {
  const { sending, submitted } = await openSending();
  const addresses = [project.address(), project.address()];
  const results = await come(sending, await Promise.all(addresses.map((to) => mailRequest(project, to, { template: 'welcome' }))));
  expect(results).toMatchObject([{ state: 'sent' }, { state: 'sent' }]);
  for (const [index, mail] of submitted.entries()) {
    const { contacts } = (await project.api.get(`/contacts?q=${encodeURIComponent(addresses[index] as string)}`)).body;
    expect(contacts).toMatchObject([{ status: 'subscribed', source: 'send' }]);
    expect(Buffer.from(mail.content).toString('latin1')).toMatch(/List-Unsubscribe: <[^>]*unsubscribe\?c=/);
  }
});

test('a row whose submission has no outcome yet has its subject, so that one of unknown outcome says which mail it was', async () => {
  let letGo = (): void => {};
  const { sending, submitted } = await openSending({
    answer: () => new Promise((resolve) => (letGo = () => resolve({ outcome: 'accepted', providerId: 'p' }))),
  });
  const to = project.address();
  const call = sending.sendCall(await mailRequest(project, to, { subject: 'Order {{ number }}', data: { number: 7 } }));
  await eventually(() => submitted.length === 1);
  expect(await logOf(to)).toMatchObject([{ status: null, subject: 'Order 7' }]);
  letGo();
  expect(await call).toMatchObject({ state: 'sent' });
});

test('text that PostgreSQL cannot hold spoils no batch: the mail goes and its row is readable', async () => {
  const { sending } = await openSending({ answer: () => ({ outcome: 'rejected', message: 'no \0 way \ud800', badAddress: false }) });
  const [odd, plain] = [project.address(), project.address()];
  const requests = await Promise.all([
    mailRequest(project, odd, { subject: '{{ x }}', data: { x: 'half \ud83d a pair' } }),
    mailRequest(project, plain),
  ]);
  expect(await come(sending, requests)).toMatchObject([{ reason: 'provider_rejected' }, { reason: 'provider_rejected' }]);
  expect(await logOf(odd)).toMatchObject([{ status: 'failed', error: 'provider_rejected: no  way \ufffd' }]);
});

test('a batch takes its turn a hundred mails at a time: other calls go between, and what has not begun at its deadline never does', async () => {
  const letGo = Promise.withResolvers<void>();
  const { sending, submitted } = await openSending({
    answer: async ({ to, messageId }) => {
      if (to.startsWith('held')) await letGo.promise;
      return { outcome: 'accepted', providerId: messageId };
    },
  });
  const late = new AbortController();
  const addresses = Array.from({ length: 150 }, () => project.address('held'));
  const batch = come(sending, await Promise.all(addresses.map((to) => mailRequest(project, to, { deadline: late.signal }))));
  await eventually(() => submitted.length === 100);
  expect(await sending.sendCall(await mailRequest(project, project.address('between')))).toMatchObject({ state: 'sent' });
  late.abort(new Refusal('unavailable', 'too late'));
  // Nor does its answer wait for its turn.
  const behind = await mailRequest(project, project.address('behind'), { deadline: late.signal });
  expect(await come(sending, [behind])).toEqual([late.signal.reason]);
  letGo.resolve();
  const results = await batch;
  expect(results.slice(0, 100)).toEqual(results.slice(0, 100).map(() => expect.objectContaining({ state: 'sent' })));
  expect(results.slice(100)).toEqual(Array.from({ length: 50 }, () => late.signal.reason));
  expect(submitted).toHaveLength(101);
  expect(await logOf(...addresses)).toHaveLength(100);
});

test('a mail whose server is slow holds up no other of its batch', async () => {
  const letGo = Promise.withResolvers<void>();
  const slow = project.address('slow');
  const { sending, submitted } = await openSending({
    answer: async ({ to, messageId }) => {
      if (to === slow) await letGo.promise;
      return { outcome: 'accepted', providerId: messageId };
    },
  });
  const addresses = [slow, ...Array.from({ length: 349 }, () => project.address())];
  const batch = come(sending, await Promise.all(addresses.map((to) => mailRequest(project, to))));
  await eventually(() => submitted.length === 350);
  letGo.resolve();
  expect(await batch).toEqual(addresses.map(() => expect.objectContaining({ state: 'sent' })));
});

test("under a rate a batch goes in portions of a second's worth", async () => {
  const { sending, statements } = await openSending({ pace: createSendPace(10) });
  const results = await come(sending, await Promise.all(Array.from({ length: 50 }, () => mailRequest(project, project.address()))));
  expect(results).toEqual(results.map(() => expect.objectContaining({ state: 'sent' })));
  // Facts and intents of each, and outcomes.
  expect(statements()).toBeGreaterThanOrEqual(11);
});

test('what goes wrong for a part of a batch is told of each of its mails, and the batch can be asked for again', async () => {
  let losses = 1;
  const { sending, submitted } = await openSending({ losesAnswer: (text) => text.includes('insert into sends') && losses-- > 0 });
  const requests = await Promise.all(Array.from({ length: 150 }, () => keyed(project, project.address())));
  const first = await sending.sendCalls(requests);
  expect(Map.groupBy(first, ({ status }) => status).get('rejected')).toHaveLength(100);
  expect(submitted).toHaveLength(50);
  await eventually(async () => (await come(sending, requests)).every((result) => (result as { state?: string }).state === 'sent'));
  expect(submitted).toHaveLength(150);
  expect(new Set(submitted.map(({ to }) => to)).size).toBe(150);
});
