import { Context } from '@temporalio/activity';
import type { MikroORM } from '../db/orm.ts';
import { failDelivery } from '../db/queries/webhooks/webhook-starts.ts';
import { failLane } from '../usecases/webhooks/fail-lane.ts';
import type { Attempts, DeliveryRequest } from '../webhooks/attempts.ts';
import type { BurstLanes } from '../webhooks/burst-lane.ts';
import type { BurstInput, BurstReport, DeliveryCommand, DeliveryInput, LocalAttemptAnswer } from '../workflows/contracts.ts';

export interface WebhookActivityDeps {
  readonly orm: MikroORM;
  readonly attempts: Attempts;
  readonly lanes: BurstLanes;
}

/** A lane has its turn for so long, then the workflow shows how far it is: for the first time soon. */
const TURN_MS = 10_000;
const FIRST_TURN_MS = 1_000;
const HEARTBEAT_MS = 2_000;

/** What the workflows of deliveries and of lanes may ask for. */
export function createWebhookActivities({ orm, attempts, lanes }: WebhookActivityDeps) {
  return {
    /** The next attempt of a delivery within the workflow task that asks for it, where that holds up nobody. */
    attemptWithTask(request: DeliveryRequest): Promise<LocalAttemptAnswer> {
      return attempts.attemptLocally(request);
    },

    /** The next attempt of a delivery that waited in line. Its heartbeats tell that the process lives. */
    async attemptDelivery(request: DeliveryRequest): Promise<DeliveryCommand> {
      const context = Context.current();
      const timer = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
      try {
        return await attempts.queued(request);
      } finally {
        clearInterval(timer);
      }
    },

    /** Cancelled in Temporal: docs/contract/temporal.md 8. */
    async deliveryCancelled({ deliveryId }: DeliveryInput): Promise<void> {
      await orm.em.fork().transactional((tx) => failDelivery(tx, deliveryId));
    },

    /** The first attempts of an endpoint for which many wait. */
    async makeFirstAttempts({ endpointId, isFirst }: BurstInput & { readonly isFirst?: boolean }): Promise<BurstReport> {
      const context = Context.current();
      return lanes.run(endpointId, {
        milliseconds: isFirst ? FIRST_TURN_MS : TURN_MS,
        signal: context.cancellationSignal,
        progress: (soFar) => context.heartbeat(soFar),
      });
    },

    /** The same of a lane: what waits in it fails. */
    async burstCancelled({ endpointId }: BurstInput): Promise<void> {
      await orm.em.fork().transactional((tx) => failLane(tx, endpointId));
    },
  };
}

export type WebhookActivities = ReturnType<typeof createWebhookActivities>;
