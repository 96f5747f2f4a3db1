import { useState } from 'react';
import type { ConfigOf } from '../../graph/node-kinds.ts';
import type { Config, FormGiven } from '../config-form.ts';
import { noteProblems, problemIn } from '../form-problems.ts';
import type { OutcomeChange } from '../graph-draft.ts';
import { nameProblem } from './branch-names.ts';
import { areEqual, armsOf, equally, freeKey, type Share, sharesOf, sharesProblem } from './shares.ts';

/** One share with the name as typed, which need not be a possible one yet. */
export interface SplitRow extends Share {
  /** Of its row on the page. */
  readonly id: number;
  readonly typed: string;
}

interface SplitRows {
  readonly rows: readonly SplitRow[];
  readonly add: () => void;
  readonly rename: (row: SplitRow, typed: string) => void;
  readonly setPercent: (row: SplitRow, percent: Share['percent']) => void;
  readonly remove: (row: SplitRow) => void;
  readonly shareEqually: () => void;
}

/** The branches of a split as they are typed; each change is told with what it does to the outcomes of the step. */
export function useSplitRows({ config, onChange }: FormGiven): SplitRows {
  const [shown, setShown] = useState(config);
  const [rows, setRows] = useState(() => rowsIn(config));
  // Undone, or changed otherwise.
  if (config !== shown) {
    setShown(config);
    setRows(rowsIn(config));
  }
  const tell = (next: readonly SplitRow[], outcome?: OutcomeChange): void => {
    const made = { ...config, arms: armsOf(next) };
    setRows(next);
    setShown(made);
    onChange(made, { problems: { arms: next.map((row) => nameProblem(row, next)).find(Boolean) ?? sharesProblem(next) }, outcome });
  };
  return {
    rows,
    rename(row, typed) {
      const isPossible = nameProblem({ ...row, typed }, rows) === undefined;
      const renamed = rows.map((one) => (one.id === row.id ? { ...one, typed, key: isPossible ? typed : one.key } : one));
      tell(renamed, isPossible ? { renamed: row.key, to: typed } : undefined);
    },
    setPercent: (row, percent) => tell(rows.map((one) => (one.id === row.id ? { ...one, percent } : one))),
    add() {
      const key = freeKey(rows);
      const missing = 100 - rows.reduce((sum, { percent }) => sum + (percent || 0), 0);
      const more: SplitRow = { id: nextId(rows), key, typed: key, percent: missing > 0 ? missing : '' };
      tell(areEqual(rows) ? evened([...rows, more]) : [...rows, more], { added: key, like: rows.at(-1)?.key ?? '' });
    },
    remove(row) {
      const rest = rows.filter((one) => one !== row);
      tell(areEqual(rows) ? evened(rest) : rest, { removed: row.key });
    },
    shareEqually: () => tell(evened(rows)),
  };
}

/** The branches as they are stored; percentages that were refused as they were typed. What is shown has no other fault than what it shows. */
function rowsIn(config: Config): readonly SplitRow[] {
  const { arms } = config as ConfigOf<'split'>;
  const isRefused = problemIn(config, 'arms') !== undefined;
  const shares = isRefused ? arms.map(({ key, weight }): Share => ({ key, percent: weight || '' })) : sharesOf(arms);
  if (isRefused) noteProblems(config, { arms: sharesProblem(shares) });
  return shares.map((share, id) => ({ ...share, id, typed: share.key }));
}

function nextId(rows: readonly SplitRow[]): number {
  return Math.max(...rows.map(({ id }) => id)) + 1;
}

function evened(rows: readonly SplitRow[]): readonly SplitRow[] {
  const shares = equally(rows.map(({ key }) => key));
  return rows.map((row, index) => ({ ...row, percent: shares[index]?.percent ?? '' }));
}
