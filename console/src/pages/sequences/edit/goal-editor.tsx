import { Stack, Switch, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { EventTypeInput } from '../../../frame/event-type-input.tsx';
import { type Condition, ConditionField, forgetRules } from './condition-field.tsx';
import { noteProblem, problemIn } from './form-problems.ts';
import type { GraphDraft } from './graph-draft.ts';

type Goal = NonNullable<GraphDraft['goal']>;

const WHAT = 'Name an event, or add a rule';
const NOTHING = 'Goal: name an event, or add a rule';

/** The rules were changed; else they are as they were. */
interface RulesChange {
  readonly problem: string | undefined;
}

interface Given {
  readonly goal: GraphDraft['goal'];
  readonly onChange: (goal: GraphDraft['goal']) => void;
}

/** What ends a run early, wherever it stands. */
export function GoalEditor({ goal, onChange }: Given): ReactNode {
  useState(() => forgetRules(goal));
  const { type = '', match } = goal?.event ?? {};
  const tell = (
    next: { readonly type?: string; readonly match?: Condition; readonly condition?: Condition },
    rules?: RulesChange,
  ): void => {
    const event = next.type ? { type: next.type, ...(next.match ? { match: next.match } : {}) } : undefined;
    const made = { ...(event ? { event } : {}), ...(next.condition ? { condition: next.condition } : {}) } as Goal;
    const before = problemIn(goal);
    const ofRules = rules ? rules.problem : before === NOTHING ? undefined : before;
    noteProblem(made, ofRules ?? (event || next.condition ? undefined : NOTHING));
    onChange(made);
  };
  const now = { type, ...(match ? { match } : {}), ...(goal?.condition ? { condition: goal.condition } : {}) };
  return (
    <Stack gap="sm" role="group" aria-label="Goal">
      <Switch
        size="xs"
        label="Ends early at a goal"
        description="Whoever reaches it gets nothing more of this sequence"
        checked={goal !== null}
        onChange={(event) => (event.currentTarget.checked ? tell({}) : onChange(null))}
      />
      {goal ? (
        <>
          <EventTypeInput
            label="When this event comes"
            placeholder="order_paid"
            value={type}
            error={type || goal.condition ? undefined : WHAT}
            onChange={(next) => tell({ ...now, type: next })}
          />
          {type ? (
            <ConditionField
              label="Only if"
              whenEmpty="Any such event"
              condition={match}
              hasEvent
              onChange={(next, problem) => tell({ ...now, match: next }, { problem })}
            />
          ) : null}
          <ConditionField
            label="As soon as"
            condition={goal.condition}
            onChange={(next, problem) => tell({ ...now, condition: next }, { problem })}
          />
        </>
      ) : (
        <Text size="xs" c="dimmed">
          Such as an order, where the sequence asks for one.
        </Text>
      )}
    </Stack>
  );
}
