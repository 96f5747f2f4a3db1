/** The pure face of the workflows: everyone may import it, so it imports nothing. */

/** `campaigns`, `bursts`: senders of campaigns and bursts of endpoints, which each work through batch after batch; beside the queues of single mails and calls, which never wait behind them. */
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

/** Values of EverpostState. */
export type RunState = 'running' | 'waiting' | 'held' | 'sending' | 'paused' | 'retrying' | 'failed';

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
} as const;

/** What stands with the input of every workflow that has a row. */
export interface AboutInput {
  /** Its static summary once more: Temporal Web shows the input on the first page of a workflow, and the summary on another. Nothing reads it. */
  readonly about?: string;
  /**
   * Its activities have ACTIVITY_TYPES, and a run that ends as failed says so in its state. Those that began under an earlier release have
   * the names of the code, and keep their last state.
   */
  readonly types?: 'in words';
}

/** Input of the enrollment workflow. Where it stands is asked of the database, so a reset needs no more than the id. */
export interface EnrollmentInput extends AboutInput {
  readonly enrollmentId: string;
  /** Of the run before, when it was continued as new: what went wrong, for operators. */
  readonly mishaps?: readonly string[];
  /** Likewise: how far the call of a webhook node was that had no place. */
  readonly calling?: CallProgress;
  /** By node, the latest step whose mail has its outcome: of the run before, when it was continued as new. */
  readonly mailed?: Readonly<Record<string, number>>;
}

/** How often a call was made, and how often it had no place. */
export interface CallProgress {
  readonly step: number;
  readonly made: number;
  /** In a row, and since when, in epoch milliseconds. */
  readonly busy: number;
  readonly busySince: number | null;
}

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

/** Input of the campaign workflow. */
export interface CampaignInput extends AboutInput {
  readonly campaignId: string;
  /** Of the run before, when it was continued as new. */
  readonly report?: CampaignReport;
}

export function campaignWorkflowId(campaignId: string): string {
  return `campaign/${campaignId}`;
}

/** The campaign that a workflow id is of; undefined for every other workflow. */
export function campaignIdOf(workflowId: string): string | undefined {
  return idAfter('campaign/', workflowId);
}

/** Input of the workflow of one delivery. Whose calls at once are bounded together is known before the database is asked. */
export interface DeliveryInput extends AboutInput {
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly projectId: string;
  /** Of the next attempt when it is started; 1 when omitted. */
  readonly number?: number;
}

export function deliveryWorkflowId(deliveryId: string): string {
  return `webhook/${deliveryId}`;
}

/** The delivery that a workflow id is of; undefined for every other workflow. */
export function deliveryIdOf(workflowId: string): string | undefined {
  return idAfter('webhook/', workflowId);
}

/** Input of the workflow that makes the first attempts of an endpoint for which many wait. */
export interface BurstInput extends AboutInput {
  readonly endpointId: string;
}

export function burstWorkflowId(endpointId: string): string {
  return `webhook-burst/${endpointId}`;
}

/** The endpoint that a workflow id is the burst of; undefined for every other workflow. */
export function burstEndpointOf(workflowId: string): string | undefined {
  return idAfter('webhook-burst/', workflowId);
}

/** What a delivery does next. Instants are epoch milliseconds; `details` is shown to operators, in Markdown. */
export type DeliveryCommand =
  /** until: null where only a change can let it go on. `summary`: of the timer. */
  | {
      readonly do: 'wait';
      readonly state: Extract<RunState, 'retrying' | 'held' | 'waiting'>;
      readonly until: number | null;
      readonly summary: string;
      readonly details: string;
      /** The number of the next attempt. */
      readonly next?: number;
      /** The endpoint had no slot. */
      readonly isBusy?: true;
    }
  | { readonly do: 'end'; readonly status: string; readonly details: string };

/** The same, or that no attempt was made within the workflow task and it has to go through the queue. `details` is for operators. */
export type LocalAttemptAnswer = DeliveryCommand | { readonly do: 'queue'; readonly details?: string };

/** What a burst has come to in its turn. `details` is shown to operators, in Markdown. */
export interface BurstReport {
  /** `empty`: nothing waits, and what comes from now on starts another burst. `disabled`: it waits until the endpoint is enabled. */
  readonly state: 'more' | 'empty' | 'disabled' | 'gone';
  readonly delivered: number;
  readonly failed: number;
  readonly summary: string;
  readonly details: string;
}

/** What the senders of a campaign did since its next step was last asked for. */
export interface CampaignReport {
  readonly sent: number;
  readonly failed: number;
  /** How long the senders had their turn. */
  readonly seconds?: number;
  /** The provider took nothing of a batch. */
  readonly away: { readonly message: string; readonly retryAfterSeconds?: number | undefined } | null;
  /** Its rate lets it go on only then, and no sender waits for that. */
  readonly resumeInMs?: number;
}

