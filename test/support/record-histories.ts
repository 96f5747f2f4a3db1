import type { Client } from '@temporalio/client';
import { changeProject } from '../../usecases/projects/change-project.ts';
import {
  burstWorkflowId,
  CHANGED_SIGNAL,
  deliveryWorkflowId,
  enrollmentWorkflowId,
  RETRY_NOW_SIGNAL,
  scheduledWorkflowId,
} from '../../workflows/contracts.ts';
import { chain } from '../domain/sequences/graphs.ts';
import { campaignBecomes, campaignEnds, newAudience, newCampaign } from './campaigns.ts';
import { eventually } from './eventually.ts';
import { failedDeliveries } from './failed-deliveries.ts';
import { newFlow } from './flow.ts';
import { type HttpReceiver, startHttpReceiver } from './http-receiver.ts';
import { mailTo, scriptMail } from './mail.ts';
import { database, newProject, type TestProject } from './project.ts';
import { reconcileRun } from './reconcile-run.ts';
import { scheduledMails } from './scheduled-mails.ts';
import {
  DAY_MINUTES,
  enableTemplates,
  enrollmentBecomes,
  enrollmentEnds,
  must,
  newContact,
  newSequence,
  type StepInput,
} from './sequences.ts';
import { type History, historyOf, readable, temporalClient, workflowHistory } from './temporal.ts';
import { newEndpoint } from './webhooks.ts';

const SHORT = 0.005;

/** Histories as the present workflow code makes them: a run that was begun with its first mail and went through, one whose mail failed, one that waits, one held and resumed, one cancelled, one that waited for another, one whose call was refused while things changed, a campaign, scheduled mails that were held and put off, a delivery that was retried, a burst, a retry that was held, a bulk enrollment that was, and runs that were moved. */
export async function recordHistories(): Promise<Map<string, History>> {
  const client = await temporalClient();
  const em = await database();
  const project = await newProject();
  await enableTemplates(project, 'welcome', 'receipt', 'newsletter');
  const enroll = async (steps: readonly StepInput[]): Promise<{ id: string; email: string }> => {
    const email = project.address();
    await newContact(project, email);
    return { id: await (await newSequence(project, { steps })).enroll(email), email };
  };
  const closed = async (id: string): Promise<History> => {
    await eventually(async () => (await client.workflow.getHandle(`enrollment/${id}`).describe()).status.name !== 'RUNNING');
    return historyOf(client, id);
  };
  const recorded = new Map<string, History>();

  const drip = await enroll([
    { template: 'welcome' },
    { template: 'receipt', delayMinutes: SHORT },
    { template: 'newsletter', delayMinutes: SHORT },
  ]);
  await enrollmentEnds(em, drip.id);
  recorded.set('enrollment-begun-with-a-mail', await closed(drip.id));

  const failed = await enroll([{ template: 'password-reset' }, { template: 'welcome' }]);
  await enrollmentEnds(em, failed.id);
  recorded.set('enrollment-mail-failed', await closed(failed.id));

  const waits = await enroll([{ template: 'welcome' }, { template: 'receipt', delayMinutes: DAY_MINUTES }]);
  await mailTo(waits.email);
  await enrollmentBecomes(em, waits.id, ({ waiting_for }) => waiting_for === 'delay');
  const waiting = await eventually(async () => {
    const history = await historyOf(client, waits.id);
    return history.events.at(-1)?.eventType === 'EVENT_TYPE_TIMER_STARTED' && history;
  });
  recorded.set('enrollment-waiting', waiting);
  await project.api.delete(`/enrollments/${waits.id}`);
  recorded.set('enrollment-cancelled-in-a-wait', await closed(waits.id));

  await changeProject(em, project.id, { owner_email_verified: false });
  const held = await enroll([{ template: 'welcome' }]);
  await enrollmentBecomes(em, held.id, ({ waiting_for }) => waiting_for === 'held:email_unverified');
  await changeProject(em, project.id, { owner_email_verified: true });
  await enrollmentEnds(em, held.id);
  recorded.set('enrollment-held-and-resumed', await closed(held.id));

  const inner = await newFlow(project, chain({ id: 'd', kind: 'wait_delay', config: { minutes: SHORT } }));
  const outer = await newFlow(project, chain({ id: 'sub', kind: 'subflow', config: { sequenceKey: inner.key, mode: 'wait' } }));
  const email = project.address();
  await newContact(project, email);
  const parent = await outer.enroll(email);
  await enrollmentEnds(em, parent);
  recorded.set('enrollment-waited-for-another', await closed(parent));

  const hook = { id: 'hook', kind: 'webhook', config: { url: 'http://127.0.0.1:1/', onError: 'fail' } };
  const called = project.address();
  await newContact(project, called);
  const ended = await (await newFlow(project, chain(hook))).enroll(called);
  await enrollmentEnds(em, ended);
  recorded.set('enrollment-ended-as-failed', await closed(ended));

  recorded.set('campaign-paused-and-resumed', await pausedCampaign(client, project));

  recorded.set('scheduled-sends-held-and-put-off', await scheduledSends(client));

  recorded.set('reconcile', await reconciled(client));

  const receiver = await startHttpReceiver();
  try {
    recorded.set('enrollment-call-changed', await changedCall(client, receiver));
    recorded.set('webhook-delivery-retried', await retriedDelivery(client, receiver));
    recorded.set('webhook-lane', await heldBurst(client, receiver));
    recorded.set('webhook-retry-held', await heldRetry(client, receiver));
    recorded.set('bulk-enrollment-held', await heldBulk(client));
    recorded.set('enrollment-action', await movedRuns(client));
  } finally {
    await receiver.close();
  }
  return recorded;
}

