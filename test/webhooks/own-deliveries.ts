import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll } from 'vitest';
import { WebhookAttempt, WebhookDelivery, type WebhookDeliveryRow, WebhookEndpoint, WebhookEvent } from '../../db/entities/index.ts';
import type { EntityManager, MikroORM } from '../../db/orm.ts';
import { createVault } from '../../domain/projects/crypto.ts';
import { sealedOf } from '../../domain/projects/sealed.ts';
import type { SafeAnswer, SafeRequest } from '../../platform/http/safe-http.ts';
import { createLogger, type Logger } from '../../platform/logger.ts';
import { createMetrics } from '../../platform/metrics/metrics.ts';
import { type Attempts, createAttempts, type DeliveryRequest } from '../../webhooks/attempts.ts';
import { type Bursts, createBursts } from '../../webhooks/burst.ts';
import { createEndpointKeys } from '../../webhooks/endpoint-keys.ts';
import { FairSlots } from '../../webhooks/fair-slots.ts';
import { untilBlocked } from '../support/blocked.ts';
import { eventually } from '../support/eventually.ts';
import { bareProject, ownDatabase, throughDoor } from '../support/own-database.ts';

export const TAKEN = { ok: true, status: 200, retryAfterSeconds: undefined, milliseconds: 1 } as const satisfies SafeAnswer;

export interface AttemptsOptions {
  readonly log?: Logger;
  readonly slots?: FairSlots;
  /** The connections that they work by. */
  readonly by?: EntityManager;
  readonly now?: () => Date;
}

type Named = Pick<DeliveryRequest, 'deliveryId'>;

/** Deliveries of a project in a database of its own, which is made before the tests. Call it once for the file. */
export function ownDeliveries() {
  const vault = createVault(randomBytes(32));
  let orm: MikroORM;
  let projectId: string;

  beforeAll(async () => {
    orm = await ownDatabase();
    projectId = (await bareProject(orm.em.fork())).id;
  });

  const fork = (): EntityManager => orm.em.fork();

  return {
    fork,

    /** The same database through a door that can be shut. */
    behindDoor: () => throughDoor(orm),

    /** An endpoint with a delivery, and what an attempt of it is asked with. */
    newDelivery: (sealed?: Uint8Array, endpointId = uuidv7()): Promise<DeliveryRequest> =>
      insertDelivery(fork(), projectId, {
        endpointId,
        sealed: sealed ?? vault.seal(Buffer.from('a secret of some length'), sealedOf.endpointSecret(endpointId)),
      }),

    deliveryOf: ({ deliveryId }: Named): Promise<WebhookDeliveryRow> => fork().findOneOrFail(WebhookDelivery, { id: deliveryId }),

    /** `answer`: what each call comes to. */
    attemptsWith(
      answer: (request: SafeRequest) => Promise<SafeAnswer>,
      { log = createLogger('silent', {}), slots = slotsFor(50), by = fork(), now = () => new Date() }: AttemptsOptions = {},
    ): Attempts {
      return createAttempts({
        em: by,
        http: { request: answer, close: async () => {} },
        keys: createEndpointKeys(vault),
        slots,
        retryBaseSeconds: 120,
        log,
        metrics: createMetrics(),
        now,
        newId: () => uuidv7(),
      });
    },

    burstsWith: (attempts: Attempts, slots: FairSlots, by = fork()): Bursts =>
      createBursts({ em: by, attempts, slots, now: () => new Date(), newId: () => uuidv7() }),

    /** Does something whose statement for this delivery is cut off from it, and carried out all the same. */
    withLostAnswer: <T>(delivery: Named, work: (by: EntityManager) => Promise<T>): Promise<T> => losingAnswer(orm, delivery, work),
  };
}

interface NewDelivery {
  readonly endpointId: string;
  /** The secret of the endpoint, when that is a new one. */
  readonly sealed: Uint8Array;
}

async function insertDelivery(em: EntityManager, projectId: string, { endpointId, sealed }: NewDelivery): Promise<DeliveryRequest> {
  const [eventId, deliveryId] = [uuidv7(), uuidv7()];
  if (!(await em.findOne(WebhookEndpoint, { id: endpointId })))
    await em.insert(WebhookEndpoint, {
      id: endpointId,
      project_id: projectId,
      url: 'https://a.example/',
      sealed_secret: sealed as never,
    });
  await em.insert(WebhookEvent, { id: eventId, project_id: projectId, type: 'email.sent', data: {} });
  await em.insert(WebhookDelivery, { id: deliveryId, project_id: projectId, endpoint_id: endpointId, event_id: eventId });
  return { deliveryId, endpointId, projectId, isHurried: false, busy: 0 };
}

async function losingAnswer<T>(orm: MikroORM, { deliveryId }: Named, work: (by: EntityManager) => Promise<T>): Promise<T> {
  const { door, em: by } = await throughDoor(orm);
  const answer = await orm.em.fork().transactional(async (tx) => {
    // Who begins an attempt of it waits until this one is withdrawn.
    await tx.insert(WebhookAttempt, { delivery_id: deliveryId, token: uuidv7(), begun_at: new Date() });
    const asked = work(by);
    asked.catch(() => {});
    await untilBlocked(tx);
    await door.down();
    await tx.nativeDelete(WebhookAttempt, { delivery_id: deliveryId });
    return { asked };
  });
  await eventually(() => orm.em.fork().findOne(WebhookAttempt, { delivery_id: deliveryId }));
  await door.up();
  return answer.asked;
}

/** Of all endpoints more than any test needs, of each so many. */
export function slotsFor(perEndpoint: number): FairSlots {
  return new FairSlots({ total: 400, perEndpoint, mostWaiting: 200 });
}

/** What is there of a burst's run. */
export function burstOptions() {
  return { milliseconds: 60_000, signal: new AbortController().signal, progress: () => {} };
}
