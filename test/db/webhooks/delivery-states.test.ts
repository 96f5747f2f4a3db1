import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import { WebhookAttempt, WebhookDelivery, type WebhookDeliveryRow, WebhookEndpoint, WebhookEvent } from '../../../db/entities/index.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { type EndedAttempt, endAttempts } from '../../../db/queries/webhooks/attempt-ends.ts';
import { retryDeliveryNow } from '../../../db/queries/webhooks/webhook-deliveries.ts';
import { insertRetry, retryFailed } from '../../../db/queries/webhooks/webhook-retries.ts';
import { failDelivery, failInBurst, leaveToBursts } from '../../../db/queries/webhooks/webhook-starts.ts';
import { rows } from '../../../db/rows.ts';
import { type AttemptRecord, CUT_OFF, type DeliveryStatus } from '../../../domain/webhooks/delivery.ts';
import {
  AFTER_ATTEMPT,
  AFTER_OTHERS,
  type AttemptEnd,
  DELIVERY_STATES,
  type DeliveryState,
  type OtherEvent,
  type Transition,
} from '../../../domain/webhooks/delivery-states.ts';
import { retryDelivery } from '../../../usecases/webhooks/retry-delivery.ts';
import { burstWorkflowId, CHANGED_SIGNAL, deliveryWorkflowId } from '../../../workflows/contracts.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { bareProject, ownDatabase } from '../../support/own-database.ts';

let em: EntityManager;
let project: { id: string };
beforeAll(async () => {
  em = (await ownDatabase()).em.fork();
  project = await bareProject(em);
});

const NOW_MS = Date.now();
const minutes = (count: number): Date => new Date(NOW_MS + count * 60_000);
/** Of the attempts one after the other: the third is the one that ends here. */
const BEGUN_AT = [minutes(-50), minutes(-40), minutes(-30), minutes(-20)] as const;
const CUT_OFF_ENTRY = { status: null, error: CUT_OFF.error ?? null, milliseconds: null };
const DUE_AT = minutes(-10);
const PLANNED_AT = minutes(60);

interface Standing {
  readonly state: DeliveryState;
  /** The third attempt is in flight; or it was counted as cut off, and a fourth was refused. */
  readonly third?: 'in flight' | 'cut off' | undefined;
  readonly nextAt?: Date;
}

interface Case {
  readonly delivery: WebhookDeliveryRow;
  readonly token: string;
}

/** A delivery that was refused twice, and where it stands. */
async function standing({ state, third, nextAt = DUE_AT }: Standing): Promise<Case> {
  const [id, endpointId, eventId, token] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()];
  await em.insert(WebhookEndpoint, { id: endpointId, project_id: project.id, url: 'https://x.example/', sealed_secret: Buffer.of(1) });
  await em.insert(WebhookEvent, { id: eventId, project_id: project.id, type: 'email.sent', data: {} });
  const refusals = BEGUN_AT.map(
    (at, index): AttemptRecord => ({
      ...{ series: 1, number: index + 1, at: at.toISOString() },
      ...{ status: 503, error: null, milliseconds: 3 },
    }),
  );
  const log = refusals.slice(0, 2);
  if (third === 'cut off') log.push({ ...refusals[2]!, ...CUT_OFF_ENTRY }, refusals[3]!);
  await em.insert(WebhookDelivery, {
    id,
    project_id: project.id,
    endpoint_id: endpointId,
    event_id: eventId,
    status: statusOf(state),
    in_lane: state === 'burst',
    attempts: log.length,
    response_status: 418,
    next_attempt_at: nextAt,
    attempt_log: log,
  });
  if (third === 'in flight') await em.insert(WebhookAttempt, { delivery_id: id, token, begun_at: BEGUN_AT[2] });
  return { delivery: await deliveryOf(id), token };
}

function statusOf(state: DeliveryState): DeliveryStatus {
  return state === 'burst' || state === 'workflow' ? 'pending' : state;
}

