import type { EntityManager, MikroORM } from '../db/orm.ts';
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
import { createDueTogether, type DueTogether } from '../domain/webhooks/due-together.ts';
import { type DeliveryInput, deliveryWorkflowId } from '../workflows/contracts.ts';
import { inParallel } from './in-parallel.ts';
import type { Logger } from './logger.ts';
import type { Dispatched, DispatchedMessage } from './temporal/driver.ts';
import { createOutageLog, reasonOf } from './temporal/outage-log.ts';
import { loadSchedule } from './temporal/recurring-schedules.ts';
import { loadStarts, type WorkflowStart } from './temporal/workflow-starts.ts';

export interface OutboxBatchesDeps {
  readonly orm: MikroORM;
  readonly deliver: (workflowId: string, message: DispatchedMessage) => Promise<Dispatched>;
  readonly log: Logger;
}

/** Messages of the outbox in batches, each leased, brought to Temporal and settled. */
export interface OutboxBatches {
  /** Returns whether there may be more to do at once. Those of bulk changes may be under way still: what becomes due meanwhile does not wait for them. */
  dispatchNext(): Promise<boolean>;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
}

const SINGLE_AT_A_TIME = 200;
/** So many say that there may be more: the share of each of many projects is a small part of a batch. */
const MANY = 25;
/** One batch of these at a time. */
const BULK_AT_A_TIME = 25;
const AT_ONCE = 20;
/** What a crashed process had in flight is taken over after this. A batch that takes longer is delivered twice, which does no harm. */
const LEASE_SECONDS = 10;
const RETRY_SECONDS = 2;

/** How workflows are started, by their ids. */
type Starts = Map<string, WorkflowStart>;

/** What has come of the messages of a batch so far. */
interface Results {
  readonly done: number[];
  readonly refused: { readonly message: LeasedMessage; readonly error: unknown }[];
  /** What was refused, and what is behind it. */
  readonly failed: number[];
  /** What waits for the start of its workflow, and what is behind it. */
  readonly early: number[];
}

/** `onBulkDone`: told after each batch of bulk messages of which there may be more. */
export function createOutboxBatches({ orm, deliver, log }: OutboxBatchesDeps, onBulkDone: () => void): OutboxBatches {
  let bulk: Promise<void> | undefined;
  const outage = createOutageLog(log, () => countWaiting(orm.em.fork()));
  const dueTogether = createDueTogether(() => performance.now());

  /** Whether that is done; no: its workflow is to be started first. */
  const dispatch = async (em: EntityManager, { workflowId, message }: LeasedMessage, starts: Starts): Promise<boolean> => {
    if (message.kind === 'start') {
      const start = starts.get(workflowId);
      // A run that is gone with its sequence needs no workflow, nor does a delivery that its endpoint's burst makes.
      if (start) await deliver(workflowId, { kind: 'start', start });
      return true;
    }
    if (message.kind === 'schedule') {
      await deliverSchedule(em, workflowId, deliver);
      return true;
    }
    const delivered = await deliver(workflowId, message);
    if (delivered === 'done') return true;
    // Not started yet: the start is on its way. Started and closed: there is nobody left to tell.
    return !(await hasPendingStart(em, workflowId));
  };

  /** The messages of one workflow, in their order: what cannot be brought to it now holds up those behind it. */
  const dispatchLine = async (em: EntityManager, line: readonly LeasedMessage[], starts: Starts, results: Results): Promise<void> => {
    for (const [index, message] of line.entries()) {
      try {
        if (!(await dispatch(em, message, starts))) {
          results.early.push(...idsFrom(line, index));
          return;
        }
        results.done.push(message.id);
      } catch (error) {
        results.refused.push({ message, error });
        results.failed.push(...idsFrom(line, index));
        return;
      }
    }
  };

  /** Whether there may be more of them at once. */
  const carryOut = async (em: EntityManager, leased: readonly LeasedMessage[], beganAt: number): Promise<boolean> => {
    const starts = await startsOf(em, leased);
    for (const id of await leaveToBursts(em, oneOfMany(starts, dueTogether))) starts.delete(deliveryWorkflowId(id));
    const results: Results = { done: [], refused: [], failed: [], early: [] };
    await inParallel(AT_ONCE, linesOf(leased), (line) => dispatchLine(em, line, starts, results));
    const { done, refused, failed, early } = results;
    await deleteMessages(em, done);
    await retryMessages(em, failed, RETRY_SECONDS);
    await awaitStart(em, early);
    if (done.length > 0) noteRefused(log, refused);
    await outage.note({ beganAt, taken: done.length, error: refused.at(-1)?.error });
    return refused.length === 0;
  };
  const beginBulk = (leased: readonly LeasedMessage[], beganAt: number): void => {
    bulk = carryOut(orm.em.fork(), leased, beganAt)
      .catch((error: unknown) => {
        log.warn('outbox.failed', { error });
        return false;
      })
      .then((mayGoOn) => {
        bulk = undefined;
        if (mayGoOn) onBulkDone();
      });
  };

  return {
    async dispatchNext() {
      const em = orm.em.fork();
      const beganAt = performance.now();
      const leased = await leaseMessages(em, { single: SINGLE_AT_A_TIME, bulk: bulk ? 0 : BULK_AT_A_TIME }, LEASE_SECONDS);
      if (leased.length === 0) {
        await outage.note({ beganAt, taken: 0 });
        return false;
      }
      const { single = [], ofBulk = [] } = Object.groupBy(linesOf(leased), (line) => (line.some(isBulk) ? 'ofBulk' : 'single'));
      if (ofBulk.length > 0) beginBulk(ofBulk.flat(), beganAt);
      const ofSingle = single.flat();
      return ofSingle.length > 0 && (await carryOut(em, ofSingle, beganAt)) && ofSingle.length >= MANY;
    },
    async settled() {
      await bulk;
    },
  };
}

