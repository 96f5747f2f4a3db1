import type { EntityManager, MikroORM } from '../db/orm.ts';
import { endingSequences } from '../db/queries/sequences/sequence-endings.ts';
import { every, type Repeating } from './every.ts';
import type { Logger } from './logger.ts';

export interface SequenceEndingSweeperDeps {
  readonly orm: MikroORM;
  readonly log: Logger;
  /** Ends a batch, unless another process is just doing so. Whether there may be more. */
  readonly endRuns: (em: EntityManager, sequenceId: string) => Promise<boolean>;
}

const EVERY_MS = 1_000;

/** Ends the runs of archived and deleted sequences, a batch of each in turn. Any number of processes may run one. */
export function startSequenceEndingSweeper({ orm, log, endRuns }: SequenceEndingSweeperDeps): Repeating {
  /** One that fails must not keep the others waiting; it comes again with the next look. */
  const endSome = async (id: string): Promise<boolean> => {
    try {
      return await endRuns(orm.em.fork(), id);
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
