import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHANGED_SIGNAL } from '../../workflows/contracts.ts';
import { chain, MAIL } from '../domain/sequences/graphs.ts';
import { campaignEnds, newAudience, newCampaign } from '../support/campaigns.ts';
import { eventually } from '../support/eventually.ts';
import { newFlow } from '../support/flow.ts';
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts';
import { scriptMail } from '../support/mail.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { DAY_MINUTES, enableTemplates, newContact, newSequence } from '../support/sequences.ts';
import { readable, temporalClient, workflowHistory } from '../support/temporal.ts';
import { burstHandle, deliveryHandle, newEndpoint } from '../support/webhooks.ts';

const REFUSED = 'provider_rejected: 550 nobody is …@… or …-…';

let client: Client;
let project: TestProject;
let receiver: HttpReceiver;

beforeAll(async () => {
  client = await temporalClient();
  project = await newProject();
  await enableTemplates(project, 'welcome', 'newsletter');
  receiver = await startHttpReceiver();
});
afterAll(() => receiver?.close());

/** A contact whose mailbox does not exist, and whose provider says so with the address. */
async function refusedContact(): Promise<{ id: string; email: string }> {
  const email = project.address();
  await scriptMail(email, { rejectRecipient: { code: 550, message: `nobody is <${email}> or ${email.split('@')[0]}` } });
  return { id: await newContact(project, email), email };
}

/** What stands under "Current Details". */
async function currentDetails(workflowId: string): Promise<string> {
  const metadata = await client.workflow.getHandle(workflowId).query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  return metadata.currentDetails ?? '';
}

/** The types of the local activities in a readable history. */
function localTypesOf(history: string): Set<string> {
  return new Set([...history.matchAll(/\\*"activity_type\\*":\\*"([^"\\]*)/g)].map(([, type]) => type!));
}

test('where a workflow stands is told by its details; the stack traces of its promises, which cost more than it does, are not kept', async () => {
  const pause = { id: 'pause', kind: 'wait_until', config: { event: { type: 'goes-on' }, timeoutMinutes: DAY_MINUTES } };
  const email = project.address();
  await newContact(project, email);
  const workflowId = `enrollment/${await (await newFlow(project, chain(pause))).enroll(email)}`;
  await eventually(async () => (await currentDetails(workflowId)).startsWith('Waiting at pause for event:goes-on'));
  const stackTrace = client.workflow.getHandle(workflowId).query('__stack_trace');
  await expect(stackTrace).rejects.toThrow('Workflow stack traces are not enabled on this worker');
});

test('a mail that was refused is told by what comes after it, by the details and by the result, without its address', async () => {
  const pause = { id: 'pause', kind: 'wait_until', config: { event: { type: 'goes-on' }, timeoutMinutes: DAY_MINUTES } };
  const flow = await newFlow(project, chain(MAIL, pause));
  const { email } = await refusedContact();
  const workflowId = `enrollment/${await flow.enroll(email)}`;
  const history = await eventually(async () => {
    const text = readable(await workflowHistory(client, workflowId));
    return text.includes('"pause: event:goes-on until ') && text;
  });
  expect(history).toContain(`(before that, mail failed: ${REFUSED})`);
  expect(await currentDetails(workflowId)).toMatch(
    /^Waiting at pause for event:goes-on until .*Z\n\nOn the way:\n\n- mail failed: provider_rejected/,
  );
  const timers = async () =>
    (await workflowHistory(client, workflowId)).events.filter(({ eventType }) => eventType === 'EVENT_TYPE_TIMER_STARTED');
  const before = (await timers()).length;
  // The timer that is made anew tells it, too.
  await client.workflow.getHandle(workflowId).signal(CHANGED_SIGNAL);
  await eventually(async () => {
    const all = await timers();
    return all.length > before && all.every((timer) => readable({ events: [timer] }).includes('(before that, mail failed: '));
  });
  await project.api.post('/events', { type: 'goes-on', email });
  expect(await client.workflow.getHandle(workflowId).result()).toBe(`completed: exit; mail failed: ${REFUSED}`);
  const whole = readable(await workflowHistory(client, workflowId));
  // What the Timeline has of them.
  expect(localTypesOf(whole)).toEqual(new Set(['look up what comes next', 'send the mail, unless queued']));
  for (const told of [project.domain, email.split('@')[0]!]) expect(whole).not.toContain(told);
});

test('a run that waits for its subflow names the run that it waits for, and each step says after which node it came', async () => {
  const inner = await newFlow(
    project,
    chain({ id: 'w', kind: 'wait_until', config: { event: { type: 'never' }, timeoutMinutes: DAY_MINUTES } }),
  );
  const outer = await newFlow(project, chain(MAIL, { id: 'sub', kind: 'subflow', config: { sequenceKey: inner.key, mode: 'wait' } }));
  const email = project.address();
  await newContact(project, email);
  const id = await outer.enroll(email);
  const { enrollments } = await eventually(async () => {
    const { body } = await project.api.get(`/sequences/${inner.key}/enrollments`);
    return body.enrollments.length === 1 && body;
  });
  const history = await eventually(async () => {
    const text = readable(await workflowHistory(client, `enrollment/${id}`));
    return text.includes('sub: subflow ') && text;
  });
  expect(history).toContain(`sub: subflow ${inner.key} (enrollment/${enrollments[0].id})`);
  // Its first node is no mail.
  await eventually(async () => readable(await workflowHistory(client, `enrollment/${enrollments[0].id}`)).includes('where it stands'));
  const child = client.workflow.getHandle(`enrollment/${enrollments[0].id}`);
  await project.api.delete(`/enrollments/${enrollments[0].id}`);
  await child.result().catch(() => undefined);
  await client.workflow.getHandle(`enrollment/${id}`).result();
  expect(readable(await workflowHistory(client, `enrollment/${id}`))).toContain('what comes after sub');
});

