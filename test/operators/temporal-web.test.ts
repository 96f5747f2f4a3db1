import { readFileSync } from 'node:fs';
import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHANGED_SIGNAL, enrollmentWorkflowId, TASK_QUEUES } from '../../workflows/contracts.ts';
import { chain } from '../domain/sequences/graphs.ts';
import { campaignBecomes, newAudience, newCampaign } from '../support/campaigns.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { newFlow } from '../support/flow.ts';
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { reconcileRun } from '../support/reconcile-run.ts';
import { DAY_MINUTES, enableTemplates, must, newContact, newSequence } from '../support/sequences.ts';
import { readable, temporalClient, workflowHistory } from '../support/temporal.ts';
import { deliveryHandle, newEndpoint, stateOf } from '../support/webhooks.ts';

const page = readFileSync(new URL('../../docs/temporal-web.md', import.meta.url), 'utf8');
const BURST_AT = 3;
/** So that a delivery waits in its timer as long as the test looks at it. */
const IN_AN_HOUR = { status: 503, headers: { 'retry-after': '3600' } };

/** The filters of the page, each with the heading that it stands below. */
const filters = page.split(/^## /m).flatMap((section) => {
  const heading = section.split('\n', 1)[0] as string;
  return [...section.matchAll(/^```\n(.*)\n```$/gm)].map(([, filter], index) => ({ place: `${heading} (${index + 1})`, filter: filter! }));
});

let everpost: Everpost;
let receiver: HttpReceiver;
let client: Client;
/** What the reader fills in. */
const filledIn: Record<string, string> = {};
/** Workflows by what they are in. */
const ids: Record<
  | 'waiting'
  | 'unsent'
  | 'held'
  | 'terminated'
  | 'failed'
  | 'stuck'
  | 'sending'
  | 'scheduled'
  | 'paused'
  | 'retrying'
  | 'disabled'
  | 'burst'
  | 'retry'
  | 'reconcile',
  string
> = {} as never;

beforeAll(async () => {
  receiver = await startHttpReceiver();
  everpost = await startEverpost({ env: { WEBHOOK_BURST_AT: String(BURST_AT), WEBHOOK_ENDPOINT_CONCURRENCY: '1' } });
  client = await temporalClient(everpost.namespace);
  // No worker has code for it: as after a release that lacks some.
  ids.stuck = 'stuck';
  await client.workflow.start('unknown', { workflowId: ids.stuck, taskQueue: TASK_QUEUES.workflows });
  filledIn.instant = new Date(Date.now() - 60_000).toISOString();
  const project = await newProject({ everpost });
  filledIn['project slug'] = project.slug;
  await enableTemplates(project, 'welcome', 'newsletter');
  await enrollments(project);
  await campaigns(project);
  await webhooks();
  ids.reconcile = (await reconcileRun(client)).workflowId;
});
afterAll(async () => {
  await everpost?.stop();
  await receiver?.close();
});

async function hasState(workflowId: string, state: string): Promise<void> {
  await eventually(
    () =>
      stateOf(client, workflowId).then(
        (is) => is === state,
        () => false,
      ),
    { timeoutMs: 60_000 },
  );
}

