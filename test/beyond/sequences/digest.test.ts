import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { row, rows } from '../../../db/rows.ts';
import { CHANGED_SIGNAL, enrollmentWorkflowId } from '../../../workflows/contracts.ts';
import { chain, EXIT, type LooseNode, TRIGGER } from '../../domain/sequences/graphs.ts';
import { actionsOn } from '../../support/enrollment-actions.ts';
import { eventually } from '../../support/eventually.ts';
import { enrollmentIn, enrollmentsOf, eventTrigger, newEventType, newFlow, standsAt, type TestFlow } from '../../support/flow.ts';
import { type HttpReceiver, startHttpReceiver } from '../../support/http-receiver.ts';
import { mailNow, mailTo, scriptMail } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { DAY_MINUTES, enableTemplates, enrollmentEnds, enrollmentOf, must, newContact, traceOf } from '../../support/sequences.ts';
import { tell, temporalClient } from '../../support/temporal.ts';

let em: EntityManager;
let project: TestProject;
let receiver: HttpReceiver;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'receipt');
  receiver = await startHttpReceiver();
});

afterAll(() => receiver?.close());

/** Its subject says what has gathered: how many, and the latest of them. */
const SUBJECT = '{{ digest.count }}: {% for e in digest.events %}{{ e.data.n }} {% endfor %}';
const MAIL = {
  id: 'mail',
  kind: 'send_email',
  config: { template: 'receipt', subject: SUBJECT, data: { amount: '1', receiptUrl: 'https://a.example' } },
};
const digest = (config: object): LooseNode => ({ id: 'd', kind: 'digest', config: { windowMinutes: DAY_MINUTES, ...config } });

const untilEvent = (type: string, id = 'w'): LooseNode => ({
  ...{ id, kind: 'wait_until' },
  config: { event: { type }, timeoutMinutes: DAY_MINUTES },
});

/** The workflow of a run sees what has become of it, and ends. */
async function changed(run: string): Promise<void> {
  const client = await temporalClient();
  await tell(client, enrollmentWorkflowId(run), CHANGED_SIGNAL);
  await client.workflow.getHandle(enrollmentWorkflowId(run)).result();
}

interface Gathering extends TestFlow {
  readonly type: string;
  readonly email: string;
  /** Posts an event of the flow, which has to be accepted; answers with the counts. */
  happens(data: object, email?: string): Promise<{ enrolled: number; gathered?: number }>;
}

/** An active sequence with this digest before its mail, and an address. */
async function gathering(config: object, settings: object = {}, ...further: readonly LooseNode[]): Promise<Gathering> {
  const type = newEventType('reply');
  const flow = await newFlow(project, { ...chain(digest(config), MAIL, ...further), triggers: eventTrigger(type), ...settings });
  const email = project.address();
  const happens: Gathering['happens'] = async (data, to = email) => must(await project.api.post('/events', { type, email: to, data }), 200);
  return { ...flow, type, email, happens };
}

const subjects = (mails: readonly { readonly raw: string }[]) => mails.map(({ raw }) => /^subject: (.*)$/im.exec(raw)?.[1]?.trim());

test('1,000 events at once make one mail that counts them all, and the next begins another', async () => {
  const { email, happens, id } = await gathering({ max: 1000 });
  await newContact(project, email);
  const numbers = Array.from({ length: 1000 }, (_, n) => n);
  const answers: { enrolled: number; gathered?: number }[] = [];
  const post = async (): Promise<void> => {
    for (let n = numbers.pop(); n !== undefined; n = numbers.pop()) answers.push(await happens({ n }));
  };
  await Promise.all(Array.from({ length: 40 }, post));
  expect(answers.filter(({ enrolled }) => enrolled === 1)).toHaveLength(1);
  expect(answers.filter(({ gathered }) => gathered === 1)).toHaveLength(999);
  const [subject = ''] = subjects(await mailTo(email));
  expect(subject).toMatch(/^1000: /);
  await enrollmentEnds(em, await enrollmentIn(em, id, email));
  expect(await mailNow(email)).toHaveLength(1);
  expect(await happens({ n: 'next' })).toMatchObject({ enrolled: 1 });
});

