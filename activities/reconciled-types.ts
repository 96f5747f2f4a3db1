import type { EntityManager } from '../db/orm.ts';
import { batchOfOpenCampaigns, openCampaigns } from '../db/queries/campaigns/campaigns.ts';
import { batchOfWaiting, expireConfirmation, waitingAmong } from '../db/queries/contacts/confirmations.ts';
import { batchOfOpenImports, endImport, openImports } from '../db/queries/contacts/imports.ts';
import { batchOfChecked, checkedAmong } from '../db/queries/domains/sending-domains.ts';
import { batchOfScheduling, schedulingAmong } from '../db/queries/sends/scheduled-sends.ts';
import { activeEnrollments, batchOfActive } from '../db/queries/sequences/active-ids.ts';
import { batchOfRunningBulks, endBulk, runningBulks } from '../db/queries/sequences/bulk-enrollments.ts';
import { batchOfRunningActions, endAction, runningActions } from '../db/queries/sequences/enrollment-actions.ts';
import { batchOfRunningRetries, endRetry, runningRetries } from '../db/queries/webhooks/webhook-retries.ts';
import {
  batchOfOpenBursts,
  batchOfOpenDeliveries,
  failDelivery,
  openBursts,
  openDeliveries,
  restartDeliveries,
} from '../db/queries/webhooks/webhook-starts.ts';
import { type Closing, REASON_OF_CLOSING } from '../domain/operations/closing.ts';
import { settleCampaign } from '../usecases/campaigns/cancel-campaign.ts';
import { restartCampaigns } from '../usecases/campaigns/restart-campaigns.ts';
import { restartConfirmations } from '../usecases/contacts/ask-to-confirm.ts';
import { restartImports } from '../usecases/contacts/begin-import.ts';
import { restartChecks } from '../usecases/domains/restart-checks.ts';
import { restartScheduled } from '../usecases/sends/restart-scheduled.ts';
import { restartActions } from '../usecases/sequences/act-on-runs.ts';
import { endEnrollment } from '../usecases/sequences/end-enrollment.ts';
import { restartBulks } from '../usecases/sequences/enroll-segment.ts';
import { restartEnrollments } from '../usecases/sequences/restart-enrollments.ts';
import { failBurst } from '../usecases/webhooks/fail-burst.ts';
import { restartBursts } from '../usecases/webhooks/restart-bursts.ts';
import { restartRetries } from '../usecases/webhooks/retry-failed.ts';
import {
  actionIdOf,
  actionWorkflowId,
  bulkIdOf,
  bulkWorkflowId,
  burstEndpointOf,
  burstWorkflowId,
  campaignIdOf,
  campaignWorkflowId,
  checkedDomainOf,
  confirmationIdOf,
  confirmationWorkflowId,
  deliveryIdOf,
  deliveryWorkflowId,
  domainCheckWorkflowId,
  enrollmentIdOf,
  enrollmentWorkflowId,
  importIdOf,
  importWorkflowId,
  retryIdOf,
  retryWorkflowId,
  scheduledProjectOf,
  scheduledWorkflowId,
  type WorkflowType,
} from '../workflows/contracts.ts';

/** What reconcile has to know of one type of workflow. A row is open as long as its workflow should run. */
export interface ReconciledType {
  workflowId(rowId: string): string;
  /** Undefined for a workflow that no row can have. */
  rowIdOf(workflowId: string): string | undefined;
  /** Open rows after this one (null: from the first), in order of their ids. */
  batchOfOpen(em: EntityManager, after: string | null, limit: number): Promise<string[]>;
  /** Which of these are open. */
  openAmong(em: EntityManager, rowIds: readonly string[]): Promise<string[]>;
  /** Whether a start may follow one that closed: while it is on its way, the closed one says nothing of the row. */
  readonly mayBeginAgain: boolean;
  /** Of one that may not: only what failed is started again, and by nobody but who has it retried. */
  readonly mayBeRetried?: true;
  /**
   * Ends the row of a workflow that closed without it, or starts another. `closedAt`: by Temporal's clock, where it is known. Returns whether
   * the row was open still.
   */
  settle(tx: EntityManager, rowId: string, closing: Closing, now: Date, closedAt?: Date): Promise<boolean>;
  /** Starts the workflows of those that are open, unless a start is on its way already. Returns how many. */
  start(tx: EntityManager, rowIds: readonly string[]): Promise<number>;
}

/**
 * Every type that has rows. A delivery or a burst whose workflow has completed and that has something to do all the same was begun again while
 * it completed: it is started, and not failed. A pass goes by this order: first the types of which there are few.
 */