async function closedHistory(client: Client, workflowId: string): Promise<History> {
  await eventually(async () => (await client.workflow.getHandle(workflowId).describe()).status.name !== 'RUNNING');
  return workflowHistory(client, workflowId);
}

/** A call that was refused, with a change in each pause, then asked for again at once, and taken. */
async function changedCall(client: Client, receiver: HttpReceiver): Promise<History> {
  const [em, project] = [await database(), await newProject()];
  const path = '/called';
  receiver.answer(path, 500, 503);
  const hook = { id: 'hook', kind: 'webhook', config: { url: `${receiver.url}${path}`, onError: 'fail' } };
  const email = project.address();
  await newContact(project, email);
  const id = await (await newFlow(project, chain(hook))).enroll(email);
  const handle = client.workflow.getHandle(enrollmentWorkflowId(id));
  for (const tries of [1, 2]) {
    await eventually(async () => readable(await historyOf(client, id)).includes(`try ${tries} of 5: `));
    await handle.signal(CHANGED_SIGNAL);
    await handle.signal(RETRY_NOW_SIGNAL);
  }
  await enrollmentEnds(em, id);
  return closedHistory(client, enrollmentWorkflowId(id));
}

/** A delivery that was refused twice, once within the task and once from the queue, was held, and went through. */
async function retriedDelivery(client: Client, receiver: HttpReceiver): Promise<History> {
  const endpoint = await newEndpoint(receiver);
  receiver.answer(endpoint.path, 500, { status: 503, headers: { 'retry-after': '3600' } });
  await endpoint.happens();
  const { id } = await endpoint.becomes(({ attempts }) => attempts === 2);
  const workflowId = deliveryWorkflowId(id);
  await endpoint.change({ enabled: false });
  await client.workflow.getHandle(workflowId).signal(RETRY_NOW_SIGNAL);
  await eventually(async () => readable(await workflowHistory(client, workflowId)).includes('held: the endpoint is disabled'));
  await endpoint.change({ enabled: true });
  await client.workflow.getHandle(workflowId).signal(RETRY_NOW_SIGNAL);
  await endpoint.becomes(({ status }) => status === 'delivered');
  return closedHistory(client, workflowId);
}

/** A burst that was held, and then worked until nothing waited. */
async function heldBurst(client: Client, receiver: HttpReceiver): Promise<History> {
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
  const endpoint = await newEndpoint(receiver);
  receiver.holdUp(endpoint.path, mayAnswer);
  await endpoint.happens(400);
  const workflowId = burstWorkflowId(endpoint.id);
  await eventually(async () => (await endpoint.row()).has_lane, { timeoutMs: 60_000 });
  await endpoint.change({ enabled: false });
  answer();
  await eventually(async () => readable(await workflowHistory(client, workflowId)).includes('held: the endpoint is disabled'), {
    timeoutMs: 60_000,
  });
  await endpoint.change({ enabled: true });
  await client.workflow.getHandle(workflowId).signal(CHANGED_SIGNAL);
  await eventually(async () => !(await endpoint.row()).has_lane, { timeoutMs: 60_000 });
  return closedHistory(client, workflowId);
}