test('a digest shows the latest 100 of its events in the order in which they came, and counts all', async () => {
  const { email, happens } = await gathering({ max: 103 });
  for (let n = 1; n <= 103; n++) await happens({ n });
  const [mail] = await mailTo(email);
  const text = (mail?.raw ?? '').replaceAll(/=\r?\n|\r?\n /g, '');
  expect(text).toContain(`103: ${Array.from({ length: 100 }, (_, n) => n + 4).join(' ')}`.slice(0, 60));
  expect(text).not.toContain('103: 3 ');
});

test('one run at a time takes no more into its digest than it waits for, however many come meanwhile, and each is in one', async () => {
  const { email, happens } = await gathering({ max: 5 });
  await newContact(project, email);
  const numbers = Array.from({ length: 60 }, (_, n) => n);
  const post = async (): Promise<void> => {
    for (let n = numbers.pop(); n !== undefined; n = numbers.pop()) await happens({ n });
  };
  await Promise.all(Array.from({ length: 20 }, post));
  const seen = subjects(await mailTo(email, (mails) => mails.length === 12)).map((subject = '') => subject.split(': '));
  expect(seen.map(([count]) => count)).toEqual(Array.from({ length: 12 }, () => '5'));
  const gathered = seen.flatMap(([, shown = '']) => shown.split(' ').map(Number));
  expect(gathered.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, n) => n));
});

test('events that are kept go on in the order in which they came, as many at a time as a digest waits for, and as simulate says', async () => {
  for (const [max, expected] of [
    [1, ['1: 1', '1: 2', '1: 3', '1: 4', '1: 5']],
    [2, ['2: 1 2', '2: 3 4']],
  ] as const) {
    const { email, happens, key, type } = await gathering({ max });
    const numbers = [1, 2, 3, 4, 5];
    const events = numbers.map((n) => ({ type, data: { n } }));
    const { path, runs } = must(await project.api.post(`/sequences/${key}/simulate`, { contact: {}, events }), 200);
    const simulated: string[] = [path, ...runs.map((run: { path: unknown }) => run.path)].map((steps) => {
      const { count, events } = steps[1].digest;
      return `${count}: ${events.map(({ data }: { data: { n: number } }) => data.n).join(' ')}`;
    });
    expect(simulated.slice(0, expected.length)).toEqual(expected);
    expect(simulated.slice(expected.length)).toEqual(max === 1 ? [] : ['1: 5']);
    for (const n of numbers) await happens({ n });
    expect(subjects(await mailTo(email, (mails) => mails.length === expected.length))).toEqual(expected);
  }
});

test('when its time is over a run goes on with what has gathered, and the digest after it with what comes then', async () => {
  const { email, happens, id } = await gathering({ windowMinutes: 0.1 });
  expect(await happens({ n: 1 })).toMatchObject({ enrolled: 1 });
  expect(await happens({ n: 2 })).toEqual(expect.objectContaining({ enrolled: 0, gathered: 1 }));
  const first = await enrollmentIn(em, id, email);
  const stepsOf = async () => must(await project.api.get(`/enrollments/${first}`), 200).enrollment.steps;
  expect((await stepsOf())[1].detail).toMatch(/^2 events/);
  await enrollmentEnds(em, first);
  expect(await traceOf(em, first)).toEqual(['trigger enrolled', 'd gathered', 'mail sent', 'exit ended']);
  expect((await stepsOf())[1]).toMatchObject({ outcome: 'gathered', detail: '2 events' });
  await happens({ n: 3 });
  expect(subjects(await mailTo(email, (mails) => mails.length === 2))).toEqual(['2: 1 2', '1: 3']);
});

