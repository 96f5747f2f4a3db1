import { isDatabaseUnavailable } from '../db/errors.ts';
import type { EntityManager } from '../db/orm.ts';
import { type EndedAttempt, endAttempts } from '../db/queries/webhooks/attempt-ends.ts';
import {
  type AttemptToBegin,
  beginAttempts,
  type FoundDelivery,
  withdrawAttempts,
  withdrawTurn,
} from '../db/queries/webhooks/webhook-attempts.ts';
import { isEndpointEnabled } from '../db/queries/webhooks/webhook-endpoints.ts';
import { createLru } from '../domain/lru.ts';
import { capitalized, shownInstant } from '../domain/shown-text.ts';
import { storable } from '../domain/storable-text.ts';
import {
  ATTEMPT_SECONDS,
  type AttemptAnswer,
  afterAttempt,
  busyPauseMs,
  CUT_OFF,
  eventBody,
  isTaken,
  MOST_ATTEMPTS,
} from '../domain/webhooks/delivery.ts';
import { inBatches } from '../platform/batches.ts';
import type { SafeHttp } from '../platform/http/safe-http.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import { createUntilWritten, recordingTogether } from '../platform/recording.ts';
import { createSlots, type Release } from '../platform/slots.ts';
import type { DeliveryCommand, DeliveryInput, LocalAttemptAnswer } from '../workflows/contracts.ts';
import type { EndpointKeys } from './endpoint-keys.ts';
import { createEndpointOutages } from './endpoint-outages.ts';
import type { Asking, FairSlots } from './fair-slots.ts';
import { callSigned, outcomeOf } from './signed-post.ts';

export interface AttemptsDeps {
  readonly em: EntityManager;
  readonly http: SafeHttp;
  readonly keys: EndpointKeys;
  readonly slots: FairSlots;
  /** The first pause; each further one is twice as long. */
  readonly retryBaseSeconds: number;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'webhookAttempted'>;
  readonly now: () => Date;
  readonly newId: () => string;
}

export interface DeliveryRequest extends DeliveryInput {
  /** The next attempt is made though its time has not come. */
  readonly isHurried: boolean;
  /** How often in a row the endpoint had no slot for it. */
  readonly busy: number;
}

/** The one way an attempt of a delivery is made: in a local activity, from the queue, or by its endpoint's burst. */
export interface Attempts {
  /** Within the workflow task that asks for it, if a slot is free at once and the endpoint answers quickly; else it has to queue. */
  attemptLocally(request: DeliveryRequest): Promise<LocalAttemptAnswer>;
  /** Waits a while for a slot. */
  queued(request: DeliveryRequest): Promise<DeliveryCommand>;
  /** Makes an attempt that has begun, on a slot that it gives back, and records how it ended. Says whether the endpoint took it. */
  carryOut(begun: FoundDelivery, release: Release): Promise<boolean>;
  /** Counts an attempt whose process has ended, or lost sight of it. The next one may be made at once. */
  cutOff(held: Pick<EndedAttempt, 'id' | 'token' | 'begunAt'> & { readonly number: number }): Promise<void>;
  /** Of what a turn of a burst has begun, all but the calls that it makes now has not happened. Tries until that is written. */
  takeBackTurn(tokens: readonly string[], calling: readonly FoundDelivery[]): Promise<void>;
}

/** Of one statement. */
const MOST = 200;
/** Attempts within workflow tasks: as few as keep a hanging endpoint from holding up the tasks of others. */
const LOCAL_ATTEMPTS = 10;
/** Of these, those to endpoints that have not been seen to be quick. */
const LOCAL_ATTEMPTS_UNPROVEN = 3;
const QUICK_MS = 500;
/** Endpoints whose latest answer is remembered. */
const REMEMBERED = 10_000;
/** In the queue, before it makes room for others. */
const SLOT_PATIENCE_MS = 5_000;

interface Called {
  readonly answer: AttemptAnswer;
  readonly milliseconds: number;
}