async function deliveryOf(id: string): Promise<WebhookDeliveryRow> {
  return em.fork().findOneOrFail(WebhookDelivery, { id });
}

const STATUS = { taken: 204, refused: 500, 'given up': 410 } as const;

function attemptOf({ delivery, token }: Case, end: keyof typeof STATUS): EndedAttempt {
  const settled = ({ taken: 'delivered', refused: null, 'given up': 'failed' } as const)[end];
  const nextAt = settled ? null : PLANNED_AT;
  return { id: delivery.id, token, begunAt: BEGUN_AT[2], answer: { status: STATUS[end] }, milliseconds: 7, settled, nextAt };
}

/** All else that an event of a delivery could change: what an endpoint is told and does, and what is on its way to Temporal. */
async function surroundings({ delivery }: Case) {
  const { id, endpoint_id, event_id } = delivery;
  return {
    endpoint: await em.fork().findOneOrFail(WebhookEndpoint, { id: endpoint_id }),
    deliveries: await em.fork().count(WebhookDelivery, { endpoint_id }),
    eventsSince: await em.fork().count(WebhookEvent, { project_id: project.id, id: { $gt: event_id } }),
    inFlight: await em.fork().count(WebhookAttempt, { delivery_id: id }),
    messages: await rows(
      em,
      sql<{ workflow_id: string; message: object; isPlanned: boolean }>`
        select workflow_id, message, due_at >= ${PLANNED_AT} as "isPlanned" from outbox
        where workflow_id in (${deliveryWorkflowId(id)}, ${burstWorkflowId(endpoint_id)})`,
    ),
  };
}

/** The delivery as the transition says it is; `attempt`: the one that has ended, if one has. */
function expectedAfter({ delivery }: Case, { to, attempts, response, next }: Transition, attempt?: EndedAttempt): object {
  const { series, attempts: counted, attempt_log: log } = delivery;
  const outcome = attempt && { status: attempt.answer.status, error: null, milliseconds: 7 };
  const latestAt = new Date(Math.max(Date.parse(log.at(-1)!.at), attempt?.begunAt.getTime() ?? 0));
  return {
    ...delivery,
    status: statusOf(to),
    in_lane: to === 'burst',
    ...(attempts === 'one more' && {
      attempts: counted + 1,
      attempt_log: [...log, { series, number: counted + 1, at: BEGUN_AT[2].toISOString(), ...outcome }],
    }),
    ...(attempts === 'corrected' && { attempt_log: log.map((entry) => (entry.number === 3 ? { ...entry, ...outcome } : entry)) }),
    ...(attempts === 'another series' && { series: series + 1, attempts: 0 }),
    // Of a retry of all that failed, which alone leaves what it begins again to the burst.
    ...(attempts === 'another series' && to === 'burst' && { retried_by: expect.any(String) }),
    ...(response && { response_status: response === 'none' ? null : attempt?.answer.status }),
    ...(next && { next_attempt_at: { planned: PLANNED_AT, now: expect.any(Date), 'latest attempt': latestAt }[next] }),
  };
}

const MESSAGES: Record<NonNullable<Transition['follows']>, (delivery: WebhookDeliveryRow) => object> = {
  'starts workflow': ({ id }) => ({ workflow_id: deliveryWorkflowId(id), message: { kind: 'start', workflowType: 'webhookDelivery' } }),
  'wakes workflow': ({ id }) => ({ workflow_id: deliveryWorkflowId(id), message: { kind: 'signal', signal: CHANGED_SIGNAL } }),
  'starts burst': ({ endpoint_id }) => ({
    workflow_id: burstWorkflowId(endpoint_id),
    message: { kind: 'start', workflowType: 'webhookBurst' },
  }),
};

