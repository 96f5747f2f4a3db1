/**
 * The pure face of the workflows: everyone may import it, so it imports nothing but types. Its names and ids stand here; what each workflow is given,
 * reports and is told to do is in `contracts/`.
 */
export type * from './contracts/bulk-enrollment.ts';
export type * from './contracts/campaign.ts';
export type * from './contracts/confirmation.ts';
export type * from './contracts/contact-import.ts';
export type * from './contracts/domain-check.ts';
export type * from './contracts/enrollment.ts';
export type * from './contracts/enrollment-action.ts';
export type * from './contracts/reconcile.ts';
export type * from './contracts/recurring-run.ts';
export type * from './contracts/scheduled-sends.ts';
export type * from './contracts/webhooks.ts';
export type * from './contracts/workflow.ts';

/** `campaigns`, `bursts`: senders of campaigns and of scheduled mails, and bursts of endpoints, which each work through batch after batch; beside the queues of single mails and calls, which never wait behind them. */
export const TASK_QUEUES = {
  workflows: 'workflows',
  email: 'email',
  webhooks: 'webhooks',
  campaigns: 'campaigns',
  bursts: 'webhook-bursts',
} as const;

/**
 * The changes of workflow code that runs begin to follow. Each is released twice: its `patched()` first, which lets every worker carry out
 * runs that follow it, and its name here in a later release, so that this one can be taken back (docs/operations.md, Upgrade).
 */
export const BEGUN_CHANGES: readonly string[] = [
  'reports-are-carried',
  'lanes-end-before-it',
  'wakes-by-the-clock',
  'listens-between-calls',
  'hears-retries-in-flight',
];

export const SEARCH_ATTRIBUTES = {
  project: 'EverpostProject',
  sequence: 'EverpostSequence',
  contact: 'EverpostContact',
  campaign: 'EverpostCampaign',
  endpoint: 'EverpostEndpoint',
  node: 'EverpostNode',
  state: 'EverpostState',
} as const;

/**
 * The types under which a run asks for its activities, by what they are called in the code: Temporal Web shows the type first, and of a local
 * activity the Timeline has nothing else. Types are labels of metrics, so there is one for each kind of work and none has a tenant's words.
 */
export const ACTIVITY_TYPES = {
  nextStep: 'look up what comes next',
  sendWithTask: 'send the mail, unless queued',
  endCancelled: 'end the cancelled run',
  nextCampaignStep: 'look up what the campaign does next',
  cancelledByOperator: 'cancel the campaign',
  attemptWithTask: 'make the attempt, unless queued',
  deliveryCancelled: 'fail the cancelled delivery',
  burstCancelled: 'fail what waits in the lane',
  sendSequenceEmail: 'send the queued mail',
  callWebhook: 'call the webhook of the node',
  resolveCampaign: 'find out who gets the campaign',
  sendCampaignPages: 'send pages of the campaign',
  attemptDelivery: 'make the queued attempt',
  makeFirstAttempts: 'make first attempts of the lane',
  retryFailed: 'begin failed deliveries again',
  retryCancelled: 'end the cancelled retry',
  sendDueMails: 'send the mails that are due',
  enrollSegment: 'enroll members of the segment',
  bulkCancelled: 'end the cancelled bulk enrollment',
  checkDomainRecords: 'look up the records of the domain',
  advanceConfirmation: 'do what the confirmation needs now',
  confirmationCancelled: 'end the cancelled confirmation',
  makeDueCampaign: 'make the campaign that is due',
  importRows: 'read rows of the file',
  importCancelled: 'end the cancelled import',
  actOnRuns: 'act on the next runs',
  actionCancelled: 'end the cancelled action',
} as const;

export function enrollmentWorkflowId(enrollmentId: string): string {
  return `enrollment/${enrollmentId}`;
}

/** The enrollment that a workflow id is of; undefined for every other workflow. */
export function enrollmentIdOf(workflowId: string): string | undefined {
  return idAfter('enrollment/', workflowId);
}

/** Ids are UUIDs: what somebody else has started under another name is none of ours. */
function idAfter(prefix: string, workflowId: string): string | undefined {
  const id = workflowId.startsWith(prefix) ? workflowId.slice(prefix.length) : '';
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id) ? id : undefined;
}

