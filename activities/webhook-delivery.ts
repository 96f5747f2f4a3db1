import { Context } from '@temporalio/activity';
import type { MikroORM } from '../db/orm.ts';
import { failDelivery } from '../db/queries/webhooks/webhook-starts.ts';
import { failBurst } from '../usecases/webhooks/fail-burst.ts';
import type { Attempts, DeliveryRequest } from '../webhooks/attempts.ts';
import type { Bursts } from '../webhooks/burst.ts';
import type { BurstInput, BurstReport, DeliveryCommand, DeliveryInput, LocalAttemptAnswer } from '../workflows/contracts.ts';
import { withHeartbeats } from './heartbeats.ts';

export interface WebhookActivityDeps {
  readonly orm: MikroORM;
  readonly attempts: Attempts;
  readonly bursts: Bursts;
}

/** A burst has its turn for so long, then the workflow shows how far it is: for the first time soon. */
const TURN_MS = 10_000;
const FIRST_TURN_MS = 1_000;

/** What the workflows of deliveries and of bursts may ask for. */
export function createWebhookActivities({ orm, attempts, bursts }: WebhookActivityDeps) {
  return {
    /** The next attempt of a delivery within the workflow task that asks for it, where that holds up nobody. */
    attemptWithTask(request: DeliveryRequest): Promise<LocalAttemptAnswer> {
      return attempts.attemptLocally(request);
    },

    /** The next attempt of a delivery that waited in line. */
    attemptDelivery: (request: DeliveryRequest): Promise<DeliveryCommand> => withHeartbeats(() => attempts.queued(request)),

    /** Cancelled in Temporal: docs/contract/temporal.md 8. */
    async deliveryCancelled({ deliveryId }: DeliveryInput): Promise<void> {
      await orm.em.fork().transactional((tx) => failDelivery(tx, deliveryId));
    },

    /** The first attempts of an endpoint for which many wait. */
    async makeFirstAttempts({ endpointId, isFirst }: BurstInput & { readonly isFirst?: boolean }): Promise<BurstReport> {
      const context = Context.current();
      return bursts.run(endpointId, {
        milliseconds: isFirst ? FIRST_TURN_MS : TURN_MS,
        signal: context.cancellationSignal,
        progress: (soFar) => context.heartbeat(soFar),
      });
    },

    /** The same of a burst: what waits in it fails. */
    async burstCancelled({ endpointId }: BurstInput): Promise<void> {
      await orm.em.fork().transactional((tx) => failBurst(tx, endpointId));
    },
  };
}

export type WebhookActivities = ReturnType<typeof createWebhookActivities>;
