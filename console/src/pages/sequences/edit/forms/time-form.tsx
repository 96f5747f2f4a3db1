import { MultiSelect, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ConfigOf } from '../../graph/node-kinds.ts';
import { FaultAt } from '../faults.tsx';
import { ZoneFields } from '../zone-fields.tsx';

export type TimeOfWait = Extract<ConfigOf<'wait_until'>, { time: unknown }>['time'];

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'].map((label, index) => ({
  value: String(index + 1),
  label,
}));

interface Given {
  readonly time: TimeOfWait;
  /** Where it stands in the config. */
  readonly at?: string;
  readonly onChange: (time: TimeOfWait) => void;
}

/** A local time that is waited for: the next one on these days, or that of a date. */
export function TimeForm({ time, at: path = 'time', onChange }: Given): ReactNode {
  const { at = '', weekdays = [], date = '', timezone, fallback } = time;
  const set = (change: object): void => {
    const entries = Object.entries({ ...time, ...change }).filter(([, value]) => value !== undefined && value !== '' && value !== null);
    onChange(Object.fromEntries(entries) as TimeOfWait);
  };
  return (
    <Stack gap="sm">
      <FaultAt path={path} />
      <TextInput type="time" label="At" size="xs" value={at} onChange={(event) => set({ at: event.currentTarget.value })} />
      <MultiSelect
        label="On"
        placeholder={weekdays.length === 0 ? 'Any day' : undefined}
        size="xs"
        data={WEEKDAYS}
        value={weekdays.map(String)}
        onChange={(days) => set({ weekdays: days.length > 0 ? days.map(Number).toSorted((a, b) => a - b) : undefined })}
      />
      <TextInput
        type="date"
        label="Only on the date"
        size="xs"
        value={date}
        onChange={(event) => set({ date: event.currentTarget.value })}
      />
      <ZoneFields timezone={timezone} fallback={fallback} onChange={set} />
    </Stack>
  );
}
