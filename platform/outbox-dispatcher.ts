import type { MikroORM } from '../db/orm.ts';
import { onOutboxCommit } from '../db/outbox-signal.ts';
import { hasPendingStart } from '../db/queries/operations/outbox.ts';
import {
  awaitStart,
  countWaiting,
  deleteMessages,
  isBulk,
  type LeasedMessage,
  leaseMessages,
  retryMessages,
} from '../db/queries/operations/outbox-leases.ts';
import { leaveToBursts } from '../db/queries/webhooks/webhook-starts.ts';
import { MOST_ATTEMPTS_EXPECTED } from '../domain/operations/stuck.ts';
import { createLaterAttempts } from '../domain/webhooks/later-attempts.ts';
import { type DeliveryInput, deliveryWorkflowId } from '../workflows/contracts.ts';
import { inParallel } from './in-parallel.ts';
import type { Logger } from './logger.ts';
import type { Dispatched, DispatchedMessage } from './temporal/driver.ts';
import { createOutageLog, reasonOf } from './temporal/outage-log.ts';
import { loadStarts, type WorkflowStart } from './temporal/workflow-starts.ts';

export interface OutboxDispatcher {
  /** Finishes what it has in flight. */
  stop(): Promise<void>;
}

export interface OutboxDispatcherDeps {
  readonly orm: MikroORM;
  readonly deliver: (workflowId: string, message: DispatchedMessage) => Promise<Dispatched>;
  readonly log: Logger;
}

/** Few of a bulk call at a time: whatever else becomes due meanwhile waits for no more than these. */
const LIMITS = { single: 200, bulk: 25 } as const;
const AT_ONCE = 20;
/** What a crashed process had in flight is taken over after this. A batch that takes longer is delivered twice, which does no harm. */
const LEASE_SECONDS = 10;
/** How soon a message left over by a crash is noticed. */
const POLL_MS = 1_000;
const RETRY_SECONDS = 2;

/**
 * Brings outbox messages to Temporal, each workflow's in their order, until the server has them: at once what this process commits, within
 * a second what others left. Any number of processes may run one.
 */
export function startOutboxDispatcher({ orm, deliver, log }: OutboxDispatcherDeps): OutboxDispatcher {
  let stopping = false;
  let awake = false;
  let rouse: (() => void) | undefined;
  const outage = createOutageLog(log, () => countWaiting(orm.em.fork()));

  const laterAttempts = createLaterAttempts(() => performance.now());
  /** Those of the starts that are deliveries tried before, one of many of their endpoint. */
  const oneOfMany = (starts: ReadonlyMap<string, WorkflowStart>): string[] => {
    const tried = [...starts.values()]
      .filter(({ workflowType }) => workflowType === 'webhookDelivery')
      .map(({ input }) => input as DeliveryInput);
    return tried
      .filter((input) => (input.number ?? 1) > 1 && laterAttempts.isOneOfMany(input.endpointId))
      .map(({ deliveryId }) => deliveryId);
  };

  const dispatch = async ({ workflowId, message }: LeasedMessage, starts: ReadonlyMap<string, WorkflowStart>): Promise<boolean> => {
    if (message.kind === 'start') {
      const start = starts.get(workflowId);
      // A run that is gone with its sequence needs no workflow, nor does a delivery that its endpoint's burst makes.
      if (start) await deliver(workflowId, { kind: 'start', start });
      return true;
    }
    const delivered = await deliver(workflowId, message);
    if (delivered === 'done') return true;
    // Not started yet: the start is on its way. Started and closed: there is nobody left to tell.
    return !(await hasPendingStart(orm.em.fork(), workflowId));
  };

  /** The starts among the messages, by workflow id. */
  const startsOf = async (leased: readonly LeasedMessage[]): Promise<ReadonlyMap<string, WorkflowStart>> => {
    const em = orm.em.fork();
    const starts = new Map<string, WorkflowStart>();
    const ofType = Map.groupBy(leased, ({ message }) => (message.kind === 'start' ? message.workflowType : undefined));
    for (const [type, messages] of ofType)
      for (const start of type
        ? await loadStarts(
            em,
            type,
            messages.map(({ workflowId }) => workflowId),
          )
        : [])
        starts.set(start.workflowId, start);
    return starts;
  };

  /** Returns whether there may be more to do at once. */
  const runBatch = async (): Promise<boolean> => {
    const em = orm.em.fork();
    const beganAt = performance.now();
    const leased = await leaseMessages(em, LIMITS, LEASE_SECONDS);
    if (leased.length === 0) {
      await outage.note({ beganAt, taken: 0 });
      return false;
    }
    const starts = new Map(await startsOf(leased));
    for (const id of await leaveToBursts(em, oneOfMany(starts))) starts.delete(deliveryWorkflowId(id));
    const done: number[] = [];
    const failed: number[] = [];
    const early: number[] = [];
    const refused: { readonly message: LeasedMessage; readonly error: unknown }[] = [];
    let reason: unknown;
    const lines = Object.values(Object.groupBy(leased, ({ workflowId }) => workflowId)) as LeasedMessage[][];
    await inParallel(AT_ONCE, lines, async (line) => {
      for (const [index, message] of line.entries()) {
        try {
          if (await dispatch(message, starts)) {
            done.push(message.id);
            continue;
          }
          early.push(...line.slice(index).map(({ id }) => id));
        } catch (error) {
          reason = error;
          refused.push({ message, error });
          failed.push(...line.slice(index).map(({ id }) => id));
        }
        return;
      }
    });
    await deleteMessages(em, done);
    await retryMessages(em, failed, RETRY_SECONDS);
    await awaitStart(em, early);
    if (done.length > 0) noteRefused(log, refused);
    await outage.note({ beganAt, taken: done.length, error: reason });
    return (leased.length >= LIMITS.bulk || leased.some(isBulk)) && reason === undefined;
  };

  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, POLL_MS);
      rouse = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const loop = async (): Promise<void> => {
    while (!stopping) {
      awake = false;
      const more = await runBatch().catch((error: unknown) => {
        log.warn('outbox.failed', { error });
        return false;
      });
      if (!more && !awake && !stopping) await pause();
    }
  };

  const forget = onOutboxCommit(orm, () => {
    awake = true;
    rouse?.();
  });
  const running = loop();
  return {
    async stop() {
      stopping = true;
      forget();
      rouse?.();
      await running;
    },
  };
}

/** One line for a batch: what is refused again and again while Temporal takes others is no outage. */
function noteRefused(log: Logger, refused: readonly { readonly message: LeasedMessage; readonly error: unknown }[]): void {
  const often = refused.find(({ message }) => message.attempts % (MOST_ATTEMPTS_EXPECTED + 1) === 0);
  if (!often) return;
  const { workflowId, message, attempts } = often.message;
  log.warn('outbox.message_refused', { workflowId, kind: message.kind, attempts, reason: reasonOf(often.error) });
}
