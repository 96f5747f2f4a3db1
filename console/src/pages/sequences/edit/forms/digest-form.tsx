import { NumberInput, Select, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { choicesOf } from '../../../../frame/choices.ts';
import type { Config, FormGiven } from '../config-form.ts';
import { useFault } from '../faults.tsx';
import { DurationField } from './duration-field.tsx';
import { TimeForm, type TimeOfWait } from './time-form.tsx';
import { withField } from './with-field.ts';

interface Digest {
  readonly key?: string;
  readonly max?: number;
  readonly windowMinutes?: number;
  readonly until?: TimeOfWait;
}

type End = 'windowMinutes' | 'until';

const ENDS: Readonly<Record<End, string>> = { windowMinutes: 'For a set time', until: 'Until a time of day' };

export function fitsDigest({ windowMinutes, until, key, max }: Config): boolean {
  const isEnd = until === undefined ? typeof windowMinutes === 'number' : typeof until === 'object' && until !== null;
  return isEnd && ['string', 'undefined'].includes(typeof key) && ['number', 'undefined'].includes(typeof max);
}

/** Until when events gather, which of them together, and how many at most. */
export function DigestForm({ config, onChange }: FormGiven): ReactNode {
  const { key = '', max, until } = config as Digest;
  const now: End = until ? 'until' : 'windowMinutes';
  const endBy = (end: string | null): void => {
    if (end === now) return;
    const { windowMinutes: _, until: __, ...rest } = config as Digest;
    const next = end === 'until' ? { until: { at: '09:00', timezone: 'contact' } } : { windowMinutes: 60 };
    onChange({ ...rest, ...next }, { problems: { windowMinutes: undefined } });
  };
  return (
    <Stack gap="sm">
      <Select label="Gather" size="xs" allowDeselect={false} data={choicesOf(ENDS)} value={now} onChange={endBy} />
      {until ? (
        <TimeForm time={until} at="until" onChange={(next) => onChange({ ...config, until: next })} />
      ) : (
        <DurationField config={config} onChange={onChange} label="Window" name="windowMinutes" />
      )}
      <TextInput
        label="Only together"
        description="A field of the event's data: events with the same value there gather together"
        placeholder="postId"
        size="xs"
        value={key}
        error={useFault('key')}
        onChange={(event) => onChange(withField(config, 'key', event.currentTarget.value))}
      />
      <NumberInput
        label="Continue early at"
        description="As soon as so many events have gathered"
        placeholder="No limit"
        size="xs"
        min={1}
        allowDecimal={false}
        value={max ?? ''}
        error={useFault('max')}
        onChange={(value) => onChange(withField(config, 'max', value === '' ? '' : Number(value)))}
      />
    </Stack>
  );
}