/** A campaign that was paused after its first mails, and reached everybody. */
async function pausedCampaign(client: Client, project: TestProject): Promise<History> {
  const { tag } = await newAudience(project, 6);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, ratePerSecond: 2 });
  await campaignBecomes(project, id, ({ sent_count }) => sent_count > 0);
  await project.api.post(`/campaigns/${id}/pause`);
  const workflowId = `campaign/${id}`;
  await eventually(async () => readable(await workflowHistory(client, workflowId)).includes('Paused; '));
  await project.api.post(`/campaigns/${id}/resume`);
  await campaignEnds(project, id);
  await eventually(async () => (await client.workflow.getHandle(workflowId).describe()).status.name !== 'RUNNING');
  return workflowHistory(client, workflowId);
}

/** One that waited for its day and was moved to now, was held, put off by the provider, tried again, and went. */
async function scheduledSends(client: Client): Promise<History> {
  const [em, project] = [await database(), await newProject()];
  await enableTemplates(project, 'receipt');
  const workflowId = scheduledWorkflowId(project.id);
  const says = (words: string) => eventually(async () => readable(await workflowHistory(client, workflowId)).includes(words));
  const { scheduled, sendNow, settled } = scheduledMails(() => project);
  const to = project.address();
  const id = await scheduled({ to });
  await says('1 scheduled, the next until');
  await changeProject(em, project.id, { owner_email_verified: false });
  await sendNow(id);
  await says('1 scheduled, held: email unverified');
  await scriptMail(to, { rejectRecipient: { code: 451 } });
  await changeProject(em, project.id, { owner_email_verified: true });
  await says('are tried again soon');
  await scriptMail(to, {});
  await client.workflow.getHandle(workflowId).signal(RETRY_NOW_SIGNAL);
  await settled(id);
  return closedHistory(client, workflowId);
}

/** One that was held, and went on when the endpoint was enabled. */
async function heldRetry(client: Client, receiver: HttpReceiver): Promise<History> {
  const { id, project, begin } = await failedDeliveries(receiver, '/held-retry', 3);
  const enable = async (enabled: boolean) => must(await project.api.call('PATCH', `/webhooks/${id}`, { enabled }), 200);
  await enable(false);
  const { workflow_id: workflowId } = must(await begin(), 201).retry;
  await eventually(async () => readable(await workflowHistory(client, workflowId)).includes('0 of 3 begun again; held'));
  await enable(true);
  return closedHistory(client, workflowId);
}

/** One whose sequence was paused, and went on when it was turned on. */
async function heldBulk(client: Client): Promise<History> {
  const project = await newProject();
  const { key } = await newSequence(project, { status: 'paused' });
  for (let n = 0; n < 3; n++) await newContact(project, project.address());
  const { segment } = must(await project.api.post('/segments', { label: 'everybody' }), 201);
  const { workflow_id: workflowId } = must(
    await project.api.post(`/sequences/${key}/bulk-enrollments`, { segmentId: segment.id }),
    201,
  ).bulk;
  await eventually(async () => readable(await workflowHistory(client, workflowId)).includes('0 of 3 enrolled, 0 skipped; held'));
  must(await project.api.call('PATCH', `/sequences/${key}`, { status: 'active' }), 200);
  return closedHistory(client, workflowId);
}

/** Runs that were moved to another step. */
async function movedRuns(client: Client): Promise<History> {
  const [em, project] = [await database(), await newProject()];
  const { key, enroll } = await newSequence(project);
  for (let n = 0; n < 3; n++) {
    const email = project.address();
    await newContact(project, email);
    await enrollmentBecomes(em, await enroll(email), ({ waiting_for }) => waiting_for === 'delay');
  }
  const asked = { action: 'move', filter: { nodeId: 'delay_1' }, to: 'exit' };
  const { action } = must(await project.api.post(`/sequences/${key}/enrollments/actions`, asked), 202);
  return closedHistory(client, action.workflow_id);
}

/** One pass, and the minute after it. */
async function reconciled(client: Client): Promise<History> {
  const { workflowId } = await reconcileRun(client);
  return eventually(
    async () => {
      const history = await workflowHistory(client, workflowId);
      return history.events.at(-1)?.eventType === 'EVENT_TYPE_TIMER_STARTED' && history;
    },
    { timeoutMs: 30_000 },
  );
}
