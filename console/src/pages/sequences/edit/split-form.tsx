import { ActionIcon, Button, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useId, useState } from 'react';
import type { ConfigOf } from '../graph/node-words.ts';
import classes from '../sequences.module.css';
import { nameProblem } from './branch-names.ts';
import type { Config, FormGiven } from './config-form.ts';
import { useFault } from './faults.tsx';
import { noteProblems, problemIn } from './form-problems.ts';
import type { OutcomeChange } from './graph-draft.ts';
import { areEqual, armsOf, equally, freeKey, MOST_BRANCHES, type Share, sharesOf, sharesProblem } from './shares.ts';

/** One share with the name as typed, which need not be a possible one yet. */
interface Row extends Share {
  /** Of its row on the page. */
  readonly id: number;
  readonly typed: string;
}

/** The branches of a split: what each is called, and what part of the contacts takes it. */
export function SplitForm({ config, onChange }: FormGiven): ReactNode {
  const [shown, setShown] = useState(config);
  const [rows, setRows] = useState(() => rowsIn(config));
  const errorId = useId();
  // Undone, or changed otherwise.
  if (config !== shown) {
    setShown(config);
    setRows(rowsIn(config));
  }
  const tell = (next: readonly Row[], outcome?: OutcomeChange): void => {
    const made = { ...config, arms: armsOf(next) };
    setRows(next);
    setShown(made);
    onChange(made, { problems: { arms: next.map((row) => nameProblem(row, next)).find(Boolean) ?? sharesProblem(next) }, outcome });
  };
  const rename = (row: Row, typed: string): void => {
    const isPossible = nameProblem({ ...row, typed }, rows) === undefined;
    const renamed = rows.map((one) => (one.id === row.id ? { ...one, typed, key: isPossible ? typed : one.key } : one));
    tell(renamed, isPossible ? { renamed: row.key, to: typed } : undefined);
  };
  const add = (): void => {
    const key = freeKey(rows);
    const missing = 100 - rows.reduce((sum, { percent }) => sum + (percent || 0), 0);
    const more: Row = { id: nextId(rows), key, typed: key, percent: missing > 0 ? missing : '' };
    tell(areEqual(rows) ? evened([...rows, more]) : [...rows, more], { added: key, like: rows.at(-1)?.key ?? '' });
  };
  const remove = (row: Row): void => {
    const rest = rows.filter((one) => one !== row);
    tell(areEqual(rows) ? evened(rest) : rest, { removed: row.key });
  };
  const fault = useFault('arms');
  const problem = sharesProblem(rows) ?? fault;
  return (
    <Stack gap={6} role="group" aria-label="Branches">
      <div className={classes.shares} aria-hidden>
        <Text size="xs" fw={500}>
          Branch
        </Text>
        <Text size="xs" fw={500}>
          Contacts
        </Text>
      </div>
      {rows.map((row, index) => (
        <div key={row.id} className={classes.shares}>
          <TextInput
            aria-label={`Name of branch ${index + 1}`}
            size="xs"
            spellCheck={false}
            value={row.typed}
            error={nameProblem(row, rows)}
            onChange={(event) => rename(row, event.currentTarget.value)}
          />
          <NumberInput
            aria-label={`Percentage of ${row.key}`}
            aria-describedby={problem ? errorId : undefined}
            size="xs"
            suffix=" %"
            min={0}
            max={100}
            decimalScale={2}
            hideControls
            value={row.percent}
            error={problem !== undefined}
            onChange={(value) =>
              tell(rows.map((one) => (one.id === row.id ? { ...one, percent: typeof value === 'number' ? value : '' } : one)))
            }
          />
          <ActionIcon
            size={30}
            className={classes.tool}
            disabled={rows.length <= 2}
            aria-label={`Remove branch ${row.key}`}
            onClick={() => remove(row)}
          >
            <IconTrash size={15} />
          </ActionIcon>
        </div>
      ))}
      {problem ? (
        <Text id={errorId} size="xs" c="var(--mantine-color-error)" role="status">
          {problem}
        </Text>
      ) : null}
      <Group gap="xs">
        <Button variant="default" leftSection={<IconPlus size={14} />} disabled={rows.length >= MOST_BRANCHES} onClick={add}>
          Add branch
        </Button>
        {areEqual(rows) && !problem ? null : (
          <Button variant="subtle" color="gray" onClick={() => tell(evened(rows))}>
            Share equally
          </Button>
        )}
      </Group>
      <Text size="xs" c="dimmed">
        A contact takes the same branch each time.
      </Text>
    </Stack>
  );
}

/** The branches as they are stored; percentages that were refused as they were typed. What is shown has no other fault than what it shows. */
function rowsIn(config: Config): readonly Row[] {
  const { arms } = config as ConfigOf<'split'>;
  const isRefused = problemIn(config, 'arms') !== undefined;
  const shares = isRefused ? arms.map(({ key, weight }): Share => ({ key, percent: weight || '' })) : sharesOf(arms);
  if (isRefused) noteProblems(config, { arms: sharesProblem(shares) });
  return shares.map((share, id) => ({ ...share, id, typed: share.key }));
}

function nextId(rows: readonly Row[]): number {
  return Math.max(...rows.map(({ id }) => id)) + 1;
}

function evened(rows: readonly Row[]): readonly Row[] {
  const shares = equally(rows.map(({ key }) => key));
  return rows.map((row, index) => ({ ...row, percent: shares[index]?.percent ?? '' }));
}
