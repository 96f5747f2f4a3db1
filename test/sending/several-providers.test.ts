import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { SendRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { usedAllowances } from '../../db/queries/sends/allowance-days.ts';
import { openProviders } from '../../db/queries/sends/provider-states.ts';
import { rows } from '../../db/rows.ts';
import { dayOf } from '../../domain/sends/allowance.ts';
import type { OutgoingMail } from '../../platform/mail/mail.ts';
import type { MailProvider, ProviderAnswer } from '../../platform/mail/provider.ts';
import type { ProviderMember } from '../../sending/providers/providers.ts';
import { eventually } from '../support/eventually.ts';
import { readPage } from '../support/metrics-page.ts';
import { ownDatabase } from '../support/own-database.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { mailRequest, sendingsOfFile, type TestSending, type TestSendingOptions } from '../support/sending.ts';
import { enableTemplates } from '../support/sequences.ts';

let em: EntityManager;
let project: TestProject;
/** Where states and days of providers are: other tests look at what concerns all projects. */
let providersEm: EntityManager;
const openIn = sendingsOfFile();
const openSending = (options: TestSendingOptions): Promise<TestSending> => openIn({ ...options, providersEm: providersEm.fork() });

beforeAll(async () => {
  em = await database();
  providersEm = (await ownDatabase()).em;
  project = await newProject();
  await enableTemplates(project, 'receipt', 'newsletter');
});

/** A provider that answers as it is told, and notes what it was given. */
interface Double extends ProviderMember {
  readonly given: OutgoingMail[];
  answer: ProviderAnswer;
}

const ACCEPTED: ProviderAnswer = { outcome: 'accepted', providerId: 'taken' };
const REFUSED: ProviderAnswer = { outcome: 'later', message: 'connect ECONNREFUSED' };

function double(name: string, answer: ProviderAnswer, given: Partial<MailProvider & ProviderMember> = {}): Double {
  const noted: OutgoingMail[] = [];
  const { weight = 1, daily, ...of } = given;
  const self: Double = {
    ...{ name, weight, daily, given: noted, answer },
    mail: {
      ...{ name: 'test', host: 'mail.example', idempotent: false, format: 'message' },
      async send(mail, _key, _isStopped, submitting) {
        if (submitting?.() === false) return { outcome: 'later', message: 'not written down' };
        noted.push(mail);
        return self.answer;
      },
      close: async () => {},
      ...of,
    },
  };
  return self;
}

async function logOf(to: string): Promise<Pick<SendRow, 'status' | 'provider' | 'error'>[]> {
  return rows(em, sql<SendRow>`select status, provider, error from sends where to_email = ${to} order by created_at`);
}

/** Main first, always. */
const FIRST = { use: ['main', 'spare'] } as const;

test.each([
  ['refuses the connection', REFUSED],
  ['answers 4xx or 429', { outcome: 'later', message: '421 too many connections', retryAfterSeconds: 3600 }],
] as const)('a mail goes to the next provider at once when the first surely has not taken it: it %s', async (_, answer) => {
  const [main, spare] = [double('main', answer), double('spare', ACCEPTED)];
  const { sending } = await openSending({ members: [main, spare], routes: [FIRST] });
  const to = project.address();
  expect(await sending.sendCall(await mailRequest(project, to))).toMatchObject({ state: 'sent' });
  expect([main.given.length, spare.given.length]).toEqual([1, 1]);
  expect(await logOf(to)).toEqual([{ status: 'sent', provider: 'spare', error: null }]);
});

test('a mail that may have been taken goes to nobody else, now or later', async () => {
  const [main, spare] = [double('main', { outcome: 'unknown', message: 'cut off' }), double('spare', ACCEPTED)];
  const { sending } = await openSending({ members: [main, spare], routes: [FIRST] });
  const to = project.address();
  expect(await sending.sendCall(await mailRequest(project, to))).toMatchObject({ state: 'failed', reason: 'outcome_unknown' });
  expect([main.given.length, spare.given.length]).toEqual([1, 0]);
  expect(await logOf(to)).toEqual([{ status: 'failed', provider: 'main', error: 'outcome_unknown: cut off' }]);
});

test('a provider that deduplicates, asked among others, is not asked again for what it cannot tell: the outcome is unknown', async () => {
  const unknown: ProviderAnswer = { outcome: 'unknown', message: 'cut off', tellsLater: true };
  const [main, spare] = [double('main', unknown, { idempotent: true }), double('spare', ACCEPTED)];
  const { sending } = await openSending({ members: [main, spare], routes: [FIRST] });
  const to = project.address();
  expect(await sending.sendCall(await mailRequest(project, to))).toMatchObject({ state: 'failed', reason: 'outcome_unknown' });
  expect(spare.given).toEqual([]);
});

test('what is refused for good, or deferred for its recipient alone, is not tried with the next provider', async () => {
  const [main, spare] = [double('main', { outcome: 'rejected', message: '550 no', badAddress: false }), double('spare', ACCEPTED)];
  const { sending } = await openSending({ members: [main, spare], routes: [FIRST] });
  const to = project.address();
  expect(await sending.sendCall(await mailRequest(project, to))).toMatchObject({ state: 'failed', reason: 'provider_rejected' });
  expect(await logOf(to)).toEqual([{ status: 'failed', provider: 'main', error: 'provider_rejected: 550 no' }]);
  main.answer = { outcome: 'later', message: '450 greylisted', isDeferredRecipient: true };
  expect(await sending.sendCall(await mailRequest(project, project.address()))).toMatchObject({ state: 'unavailable' });
  expect(spare.given).toEqual([]);
  // Three tries in all, by the same one.
  expect(main.given).toHaveLength(4);
});

test('where nobody takes a mail it is tried three times in all', async () => {
  const [main, spare] = [double('main', REFUSED), double('spare', REFUSED)];
  const { sending } = await openSending({ members: [main, spare], routes: [FIRST] });
  expect(await sending.sendCall(await mailRequest(project, project.address()))).toMatchObject({ state: 'unavailable' });
  expect([main.given.length, spare.given.length]).toEqual([2, 1]);
});

test('for a provider that takes mails in another form the mail is made again, with the same id', async () => {
  const [main, spare] = [double('main', REFUSED, { format: 'resend' }), double('spare', ACCEPTED)];
  const { sending } = await openSending({ members: [main, spare], routes: [FIRST] });
  const to = project.address();
  await sending.sendCall(await mailRequest(project, to));
  const [asked, taken] = [main.given[0] as OutgoingMail, spare.given[0] as OutgoingMail];
  expect(JSON.parse(Buffer.from(asked.content).toString())).toMatchObject({ to: [to] });
  expect(Buffer.from(taken.content).toString()).toMatch(/^MIME-Version: 1\.0|^From: /m);
  expect([taken.sendId, taken.to]).toEqual([asked.sendId, to]);
});

test('a mail goes by the route of its type, and no other provider gets it', async () => {
  const [main, spare] = [double('main', ACCEPTED), double('spare', ACCEPTED)];
  const { sending } = await openSending({
    members: [main, spare],
    routes: [{ type: 'transactional', project: project.slug, use: ['spare'] }],
  });
  await sending.sendCall(await mailRequest(project, project.address()));
  expect([main.given.length, spare.given.length]).toEqual([0, 1]);
});

test("a day's allowance holds over several processes, and what is above it goes to the next provider", async () => {
  const name = `main-${project.slug.slice(0, 8)}`;
  const [first, second, spare] = [double(name, ACCEPTED, { daily: 5 }), double(name, ACCEPTED, { daily: 5 }), double('spare', ACCEPTED)];
  const routes = [{ use: [name, 'spare'] }];
  const [one, other] = [await openSending({ members: [first, spare], routes }), await openSending({ members: [second, spare], routes })];
  const requests = await Promise.all(Array.from({ length: 8 }, async () => mailRequest(project, project.address())));
  const results = await Promise.all(requests.map((request, n) => (n % 2 ? one : other).sending.sendCall(request)));
  expect(results).toEqual(results.map(() => expect.objectContaining({ state: 'sent' })));
  expect(first.given.length + second.given.length).toBe(5);
  expect(spare.given).toHaveLength(3);
});

test('what a provider did not take is not counted against its allowance, and a used allowance says when it goes on', async () => {
  const name = `lone-${project.slug.slice(0, 8)}`;
  const now = (): Date => new Date('2026-03-05T18:00:00Z');
  const [lone, unused] = [double(name, REFUSED, { daily: 2 }), double('unused', ACCEPTED)];
  const { sending } = await openSending({ members: [lone, unused], routes: [{ use: [name] }], now });
  const send = async (): Promise<unknown> => sending.sendCall(await mailRequest(project, project.address()));
  expect(await send()).toMatchObject({ state: 'unavailable' });
  lone.answer = ACCEPTED;
  expect([await send(), await send()]).toMatchObject([{ state: 'sent' }, { state: 'sent' }]);
  expect(await send()).toMatchObject({
    state: 'unavailable',
    message: `today's allowance of the provider ${name} is used; it goes on at 00:00 UTC`,
    retryAfterSeconds: 6 * 3600,
  });
  expect(unused.given).toEqual([]);
});

test('a used daily allowance is told of until a mail finds some left of it', async () => {
  const name = `used-${project.slug.slice(0, 8)}`;
  const open = (daily: number) => openSending({ members: [double(name, ACCEPTED, { daily })] });
  const { sending, metrics } = await open(1);
  const used = async () => (await usedAllowances(providersEm, dayOf(new Date()))).filter(({ provider }) => provider === name);
  const isUsed = async () => readPage(await metrics.page()).sum('everpost_mail_provider_allowance_used', { provider: name });
  expect(await sending.sendCall(await mailRequest(project, project.address()))).toMatchObject({ state: 'sent' });
  expect([await used(), await isUsed()]).toEqual([[], 0]);
  expect(await sending.sendCall(await mailRequest(project, project.address()))).toMatchObject({ state: 'unavailable' });
  expect([await used(), await isUsed()]).toEqual([[{ provider: name, since: expect.any(Date) }], 1]);
  const raised = await open(2);
  // By whoever is started with another limit, though nobody sends anything.
  await eventually(async () => (await used()).length === 0);
  const sent = async () => raised.sending.sendCall(await mailRequest(project, project.address()));
  expect([await sent(), await sent()]).toMatchObject([{ state: 'sent' }, { state: 'unavailable' }]);
  expect(await used()).toHaveLength(1);
  await openSending({ members: [double(name, ACCEPTED)] });
  await eventually(async () => (await used()).length === 0);
});

test('a provider that puts off a mail is tried again where the allowance of the other one is used', async () => {
  const name = `full-${project.slug.slice(0, 8)}`;
  const [main, full] = [double('main', ACCEPTED), double(name, ACCEPTED, { daily: 1 })];
  const { sending } = await openSending({ members: [main, full], routes: [{ use: ['main', name] }] });
  main.answer = REFUSED;
  expect(await sending.sendCall(await mailRequest(project, project.address()))).toMatchObject({ state: 'sent' });
  expect(await sending.sendCall(await mailRequest(project, project.address()))).toMatchObject({ state: 'unavailable' });
  expect([main.given.length, full.given.length]).toEqual([4, 1]);
});

test('a provider of which most answers are failures is passed over, and told of, until a mail is taken again', async () => {
  const name = `away-${project.slug.slice(0, 8)}`;
  const [away, spare] = [double(name, REFUSED), double('spare', ACCEPTED)];
  const { sending, metrics } = await openSending({ members: [away, spare], routes: [{ use: [name, 'spare'] }] });
  const send = async (): Promise<unknown> => sending.sendCall(await mailRequest(project, project.address()));
  const states = async () => (await openProviders(providersEm)).filter(({ provider }) => provider === name);
  for (let n = 0; n < 9; n++) expect(await send()).toMatchObject({ state: 'sent' });
  expect([away.given.length, spare.given.length]).toEqual([5, 9]);
  const open = async () => readPage(await metrics.page()).sum('everpost_mail_provider_open', { provider: name });
  expect(await open()).toBe(1);
  await eventually(async () => (await states()).length > 0);
  expect(await states()).toEqual([{ provider: name, since: expect.any(Date), reason: 'connect ECONNREFUSED' }]);
  away.answer = ACCEPTED;
  await eventually(async () => {
    await send();
    return away.given.length > 5;
  });
  expect(await open()).toBe(0);
  await eventually(async () => (await states()).length === 0);
});
