import { percent } from '../../show/percent.ts';
import type { SequenceFlow } from './sequence-queries.ts';

type ArmFlow = SequenceFlow['edges'][number]['arm'];

/** Of how many that took an arm reached what the sequence is for, in the room of a few letters and whole; undefined where nobody took it. */
export function conversionOf(
  arm: ArmFlow | undefined,
  reachedBy: SequenceFlow['reachedBy'],
): { readonly short: string; readonly whole: string } | undefined {
  if (!arm || arm.runs === 0) return undefined;
  const { runs, reached, active } = arm;
  const what = reachedBy === 'goal' ? 'reached the goal' : 'completed';
  const open = active > 0 ? `; ${active.toLocaleString('en')} of them ${active === 1 ? 'is' : 'are'} still active` : '';
  return {
    short: `${reachedBy === 'goal' ? 'Goal' : 'Completed'}: ${active > 0 && reached === 0 ? 'none yet' : `${percent(reached, runs)}${active > 0 ? ' so far' : ''}`}`,
    whole: `${reached.toLocaleString('en')} of ${runs.toLocaleString('en')} ${what}, ${percent(reached, runs)}${open}`,
  };
}
