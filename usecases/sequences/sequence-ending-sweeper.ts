import type { MikroORM } from '../../db/orm.ts';
import { endingSequences } from '../../db/queries/sequences/sequence-endings.ts';
import { every, type Repeating } from '../../platform/every.ts';
import type { Logger } from '../../platform/logger.ts';
import { endSequenceRuns } from './end-sequence-runs.ts';

export interface SequenceEndingSweeperDeps {
  readonly orm: MikroORM;
  readonly log: Logger;
  readonly now: () => Date;
}

const EVERY_MS = 1_000;

/** Ends the runs of archived and deleted sequences, a batch of each in turn. Any number of processes may run one. */
export function startSequenceEndingSweeper({ orm, log, now }: SequenceEndingSweeperDeps): Repeating {
  /** One that fails must not keep the others waiting; it comes again with the next look. */
  const endSome = async (id: string): Promise<boolean> => {
    try {
      return await endSequenceRuns(orm.em.fork(), id, { now: now(), passBusy: true });
    } catch (error) {
      log.error('sequence.runs_not_ended', { id, error });
      return false;
    }
  };
  const sweep = async (stopping: AbortSignal): Promise<void> => {
    for (let left = await endingSequences(orm.em.fork()); left.length > 0; ) {
      const more: string[] = [];
      for (const id of left) if (!stopping.aborted && (await endSome(id))) more.push(id);
      left = more;
    }
  };
  return every(EVERY_MS, sweep, (error) => log.warn('sequence.endings_not_read', { error }));
}
