import { percent } from '../../show/percent.ts';
import type { SequenceFlow } from './sequence-queries.ts';

type ArmFlow = SequenceFlow['edges'][number]['arm'];

/** Of how many that took an arm reached what the sequence is for, in the room of a few letters and whole; undefined while nobody has. */
export function conversionOf(
  arm: ArmFlow | undefined,
  reachedBy: SequenceFlow['reachedBy'],
): { readonly short: string; readonly whole: string } | undefined {
  if (!arm || arm.runs === 0) return undefined;
  const { runs, reached, active } = arm;
  // Of those that are under way each may still.
  if (reached === 0 && active > 0) return undefined;
  const what = reachedBy === 'goal' ? 'reached the goal' : 'completed';
  const open = active > 0 ? `; ${active.toLocaleString('en')} of them ${active === 1 ? 'is' : 'are'} still active` : '';
  return {
    short: `${reachedBy === 'goal' ? 'Goal' : 'Completed'}: ${percent(reached, runs)}${active > 0 ? ' so far' : ''}`,
    whole: `${reached.toLocaleString('en')} of ${runs.toLocaleString('en')} ${what}, ${percent(reached, runs)}${open}`,
  };
}
