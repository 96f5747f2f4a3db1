import { expect } from 'vitest';
import type { GuardedProcess } from '../../local/guarded-process.ts';

/** A line of the log. */
export interface Line extends Readonly<Record<string, unknown>> {
  readonly level: string;
  readonly event: string;
}

/** What the process has logged so far. */
export const textOf = (program: GuardedProcess | undefined): string => program?.lastLines(Number.MAX_SAFE_INTEGER) ?? '';

/** Every line of the process so far; what is no JSON would throw. */
export function linesOf(program: GuardedProcess | undefined): Line[] {
  const text = textOf(program);
  return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line) as Line);
}

/** Each line of the process has its event, and none names an address of the domain. */
export function expectFitToKeep(program: GuardedProcess | undefined, domain: string): void {
  for (const line of linesOf(program)) expect(line).toMatchObject({ event: expect.stringMatching(/^[a-z_]+\.[a-z_]+$/) });
  expect(textOf(program)).not.toContain(domain);
}
