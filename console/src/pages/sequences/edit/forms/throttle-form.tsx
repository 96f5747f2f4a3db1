import { NumberInput, Select, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { choicesOf } from '../../../../frame/choices.ts';
import type { ConfigOf } from '../../graph/node-kinds.ts';
import type { Config, FormGiven } from '../config-form.ts';
import { useFault } from '../faults.tsx';
import { problemIn } from '../form-problems.ts';
import { DurationField } from './duration-field.tsx';

type Throttle = ConfigOf<'throttle'>;

const OTHERWISE: Readonly<Record<Throttle['otherwise'], string>> = { drop: 'Drop the run', delay: 'Delay the run' };

export function fitsThrottle({ count, window, otherwise }: Config): boolean {
  return typeof count === 'number' && typeof window === 'number' && (otherwise === 'drop' || otherwise === 'delay');
}

/** How often a contact passes in which time, and what becomes of the others. */
export function ThrottleForm({ config, onChange }: FormGiven): ReactNode {
  const { count, otherwise } = config as Throttle;
  const fault = useFault('count');
  const problem = problemIn(config, 'count');
  return (
    <Stack gap="sm">
      <NumberInput
        label="Runs of a contact that pass"
        size="xs"
        min={1}
        allowDecimal={false}
        value={problem ? '' : count}
        error={problem ?? fault}
        onChange={(value) =>
          onChange({ ...config, ...(value ? { count: Number(value) } : {}) }, { problems: { count: value ? undefined : 'How many?' } })
        }
      />
      <DurationField config={config} onChange={onChange} label="Within" name="window" />
      <Select
        label="Beyond that"
        size="xs"
        allowDeselect={false}
        data={choicesOf(OTHERWISE)}
        value={otherwise}
        onChange={(value) => {
          if (value !== otherwise) onChange({ ...config, otherwise: value }, value === 'delay' ? { outcome: { removed: 'dropped' } } : {});
        }}
      />
    </Stack>
  );
}
