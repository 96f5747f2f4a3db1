import { ActionIcon, Box, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { ConfigOf } from '../../graph/node-kinds.ts';
import classes from '../../sequences.module.css';
import { ConditionField, isCondition } from '../condition-field.tsx';
import type { Config, FormGiven } from '../config-form.ts';
import { FaultAt } from '../faults.tsx';
import type { OutcomeChange } from '../graph-draft.ts';
import { type BranchRow, nameFault, REST, useBranchRows } from './use-branch-rows.ts';

/** As many as the API takes. */
const MOST_BRANCHES = 50;

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
        More than two branches
      </Button>
    </Stack>
  );
}

function Several(given: FormGiven): ReactNode {
  const { rows, add, rename, replace, remove } = useBranchRows(given);
  return (
    <Stack gap="sm" role="group" aria-label="Branches">
      {rows.map((row, index) => (
        <Branch
          key={row.id}
          row={row}
          index={index}
          fault={nameFault(row, rows)}
          onRename={(typed) => rename(row, typed)}
          onReplace={replace}
          onRemove={rows.length > 1 ? () => remove(row) : undefined}
        />
      ))}
      <Button variant="default" w="fit-content" leftSection={<IconPlus size={14} />} disabled={rows.length >= MOST_BRANCHES} onClick={add}>
        Add branch
      </Button>
      <Text size="xs" c="dimmed">
        The first branch whose rules match is taken.
      </Text>
    </Stack>
  );
}

interface BranchGiven {
  readonly row: BranchRow;
  readonly index: number;
  /** Of its name. */
  readonly fault: string | undefined;
  readonly onRename: (typed: string) => void;
  readonly onReplace: (row: BranchRow) => void;
  /** undefined: it is the only one. */
  readonly onRemove: (() => void) | undefined;
}

function Branch({ row, index, fault, onRename, onReplace, onRemove }: BranchGiven): ReactNode {
  return (
    <Box role="group" aria-label={`Branch ${row.key}`} className={classes.part}>
      <Group gap={6} wrap="nowrap" align="flex-start">
        <TextInput
          label={index === 0 ? 'Branch' : 'Otherwise'}
          size="xs"
          flex={1}
          spellCheck={false}
          value={row.typed}
          error={fault}
          onChange={(event) => onRename(event.currentTarget.value)}
        />
        <ActionIcon
          size={30}
          mt={18}
          className={classes.tool}
          disabled={!onRemove}
          aria-label={`Remove branch ${row.key}`}
          onClick={onRemove}
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
        onChange={(next, problem) => onReplace({ ...row, when: next ?? row.when, problem })}
      />
    </Box>
  );
}
