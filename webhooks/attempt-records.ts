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
import { afterAttempt, CUT_OFF } from '../domain/webhooks/delivery.ts';
import { inBatches } from '../platform/batches.ts';
import type { Logger } from '../platform/logger.ts';
import { createUntilWritten, recordingTogether } from '../platform/recording.ts';
import type { DeliveryCommand } from '../workflows/contracts.ts';
import { commandAfter } from './delivery-commands.ts';

export interface AttemptRecordsDeps {
  readonly em: EntityManager;
  /** The first pause; each further one is twice as long. */
  readonly retryBaseSeconds: number;
  readonly log: Logger;
  readonly now: () => Date;
}

/** An attempt that has begun; `number`: of its series. */
export interface BegunAttempt extends Pick<EndedAttempt, 'id' | 'token' | 'begunAt'> {
  readonly endpointId: string;
  readonly number: number;
}

/** What is written of attempts, of those that come together by one statement; how they ended until it is written, whatever the database does. */
export interface AttemptRecords {
  /** Before its call, if it may be made. Undefined when the delivery is gone. */
  begin(asked: AttemptToBegin): Promise<FoundDelivery | undefined>;
  /** Returns what the workflow does next. */
  end(attempt: BegunAttempt, how: Pick<EndedAttempt, 'answer' | 'milliseconds' | 'kept'>): Promise<DeliveryCommand>;
  /** Counts an attempt whose process has ended, or lost sight of it. The next one may be made at once. */
  cutOff(attempt: BegunAttempt): Promise<DeliveryCommand>;
  /** Of what a turn of a burst has begun, all but the calls that it makes now has not happened. */
  takeBackTurn(tokens: readonly string[], calling: readonly FoundDelivery[]): Promise<void>;
}

/** Of one statement. */
const MOST = 200;

export function createAttemptRecords({ em, retryBaseSeconds, log, now }: AttemptRecordsDeps): AttemptRecords {
  const limits = { most: MOST, atOnce: 1, mayBeOnesAlone: (error: unknown) => !isDatabaseUnavailable(error) };
  const begin = inBatches<AttemptToBegin, FoundDelivery | undefined>((batch) => beginAttempts(em, batch, now()), limits);
  const untilWritten = createUntilWritten(log, 'webhooks');
  const record = recordingTogether<EndedAttempt & Pick<BegunAttempt, 'endpointId'>>(
    { write: (batch) => endAttempts(em, batch), ownerOf: ({ endpointId }) => endpointId, atOnce: 1 },
    untilWritten,
  );
  const takeBack = recordingTogether<Pick<AttemptToBegin, 'id' | 'token'>>(
    { write: (batch) => withdrawAttempts(em, batch), ownerOf: () => '', atOnce: 1 },
    untilWritten,
  );

  return {
    begin(asked) {
      return begin([asked]).then(
        ([found]) => found,
        async (error: unknown) => {
          // It may have begun, and only its answer was lost: no call is made, so none is counted.
          await takeBack({ id: asked.id, token: asked.token });
          throw error;
        },
      );
    },

    async end({ number, ...attempt }, how) {
      const after = afterAttempt(number, how.answer, { now: now(), retryBaseSeconds });
      await record({ ...attempt, ...how, settled: after.settled, nextAt: after.settled ? null : after.nextAt });
      return commandAfter(number, how.answer, after);
    },

    async cutOff({ number, ...attempt }) {
      const at = now();
      const { settled } = afterAttempt(number, CUT_OFF, { now: at, retryBaseSeconds });
      await record({ ...attempt, answer: CUT_OFF, milliseconds: null, settled, nextAt: settled ? null : at });
      return commandAfter(number, CUT_OFF, settled ? { settled } : { settled, nextAt: at });
    },

    takeBackTurn(tokens, calling) {
      const made = calling.map(({ id, token }) => ({ id, token }));
      return untilWritten(() => withdrawTurn(em, tokens, made));
    },
  };
}
