import { useState } from 'react';
import type { ConfigOf } from '../../graph/node-kinds.ts';
import { FIRST_RULE } from '../../graph/unfilled.ts';
import { type Condition, NOT_COMPLETE } from '../condition-field.tsx';
import type { Config, FormGiven } from '../config-form.ts';
import type { OutcomeChange } from '../graph-draft.ts';
import { type NamedBranch, nameProblem } from './branch-names.ts';

/** What is taken where no condition holds. */
export const REST = 'default';

/** One branch with its condition as it is typed. */
export interface BranchRow extends NamedBranch {
  readonly when: Condition;
  /** Of its rules. */
  readonly problem: string | undefined;
}

interface BranchRows {
  readonly rows: readonly BranchRow[];
  readonly add: () => void;
  readonly rename: (row: BranchRow, typed: string) => void;
  /** The same row with another condition. */
  readonly replace: (row: BranchRow) => void;
  readonly remove: (row: BranchRow) => void;
}

/** Several branches as they are typed; each change is told with what it does to the outcomes of the step. */
export function useBranchRows({ config, onChange }: FormGiven): BranchRows {
  const [shown, setShown] = useState(config);
  const [rows, setRows] = useState(() => rowsIn(config, 0));
  // Undone, or changed otherwise.
  if (config !== shown) {
    setShown(config);
    setRows(rowsIn(config, nextId(rows)));
  }
  const tell = (next: readonly BranchRow[], outcome?: OutcomeChange): void => {
    const made = { branches: next.map(({ key, when }) => ({ key, when })) };
    setRows(next);
    setShown(made);
    // Of those that are gone nothing is wrong any more.
    const gone = rows.map(({ id }) => [id, undefined] as const);
    const there = next.map((row) => [row.id, nameFault(row, next) ?? row.problem] as const);
    onChange(made, { problems: Object.fromEntries([...gone, ...there].map(([id, problem]) => [`branch ${id}`, problem])), outcome });
  };
  const replace = (row: BranchRow, outcome?: OutcomeChange): void =>
    tell(
      rows.map((one) => (one.id === row.id ? row : one)),
      outcome,
    );
  return {
    rows,
    replace: (row) => replace(row),
    rename(row, typed) {
      const isPossible = nameFault({ ...row, typed }, rows) === undefined;
      if (isPossible) replace({ ...row, typed, key: typed }, { renamed: row.key, to: typed });
      else replace({ ...row, typed });
    },
    add() {
      const id = nextId(rows);
      const key = freeName(rows);
      tell([...rows, { id, key, typed: key, when: FIRST_RULE, problem: NOT_COMPLETE }], { added: key, like: REST });
    },
    remove: (row) =>
      tell(
        rows.filter((one) => one !== row),
        { removed: row.key },
      ),
  };
}

function rowsIn(config: Config, firstId: number): readonly BranchRow[] {
  const { branches } = config as Extract<ConfigOf<'branch'>, { branches: unknown }>;
  return branches.map(({ key, when }, index) => ({ id: firstId + index, key, typed: key, when, problem: undefined }));
}

function nextId(rows: readonly BranchRow[]): number {
  return Math.max(...rows.map(({ id }) => id)) + 1;
}

/** What is wrong with the name of a branch, in words. */
export function nameFault(row: NamedBranch, rows: readonly NamedBranch[]): string | undefined {
  return row.typed === REST ? 'This name is reserved' : nameProblem(row, rows);
}

function freeName(rows: readonly BranchRow[]): string {
  for (let number = rows.length + 1; ; number++) if (!rows.some(({ key }) => key === `branch_${number}`)) return `branch_${number}`;
}