test('a run that is moved from a digest to a digest brings along what has gathered', async () => {
  const { email, happens, id, key, type } = await gathering({});
  for (let n = 1; n <= 3; n++) await happens({ n });
  await standsAt(em, await enrollmentIn(em, id, email), 'd');
  const graph = { ...chain(digest({ max: 5 }), MAIL), triggers: eventTrigger(type), status: 'active', migrate: { d: 'd' } };
  expect(must(await project.api.put(`/sequences/${key}`, graph), 200).migrated).toEqual({ d: 1 });
  await eventually(async () => (await traceOf(em, await enrollmentIn(em, id, email))).filter((step) => step.startsWith('d ')).length === 2);
  for (let n = 4; n <= 5; n++) expect(await happens({ n })).toMatchObject({ gathered: 1 });
  expect(subjects(await mailTo(email))).toEqual(['5: 1 2 3 4 5']);
});

test('a run that is moved to a digest with another key brings along what has gathered, and gathers by the new one from then on', async () => {
  const { email, happens, id, key, type } = await gathering({ key: 'post' });
  for (const [n, author] of [
    [1, 'ada'],
    [2, 'bob'],
  ])
    await happens({ n, post: 'p', author });
  await standsAt(em, await enrollmentIn(em, id, email), 'd');
  const graph = { ...chain(digest({ key: 'author', max: 3 }), MAIL), triggers: eventTrigger(type), status: 'active', migrate: { d: 'd' } };
  expect(must(await project.api.put(`/sequences/${key}`, graph), 200).migrated).toEqual({ d: 1 });
  await eventually(async () => (await traceOf(em, await enrollmentIn(em, id, email))).filter((step) => step.startsWith('d ')).length === 2);
  // Of another author: kept for the next run.
  await happens({ n: 3, post: 'p', author: 'bob' });
  await happens({ n: 4, post: 'q', author: 'ada' });
  expect(subjects(await mailTo(email))).toEqual(['3: 1 2 4']);
});

test('a run that brings along more than the digest waits for goes on at once with all of it', async () => {
  const { email, happens, id, key } = await gathering({});
  for (const n of [1, 2, 3]) await happens({ n });
  await standsAt(em, await enrollmentIn(em, id, email), 'd');
  const { version: _, ...graph } = must(await project.api.get(`/sequences/${key}`), 200);
  const nodes = graph.nodes.map((node: LooseNode) => (node.id === 'd' ? digest({ max: 2 }) : node));
  const body = { nodes, edges: graph.edges, triggers: graph.triggers, status: 'active', migrate: { d: 'd' } };
  must(await project.api.put(`/sequences/${key}`, body), 200);
  expect(subjects(await mailTo(email))).toEqual(['3: 1 2 3']);
});

test('an event that ends a wait before the digest is in it once', async () => {
  const type = newEventType('reply');
  const wait = { id: 'w', kind: 'wait_until', config: { event: { type }, timeoutMinutes: DAY_MINUTES } };
  const flow = await newFlow(project, { ...chain(wait, digest({ max: 2 }), MAIL), triggers: eventTrigger(type) });
  const email = project.address();
  const happens = async (n: number) => must(await project.api.post('/events', { type, email, data: { n } }), 200);
  await happens(1);
  await standsAt(em, await enrollmentIn(em, flow.id, email), 'w');
  await happens(2);
  await standsAt(em, await enrollmentIn(em, flow.id, email), 'd');
  await happens(3);
  expect(subjects(await mailTo(email))).toEqual(['2: 2 3']);
});

test('where an event begins a run whatever others are under way, one that ends a wait is in the digest of one run only, as simulate has it', async () => {
  const type = newEventType('reply');
  const wait = { id: 'w', kind: 'wait_until', config: { event: { type }, timeoutMinutes: DAY_MINUTES } };
  const flow = await newFlow(project, { ...chain(wait, digest({}), MAIL), triggers: eventTrigger(type), reentry: 'always' });
  const email = project.address();
  const happens = async (n: number) => must(await project.api.post('/events', { type, email, data: { n } }), 200);
  await happens(1);
  const [first] = await enrollmentsOf(em, flow.id, email);
  await standsAt(em, first!, 'w');
  expect(await happens(2)).toMatchObject({ enrolled: 1, reArmed: 1 });
  await standsAt(em, first!, 'd');
  const second = (await enrollmentsOf(em, flow.id, email)).find((id) => id !== first);
  await standsAt(em, second!, 'w');
  expect(await happens(3)).toMatchObject({ enrolled: 0, reArmed: 1, gathered: 1 });
  await standsAt(em, second!, 'd');
  const counts = await rows(
    em,
    sql`select enrollment_id, count from digests where enrollment_id in (${first}, ${second}) order by enrollment_id`,
  );
  expect(counts).toEqual([
    { enrollment_id: first, count: 1 },
    { enrollment_id: second, count: 0 },
  ]);
  const events = [1, 2, 3].map((n) => ({ type, data: { n }, afterMinutes: n }));
  const { path } = must(await project.api.post(`/sequences/${flow.key}/simulate`, { contact: {}, events }), 200);
  expect(path[2]).toMatchObject({ nodeId: 'd', digest: { count: 1, events: [{ data: { n: 3 } }] } });
});

