import { NumberInput, SimpleGrid, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { LONGEST_SUM, MOST_GOAL_HOURS } from '../../api/limits.ts';
import { EventTypeInput } from '../../frame/event-type-input.tsx';
import type { ProblemOf } from './campaign-draft.ts';
import { type GoalDraft, hoursProblem } from './goal-draft.ts';

interface Given {
  readonly goal: GoalDraft;
  readonly problemOf: ProblemOf;
  readonly onChange: (change: Partial<GoalDraft>) => void;
}

/** What counts as a conversion: an event, soon enough after the mail, and a number of it that is added up. */
export function GoalFields({ goal, problemOf, onChange }: Given): ReactNode {
  return (
    <SimpleGrid cols={{ base: 1, sm: goal.goalEvent ? 3 : 1 }} spacing="sm">
      <EventTypeInput
        label="Event"
        placeholder="order_paid"
        description={
          goal.goalEvent
            ? 'Each recipient converts at most once'
            : 'Counts recipients with this event after the email. Leave empty for no goal'
        }
        value={goal.goalEvent}
        error={problemOf('goal.event')}
        onChange={(goalEvent) => onChange({ goalEvent })}
      />
      {goal.goalEvent ? (
        <>
          <NumberInput
            size="xs"
            label="Window in hours"
            description={`After the email, up to ${MOST_GOAL_HOURS}`}
            clampBehavior="none"
            required
            value={goal.goalHours ?? ''}
            error={hoursProblem(goal) ?? problemOf('goal.withinHours')}
            onChange={(hours) => onChange({ goalHours: typeof hours === 'number' ? hours : null })}
          />
          <TextInput
            size="xs"
            label="Sum of"
            placeholder="total"
            description="A number in the event data"
            maxLength={LONGEST_SUM}
            value={goal.goalSum}
            error={problemOf('goal.sum')}
            onChange={(event) => onChange({ goalSum: event.currentTarget.value })}
          />
        </>
      ) : null}
    </SimpleGrid>
  );
}
