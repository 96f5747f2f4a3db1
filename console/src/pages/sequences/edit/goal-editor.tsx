import { Stack, Switch, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { EventTypeInput } from '../../../frame/event-type-input.tsx';
import { type Condition, ConditionField } from './condition-field.tsx';
import { useFault } from './faults.tsx';
import { type FieldProblems, forgetTyped, noteProblems } from './form-problems.ts';
import type { GraphDraft } from './graph-draft.ts';

type Goal = NonNullable<GraphDraft['goal']>;

const WHAT = 'Choose an event or add a rule';
const NOTHING = 'Goal: choose an event or add a rule';

interface Given {
  readonly goal: GraphDraft['goal'];
  readonly onChange: (goal: GraphDraft['goal']) => void;
}

/** What ends a run early, wherever it stands. */
export function GoalEditor({ goal, onChange }: Given): ReactNode {
  useState(() => forgetTyped(goal, ['what']));
  const fault = useFault('goal.event.type');
  const { type = '', match } = goal?.event ?? {};
  const tell = (
    next: { readonly type?: string; readonly match?: Condition; readonly condition?: Condition },
    problems: FieldProblems = {},
  ): void => {
    const event = next.type ? { type: next.type, ...(next.match ? { match: next.match } : {}) } : undefined;
    const made = { ...(event ? { event } : {}), ...(next.condition ? { condition: next.condition } : {}) } as Goal;
    noteProblems(made, { ...problems, what: event || next.condition ? undefined : NOTHING }, goal);
    onChange(made);
  };
  const now = { type, ...(match ? { match } : {}), ...(goal?.condition ? { condition: goal.condition } : {}) };
  return (
    <Stack gap="sm" role="group" aria-label="Goal">
      <Switch
        size="xs"
        label="End early at a goal"
        description="Contacts who reach the goal leave the sequence"
        checked={goal !== null}
        onChange={(event) => (event.currentTarget.checked ? tell({}) : onChange(null))}
      />
      {goal ? (
        <>
          <EventTypeInput
            label="When this event happens"
            placeholder="order_paid"
            value={type}
            error={type || goal.condition ? fault : WHAT}
            // Rules that are not shown any more ask for nothing.
            onChange={(next) => tell({ ...now, type: next }, next ? {} : { match: undefined })}
          />
          {type ? (
            <ConditionField
              label="Only if"
              whenEmpty="Any event of this type"
              condition={match}
              hasEvent
              faultAt="goal.event.match"
              onChange={(next, problem) => tell({ ...now, match: next }, { match: problem })}
            />
          ) : null}
          <ConditionField
            label="As soon as"
            condition={goal.condition}
            faultAt="goal.condition"
            onChange={(next, problem) => tell({ ...now, condition: next }, { condition: problem })}
          />
        </>
      ) : (
        <Text size="xs" c="dimmed">
          For example an order, if that is what the sequence is for.
        </Text>
      )}
    </Stack>
  );
}
