import { Select } from '@mantine/core';
import type { ReactNode } from 'react';

const SPANS = [
  { value: '24', label: 'in the last 24 hours' },
  { value: '168', label: 'in the last 7 days' },
  { value: '720', label: 'in the last 30 days' },
  { value: '2160', label: 'in the last 90 days' },
];

/** How long ago it may have been; another span than these is kept as it is. */
export function Within({
  hours,
  onChange,
}: {
  readonly hours: number | null;
  readonly onChange: (hours: number | null) => void;
}): ReactNode {
  const value = hours === null ? null : String(hours);
  const isOwn = value !== null && !SPANS.some((span) => span.value === value);
  return (
    <Select
      aria-label="Period"
      size="xs"
      w={178}
      clearable
      placeholder="at any time"
      data={isOwn ? [...SPANS, { value, label: `in the last ${value} hours` }] : SPANS}
      value={value}
      onChange={(text) => onChange(text === null ? null : Number(text))}
    />
  );
}