/**
 * Brings a schedule to where its row is. Another process may do the same at this moment, and be the last to write what it read first: so it is
 * read again until that is what was written.
 */
async function deliverSchedule(em: EntityManager, scheduleId: string, deliver: OutboxBatchesDeps['deliver']): Promise<void> {
  for (let schedule = await loadSchedule(em, scheduleId); ; ) {
    await deliver(scheduleId, { kind: 'schedule', schedule });
    const present = await loadSchedule(em, scheduleId);
    if (JSON.stringify(present) === JSON.stringify(schedule)) return;
    schedule = present;
  }
}

/** The messages of each workflow, in their order. */
function linesOf(leased: readonly LeasedMessage[]): LeasedMessage[][] {
  return Object.values(Object.groupBy(leased, ({ workflowId }) => workflowId)) as LeasedMessage[][];
}

/** The ids of the message at this place of a line and of those behind it. */
function idsFrom(line: readonly LeasedMessage[], index: number): number[] {
  return line.slice(index).map(({ id }) => id);
}

/** The starts among the messages. */
async function startsOf(em: EntityManager, leased: readonly LeasedMessage[]): Promise<Starts> {
  const starts: Starts = new Map();
  const ofType = Map.groupBy(leased, ({ message }) => (message.kind === 'start' ? message.workflowType : undefined));
  for (const [type, messages] of ofType) {
    if (!type) continue;
    const ids = messages.map(({ workflowId }) => workflowId);
    for (const start of await loadStarts(em, type, ids)) starts.set(start.workflowId, start);
  }
  return starts;
}

/** The deliveries among those to start that were tried before and are some of many of their endpoint. */
function oneOfMany(starts: Starts, dueTogether: DueTogether): string[] {
  return [...starts.values()]
    .filter(({ workflowType }) => workflowType === 'webhookDelivery')
    .map(({ input }) => input as DeliveryInput)
    .filter(({ number = 1, endpointId }) => number > 1 && dueTogether.isOneOfMany(endpointId))
    .map(({ deliveryId }) => deliveryId);
}

/** One line for a batch: what is refused again and again while Temporal takes others is no outage. */
function noteRefused(log: Logger, refused: Results['refused']): void {
  const often = refused.find(({ message }) => message.attempts % (MOST_ATTEMPTS_EXPECTED + 1) === 0);
  if (!often) return;
  const { workflowId, message, attempts } = often.message;
  log.warn('outbox.message_refused', { workflowId, kind: message.kind, attempts, reason: reasonOf(often.error) });
}