export function createAttempts({ em, http, keys, slots, retryBaseSeconds, log, metrics, now, newId }: AttemptsDeps): Attempts {
  const limits = { most: MOST, atOnce: 1, mayBeOnesAlone: (error: unknown) => !isDatabaseUnavailable(error) };
  const begin = inBatches<AttemptToBegin, FoundDelivery | undefined>((batch) => beginAttempts(em, batch, now()), limits);
  const untilWritten = createUntilWritten(log, 'webhooks');
  const record = recordingTogether<EndedAttempt>((batch) => endAttempts(em, batch), untilWritten, 1);
  const takeBack = recordingTogether<Pick<AttemptToBegin, 'id' | 'token'>>((batch) => withdrawAttempts(em, batch), untilWritten, 1);
  const noteOutage = createEndpointOutages(log, now);
  const latestMs = createLru<string, number>(REMEMBERED);
  const localSlots = createSlots(LOCAL_ATTEMPTS);
  const localSlotsUnproven = createSlots(LOCAL_ATTEMPTS_UNPROVEN, localSlots);

  const call = async ({ url, event_id, event_type, event_data, event_at, ...found }: FoundDelivery): Promise<Called> => {
    const body = JSON.stringify(eventBody({ id: event_id, type: event_type, at: event_at, data: event_data }));
    const at = now();
    const signed = { url, keys: keys(found, at), id: found.id, body, now: at, timeoutSeconds: ATTEMPT_SECONDS, keepFor: found.project_id };
    const answer = await callSigned(http, signed);
    const { milliseconds } = answer;
    metrics.webhookAttempted(outcomeOf(answer), milliseconds / 1000);
    const ended: AttemptAnswer = answer.ok
      ? { status: answer.status, retryAfterSeconds: answer.retryAfterSeconds }
      : { status: null, error: storable(`${answer.refused}: ${answer.message}`) };
    const { endpoint_id: endpointId, project_id: projectId } = found;
    noteOutage({ endpointId, projectId, url, answered: answer.ok ? answer.status : answer.refused, isTaken: isTaken(ended) });
    return { answer: ended, milliseconds };
  };

  const end = async (
    attempt: Pick<EndedAttempt, 'id' | 'token' | 'begunAt' | 'answer' | 'milliseconds'>,
    number: number,
    isCutOff = false,
  ): Promise<DeliveryCommand> => {
    const at = now();
    const after = afterAttempt(number, attempt.answer, { now: at, retryBaseSeconds });
    const nextAt = after.settled ? null : isCutOff ? at : after.nextAt;
    await record({ ...attempt, settled: after.settled, nextAt });
    const said = `attempt ${number} of ${MOST_ATTEMPTS}: ${answerText(attempt.answer)}`;
    if (nextAt === null)
      return { do: 'end', status: after.settled as string, details: `${capitalized(after.settled as string)}. ${capitalized(said)}` };
    return retrying(nextAt, number + 1, said);
  };

  const carryOut = async (found: FoundDelivery, release: Release): Promise<DeliveryCommand> => {
    // Whatever goes wrong here is known before the endpoint was called, and would go wrong again.
    const { answer, milliseconds } = await call(found).catch((error: unknown): Called => {
      log.error('webhooks.attempt_failed', { deliveryId: found.id, error });
      return {
        answer: { status: null, error: 'the request could not be signed: the secret of the endpoint cannot be opened' },
        milliseconds: 0,
      };
    });
    release();
    latestMs.set(found.endpoint_id, milliseconds);
    return end({ id: found.id, token: found.token, begunAt: found.asked_at, answer, milliseconds }, found.attempts + 1);
  };

  const attempt = async (request: DeliveryRequest, release: Release): Promise<DeliveryCommand> => {
    const { deliveryId, isHurried } = request;
    try {
      const token = newId();
      const [found] = await begin([{ id: deliveryId, token, isHurried }]).catch(async (error: unknown) => {
        // It may have begun, and only its answer was lost: no call is made, so none is counted.
        await takeBack({ id: deliveryId, token });
        throw error;
      });
      if (!found) return { do: 'end', status: 'dropped', details: 'Dropped: its endpoint was deleted' };
      if (found.is_begun) return await carryOut(found, release);
      if (found.status !== 'pending') return { do: 'end', status: found.status, details: capitalized(found.status) };
      // Perhaps it is being enabled just now, and its waiting deliveries are signalled already.
      if (!found.enabled) return (await isEndpointEnabled(em, found.endpoint_id)) ? await attempt(request, release) : HELD;
      if (found.held_token === null || found.held_since === null) return retrying(found.next_attempt_at, found.attempts + 1, undefined);
      const held = { id: deliveryId, token: found.held_token, begunAt: found.held_since };
      return await end({ ...held, answer: CUT_OFF, milliseconds: null }, found.attempts + 1, true);
    } finally {
      release();
    }
  };

  const takeLocalSlot = ({ endpointId }: DeliveryRequest): Release | undefined => {
    const latest = latestMs.get(endpointId);
    if (latest === undefined) return localSlotsUnproven.tryTake();
    return latest < QUICK_MS ? localSlots.tryTake() : undefined;
  };

  return {
    async attemptLocally(request) {
      const releaseLocal = takeLocalSlot(request);
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
      const notMade = asking.isRetry ? `attempt ${request.number} not made yet` : 'no call made yet';
      const text = `waits for a place until ${shownInstant(until)}: the endpoint has as many calls at once as it may have; ${notMade}`;
      return {
        do: 'wait',
        state: 'waiting',
        until,
        summary: text,
        details: capitalized(text),
        isBusy: true,
      };
    },

    async carryOut(begun, release) {
      const command = await carryOut(begun, release);
      return command.do === 'end' && command.status === 'delivered';
    },

    async cutOff({ number, ...held }) {
      await end({ ...held, answer: CUT_OFF, milliseconds: null }, number, true);
    },

    takeBackTurn(tokens, calling) {
      const made = calling.map(({ id, token }) => ({ id, token }));
      return untilWritten(() => withdrawTurn(em, tokens, made));
    },
  };
}

function askingOf({ endpointId, projectId, number = 1 }: DeliveryRequest): Asking & { readonly isRetry: boolean } {
  return { endpointId, projectId, isRetry: number > 1 };
}

const HELD: DeliveryCommand = {
  do: 'wait',
  state: 'held',
  until: null,
  summary: 'held: the endpoint is disabled',
  details: 'Held: the endpoint is disabled. It goes on when it is enabled',
};

function retrying(at: Date, next: number, said: string | undefined): DeliveryCommand {
  const plan = `attempt ${next} of ${MOST_ATTEMPTS} at ${shownInstant(at)}`;
  const summary = said === undefined ? plan : `${said}; next ${shownInstant(at)}`;
  return {
    do: 'wait',
    state: 'retrying',
    until: at.getTime(),
    next,
    summary,
    details: `Waits for ${plan}${said === undefined ? '' : `. ${capitalized(said)}`}`,
  };
}

function answerText(answer: AttemptAnswer): string {
  return answer.status === null ? answer.error : `answered ${answer.status}`;
}
