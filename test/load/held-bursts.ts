import type { Client } from '@temporalio/client';
import { v7 as uuidv7 } from 'uuid';
import type { WebhookEndpointRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { emit } from '../../db/queries/webhooks/emit.ts';
import { heldInBurst } from '../../db/queries/webhooks/webhook-attempts.ts';
import { eventually } from '../support/eventually.ts';
import { startEverpost } from '../support/everpost.ts';
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts';
import { database } from '../support/project.ts';
import { reconcileNow } from '../support/reconcile-run.ts';
import { temporalClient } from '../support/temporal.ts';
import { newEndpoint, type TestEndpoint } from '../support/webhooks.ts';

export const BURST_AT = 20;

export interface Held {
  readonly endpoint: TestEndpoint;
  letGo(): void;
}

export interface HeldBursts {
  readonly receiver: HttpReceiver;
  readonly client: Client;
  readonly em: EntityManager;
  /** Beside the connections of `em`. */
  transactional<T>(work: (tx: EntityManager) => Promise<T>): Promise<T>;
  newEndpoint(fields?: Partial<WebhookEndpointRow>): Promise<TestEndpoint>;
  /** An endpoint that answers nothing until it is let go. */
  heldEndpoint(): Promise<Held>;
  /** One whose burst works: `waiting` first attempts wait in it. */
  heldBurst(waiting: number): Promise<Held>;
  /** Has passes of reconcile made until it is so. */
  afterPasses(isSo: () => Promise<boolean>): Promise<void>;
  stop(): Promise<void>;
}

/** Servers on which a burst begins early, and an endpoint has one call at once. */
export async function heldBursts(): Promise<HeldBursts> {
  const receiver = await startHttpReceiver();
  const everpost = await startEverpost({ env: { WEBHOOK_BURST_AT: String(BURST_AT), WEBHOOK_ENDPOINT_CONCURRENCY: '1' } });
  const client = await temporalClient(everpost.namespace);
  const em = await database(everpost.databaseUrl);

  async function heldEndpoint(): Promise<Held> {
    const { promise, resolve: letGo } = Promise.withResolvers<void>();
    const endpoint = await newEndpoint(receiver, { everpost });
    receiver.holdUp(endpoint.path, promise);
    return { endpoint, letGo };
  }

  return {
    ...{ receiver, client, em, heldEndpoint },
    transactional: async (work) => (await database(everpost.databaseUrl)).transactional(work),
    newEndpoint: (fields = {}) => newEndpoint(receiver, { everpost, fields }),

    async heldBurst(waiting) {
      const held = await heldEndpoint();
      await held.endpoint.happens(BURST_AT);
      await held.endpoint.happens(waiting);
      // It has begun attempts, and waits for a place to make them.
      await eventually(async () => (await heldInBurst(em.fork(), held.endpoint.id)).length > 0, { timeoutMs: 30_000 });
      return held;
    },

    async afterPasses(isSo) {
      await eventually(
        async () => {
          await reconcileNow(client);
          return isSo();
        },
        { timeoutMs: 30_000 },
      );
    },

    async stop() {
      await everpost.stop();
      await receiver.close();
    },
  };
}

/** Emits one event within the transaction. */
export async function emitOne(tx: EntityManager, { project }: TestEndpoint): Promise<void> {
  await emit(tx, project.id, { type: 'contact.subscribed', contact: { id: uuidv7(), status: 'subscribed' } as never });
}

/** Waits until the last so many deliveries of an endpoint are delivered. */
export async function lastAreDelivered(endpoint: TestEndpoint, count: number): Promise<void> {
  await eventually(async () => (await endpoint.deliveries()).slice(-count).every(({ status }) => status === 'delivered'), {
    timeoutMs: 60_000,
  });
}
