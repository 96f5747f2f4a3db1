import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { SANDBOX_DOMAIN } from '../../../domain/sends/sandbox.ts';
import { chain, EXIT, TRIGGER } from '../../domain/sequences/graphs.ts';
import { eventTrigger, happens, newEventType, newFlow, standsAt } from '../../support/flow.ts';
import { startHttpReceiver } from '../../support/http-receiver.ts';
import { mailCount, mailTo } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { DAY_MINUTES, enableTemplates, enrollmentEnds, must, newContact, newSequence, traceOf, WAITS } from '../../support/sequences.ts';
import { logOf } from '../inbound/reported.ts';

let em: EntityManager;
let live: TestProject;
/** The same project, by a test key. */
let tester: TestProject['api'];
let email: string;
let contactId: string;

beforeAll(async () => {
  em = await database();
  live = await newProject();
  tester = (await live.newKey(['*'], true)).api;
  await enableTemplates(live, 'welcome', 'receipt', 'newsletter');
});

beforeEach(async () => {
  email = live.address();
  contactId = await newContact(live, email);
});

const runOf = async (id: string) => must(await live.api.get(`/enrollments/${id}`), 200).enrollment;
const runsIn = async (key: string) => must(await live.api.get(`/sequences/${key}/enrollments`), 200).enrollments;
const mail = (id: string, template: string) => ({ id, kind: 'send_email', config: { template } });
/** Waits for the event or the condition, mails then. */
function waiting(config: { event: object } | { condition: object }, more: object = {}) {
  const until = { id: 'until', kind: 'wait_until', config: { ...config, timeoutMinutes: DAY_MINUTES } };
  const edges = [
    { from: 'trigger', to: 'until' },
    { from: 'until', to: 'went', branchKey: 'event' in config ? 'event' : 'met' },
    { from: 'until', to: 'exit', branchKey: 'timeout' },
    { from: 'went', to: 'exit' },
  ];
  return { nodes: [TRIGGER, until, mail('went', 'receipt'), EXIT], edges, ...more };
}

describe('what a test key enrolls mails nobody', () => {
  test.each([
    ['one by one', '', (to: string) => ({ email: to })],
    ['many at once', '/bulk', (to: string) => ({ emails: [to] })],
  ])('%s: each mail of the run and of its subflow has its row, is sandboxed and delivered', async (_, path, body) => {
    const below = await newFlow(live, chain(mail('deep', 'newsletter')));
    const outer = await newFlow(
      live,
      chain(
        mail('first', 'welcome'),
        { id: 'sub', kind: 'subflow', config: { sequenceKey: below.key, mode: 'wait' } },
        mail('last', 'receipt'),
      ),
    );
    must(await tester.post(`/sequences/${outer.key}/enroll${path}`, body(email)), 200);
    const [{ id, sandboxed }] = await runsIn(outer.key);
    expect(sandboxed).toBe(true);
    await enrollmentEnds(em, id);
    expect(await runsIn(below.key)).toMatchObject([{ sandboxed: true }]);
    const { sends } = must(await live.api.get(`/sends?q=${encodeURIComponent(email)}`), 200);
    const said = { status: 'sent', sandboxed: true, source_type: 'sequence', provider_id: expect.stringContaining('sandbox-') };
    expect(sends).toEqual(['receipt', 'newsletter', 'welcome'].map((template) => expect.objectContaining({ ...said, template })));
    expect(await mailCount(email)).toBe(0);
  });

  test('such a run stands in the way of no live one, and the other way round', async () => {
    const { key } = await newSequence(live, { steps: [{ template: 'welcome' }, { template: 'receipt', delayMinutes: DAY_MINUTES }] });
    const enroll = (by: TestProject['api']) => by.post(`/sequences/${key}/enroll`, { email });
    must(await enroll(tester), 200);
    expect((await enroll(tester)).body.reason).toBe('already_enrolled');
    must(await enroll(live.api), 200);
    await mailTo(email);
    expect((await runsIn(key)).map(({ sandboxed }: { sandboxed: boolean }) => sandboxed)).toEqual([false, true]);
    expect(await mailCount(email)).toBe(1);
  });

  test('a key that a test key has used is free for the enrollment that is to be', async () => {
    const { key } = await newSequence(live, { steps: WAITS });
    const enroll = async (by: TestProject['api']) =>
      must(await by.call('POST', `/sequences/${key}/enroll`, { email }, { headers: { 'idempotency-key': `k-${email}` } }), 200)
        .enrollmentId;
    const tried = await enroll(tester);
    expect(await enroll(tester)).toBe(tried);
    expect(await enroll(live.api)).not.toBe(tried);
  });

  test('its webhook node calls the endpoint as any, and its update_contact node changes only a contact of a reserved address', async () => {
    const receiver = await startHttpReceiver();
    try {
      const flow = await newFlow(
        live,
        chain(
          { id: 'tag', kind: 'update_contact', config: { addTags: ['tried'] } },
          { id: 'hook', kind: 'webhook', config: { url: `${receiver.url}/tried`, body: { to: '{{ contact.email }}' } } },
        ),
      );
      const reserved = `delivered+${live.slug}@${SANDBOX_DOMAIN}`;
      const reservedId = await newContact(live, reserved);
      for (const [to, id, tags] of [
        [email, contactId, []],
        [reserved, reservedId, ['tried']],
      ] as const) {
        const { enrollmentId } = must(await tester.post(`/sequences/${flow.key}/enroll`, { email: to }), 200);
        await enrollmentEnds(em, enrollmentId);
        expect(must(await live.api.get(`/contacts/${id}`), 200).contact.tags).toEqual(tags);
        expect((await traceOf(em, enrollmentId)).join()).toContain('hook called');
      }
      const bodies = receiver.calls('/tried').map(({ body }) => JSON.parse(body).to);
      expect(bodies).toEqual([email, reserved]);
    } finally {
      await receiver.close();
    }
  });
});

