import { ActionIcon, Button, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useId } from 'react';
import classes from '../../sequences.module.css';
import type { FormGiven } from '../config-form.ts';
import { useFault } from '../faults.tsx';
import { nameProblem } from './branch-names.ts';
import { areEqual, MOST_BRANCHES, type Share, sharesProblem } from './shares.ts';
import { type SplitRow, useSplitRows } from './use-split-rows.ts';

/** The branches of a split: what each is called, and what part of the contacts takes it. */
export function SplitForm(given: FormGiven): ReactNode {
  const { rows, add, rename, setPercent, remove, shareEqually } = useSplitRows(given);
  const errorId = useId();
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
        <ShareRow
          key={row.id}
          row={row}
          number={index + 1}
          nameFault={nameProblem(row, rows)}
          sharesErrorId={problem ? errorId : undefined}
          onRename={(typed) => rename(row, typed)}
          onPercent={(percent) => setPercent(row, percent)}
          onRemove={rows.length > 2 ? () => remove(row) : undefined}
        />
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
          <Button variant="subtle" color="gray" onClick={shareEqually}>
            Share equally
          </Button>
        )}
      </Group>
      <Text size="xs" c="dimmed">
        A contact always takes the same branch.
      </Text>
    </Stack>
  );
}

interface RowGiven {
  readonly row: SplitRow;
  /** From 1. */
  readonly number: number;
  readonly nameFault: string | undefined;
  /** Of the element that says what is wrong with all the percentages, if anything. */
  readonly sharesErrorId: string | undefined;
  readonly onRename: (typed: string) => void;
  readonly onPercent: (percent: Share['percent']) => void;
  /** undefined: no fewer are possible. */
  readonly onRemove: (() => void) | undefined;
}

function ShareRow({ row, number, nameFault, sharesErrorId, onRename, onPercent, onRemove }: RowGiven): ReactNode {
  return (
    <div className={classes.shares}>
      <TextInput
        aria-label={`Name of branch ${number}`}
        size="xs"
        spellCheck={false}
        value={row.typed}
        error={nameFault}
        onChange={(event) => onRename(event.currentTarget.value)}
      />
      <NumberInput
        aria-label={`Percentage of ${row.key}`}
        aria-describedby={sharesErrorId}
        size="xs"
        suffix=" %"
        min={0}
        max={100}
        decimalScale={2}
        hideControls
        value={row.percent}
        error={sharesErrorId !== undefined}
        onChange={(value) => onPercent(typeof value === 'number' ? value : '')}
      />
      <ActionIcon size={30} className={classes.tool} disabled={!onRemove} aria-label={`Remove branch ${row.key}`} onClick={onRemove}>
        <IconTrash size={15} />
      </ActionIcon>
    </div>
  );
}