/** Does it, and checks that the delivery is as the transition says, and nothing else has changed. Undefined: nothing at all has. */
async function expectTransition(
  found: Case,
  transition: Transition | undefined,
  event: () => Promise<unknown>,
  attempt?: EndedAttempt,
): Promise<void> {
  const before = await surroundings(found);
  await event();
  const after = await deliveryOf(found.delivery.id);
  expect(after).toEqual(transition ? expectedAfter(found, transition, attempt) : found.delivery);
  if (transition?.next === 'now') expect(DUE_AT < after.next_attempt_at && after.next_attempt_at < PLANNED_AT).toBe(true);
  const follows = transition?.follows;
  const isPlanned = transition?.next === 'planned';
  const messages = follows ? [{ ...MESSAGES[follows](found.delivery), isPlanned }] : [];
  expect(await surroundings(found)).toEqual({ ...before, inFlight: 0, messages });
}

const ENDS: readonly [end: AttemptEnd, reported: keyof typeof STATUS, third: Standing['third']][] = [
  ['taken', 'taken', 'in flight'],
  ['refused', 'refused', 'in flight'],
  ['given up', 'given up', 'in flight'],
  ['taken late', 'taken', 'cut off'],
];

test.each(DELIVERY_STATES.flatMap((state) => ENDS.map(([end, ...how]) => [state, end, ...how] as const)))(
  'a delivery in the state %s becomes what the table says when an attempt of it is %s, and nothing else changes',
  async (state, end, reported, third) => {
    const found = await standing({ state, third });
    const attempt = attemptOf(found, reported);
    await expectTransition(found, AFTER_ATTEMPT[end][state], () => endAttempts(em.fork(), [attempt]), attempt);
  },
);

test.each(DELIVERY_STATES.flatMap((state) => (['refused', 'given up'] as const).map((reported) => [state, reported] as const)))(
  'a delivery in the state %s stays as it is when an attempt that counts as cut off is %s',
  async (state, reported) => {
    const found = await standing({ state, third: 'cut off' });
    await expectTransition(found, undefined, () => endAttempts(em.fork(), [attemptOf(found, reported)]));
  },
);

const OTHERS: Record<OtherEvent, (delivery: WebhookDeliveryRow) => Promise<unknown>> = {
  'begun again': ({ id, endpoint_id: endpointId }) =>
    em.fork().transactional((tx) => retryDelivery(tx, { projectId: project.id, endpointId, id }).catch(() => undefined)),
  'begun again with all': async ({ endpoint_id }) => {
    const asked = { id: uuidv7(), project_id: project.id, endpoint_id, event_type: null, made_from: null, made_to: null };
    await em.fork().transactional(async (tx) => retryFailed(tx, (await insertRetry(tx, asked))!, 1));
  },
  'retried now': ({ id, endpoint_id }) => retryDeliveryNow(em.fork(), { id: endpoint_id, enabled: true }, id),
  'left to burst': ({ id }) => leaveToBursts(em.fork(), [id]),
  'workflow closed': async ({ id }) => [await failDelivery(em.fork(), id), await failInBurst(em.fork(), id)],
};

test.each(DELIVERY_STATES.flatMap((state) => Object.keys(OTHERS).map((event) => [state, event as OtherEvent] as const)))(
  'a delivery in the state %s becomes what the table says by the event: %s',
  async (state, event) => {
    const found = await standing({ state, nextAt: event === 'retried now' ? PLANNED_AT : DUE_AT });
    await expectTransition(found, AFTER_OTHERS[event][state], () => OTHERS[event](found.delivery));
  },
);

test('an attempt whose delivery is failed while its end is written meets the failed one', async () => {
  const found = await standing({ state: 'burst', third: 'in flight' });
  const attempt = attemptOf(found, 'refused');
  const before = await surroundings(found);
  const { ending } = await em.fork().transactional(async (tx) => {
    await failInBurst(tx, found.delivery.id);
    const written = endAttempts(em.fork(), [attempt]);
    await untilBlocked(tx);
    return { ending: written };
  });
  await ending;
  expect(await deliveryOf(found.delivery.id)).toEqual(expectedAfter(found, AFTER_ATTEMPT.refused.failed, attempt));
  expect(await surroundings(found)).toEqual({ ...before, inFlight: 0 });
});
