import { triggersWithDue } from '../../db/queries/sequences/date-entries.ts';
import { triggersToLookAt } from '../../db/queries/sequences/trigger-looks.ts';
import type { Repeating } from '../../platform/every.ts';
import { type SweepDeps, sweepInTurns } from '../operations/sweep-in-turns.ts';
import { enterDue, lookAtDates } from './enter-by-date.ts';

export interface DateEntrySweeperDeps extends SweepDeps {
  readonly newId: () => string;
}

/** Enrolls contacts on the dates by which sequences are entered. Triggers take turns. Any number of processes may run one. */
export function startDateEntrySweeper({ orm, log, newId }: DateEntrySweeperDeps): Repeating {
  const events = { failed: 'sequence.date_entries_not_made', notRead: 'sequence.date_entries_not_read' };
  return sweepInTurns({ orm, log }, events, {
    looks: { read: (em) => triggersToLookAt(em, 'date_triggers'), doPart: lookAtDates },
    entries: { read: triggersWithDue, doPart: (em, id) => enterDue(em, id, newId) },
  });
}