async function enrollments(project: TestProject): Promise<void> {
  const flow = await newFlow(
    project,
    chain({ id: 'wait_activation', kind: 'wait_until', config: { event: { type: 'activated' }, timeoutMinutes: DAY_MINUTES } }),
  );
  const enroll = async (): Promise<{ contactId: string; workflowId: string }> => {
    const email = project.address();
    const contactId = await newContact(project, email);
    return { contactId, workflowId: enrollmentWorkflowId(await flow.enroll(email)) };
  };
  const waiting = await enroll();
  ids.waiting = waiting.workflowId;
  Object.assign(filledIn, { 'contact id': waiting.contactId, 'sequence key': flow.key, 'node id': 'wait_activation' });
  ids.terminated = (await enroll()).workflowId;
  for (const id of [ids.waiting, ids.terminated]) await hasState(id, 'waiting');
  await client.workflow.getHandle(ids.terminated).terminate('an operator says why');

  const hook = { id: 'hook', kind: 'webhook', config: { url: `${receiver.url}/refused`, onError: 'fail' } };
  receiver.answer('/refused', ...Array(5).fill(500));
  const failed = project.address();
  await newContact(project, failed);
  ids.failed = enrollmentWorkflowId(await (await newFlow(project, chain(hook))).enroll(failed));

  const suppressed = project.address();
  await newContact(project, suppressed);
  must(await project.api.post('/suppressions', { email: suppressed }), 201);
  ids.unsent = enrollmentWorkflowId(await (await newSequence(project, { steps: [{ template: 'welcome' }] })).enroll(suppressed));

  const unverified = await newProject({ everpost, ownerVerified: false });
  await enableTemplates(unverified, 'welcome');
  const email = unverified.address();
  await newContact(unverified, email);
  ids.held = enrollmentWorkflowId(await (await newSequence(unverified, { steps: [{ template: 'welcome' }] })).enroll(email));
  await hasState(ids.held, 'held');
}

async function campaigns(project: TestProject): Promise<void> {
  const { tag } = await newAudience(project, 300);
  const start = (body: object) => newCampaign(project, { audience: { mode: 'tag', tag }, ratePerSecond: 1, ...body });
  const scheduled = await start({ scheduleAt: new Date(Date.now() + 86_400_000).toISOString() });
  const paused = await start({});
  await campaignBecomes(project, paused, ({ sent_count }) => sent_count > 0);
  must(await project.api.post(`/campaigns/${paused}/pause`), 200);
  const sending = await start({});
  Object.assign(ids, { scheduled: `campaign/${scheduled}`, paused: `campaign/${paused}`, sending: `campaign/${sending}` });
  await hasState(ids.scheduled, 'waiting');
  await hasState(ids.paused, 'paused');
  await hasState(ids.sending, 'sending');
}

async function webhooks(): Promise<void> {
  const waitingDelivery = async () => {
    const endpoint = await newEndpoint(receiver, { everpost });
    receiver.answer(endpoint.path, IN_AN_HOUR);
    await endpoint.happens();
    const delivery = await endpoint.becomes(({ attempts }) => attempts === 1);
    await hasState(`webhook/${delivery.id}`, 'retrying');
    return { endpoint, delivery };
  };
  const retrying = await waitingDelivery();
  ids.retrying = `webhook/${retrying.delivery.id}`;
  filledIn['endpoint id'] = retrying.endpoint.id;
  const disabled = await waitingDelivery();
  ids.disabled = `webhook/${disabled.delivery.id}`;
  await disabled.endpoint.change({ enabled: false });
  await deliveryHandle(client, disabled.delivery).signal(CHANGED_SIGNAL);
  await hasState(ids.disabled, 'held');
  const { id, project } = disabled.endpoint;
  ids.retry = must(await project.api.post(`/webhooks/${id}/retries`), 201).retry.workflow_id;
  filledIn['disabled endpoint id'] = id;
  await hasState(ids.retry, 'held');

  const busy = await newEndpoint(receiver, { everpost });
  receiver.holdUp(busy.path, new Promise(() => {}));
  await busy.happens(BURST_AT);
  await busy.happens(20);
  ids.burst = `webhook-burst/${busy.id}`;
  await hasState(ids.burst, 'running');
}

/** What the server lists for the filter, once a reader has filled it in. */
async function listed(filter: string, own: Record<string, string> = {}): Promise<string[]> {
  const query = filter.replace(/<([^>]+)>/g, (_, name: string) => {
    const value = own[name] ?? filledIn[name];
    if (value === undefined) throw new Error(`the page does not say what <${name}> is`);
    return value;
  });
  const found: string[] = [];
  for await (const { workflowId } of client.workflow.list({ query })) found.push(workflowId);
  return found.toSorted();
}