/** What a campaign does next. `details` is shown to operators, in Markdown. */
export type CampaignCommand =
  /** Who gets it is found out now. */
  | { readonly do: 'resolve'; readonly details: string }
  /** `lanes`: how many senders work at once, under the name that histories have. `summary`: how far it is, for each of them. */
  | { readonly do: 'send'; readonly lanes: number; readonly summary: string; readonly details: string }
  /**
   * `pauseMs`: null where only a change can let it go on. A duration, since the clocks of PostgreSQL and Temporal may differ; `until`, an
   * instant in epoch milliseconds, is what workflows that began under an earlier version have in their histories. `summary`: of the timer.
   */
  | {
      readonly do: 'wait';
      readonly state: RunState;
      readonly pauseMs?: number | null;
      readonly until?: number | null;
      readonly summary: string;
      readonly details: string;
    }
  | { readonly do: 'end'; readonly status: string; readonly details: string };

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

/** How the last command ended. */
export interface StepReport {
  readonly step: number;
  readonly outcome: string;
  readonly detail?: string;
}

/** Where a run is to do something. */
interface AtStep {
  readonly step: number;
  readonly nodeId: string;
  /**
   * In so many milliseconds the clock alone may make a condition another that ends the run or its wait: it asks again then. A duration, since
   * the clocks of those who judge conditions and of Temporal may differ. None: only something that happens does.
   */
  readonly turnsInMs?: number;
}

/** What an enrollment does next. Instants are epoch milliseconds. */
export type EnrollmentCommand =
  | (AtStep & { readonly do: 'send'; readonly template: string })
  | (AtStep & {
      readonly do: 'wait';
      readonly waitingFor: string;
      /** null: as long as it takes. */
      readonly until: number | null;
      /** What the wait comes to when its instant comes first. */
      readonly timeoutOutcome: string;
    })
  | (AtStep & {
      readonly do: 'call';
      readonly method: string;
      readonly host: string;
      /**
       * For operators, without query and secrets. With it the run itself makes try after try, so that it shows them and `retryNow` makes the next at once; an
       * earlier release gave none, and left the tries to the retries of one activity.
       */
      readonly path?: string;
      readonly firstRetrySeconds: number;
    })
  /** `status` and `detail` (why it failed) are for operators. */
  | { readonly do: 'end'; readonly reason: string; readonly status?: string; readonly detail?: string };

/** Why a step may not be done now, as shown after `held:`; `too_many_steps`: why the run may not go on to its next one. */
export type HoldReason = 'paused' | 'project_suspended' | 'email_unverified' | 'frequency_cap' | 'provider_unavailable' | 'too_many_steps';

/** The mail of one visit. `outages`: how often in a row the provider was away. */
export interface SendInput extends Pick<EnrollmentInput, 'enrollmentId'> {
  readonly step: number;
  readonly outages: number;
}

/** One try of the call of a webhook node. `pauseMs`: before the next one, null after the last; omitted where the activity is retried by itself. */
export interface CallInput extends Pick<EnrollmentInput, 'enrollmentId'> {
  readonly step: number;
  readonly pauseMs?: number | null;
  /** By other activities. */
  readonly triesBefore?: number;
}

export type SendStepResult =
  /** The outcome is recorded; `next` is what comes after it. `outcome` and `detail` are for operators; none where it was recorded before. */
  | { readonly done: true; readonly outcome?: 'sent' | 'skipped'; readonly detail?: string; readonly next: EnrollmentCommand }
  /** `until`: epoch milliseconds when it may go on by itself; null when only a change can let it go on. `detail` is for operators. */
  | { readonly done: false; readonly heldBy: HoldReason; readonly until: number | null; readonly detail?: string }
  /** The enrollment ended meanwhile. */
  | { readonly done: false; readonly heldBy: null };

/** The types of workflow that have a row: each is started by the outbox and reconciled with its row. */
export type WorkflowType = 'enrollment' | 'campaign' | 'webhookDelivery' | 'webhookBurst';

/** Which numbers the last pass that the database knows of may have, as far as the workflow can tell. */
export interface KnownPasses {
  /** The last one whose end the workflow knows of. */
  readonly ended: number;
  /** The last one that the workflow has begun. */
  readonly begun: number;
}

/** Input of reconcile: of the run before, when it was continued as new. */
export interface ReconcileInput {
  readonly known?: KnownPasses;
}

/** What one pass of reconcile came to. */
export interface Reconciled {
  /** Rows whose workflow had closed without them. */
  readonly settled: number;
  /** Rows whose workflow did not exist. */
  readonly started: number;
  /** Rows that could not be compared now. */
  readonly failed: number;
}

export interface Pass extends Reconciled {
  /** Its number. */
  readonly pass: number;
  /** One of the databases was restored to an earlier state, or may have been, so every open workflow was asked to read its row again. */
  readonly isAfterRestore: boolean;
}

/** What has to reach Temporal; stored in the outbox as it is, beside the workflow's id. What a start says to operators is decided at dispatch. */
export type TemporalMessage =
  | { readonly kind: 'start'; readonly workflowType: WorkflowType }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'cancel' };