test('what comes for a run of a version without a digest begins the next one, in a version that has it', async () => {
  const [type, go] = [newEventType('reply'), newEventType('go')];
  const flow = await newFlow(project, { ...chain(untilEvent(go)), triggers: eventTrigger(type) });
  const email = project.address();
  const happens = async (type: string, n: number) => must(await project.api.post('/events', { type, email, data: { n } }), 200);
  await happens(type, 1);
  await standsAt(em, await enrollmentIn(em, flow.id, email), 'w');
  await flow.put({ ...chain(digest({ max: 2 }), MAIL), triggers: eventTrigger(type), status: 'active' });
  expect(await happens(type, 2)).toMatchObject({ enrolled: 0, gathered: 1 });
  await happens(go, 3);
  await eventually(async () => (await enrollmentsOf(em, flow.id, email)).length === 2);
  expect(await happens(type, 4)).toMatchObject({ enrolled: 0, gathered: 1 });
  expect(subjects(await mailTo(email))).toEqual(['2: 2 4']);
});

test('a run has what it gathered also once it was moved to a version without a digest', async () => {
  const go = newEventType('go');
  const type = newEventType('reply');
  const before = { ...chain(digest({ max: 2 }), untilEvent(go), MAIL), triggers: eventTrigger(type) };
  const flow = await newFlow(project, before);
  const email = project.address();
  const happens = async (type: string, n: number) => must(await project.api.post('/events', { type, email, data: { n } }), 200);
  for (const n of [1, 2]) await happens(type, n);
  const run = await enrollmentIn(em, flow.id, email);
  await standsAt(em, run, 'w');
  await flow.put({ ...chain(untilEvent(go, 'w2'), MAIL), triggers: eventTrigger(type), migrate: { w: 'w2' } });
  await standsAt(em, run, 'w2');
  await happens(go, 3);
  expect(subjects(await mailTo(email))).toEqual(['2: 1 2']);
});

test('a run that failed at its digest goes on with what it had gathered there', async () => {
  const { happens, email, id, key } = await gathering({ max: 3 });
  for (const n of [1, 2]) await happens({ n });
  const run = await enrollmentIn(em, id, email);
  await standsAt(em, run, 'd');
  await row(
    em,
    sql`with failed as (update enrollment_steps set outcome = 'failed' where enrollment_id = ${run} and outcome is null)
        update enrollments set status = 'cancelled', end_reason = 'failed', ended_at = now(), failed_steps = 1 where id = ${run}`,
  );
  await changed(run);
  expect(await actionsOn(project, key).act({ action: 'retry', filter: {} })).toMatchObject({ done: 1 });
  expect(await happens({ n: 3 })).toMatchObject({ gathered: 1 });
  expect(subjects(await mailTo(email))).toEqual(['3: 1 2 3']);
});

test('a digest until a local time closes then', async () => {
  const { email, happens, id } = await gathering({ windowMinutes: undefined, until: { at: '09:00', timezone: 'contact' } });
  await newContact(project, email, { timezone: 'Asia/Tokyo' });
  await happens({ n: 1 });
  const { wakes_at, waiting_for } = await enrollmentOf(em, await enrollmentIn(em, id, email));
  expect(waiting_for).toBe('digest');
  expect(wakes_at?.toISOString()).toMatch(/T00:00:00\.000Z$/);
});

