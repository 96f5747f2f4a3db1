import { KEY } from '../graph-draft.ts';

/** A branch with the name as typed, which need not be a possible one yet. */
export interface NamedBranch {
  /** Of its row on the page. */
  readonly id: number;
  readonly key: string;
  readonly typed: string;
}

/** What is wrong with the name of one of several branches, in words. */
export function nameProblem({ id, typed }: NamedBranch, all: readonly NamedBranch[]): string | undefined {
  if (!typed) return 'Enter a name';
  if (!KEY.test(typed)) return 'Use only A-Z, a-z, 0-9, _ and -';
  return all.some((other) => other.id !== id && other.key === typed) ? 'This name is already used' : undefined;
}
