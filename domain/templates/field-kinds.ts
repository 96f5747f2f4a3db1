import * as z from 'zod';

/** What is said of a field that is missing or of another kind. What is said of unknown fields is the same everywhere. */
export const required = (what: string) => (issue: { readonly code?: string | undefined; readonly input?: unknown }) => {
  if (issue.code === 'unrecognized_keys') return undefined;
  return issue.input === undefined ? 'required' : `should be ${what}`;
};

/** A whole number from `min` to `max`; `unit` as it follows them in words. */
export const whole = (min: number, max: number, unit = '') =>
  z
    .int({ error: required(`a whole number from ${min} to ${max}${unit}`) })
    .min(min, { error: `should be a whole number from ${min} to ${max}${unit}` })
    .max(max, { error: `should be a whole number from ${min} to ${max}${unit}` });
