import { HIGHEST_RAMP_STEP, MOST_RAMP_STEPS } from '../../api/limits.ts';

/** `50, 100, 200`: without separators within a number, since people type them between. */
export function stepsText(steps: readonly number[]): string {
  return steps.join(', ');
}

/** The numbers of a text like `50, 100 200`. */
export function stepsIn(text: string): number[] {
  return text
    .split(/[\s,;]+/)
    .filter((part) => part !== '')
    .map(Number);
}

/** Why a text is no steps of a ramp; undefined when it is. */
export function stepsFault(text: string): string | undefined {
  const steps = stepsIn(text);
  if (steps.length === 0) return 'Enter how many emails may go on each day';
  if (steps.length > MOST_RAMP_STEPS) return `At most ${MOST_RAMP_STEPS} days`;
  const isStep = (step: number): boolean => Number.isInteger(step) && step >= 1 && step <= HIGHEST_RAMP_STEP;
  return steps.every(isStep) ? undefined : `Whole numbers from 1 to ${HIGHEST_RAMP_STEP.toLocaleString('en')}, with commas between them`;
}
