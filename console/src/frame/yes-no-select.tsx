import { Select, type SelectProps } from '@mantine/core';
import type { ReactNode } from 'react';

const YES_NO = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
];

interface Given extends Omit<SelectProps, 'data' | 'value' | 'onChange'> {
  /** `true`, `false`, or '' where neither is chosen. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A boolean to choose, as text. */
export function YesNoSelect({ value, onChange, ...select }: Given): ReactNode {
  return <Select {...select} data={YES_NO} value={value || null} onChange={(chosen) => onChange(chosen ?? '')} />;
}