export const RECONCILED_TYPES: Record<WorkflowType, ReconciledType> = {
  campaign: {
    workflowId: campaignWorkflowId,
    rowIdOf: campaignIdOf,
    batchOfOpen: batchOfOpenCampaigns,
    openAmong: openCampaigns,
    mayBeginAgain: true,
    settle: settleCampaign,
    start: restartCampaigns,
  },
  // A mail is cancelled by itself: however the workflow ended, another one sends those that wait.
  scheduledSends: {
    workflowId: scheduledWorkflowId,
    rowIdOf: scheduledProjectOf,
    batchOfOpen: batchOfScheduling,
    openAmong: schedulingAmong,
    mayBeginAgain: true,
    settle: async (tx, id) => (await restartScheduled(tx, [id])) > 0,
    start: restartScheduled,
  },
  // However the workflow ended, another one goes on: the records of a domain are looked after as long as it is there.
  domainCheck: {
    workflowId: domainCheckWorkflowId,
    rowIdOf: checkedDomainOf,
    batchOfOpen: batchOfChecked,
    openAmong: checkedAmong,
    mayBeginAgain: true,
    settle: async (tx, id) => (await restartChecks(tx, [id])) > 0,
    start: restartChecks,
  },
  confirmation: {
    workflowId: confirmationWorkflowId,
    rowIdOf: confirmationIdOf,
    batchOfOpen: batchOfWaiting,
    openAmong: waitingAmong,
    mayBeginAgain: true,
    settle: async (tx, id, closing) => (closing === 'completed' ? (await restartConfirmations(tx, [id])) > 0 : expireConfirmation(tx, id)),
    start: restartConfirmations,
  },
  contactImport: {
    workflowId: importWorkflowId,
    rowIdOf: importIdOf,
    batchOfOpen: batchOfOpenImports,
    openAmong: openImports,
    mayBeginAgain: true,
    settle: async (tx, id, closing) => (closing === 'completed' ? (await restartImports(tx, [id])) > 0 : endImport(tx, id, 'cancelled')),
    start: restartImports,
  },
  webhookRetry: {
    workflowId: retryWorkflowId,
    rowIdOf: retryIdOf,
    batchOfOpen: batchOfRunningRetries,
    openAmong: runningRetries,
    mayBeginAgain: true,
    settle: async (tx, id, closing) => (closing === 'completed' ? (await restartRetries(tx, [id])) > 0 : endRetry(tx, id, 'cancelled')),
    start: restartRetries,
  },
  bulkEnrollment: {
    workflowId: bulkWorkflowId,
    rowIdOf: bulkIdOf,
    batchOfOpen: batchOfRunningBulks,
    openAmong: runningBulks,
    mayBeginAgain: true,
    settle: async (tx, id, closing) => (closing === 'completed' ? (await restartBulks(tx, [id])) > 0 : endBulk(tx, id, 'cancelled')),
    start: restartBulks,
  },
  enrollmentAction: {
    workflowId: actionWorkflowId,
    rowIdOf: actionIdOf,
    batchOfOpen: batchOfRunningActions,
    openAmong: runningActions,
    mayBeginAgain: true,
    settle: async (tx, id, closing) => (closing === 'completed' ? (await restartActions(tx, [id])) > 0 : endAction(tx, id, 'cancelled')),
    start: restartActions,
  },
  webhookBurst: {
    workflowId: burstWorkflowId,
    rowIdOf: burstEndpointOf,
    batchOfOpen: batchOfOpenBursts,
    openAmong: openBursts,
    mayBeginAgain: true,
    settle: async (tx, id, closing, _now, closedAt) =>
      closing === 'completed' ? (await restartBursts(tx, [id])) > 0 : (await failBurst(tx, id, closedAt)) !== null,
    start: restartBursts,
  },
  enrollment: {
    workflowId: enrollmentWorkflowId,
    rowIdOf: enrollmentIdOf,
    batchOfOpen: batchOfActive,
    openAmong: activeEnrollments,
    mayBeginAgain: false,
    mayBeRetried: true,
    settle: (tx, id, closing, now) => endEnrollment(tx, id, REASON_OF_CLOSING[closing], now),
    start: restartEnrollments,
  },
  webhookDelivery: {
    workflowId: deliveryWorkflowId,
    rowIdOf: deliveryIdOf,
    batchOfOpen: batchOfOpenDeliveries,
    openAmong: openDeliveries,
    mayBeginAgain: true,
    settle: async (tx, id, closing) => (closing === 'completed' ? (await restartDeliveries(tx, [id])) > 0 : failDelivery(tx, id)),
    start: restartDeliveries,
  },
};