test('events with the same key gather together, each key in a run of its own where runs may go beside each other', async () => {
  const { email, happens, id } = await gathering({ key: 'post.id', max: 2 }, { reentry: 'always' });
  expect(await happens({ n: 'a1', post: { id: 7 } })).toMatchObject({ enrolled: 1 });
  expect(await happens({ n: 'b1', post: { id: '8' } })).toMatchObject({ enrolled: 1 });
  expect(await happens({ n: 'none' })).toMatchObject({ enrolled: 1 });
  expect(await happens({ n: 'b2', post: { id: '8' } })).toMatchObject({ enrolled: 0, gathered: 1 });
  expect(await happens({ n: 'a2', post: { id: 7 } })).toMatchObject({ enrolled: 0, gathered: 1 });
  expect(await happens({ n: 'too', post: { id: [7] } })).toMatchObject({ enrolled: 0, gathered: 1 });
  const mails = await mailTo(email, (all) => all.length === 3);
  expect(subjects(mails).sort()).toEqual(['2: a1 a2', '2: b1 b2', '2: none too']);
  expect(await enrollmentsOf(em, id, email)).toHaveLength(3);
});

test('where one run at a time is under way, an event with another key, or one that comes when the digest was left, is kept for the next run', async () => {
  const wait = { id: 'w', kind: 'wait_until', config: { event: { type: 'go on' }, timeoutMinutes: DAY_MINUTES } };
  const { email, happens, id, key } = await gathering({ key: 'post', max: 2 }, {}, wait);
  await happens({ n: 1, post: 'a' });
  expect(await happens({ n: 2, post: 'b' })).toMatchObject({ enrolled: 0, gathered: 1 });
  await happens({ n: 3, post: 'a' });
  await mailTo(email);
  const first = await enrollmentIn(em, id, email);
  await standsAt(em, first, 'w');
  expect(await happens({ n: 4, post: 'a' })).toMatchObject({ enrolled: 0, gathered: 1 });
  expect(await happens({ n: 5, post: 'b' })).toMatchObject({ enrolled: 0, gathered: 1 });
  must(await project.api.post('/events', { type: 'go on', email }), 200);
  const mails = await mailTo(email, (all) => all.length === 2);
  expect(subjects(mails)).toEqual(['2: 1 3', '2: 2 5']);
  const [, second] = await enrollmentsOf(em, id, email);
  await standsAt(em, second!, 'w');
  must(await project.api.post('/events', { type: 'go on', email }), 200);
  const third = await eventually(async () => (await enrollmentsOf(em, id, email))[2]);
  await standsAt(em, third, 'd');
  const runs = must(await project.api.get(`/sequences/${key}/enrollments`), 200).enrollments;
  expect(runs.map(({ status }: { status: string }) => status)).toEqual(['active', 'completed', 'completed']);
  expect(await happens({ n: 6, post: 'a' })).toMatchObject({ gathered: 1 });
  expect(subjects(await mailTo(email, (all) => all.length === 3)).at(-1)).toBe('2: 4 6');
});

test('what was kept goes with a run that is cancelled', async () => {
  const { email, happens, id, key } = await gathering({ key: 'post' });
  await happens({ n: 1, post: 'a' });
  await happens({ n: 2, post: 'b' });
  const exited = must(await project.api.post('/events', { type: 'left', email, exitSequences: [key] }), 200);
  expect(exited).toMatchObject({ exited: 1, enrolled: 0 });
  expect(await enrollmentsOf(em, id, email)).toHaveLength(1);
  expect(await happens({ n: 3, post: 'b' })).toMatchObject({ enrolled: 1 });
  expect(
    await row(
      em,
      sql`select count from digests d join enrollments e on e.id = d.enrollment_id where e.sequence_id = ${id} and e.status = 'active'`,
    ),
  ).toEqual({
    count: 1,
  });
});

