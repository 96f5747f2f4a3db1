/** The types of workflow that have a row: each is started by the outbox and reconciled with its row. */
export type WorkflowType =
  | 'enrollment'
  | 'campaign'
  | 'webhookDelivery'
  | 'webhookBurst'
  | 'webhookRetry'
  | 'scheduledSends'
  | 'bulkEnrollment'
  | 'enrollmentAction'
  | 'domainCheck'
  | 'confirmation'
  | 'contactImport';

/** Values of EverpostState. */
export type RunState = 'running' | 'waiting' | 'held' | 'sending' | 'paused' | 'retrying' | 'failed';

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

/** What has to reach Temporal; stored in the outbox as it is, beside the workflow's id. What a start says to operators is decided at dispatch. */
export type TemporalMessage =
  | { readonly kind: 'start'; readonly workflowType: WorkflowType }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'cancel' }
  /** Of a schedule: it is made, changed or deleted, as the row of its recurring campaign is when the message is dispatched. */
  | { readonly kind: 'schedule' };