describe('an event of a test key', () => {
  test('starts and moves sandboxed runs; a live run that waits for the same is not moved, nor ended, and mails nobody', async () => {
    const [start, go] = [newEventType('start'), newEventType('go')];
    const flow = await newFlow(live, waiting({ event: { type: go } }, { triggers: eventTrigger(start) }));
    const liveRun = await flow.enroll(email);
    await standsAt(em, liveRun, 'until');
    const event = async (type: string, more: object = {}) => must(await tester.post('/events', { type, email, ...more }), 200);
    expect(await event(start)).toMatchObject({ enrolled: 1, reArmed: 0 });
    const [{ id: tried }] = (await runsIn(flow.key)).filter(({ sandboxed }: { sandboxed: boolean }) => sandboxed);
    await standsAt(em, tried, 'until');
    expect(await event(go, { exitSequences: ['no-such'] })).toMatchObject({ reArmed: 1, exited: 0, enrolled: 0 });
    await enrollmentEnds(em, tried);
    expect(await logOf(live, email)).toMatchObject({ sandboxed: true, template: 'receipt' });
    expect(await event(go, { exitSequences: [flow.key] })).toMatchObject({ reArmed: 0, exited: 0 });
    expect(await runOf(liveRun)).toMatchObject({ status: 'active', current_node_id: 'until', sandboxed: false });
    expect(await mailCount(email)).toBe(0);
    expect(await happens(live, { type: go, email })).toMatchObject({ reArmed: 1 });
    await enrollmentEnds(em, liveRun);
    expect(await mailCount(email)).toBe(1);
  });

  test('a live event reaches live runs alone, and exits none that a test key asked for', async () => {
    const go = newEventType('go');
    const flow = await newFlow(live, waiting({ event: { type: go } }));
    const { enrollmentId } = must(await tester.post(`/sequences/${flow.key}/enroll`, { email }), 200);
    await standsAt(em, enrollmentId, 'until');
    expect(await happens(live, { type: go, email, exitSequences: [flow.key] })).toMatchObject({ reArmed: 0, exited: 0 });
    expect(await runOf(enrollmentId)).toMatchObject({ status: 'active' });
    const exited = must(await tester.post('/events', { type: 'left', email, exitSequences: [flow.key] }), 200);
    expect(exited).toMatchObject({ exited: 1 });
  });
});

describe('a condition that looks back', () => {
  const type = newEventType('bought');
  test.each([
    {
      what: 'an event',
      condition: { event: { type } },
      mails: 1,
      happensBy: (by: TestProject['api']) => by.post('/events', { type, email }),
    },
    {
      what: 'a mail',
      condition: { email: { event: 'sent', template: 'welcome' } },
      mails: 2,
      happensBy: (by: TestProject['api']) => by.post('/send', { template: 'welcome', contactId }),
    },
  ])(
    'at $what that a test key asked for holds for sandboxed runs, and for no live one, nor in a segment',
    async ({ condition, mails, happensBy }) => {
      const flow = await newFlow(live, waiting({ condition }));
      const run = await flow.enroll(email);
      const { enrollmentId: tried } = must(await tester.post(`/sequences/${flow.key}/enroll`, { email }), 200);
      for (const id of [run, tried]) await standsAt(em, id, 'until');
      must(await happensBy(tester), 200);
      await enrollmentEnds(em, tried);
      const preview = must(await live.api.post('/segments/preview', { filter: { where: condition } }), 200);
      expect(preview.sample.map(({ email: one }: { email: string }) => one)).not.toContain(email);
      // It has looked again by then: a live event of another type wakes it.
      await happens(live, { type: 'looked', email });
      expect(await runOf(run)).toMatchObject({ status: 'active', current_node_id: 'until' });
      expect(await mailCount(email)).toBe(0);
      must(await happensBy(live.api), 200);
      await enrollmentEnds(em, run);
      expect(await mailCount(email)).toBe(mails);
    },
  );
});

test('a test key cancels the runs that test keys asked for, and no others', async () => {
  const { key, enroll } = await newSequence(live, { steps: WAITS });
  const { enrollmentId: tried } = must(await tester.post(`/sequences/${key}/enroll`, { email }), 200);
  const liveRun = await enroll(email);
  const refused = await tester.delete(`/enrollments/${liveRun}`);
  expect([refused.status, refused.body.code, refused.body.error]).toEqual([
    403,
    'forbidden',
    expect.stringContaining('can change only what test keys'),
  ]);
  expect(await runOf(liveRun)).toMatchObject({ status: 'active' });
  const other = (await (await newProject()).newKey(['*'], true)).api;
  expect((await other.delete(`/enrollments/${tried}`)).status).toBe(404);
  must(await tester.delete(`/enrollments/${tried}`), 200);
  expect((await tester.delete(`/enrollments/${tried}`)).status).toBe(404);
});
