import type { MikroORM } from '../../db/orm.ts';
import { triggersWithDue } from '../../db/queries/sequences/date-entries.ts';
import { dateTriggersToLookAt } from '../../db/queries/sequences/date-triggers.ts';
import type { Repeating } from '../../platform/every.ts';
import type { Logger } from '../../platform/logger.ts';
import { type Sweep, sweepInTurns } from '../operations/sweep-in-turns.ts';
import { enterDue, lookAtDates } from './enter-by-date.ts';

export interface DateEntrySweeperDeps {
  readonly orm: MikroORM;
  readonly log: Logger;
  readonly newId: () => string;
}

/** Enrolls contacts on the dates by which sequences are entered. Triggers take turns. Any number of processes may run one. */
export function startDateEntrySweeper({ orm, log, newId }: DateEntrySweeperDeps): Repeating {
  const sweeping = (what: 'looks' | 'entries', sweep: Pick<Sweep, 'read' | 'doPart'>): Repeating =>
    sweepInTurns(orm, {
      ...sweep,
      failed: (id, error) => log.error('sequence.date_entries_not_made', { id, what, error }),
      notRead: (error) => log.warn('sequence.date_entries_not_read', { what, error }),
    });
  const all = [
    sweeping('looks', { read: dateTriggersToLookAt, doPart: lookAtDates }),
    sweeping('entries', { read: triggersWithDue, doPart: (em, id) => enterDue(em, id, newId) }),
  ];
  return { stop: async () => void (await Promise.all(all.map((each) => each.stop()))) };
}
