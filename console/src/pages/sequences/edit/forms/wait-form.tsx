import { Select, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { choicesOf } from '../../../../frame/choices.ts';
import { EventTypeInput } from '../../../../frame/event-type-input.tsx';
import { FIRST_RULE } from '../../graph/unfilled.ts';
import { type Condition, ConditionField, isCondition } from '../condition-field.tsx';
import type { Config, FormGiven } from '../config-form.ts';
import { useFault } from '../faults.tsx';
import { DurationField } from './duration-field.tsx';
import { TimeForm, type TimeOfWait } from './time-form.tsx';

interface Wait {
  readonly event?: { readonly type: string; readonly match?: Condition };
  readonly condition?: Condition;
  readonly time?: TimeOfWait;
  readonly timeoutMinutes?: number;
}

type WaitFor = 'event' | 'condition' | 'time';

const NAMES: Readonly<Record<WaitFor, string>> = { event: 'An event', condition: 'A contact condition', time: 'A time of day' };

export function fitsWait({ event, condition, timeoutMinutes, time }: Config): boolean {
  if (time !== undefined) return typeof time === 'object' && time !== null;
  const { type, match } = (event ?? {}) as { readonly type?: unknown; readonly match?: unknown };
  const isEvent = typeof type === 'string' && (match === undefined || isCondition(match));
  return typeof timeoutMinutes === 'number' && (event === undefined ? isCondition(condition) : isEvent);
}

/** What a step waits for, and how long at most. */
export function WaitForm({ config, onChange }: FormGiven): ReactNode {
  const { event, condition, time, timeoutMinutes = 1440 } = config as Wait;
  const now: WaitFor = event ? 'event' : time ? 'time' : 'condition';
  /** The outcome that goes on when the other kind of wait begins. */
  const before = event ? 'event' : 'met';
  const waitFor = (what: string | null): void => {
    if (what === now) return;
    const problems = { match: undefined, condition: undefined };
    if (what === 'time')
      onChange(
        { time: { at: '09:00', timezone: 'contact' } },
        { problems: { ...problems, timeoutMinutes: undefined }, outcome: { only: before } },
      );
    else if (what === 'event') onChange({ event: { type: '' }, timeoutMinutes }, { problems, outcome: { renamed: 'met', to: 'event' } });
    else onChange({ condition: FIRST_RULE, timeoutMinutes }, { problems, outcome: { renamed: 'event', to: 'met' } });
  };
  return (
    <Stack gap="sm">
      <Select label="Wait for" size="xs" allowDeselect={false} data={choicesOf(NAMES)} value={now} onChange={waitFor} />
      {event ? (
        <EventFields event={event} config={config} onChange={onChange} />
      ) : time ? (
        <TimeForm time={time} onChange={(next) => onChange({ time: next })} />
      ) : (
        <ConditionField
          label="Until"
          condition={condition}
          isRequired
          faultAt="condition"
          onChange={(next, problem) => onChange({ ...config, condition: next }, { problems: { condition: problem } })}
        />
      )}
      {time ? null : <DurationField config={config} onChange={onChange} label="At most" name="timeoutMinutes" />}
    </Stack>
  );
}

/** Which event, and what has to have come with it. */
function EventFields({ event, config, onChange }: FormGiven & { readonly event: NonNullable<Wait['event']> }): ReactNode {
  const fault = useFault('event.type');
  return (
    <>
      <EventTypeInput
        label="Event"
        placeholder="order_paid"
        value={event.type}
        error={fault}
        onChange={(type) => onChange({ ...config, event: { ...event, type } })}
      />
      <ConditionField
        label="Only if"
        whenEmpty="Any event of this type"
        condition={event.match}
        hasEvent
        faultAt="event.match"
        onChange={(match, problem) =>
          onChange({ ...config, event: { type: event.type, ...(match ? { match } : {}) } }, { problems: { match: problem } })
        }
      />
    </>
  );
}