export function campaignWorkflowId(campaignId: string): string {
  return `campaign/${campaignId}`;
}

/** The campaign that a workflow id is of; undefined for every other workflow. */
export function campaignIdOf(workflowId: string): string | undefined {
  return idAfter('campaign/', workflowId);
}

export function deliveryWorkflowId(deliveryId: string): string {
  return `webhook/${deliveryId}`;
}

/** The delivery that a workflow id is of; undefined for every other workflow. */
export function deliveryIdOf(workflowId: string): string | undefined {
  return idAfter('webhook/', workflowId);
}

export function burstWorkflowId(endpointId: string): string {
  return `webhook-burst/${endpointId}`;
}

/** The endpoint that a workflow id is the burst of; undefined for every other workflow. */
export function burstEndpointOf(workflowId: string): string | undefined {
  return idAfter('webhook-burst/', workflowId);
}

export function retryWorkflowId(retryId: string): string {
  return `webhook-retry/${retryId}`;
}

/** The retry of all failed deliveries that a workflow id is of; undefined for every other workflow. */
export function retryIdOf(workflowId: string): string | undefined {
  return idAfter('webhook-retry/', workflowId);
}

export function bulkWorkflowId(bulkId: string): string {
  return `bulk-enrollment/${bulkId}`;
}

/** The bulk enrollment that a workflow id is of; undefined for every other workflow. */
export function bulkIdOf(workflowId: string): string | undefined {
  return idAfter('bulk-enrollment/', workflowId);
}

export function actionWorkflowId(actionId: string): string {
  return `enrollment-action/${actionId}`;
}

/** The action over many runs that a workflow id is of; undefined for every other workflow. */
export function actionIdOf(workflowId: string): string | undefined {
  return idAfter('enrollment-action/', workflowId);
}

export function domainCheckWorkflowId(domainId: string): string {
  return `domain-check/${domainId}`;
}

/** The sending domain that a workflow id is of; undefined for every other workflow. */
export function checkedDomainOf(workflowId: string): string | undefined {
  return idAfter('domain-check/', workflowId);
}

export function confirmationWorkflowId(confirmationId: string): string {
  return `confirmation/${confirmationId}`;
}

/** The confirmation that a workflow id is of; undefined for every other workflow. */
export function confirmationIdOf(workflowId: string): string | undefined {
  return idAfter('confirmation/', workflowId);
}

/** The id of the Temporal Schedule of a recurring campaign; messages for it stand in the outbox under it. */
export function recurringScheduleId(recurringId: string): string {
  return `recurring-campaign/${recurringId}`;
}

/** The recurring campaign that a schedule is of; undefined for whatever else has the id. */
export function recurringIdOf(scheduleId: string): string | undefined {
  return idAfter('recurring-campaign/', scheduleId);
}

/** Temporal adds the instant to it. */
export function recurringRunWorkflowId(recurringId: string): string {
  return `recurring-run/${recurringId}`;
}

export function importWorkflowId(importId: string): string {
  return `import/${importId}`;
}

/** The import that a workflow id is of; undefined for every other workflow. */
export function importIdOf(workflowId: string): string | undefined {
  return idAfter('import/', workflowId);
}

export function scheduledWorkflowId(projectId: string): string {
  return `scheduled/${projectId}`;
}

/** The project whose scheduled mails a workflow id is of; undefined for every other workflow. */
export function scheduledProjectOf(workflowId: string): string | undefined {
  return idAfter('scheduled/', workflowId);
}

/** Something that a waiting or held workflow depends on has changed: it asks for its next step again. */
export const CHANGED_SIGNAL = 'changed';

/** An operator's word: a run that is held, or whose provider is away, tries again at once. */
export const RETRY_NOW_SIGNAL = 'retryNow';

/** The failure of a webhook node's call that had no place; its detail is how many tries were made before. */
export const HOST_BUSY = 'host_busy';

/**
 * The failure of an activity whose mail failed for good, so that operators see it as what it is. Its message is the reason, its detail the
 * command that comes after it: the outcome is recorded, and the run goes on.
 */
export const SEND_FAILED = 'send_failed';