test('a run that no event began goes on by the edge for none', async () => {
  const edges = [
    { from: 'trigger', to: 'd' },
    { from: 'd', to: 'mail', branchKey: 'gathered' },
    { from: 'd', to: 'exit', branchKey: 'empty' },
    { from: 'mail', to: 'exit' },
  ];
  const nodes = [TRIGGER, { ...digest({}), config: { windowMinutes: 0.01 } }, MAIL, EXIT];
  const flow = await newFlow(project, { nodes, edges });
  const email = project.address();
  await newContact(project, email);
  const run = await flow.enroll(email);
  await enrollmentEnds(em, run);
  expect(await traceOf(em, run)).toEqual(['trigger enrolled', 'd empty', 'exit ended']);
});

test('simulate shows what gathers, as the run then has it', async () => {
  const { happens, email, key } = await gathering({ max: 3 });
  const events = [1, 2, 3, 4].map((n) => ({ data: { n } }));
  const body = { contact: {}, events: events.map(({ data }, index) => ({ type: 'else', data, afterMinutes: index })) };
  expect(must(await project.api.post(`/sequences/${key}/simulate`, body), 200).path[1]).toMatchObject({ digest: { count: 0, events: [] } });
  const { triggers } = must(await project.api.get(`/sequences/${key}`), 200);
  const { type } = triggers[0].config;
  const coming = events.map(({ data }, index) => ({ type, data, afterMinutes: index }));
  const simulated = must(await project.api.post(`/sequences/${key}/simulate`, { contact: {}, events: coming }), 200);
  for (const { data } of events.slice(0, 3)) await happens(data);
  expect(subjects(await mailTo(email))).toEqual(['3: 1 2 3']);
  expect(simulated.path[1]).toMatchObject({
    nodeId: 'd',
    digest: { count: 3, events: [1, 2, 3].map((n) => ({ type, data: { n }, at: expect.any(String) })) },
  });
  expect(simulated.runs).toMatchObject([{ path: [{}, { digest: { count: 1 } }, {}, {}] }]);
});

test('the words of a refusal name all fields of a digest, and both instants of a simulated event', async () => {
  const { key } = await gathering({});
  const refused = async (path: string, body: object, method: 'put' | 'post' = 'post') =>
    must(await project.api[method](`/sequences/${key}${path}`, body), 422);
  const twoEnds = chain(digest({ until: { at: '09:00' }, size: 5 }), MAIL);
  expect((await refused('', twoEnds, 'put')).error).toContain('config.until: exactly one of windowMinutes and until is wanted');
  const events = [{ type: 'reply', afterMinutes: 5, at: '2027-03-01T10:00:00Z' }];
  expect(await refused('/simulate', { contact: {}, events })).toMatchObject({
    code: 'invalid_request',
    issues: [{ path: 'events[0].at', message: 'give afterMinutes or at, not both' }],
  });
  // One that is over comes at once; null is as if it were left out.
  const [past, none] = [
    { type: 'reply', at: '2020-01-01T00:00:00Z' },
    { type: 'reply', afterMinutes: 5, at: null },
  ];
  must(await project.api.post(`/sequences/${key}/simulate`, { contact: {}, events: [past, none] }), 200);
});

test('who is erased leaves nothing of what has gathered', async () => {
  const { happens, email, id } = await gathering({ key: 'post' });
  await happens({ n: 1, post: 'a secret' });
  await happens({ n: 2, post: 'another' });
  const run = await enrollmentIn(em, id, email);
  const { contact_id } = await enrollmentOf(em, run);
  must(await project.api.delete(`/contacts/${contact_id}`), 200);
  await eventually(async () => {
    const found = await row(em, sql`select key, event_ids from digests where enrollment_id = ${run}`);
    expect(found).toEqual({ key: null, event_ids: [] });
    return true;
  });
  expect(await row(em, sql`select count(*) as count from kept_events where enrollment_id = ${run}`)).toEqual({ count: 0 });
});