test('a mail that its provider wants later is held for all to see with what the provider said', async () => {
  const flow = await newFlow(project, chain(MAIL));
  const email = project.address();
  await scriptMail(email, { rejectRecipient: { code: 451, message: `<${email}> is busy, ${email.split('@')[0]}` } });
  await newContact(project, email);
  const id = await flow.enroll(email);
  const history = await eventually(
    async () => {
      const text = readable(await workflowHistory(client, `enrollment/${id}`));
      return text.includes('EVENT_TYPE_TIMER_STARTED') && text;
    },
    { timeoutMs: 30_000 },
  );
  expect(history).toMatch(/held before mail: provider_unavailable \(451 …@… is busy, …-…\) until \d/);
  expect(await currentDetails(`enrollment/${id}`)).toMatch(/^Held before mail: provider unavailable \(451 …@… is busy, …-…\) until \d/);
  await project.api.delete(`/enrollments/${id}`);
});

test('the first page of a run says whose and of which sequence it is, in words of bounded length and without an address', async () => {
  const name = `For ann@secret.test: ${'語'.repeat(150)}`;
  const { key, enroll } = await newSequence(project);
  const { nodes, edges } = (await project.api.get(`/sequences/${key}`)).body;
  await project.api.put(`/sequences/${key}`, { name, nodes, edges });
  const email = project.address();
  const contactId = await newContact(project, email);
  const id = await enroll(email);
  const handle = client.workflow.getHandle(`enrollment/${id}`);
  const summary = await eventually(() =>
    handle.describe().then(
      (is) => is.staticSummary(),
      () => undefined,
    ),
  );
  expect(summary).toBe(`For …@… ${'語'.repeat(71)}… (${key}) for contact ${contactId}`);
  expect(Buffer.byteLength(summary as string)).toBeLessThan(400);
  expect(readable(await workflowHistory(client, `enrollment/${id}`))).toContain(`\\"about\\":\\"${summary}\\"`);
  await project.api.delete(`/enrollments/${id}`);
});

test('a campaign that has ended says how many it reached', async () => {
  const { tag, emails } = await newAudience(project, 3);
  await scriptMail(emails[0]!, { rejectRecipient: { code: 550, message: 'no' } });
  const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
  await campaignEnds(project, id);
  expect(await client.workflow.getHandle(`campaign/${id}`).result()).toBe(
    'Ended: sent; 3 recipients: 2 sent, 1 failed, 0 skipped, 0 cancelled.',
  );
  const types = localTypesOf(readable(await workflowHistory(client, `campaign/${id}`)));
  expect(types).toEqual(new Set(['look up what the campaign does next']));
});

test('a delivery says which attempt it makes, which made none, and how it ended', async () => {
  const endpoint = await newEndpoint(receiver);
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
  receiver.holdUp(endpoint.path, mayAnswer);
  // More than are attempted locally while an endpoint has not been seen to be quick.
  await endpoint.happens(5);
  const waited = await eventually(async () => {
    for (const { id } of await endpoint.deliveries()) {
      const text = readable(await workflowHistory(client, `webhook/${id}`));
      if (text.includes('EVENT_TYPE_ACTIVITY_TASK_SCHEDULED')) return { id, text };
    }
    return false;
  });
  expect(localTypesOf(waited.text)).toEqual(new Set(['make the attempt, unless queued']));
  expect(waited.text).toContain('attempt 1 of 6, unless queued');
  expect(waited.text).toContain('No attempt was made: it is queued');
  expect(waited.text).toContain('\\"attempt 1 of 6, if there is a place\\"');
  expect(waited.text).toContain('"activityType":{"name":"make the queued attempt"}');
  expect(await currentDetails(`webhook/${waited.id}`)).toBe('Making attempt 1 of 6');
  answer();
  expect(await deliveryHandle(client, waited).result()).toBe('Delivered. Attempt 1 of 6: answered 200');
});

test('a burst tells what it is and where to look from the start, in its heartbeats how many wait, and in its details soon after it began', async () => {
  const endpoint = await newEndpoint(receiver);
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
  receiver.holdUp(endpoint.path, mayAnswer);
  await endpoint.happens(600);
  const burst = burstHandle(client, endpoint);
  await eventually(() =>
    burst.describe().then(
      () => true,
      () => false,
    ),
  );
  const beat = await eventually(
    async () => {
      const { raw } = await burst.describe();
      const [payload] = raw.pendingActivities?.[0]?.heartbeatDetails?.payloads ?? [];
      return payload?.data && JSON.parse(Buffer.from(payload.data).toString());
    },
    { timeoutMs: 30_000 },
  );
  expect(beat).toEqual({ waitedAtFirst: expect.any(Number), delivered: 0, failed: 0, aSecond: 0 });
  expect(beat.waitedAtFirst).toBeGreaterThan(300);
  expect(await currentDetails(burst.workflowId)).toMatch(/^Making first attempts: .* Pending Activities\. In all: 0 delivered/);
  expect(await (await burst.describe()).staticDetails()).toContain(
    'Terminate and Request Cancellation fail every delivery that waits here',
  );
  answer();
  await eventually(() => endpoint.calls().length >= 600, { timeoutMs: 60_000 });
  await burst.result();
  // Its first turn was over while the most still waited.
  const history = readable(await workflowHistory(client, burst.workflowId));
  expect(history).toMatch(/first attempts: [1-9][\d,]* wait; [\d,]+ a second/);
});
