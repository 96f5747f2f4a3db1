import { Group, NumberInput, Select } from '@mantine/core';
import { type ReactNode, useState } from 'react';

const UNITS = [
  { value: '1', one: 'minute', many: 'minutes' },
  { value: '60', one: 'hour', many: 'hours' },
  { value: '1440', one: 'day', many: 'days' },
];

interface Given {
  readonly label: string;
  /** undefined: none. */
  readonly minutes: number | undefined;
  /** undefined: emptied, or 0. */
  readonly onChange: (minutes: number | undefined) => void;
  readonly placeholder?: string;
  readonly error?: string | undefined;
  /** The unit as long as there is no number to choose it by. */
  readonly usual?: '1' | '60' | '1440';
}

/** A time in minutes, shown in the largest unit that it is whole in. */
export function DurationInput({ label, minutes, onChange, placeholder, error, usual = '1' }: Given): ReactNode {
  const [unit, setUnit] = useState<string>(() => (minutes ? (['1440', '60'].find((one) => minutes % Number(one) === 0) ?? '1') : usual));
  /** As typed, which need not be a time yet: `0`, on the way to `0.5`. */
  const [typed, setTyped] = useState<number | string>('');
  const minutesOf = (value: number | string): number | undefined =>
    typeof value === 'number' && value > 0 ? value * Number(unit) : undefined;
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <NumberInput
        label={label}
        size="xs"
        flex={1}
        min={0}
        placeholder={placeholder}
        value={minutesOf(typed) === minutes ? typed : minutes === undefined ? '' : minutes / Number(unit)}
        error={error}
        onChange={(value) => {
          setTyped(value);
          onChange(minutesOf(value));
        }}
      />
      <Select
        aria-label={`Unit of ${label}`}
        label=" "
        labelProps={{ 'aria-hidden': true }}
        size="xs"
        w={104}
        allowDeselect={false}
        data={UNITS.map(({ value, one, many }) => ({ value, label: minutes === Number(unit) ? one : many }))}
        value={unit}
        onChange={(value) => {
          if (!value) return;
          if (minutes !== undefined) onChange((minutes / Number(unit)) * Number(value));
          setUnit(value);
        }}
      />
    </Group>
  );
}