test('webhooks, updates and an email that is tried again have what has gathered; an email of another sequence has its own data of that name', async () => {
  const set = { attributes: { seen: '{{ digest.count }} {{ digest.events[1].data.n }}' } };
  const update = { id: 'u', kind: 'update_contact', config: { set } };
  const hook = { id: 'hook', kind: 'webhook', config: { url: `${receiver.url}/digest` } };
  const { happens, email, type } = await gathering({ max: 2 }, {}, update, hook);
  await scriptMail(email, { rejectRecipient: { code: 554, message: '5.7.1 policy' } });
  await happens({ n: 'x' });
  await happens({ n: 'y' });
  const call = await eventually(() => receiver.calls('/digest')[0]);
  expect(JSON.parse(call.body)).toMatchObject({
    contact: { email, attributes: { seen: '2 y' } },
    digest: { count: 2, events: ['x', 'y'].map((n) => ({ type, data: { n }, at: expect.any(String) })) },
  });
  await scriptMail(email, {});
  const { sends } = must(await project.api.get(`/sends?q=${email}`), 200);
  must(await project.api.post(`/sends/${sends[0].id}/retry`), 200);
  expect(subjects(await mailTo(email))).toEqual(['2: x y']);
  const own = { ...MAIL.config, data: { ...MAIL.config.data, digest: { count: 'own' } } };
  const plain = await newFlow(project, chain({ ...MAIL, config: own }));
  const other = project.address();
  await newContact(project, other);
  await plain.enroll(other);
  expect(subjects(await mailTo(other))).toEqual(['own:']);
});

test('events of a test key gather by themselves, under their types', async () => {
  const seen = { ...MAIL, config: { ...MAIL.config, subject: '{{ digest.count }} {{ digest.events.first.type }}' } };
  const { happens, email, id, type, put } = await gathering({ max: 2 });
  await put({ ...chain(digest({ max: 2 }), seen), triggers: eventTrigger(type) });
  const { api: tester } = await project.newKey(['*'], true);
  await happens({ n: 1 });
  const tests = async () => must(await tester.post('/events', { type, email }), 200);
  expect(await tests()).toMatchObject({ enrolled: 1 });
  expect(await tests()).toMatchObject({ enrolled: 0, gathered: 1 });
  const { sends } = await eventually(async () => {
    const found = must(await project.api.get(`/sends?q=${email}`), 200);
    return found.sends.length === 1 && found;
  });
  expect(sends[0]).toMatchObject({ sandboxed: true, subject: `2 ${type}` });
  const [real = ''] = await enrollmentsOf(em, id, email);
  expect(await row(em, sql`select count from digests where enrollment_id = ${real}`)).toEqual({ count: 1 });
});

test('warnings tell of a key where one run at a time is under way, and of variables that a digest does not have', async () => {
  const { key } = await gathering({});
  const graph = must(await project.api.get(`/sequences/${key}`), 200);
  const nodes = graph.nodes.map((node: LooseNode) =>
    node.kind === 'digest'
      ? digest({ key: 'post' })
      : node.kind === 'send_email'
        ? { ...MAIL, config: { ...MAIL.config, subject: '{{ digest.total }}' } }
        : node,
  );
  const { warnings } = must(await project.api.put(`/sequences/${key}`, { ...graph, nodes }), 200);
  expect(warnings).toEqual([
    { path: 'nodes[1].config.key', message: expect.stringContaining('choose the reentry always') },
    { path: 'nodes[2].config.subject', message: expect.stringContaining('digest.total') },
  ]);
});

/** trigger → throttle → mail: who passes gets it. */
async function throttling(config: object): Promise<Gathering> {
  const mail = { ...MAIL, config: { ...MAIL.config, subject: 'passed {{ event.n }}' } };
  const type = newEventType('order');
  const nodes = [TRIGGER, { id: 't', kind: 'throttle', config: { count: 2, window: DAY_MINUTES, ...config } }, mail, EXIT];
  const edges = [
    { from: 'trigger', to: 't' },
    { from: 't', to: 'mail', branchKey: 'passed' },
    { from: 'mail', to: 'exit' },
  ];
  const flow = await newFlow(project, { nodes, edges, triggers: eventTrigger(type), reentry: 'always' });
  const email = project.address();
  const happens: Gathering['happens'] = async (data, to = email) => must(await project.api.post('/events', { type, email: to, data }), 200);
  return { ...flow, type, email, happens };
}

