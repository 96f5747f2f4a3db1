import type { MikroORM } from '../../db/orm.ts';
import { endingSequences } from '../../db/queries/sequences/sequence-endings.ts';
import { every, type Repeating } from '../../platform/every.ts';
import type { Logger } from '../../platform/logger.ts';
import { partByPart } from '../../platform/part-by-part.ts';
import { endSequenceRuns } from './end-sequence-runs.ts';

export interface SequenceEndingSweeperDeps {
  readonly orm: MikroORM;
  readonly log: Logger;
  readonly now: () => Date;
}

const EVERY_MS = 1_000;

/** Ends the runs of archived and deleted sequences, a batch of each in turn. Any number of processes may run one. */
export function startSequenceEndingSweeper({ orm, log, now }: SequenceEndingSweeperDeps): Repeating {
  const sweep = async (stopping: AbortSignal): Promise<void> =>
    partByPart(await endingSequences(orm.em.fork()), {
      doPart: (id) => endSequenceRuns(orm.em.fork(), id, { now: now(), passBusy: true }),
      // It comes again with the next look.
      failed: (id, error) => log.error('sequence.runs_not_ended', { id, error }),
      stopping,
    });
  return every(EVERY_MS, sweep, (error) => log.warn('sequence.endings_not_read', { error }));
}
