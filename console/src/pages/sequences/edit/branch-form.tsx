import { ActionIcon, Box, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { ConfigOf } from '../graph/node-words.ts';
import classes from '../sequences.module.css';
import { type NamedBranch, nameProblem } from './branch-names.ts';
import { type Condition, ConditionField, isCondition, NOT_COMPLETE } from './condition-field.tsx';
import type { Config, FormGiven } from './config-form.ts';
import { FaultAt } from './faults.tsx';
import { FIRST_RULE, type OutcomeChange } from './graph-draft.ts';

/** As many as the API takes. */
const MOST_BRANCHES = 50;
/** What is taken where no condition holds. */
const REST = 'default';

/** A condition with the ways yes and no, or several with a way each. */
export function BranchForm(given: FormGiven): ReactNode {
  return 'when' in given.config ? <YesOrNo {...given} /> : <Several {...given} />;
}

export function fitsBranch({ when, branches }: Config): boolean {
  if (branches === undefined) return isCondition(when);
  return Array.isArray(branches) && branches.length > 0 && branches.every((one) => typeof one?.key === 'string' && isCondition(one.when));
}

function YesOrNo({ config, onChange }: FormGiven): ReactNode {
  const { when } = config as Extract<ConfigOf<'branch'>, { when: unknown }>;
  const makeSeveral = (): void => {
    const outcome: OutcomeChange = {
      all: [
        { renamed: 'true', to: 'yes' },
        { renamed: 'false', to: REST },
      ],
    };
    onChange({ branches: [{ key: 'yes', when }] }, { problems: { when: undefined }, outcome });
  };
  return (
    <Stack gap="sm">
      <ConditionField
        label="Yes, if"
        condition={when}
        isRequired
        hasEvent
        faultAt="when"
        onChange={(next, problem) => onChange({ ...config, when: next }, { problems: { when: problem } })}
      />
      <Button variant="subtle" color="gray" w="fit-content" onClick={makeSeveral}>
        More than yes and no
      </Button>
    </Stack>
  );
}

interface Row extends NamedBranch {
  readonly when: Condition;
  /** Of its rules. */
  readonly problem: string | undefined;
}

function Several({ config, onChange }: FormGiven): ReactNode {
  const [shown, setShown] = useState(config);
  const [rows, setRows] = useState(() => rowsIn(config, 0));
  // Undone, or changed otherwise.
  if (config !== shown) {
    setShown(config);
    setRows(rowsIn(config, nextId(rows)));
  }
  const tell = (next: readonly Row[], outcome?: OutcomeChange): void => {
    const made = { branches: next.map(({ key, when }) => ({ key, when })) };
    setRows(next);
    setShown(made);
    // Of those that are gone nothing is wrong any more.
    const gone = rows.map(({ id }) => [id, undefined] as const);
    const there = next.map((row) => [row.id, nameFault(row, next) ?? row.problem] as const);
    onChange(made, { problems: Object.fromEntries([...gone, ...there].map(([id, problem]) => [`branch ${id}`, problem])), outcome });
  };
  const replace = (row: Row, outcome?: OutcomeChange): void =>
    tell(
      rows.map((one) => (one.id === row.id ? row : one)),
      outcome,
    );
  const rename = (row: Row, typed: string): void => {
    const isPossible = nameFault({ ...row, typed }, rows) === undefined;
    if (isPossible) replace({ ...row, typed, key: typed }, { renamed: row.key, to: typed });
    else replace({ ...row, typed });
  };
  const add = (): void => {
    const id = nextId(rows);
    const key = freeName(rows);
    tell([...rows, { id, key, typed: key, when: FIRST_RULE, problem: NOT_COMPLETE }], { added: key, like: REST });
  };
  return (
    <Stack gap="sm" role="group" aria-label="Branches">
      {rows.map((row, index) => (
        <Box key={row.id} role="group" aria-label={`Branch ${row.key}`} className={classes.part}>
          <Group gap={6} wrap="nowrap" align="flex-start">
            <TextInput
              label={index === 0 ? 'Branch' : 'Else branch'}
              size="xs"
              flex={1}
              spellCheck={false}
              value={row.typed}
              error={nameFault(row, rows)}
              onChange={(event) => rename(row, event.currentTarget.value)}
            />
            <ActionIcon
              size={30}
              mt={18}
              className={classes.tool}
              disabled={rows.length === 1}
              aria-label={`Remove branch ${row.key}`}
              onClick={() =>
                tell(
                  rows.filter((one) => one !== row),
                  { removed: row.key },
                )
              }
            >
              <IconTrash size={15} />
            </ActionIcon>
          </Group>
          <FaultAt path={`branches[${index}].key`} />
          <ConditionField
            label="If"
            condition={row.when}
            isRequired
            hasEvent
            faultAt={`branches[${index}].when`}
            onChange={(next, problem) => replace({ ...row, when: next ?? row.when, problem })}
          />
        </Box>
      ))}
      <Button variant="default" w="fit-content" leftSection={<IconPlus size={14} />} disabled={rows.length >= MOST_BRANCHES} onClick={add}>
        Add branch
      </Button>
      <Text size="xs" c="dimmed">
        The first whose rules hold is taken.
      </Text>
    </Stack>
  );
}

function rowsIn(config: Config, firstId: number): readonly Row[] {
  const { branches } = config as Extract<ConfigOf<'branch'>, { branches: unknown }>;
  return branches.map(({ key, when }, index) => ({ id: firstId + index, key, typed: key, when, problem: undefined }));
}

function nextId(rows: readonly Row[]): number {
  return Math.max(...rows.map(({ id }) => id)) + 1;
}

function nameFault(row: NamedBranch, rows: readonly NamedBranch[]): string | undefined {
  return row.typed === REST ? 'Is what the rest is called' : nameProblem(row, rows);
}

function freeName(rows: readonly Row[]): string {
  for (let number = rows.length + 1; ; number++) if (!rows.some(({ key }) => key === `branch_${number}`)) return `branch_${number}`;
}
