import type { WrittenPath } from './used-variables.ts';

/** Grows with each change of what compiled content may hold or mean. */
export const COMPILED_FORMAT = 5;

/** Content made ready once, when it is published: both parts as Liquid source. JSON-safe. */
export interface CompiledContent {
  /** Absent from what was stored before formats had numbers. */
  readonly format?: number;
  /** The language that it was compiled in, BCP 47; absent: the default. */
  readonly locale?: string;
  readonly html: string;
  readonly text: string;
  /** Paths that the content writes out without a default, for telling which of them the data lacks. */
  readonly writes: readonly WrittenPath[];
}

/** Whether it was compiled to the form of today; any other is compiled again from its content. */
export function isCurrent(compiled: CompiledContent): boolean {
  return compiled.format === COMPILED_FORMAT;
}