/** Of the whole list only some are known by name: endpoints have other deliveries beside them. */
const WITHOUT_RECONCILE = 'The list (3)';

const WANTED: Record<string, { readonly of: readonly (keyof typeof ids)[]; readonly own?: () => Promise<Record<string, string>> }> = {
  'The list (1)': { of: ['waiting', 'unsent', 'held', 'terminated', 'failed', 'sending', 'scheduled', 'paused'] },
  'The list (2)': { of: ['failed'] },
  [WITHOUT_RECONCILE]: {
    of: [
      'waiting',
      'unsent',
      'held',
      'terminated',
      'failed',
      'stuck',
      'sending',
      'scheduled',
      'paused',
      'retrying',
      'disabled',
      'burst',
      'retry',
    ],
  },
  'The list (4)': { of: ['reconcile'] },
  '1. Where does this person stand? (1)': { of: ['waiting'] },
  '2. What waits for which event? (1)': { of: ['waiting'] },
  '3. Who is held, and why? (1)': { of: ['held'] },
  '4. Which runs are stuck? (1)': { of: ['stuck'] },
  '5. Which campaigns send now? (1)': { of: ['sending'] },
  '6. Which campaigns do not send, and what for do they wait? (1)': { of: ['scheduled', 'paused'] },
  '7. Which deliveries of this endpoint retry? (1)': { of: ['retrying'] },
  '8. Which endpoint is behind? (1)': { of: ['burst'] },
  '8. Which endpoint is behind? (2)': { of: ['disabled'] },
  '8. Which endpoint is behind? (3)': { of: ['retry'], own: async () => ({ 'endpoint id': filledIn['disabled endpoint id']! }) },
  '9. Why did this email not leave? (1)': { of: ['unsent'], own: unsentMail },
  '10. What did I terminate, and what became of it? (1)': { of: ['terminated'] },
};

/** Whose mail it was, and of which sequence. */
async function unsentMail(): Promise<Record<string, string>> {
  const { searchAttributes } = await client.workflow.getHandle(ids.unsent).describe();
  return {
    'contact id': searchAttributes.EverpostContact?.[0] as string,
    'sequence key': searchAttributes.EverpostSequence?.[0] as string,
  };
}

test('each filter of the page is tried', () => {
  expect(filters.map(({ place }) => place)).toEqual(Object.keys(WANTED));
});

test.each(filters.map(({ place, filter }) => [place, filter]))(
  'the filter of %j finds what it is for, and nothing else',
  async (place, filter) => {
    const { of, own } = WANTED[place]!;
    const wanted = of.map((name) => ids[name]).toSorted();
    let last: string[] = [];
    await eventually(
      async () => {
        last = await listed(filter, await own?.());
        if (place !== WITHOUT_RECONCILE) return last.join() === wanted.join();
        return wanted.every((id) => last.includes(id)) && !last.includes(ids.reconcile);
      },
      { timeoutMs: 30_000 },
    ).catch(() => expect(last).toEqual(wanted));
  },
  120_000,
);

test.each([
  ['waiting', /wait_activation: event:activated until \d/],
  ['held', /held before send_1: email_unverified/],
  ['unsent', /completed: exit; send_1 skipped: suppressed/],
  ['terminated', /an operator says why/],
  ['sending', /sending: [\d,]+ of 300; \d+ a second; sender 1 of 1/],
  ['scheduled', /scheduled for \d/],
  ['paused', /paused/],
  ['retrying', /attempt 1 of 6: answered 503; next \d/],
  ['disabled', /held: the endpoint is disabled/],
  ['retry', /0 of 0 begun again; held: the endpoint is disabled/],
  ['stuck', /EVENT_TYPE_WORKFLOW_TASK_FAILED/],
] as const)('the history of what is %s says what the page promises: %j', async (name, promised) => {
  await eventually(async () => promised.test(readable(await workflowHistory(client, ids[name]))), { timeoutMs: 30_000 });
});
