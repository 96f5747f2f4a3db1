import * as z from 'zod';

export const MOST_STEPS = 60;
export const HIGHEST_STEP = 10_000_000;

/** Doubled every day, to where receivers take what comes. */
export const USUAL_STEPS: readonly number[] = [50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 51_200];

/** The steps of a ramp, as somebody writes them. */
export const RampSteps = z
  .array(z.int().min(1).max(HIGHEST_STEP))
  .min(1)
  .max(MOST_STEPS)
  .default([...USUAL_STEPS]);
