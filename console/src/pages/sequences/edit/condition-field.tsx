import { Box, Text } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import type { Schemas } from '../../../api/client.ts';
import { fromDraft, toDraft } from '../../segments/condition-draft.ts';
import { GroupEditor } from '../../segments/group-editor.tsx';
import classes from '../sequences.module.css';
import { useFault } from './faults.tsx';

export type Condition = Schemas['Condition'];

export const NOT_COMPLETE = 'Complete or remove each rule';
const NO_RULE = 'Add a rule';

interface Given {
  readonly label: string;
  /** Where there is no rule. */
  readonly whenEmpty?: string;
  /** undefined: there is none. */
  readonly condition: Condition | undefined;
  /** Without any rule it stays what it was, and that is a problem. */
  readonly isRequired?: boolean;
  /** `problem`: what keeps it from being saved. A rule that is not complete is left out of the condition. */
  readonly onChange: (condition: Condition | undefined, problem: string | undefined) => void;
  /** What came with an event can be asked about. */
  readonly hasEvent?: boolean;
  /** Where the settings have it, for what the API finds wrong with it. */
  readonly faultAt: string;
}

/** A condition, as rules and groups of rules. */
export function ConditionField({ label, whenEmpty, condition, isRequired = false, onChange, hasEvent = false, faultAt }: Given): ReactNode {
  const [shown, setShown] = useState(condition);
  const [group, setGroup] = useState(() => toDraft(condition));
  const [labelId, errorId] = [useId(), useId()];
  // Undone, or changed otherwise.
  if (condition !== shown) {
    setShown(condition);
    setGroup(toDraft(condition));
  }
  /** A new step is not told to be wrong before anything is typed in it. */
  const [isTouched, setIsTouched] = useState(false);
  const isEmpty = group.items.length === 0;
  const problemOf = (one: typeof group): string | undefined => {
    if (isRequired && one.items.length === 0) return NO_RULE;
    return fromDraft(one).isComplete ? undefined : NOT_COMPLETE;
  };
  const fault = useFault(faultAt);
  const problem = (isTouched ? problemOf(group) : undefined) ?? fault;
  return (
    // No fieldset: within one, Chromium draws a rule that is as wide as its container allows without any height, once it has changed.
    <Box role="group" className={classes.rules} aria-labelledby={labelId} aria-describedby={problem ? errorId : undefined}>
      <Text id={labelId} size="xs" fw={500}>
        {label}
      </Text>
      {isEmpty && whenEmpty ? (
        <Text size="xs" c="dimmed">
          {whenEmpty}
        </Text>
      ) : null}
      <GroupEditor
        group={group}
        hasEvent={hasEvent}
        hasSegments
        onChange={(next) => {
          const made = fromDraft(next).condition ?? (isRequired ? condition : undefined);
          setGroup(next);
          setIsTouched(true);
          setShown(made);
          onChange(made, problemOf(next));
        }}
      />
      {problem ? (
        <Text id={errorId} size="xs" c="var(--mantine-color-error)">
          {problem}
        </Text>
      ) : null}
    </Box>
  );
}

/** Whether the editor of conditions can read it. */
export function isCondition(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  try {
    toDraft(value as never);
    return true;
  } catch {
    return false;
  }
}