test('a throttle lets so many runs of a contact pass at once as in time, drops the others, and simulate says so', async () => {
  const { happens, id, email, key, type } = await throttling({ otherwise: 'drop' });
  const contactId = await newContact(project, email);
  await Promise.all([1, 2, 3, 4, 5].map((n) => happens({ n })));
  const runs = await enrollmentsOf(em, id, email);
  const ended = await Promise.all(runs.map((run) => enrollmentEnds(em, run)));
  expect(ended.map(({ end_reason }) => end_reason).sort()).toEqual(['dead_end', 'dead_end', 'dead_end', 'exit', 'exit']);
  const traces = await Promise.all(runs.map((run) => traceOf(em, run)));
  expect(traces.filter((trace) => trace[1] === 't dropped')).toHaveLength(3);
  expect(await mailNow(email)).toHaveLength(2);
  // Another contact has passes of its own.
  const other = project.address();
  await happens({ n: 6 }, other);
  expect((await enrollmentEnds(em, await enrollmentIn(em, id, other))).end_reason).toBe('exit');
  const simulate = async (body: object) => must(await project.api.post(`/sequences/${key}/simulate`, body), 200);
  expect(await simulate({ contactId, event: { type } })).toMatchObject({
    endedBy: 'dead_end',
    path: [{}, { detail: 'would be dropped: 2 passed within 1440 minutes' }],
  });
  expect(await simulate({ contact: {}, event: { type } })).toMatchObject({ endedBy: 'exit', sends: ['receipt'] });
});

test('a throttle that delays has the others pass in the order in which they came', async () => {
  const { happens, id, email, key } = await throttling({ count: 1, window: 0.05, otherwise: 'delay' });
  for (const n of [1, 2, 3]) await happens({ n });
  const mails = await mailTo(email, (all) => all.length === 3);
  expect(subjects(mails).sort()).toEqual(['passed 1', 'passed 2', 'passed 3']);
  const passes = await rows(
    em,
    sql<{
      at: Date;
    }>`select p.at from throttle_passes p join enrollments e on e.id = p.enrollment_id where e.sequence_id = ${id} order by p.at`,
  );
  const [first, second, third] = passes.map(({ at }) => at.getTime());
  expect(second! - first!).toBeGreaterThanOrEqual(3_000);
  expect(third! - second!).toBeGreaterThanOrEqual(3_000);
  expect(must(await project.api.get(`/sequences/${key}/flow`), 200).edges[1]).toMatchObject({ branchKey: 'passed', passed: 3 });
});

test('events of a contact that are sent one after the other come to a throttle at the beginning in their order', async () => {
  const { happens, id } = await throttling({ count: 1, window: 60, otherwise: 'delay' });
  const email = project.address();
  const numbers = [1, 2, 3, 4, 5, 6, 7, 8];
  for (const n of numbers) await happens({ n }, email);
  // Before any workflow has to have looked.
  const passes = await rows(
    em,
    sql<{ n: number }>`
      select (v.data->>'n')::integer as n from throttle_passes p join enrollments e on e.id = p.enrollment_id join events v on v.id = e.event_id
      where e.sequence_id = ${id} order by p.at`,
  );
  expect(passes.map(({ n }) => n)).toEqual(numbers);
  expect(subjects(await mailTo(email))).toEqual(['passed 1']);
});

test('an instant of a run that was cancelled before it came is no pass, for those that come later', async () => {
  const { happens, id, email } = await throttling({ count: 1, window: 60, otherwise: 'delay' });
  await happens({ n: 1 });
  await mailTo(email);
  await happens({ n: 2 });
  const delayed = (await enrollmentsOf(em, id, email))[1]!;
  await standsAt(em, delayed, 't');
  must(await project.api.delete(`/enrollments/${delayed}`), 200);
  // As if 70 minutes had passed since: the second was to pass ten minutes ago.
  const earlier = sql`interval '70 minutes'`;
  await rows(em, sql`update throttle_passes set at = at - ${earlier} where sequence_id = ${id}`);
  await rows(em, sql`update enrollments set ended_at = ended_at - ${earlier} where sequence_id = ${id}`);
  await happens({ n: 3 });
  expect(subjects(await mailTo(email, (all) => all.length === 2)).sort()).toEqual(['passed 1', 'passed 3']);
});
