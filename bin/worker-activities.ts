import { createBulkActivities } from '../activities/bulk-enrollment.ts';
import { createCampaignActivities } from '../activities/campaign.ts';
import { createConfirmationActivities } from '../activities/confirmation.ts';
import { createImportActivities } from '../activities/contact-import.ts';
import { createDomainActivities } from '../activities/domain-check.ts';
import { createEnrollmentActivities } from '../activities/enrollment.ts';
import { createActionActivities } from '../activities/enrollment-action.ts';
import { createReconcileActivities } from '../activities/reconcile.ts';
import { createRecurringRunActivities } from '../activities/recurring-run.ts';
import { createScheduledActivities } from '../activities/scheduled-sends.ts';
import { createWebhookActivities } from '../activities/webhook-delivery.ts';
import { createRetryActivities } from '../activities/webhook-retry.ts';
import { CALLS_AT_ONCE, CALLS_WAITING } from '../domain/webhooks/delivery.ts';
import type { ReadyConfig } from '../platform/config.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import { createSlots } from '../platform/slots.ts';
import type { AtOnce } from '../platform/temporal/workers.ts';
import { createCampaignSenders } from '../sending/campaign-senders.ts';
import { shareOfQueue } from '../sending/local-activity-slots.ts';
import { pauseBeyondLimits } from '../usecases/campaigns/campaign-limits.ts';
import { createAttempts } from '../webhooks/attempts.ts';
import { createBursts } from '../webhooks/burst.ts';
import { createEndpointKeys } from '../webhooks/endpoint-keys.ts';
import { FairSlots } from '../webhooks/fair-slots.ts';
import { createNodeCalls } from '../webhooks/node-calls.ts';
import type { ProcessParts } from './process-parts.ts';

/** Senders of campaigns at once: so many for each connection to the provider, and enough that several campaigns have theirs. */
const SENDERS_A_CONNECTION = 2;
const FEWEST_SENDERS = 16;

/** What the activities need beside the parts that every process has. */
export interface ActivitiesDeps {
  readonly config: ReadyConfig;
  readonly metrics: Metrics;
}

/** What workflows may ask of a worker, and how much of it is done at once. */
export interface WorkerActivities {
  readonly activities: object;
  readonly atOnce: AtOnce;
  /** Ends the turns of senders and of bursts, which would go on for long. */
  stop(): void;
}

/** Wires all activities of a worker. */
export function createActivities(parts: ProcessParts, { config, metrics }: ActivitiesDeps): WorkerActivities {
  const { orm, log, sending, inFlight, registry, contents, vault, http, readRecords, now, newId } = parts;
  const queued = shareOfQueue(config.sendConcurrency, config.sendRatePerSecond);
  const slots = new FairSlots({ total: CALLS_AT_ONCE, mostWaiting: CALLS_WAITING, perEndpoint: config.webhookEndpointConcurrency });
  const enrollment = createEnrollmentActivities({
    orm,
    sending,
    registry,
    vault,
    http,
    slots,
    calls: createNodeCalls({ log, metrics, now }),
    localSlots: createSlots(config.sendConcurrency - queued),
    yieldToRuns: inFlight.yieldToRuns,
    webhookNodeRetryBaseSeconds: config.webhookNodeRetryBaseSeconds,
    now,
    newId,
  });
  const sendersAtOnce = Math.max(FEWEST_SENDERS, config.sendConcurrency * SENDERS_A_CONNECTION);
  const senders = createCampaignSenders({
    ...{ em: orm.em.fork(), sending, registry, inFlight, places: sendersAtOnce, newId },
    pauseBeyondLimits: (ids) => pauseBeyondLimits(orm.em.fork(), { log }, ids),
  });
  const campaign = createCampaignActivities({ orm, senders, registry, leftBatches: sending.leftBatches, log, now });
  const recurring = createRecurringRunActivities({ orm, registry, newId });
  const scheduled = createScheduledActivities({ orm, sending, registry, contents, now });
  const confirmations = createConfirmationActivities({ orm, sending, registry, vault, publicUrl: config.publicUrl, now, newId });
  const attempts = createAttempts({
    em: orm.em.fork(),
    http,
    keys: createEndpointKeys(vault),
    slots,
    retryBaseSeconds: config.webhookRetryBaseSeconds,
    log,
    metrics,
    now,
    newId,
  });
  const bursts = createBursts({ em: orm.em.fork(), attempts, slots, now, newId });
  const webhooks = createWebhookActivities({ orm, attempts, bursts });
  const retries = createRetryActivities({ orm });
  const bulks = createBulkActivities({ orm, newId });
  const actions = createActionActivities({ orm, webhookNodeRetryBaseSeconds: config.webhookNodeRetryBaseSeconds, now, newId });
  const imports = createImportActivities({ orm, files: parts.files, now, newId });
  const domains = createDomainActivities({
    ...{ orm, vault, readRecords, now, newId },
    ...{
      spfInclude: config.spfInclude,
      trackingHost: config.trackingHost,
      returnPathHost: config.returnPath?.host,
      rotateAfterMs: config.dkimRotateAfterMs,
    },
  });
  const reconcile = createReconcileActivities({ orm, client: parts.temporal.client, log, metrics, now, newId });
  return {
    activities: {
      ...enrollment,
      ...campaign,
      ...recurring,
      ...scheduled,
      ...confirmations,
      ...webhooks,
      ...retries,
      ...bulks,
      ...actions,
      ...imports,
      ...domains,
      ...reconcile,
    },
    atOnce: { queuedSends: queued, senders: sendersAtOnce },
    stop() {
      senders.stop();
      bursts.stop();
    },
  };
}
