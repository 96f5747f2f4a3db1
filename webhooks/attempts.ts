import type { FoundDelivery } from '../db/queries/webhooks/webhook-attempts.ts';
import { isEndpointEnabled } from '../db/queries/webhooks/webhook-endpoints.ts';
import { busyPauseMs } from '../domain/webhooks/delivery.ts';
import type { Release } from '../platform/slots.ts';
import type { DeliveryCommand, DeliveryInput, LocalAttemptAnswer } from '../workflows/contracts.ts';
import { type AttemptRecords, type AttemptRecordsDeps, createAttemptRecords } from './attempt-records.ts';
import { DROPPED, HELD, retrying, settledBefore, waitingForPlace } from './delivery-commands.ts';
import { createEndpointCalls, type EndpointCallsDeps } from './endpoint-calls.ts';
import type { Asking, FairSlots } from './fair-slots.ts';
import { createLocalSlots } from './local-slots.ts';

export interface AttemptsDeps extends AttemptRecordsDeps, EndpointCallsDeps {
  readonly slots: FairSlots;
  readonly newId: () => string;
}

export interface DeliveryRequest extends DeliveryInput {
  /** The next attempt is made though its time has not come. */
  readonly isHurried: boolean;
  /** How often in a row the endpoint had no slot for it. */
  readonly busy: number;
}

/** The one way an attempt of a delivery is made: in a local activity, from the queue, or by its endpoint's burst. */
export interface Attempts extends Pick<AttemptRecords, 'cutOff' | 'takeBackTurn'> {
  /** Within the workflow task that asks for it, if a slot is free at once and the endpoint answers quickly; else it has to queue. */
  attemptLocally(request: DeliveryRequest): Promise<LocalAttemptAnswer>;
  /** Waits a while for a slot. */
  queued(request: DeliveryRequest): Promise<DeliveryCommand>;
  /** Makes an attempt that has begun, on a slot that it gives back, and records how it ended. Says whether the endpoint took it. */
  carryOut(begun: FoundDelivery, release: Release): Promise<boolean>;
}

/** In the queue, before it makes room for others. */
const SLOT_PATIENCE_MS = 5_000;

export function createAttempts(deps: AttemptsDeps): Attempts {
  const { em, slots, now, newId } = deps;
  const records = createAttemptRecords(deps);
  const call = createEndpointCalls(deps);
  const localSlots = createLocalSlots();

  const carryOut = async (found: FoundDelivery, release: Release): Promise<DeliveryCommand> => {
    const called = await call(found);
    release();
    localSlots.noteTime(found.endpoint_id, called.milliseconds);
    return records.end(
      { id: found.id, endpointId: found.endpoint_id, token: found.token, begunAt: found.asked_at, number: found.attempts + 1 },
      called,
    );
  };

  const attempt = async (request: DeliveryRequest, release: Release): Promise<DeliveryCommand> => {
    const { deliveryId: id, isHurried } = request;
    try {
      const found = await records.begin({ id, token: newId(), isHurried });
      if (!found) return DROPPED;
      if (found.is_begun) return await carryOut(found, release);
      if (found.status !== 'pending') return settledBefore(found.status);
      // Perhaps it is being enabled just now, and its waiting deliveries are signalled already.
      if (!found.enabled) return (await isEndpointEnabled(em, found.endpoint_id)) ? await attempt(request, release) : HELD;
      const number = found.attempts + 1;
      if (found.held_token === null || found.held_since === null) return retrying(found.next_attempt_at, number);
      return await records.cutOff({ id, endpointId: found.endpoint_id, token: found.held_token, begunAt: found.held_since, number });
    } finally {
      release();
    }
  };

  return {
    async attemptLocally(request) {
      const releaseLocal = localSlots.tryTake(request.endpointId);
      try {
        const slot = releaseLocal && slots.tryTake(askingOf(request));
        return slot ? await attempt(request, slot) : { do: 'queue', details: 'No attempt was made: it is queued' };
      } finally {
        releaseLocal?.();
      }
    },

    async queued(request) {
      const asking = askingOf(request);
      const slot = await slots.take(asking, AbortSignal.timeout(SLOT_PATIENCE_MS));
      if (slot) return attempt(request, slot);
      const until = now().getTime() + busyPauseMs({ busy: request.busy, isRetry: asking.isRetry }, Math.random());
      return waitingForPlace(until, asking.isRetry ? request.number : undefined);
    },

    async carryOut(begun, release) {
      const command = await carryOut(begun, release);
      return command.do === 'end' && command.status === 'delivered';
    },

    cutOff: records.cutOff,
    takeBackTurn: records.takeBackTurn,
  };
}

function askingOf({ endpointId, projectId, number = 1 }: DeliveryRequest): Asking & { readonly isRetry: boolean } {
  return { endpointId, projectId, isRetry: number > 1 };
}
