import { Select, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { choicesOf } from '../../../../frame/choices.ts';
import { byNameOrKey, namedChoice } from '../../../../frame/named-choice.ts';
import type { ConfigOf } from '../../graph/node-kinds.ts';
import { sequencesQuery } from '../../sequence-queries.ts';
import type { FormGiven } from '../config-form.ts';
import { useFault } from '../faults.tsx';
import { withUnknown } from './choices.ts';

type Mode = NonNullable<ConfigOf<'subflow'>['mode']>;

const MODES: Readonly<Record<Mode, string>> = { enroll: 'Continue at once', wait: 'Wait until it ends' };

/** Which other sequence the contact enters. */
export function SubflowForm({ config, onChange }: FormGiven): ReactNode {
  const { sequenceKey, mode = 'enroll' } = config as ConfigOf<'subflow'>;
  const { data: sequences } = useQuery(sequencesQuery());
  return (
    <Stack gap="sm">
      <Select
        label="Sequence"
        placeholder={sequences ? 'Choose a sequence' : 'Loading sequences'}
        size="xs"
        searchable
        allowDeselect={false}
        filter={byNameOrKey}
        nothingFoundMessage="No matching sequences"
        data={withUnknown(sequences?.map(namedChoice), sequenceKey)}
        value={sequenceKey || null}
        error={useFault('sequenceKey')}
        onChange={(value) => onChange({ ...config, sequenceKey: value ?? sequenceKey })}
      />
      <Select
        label="And then"
        size="xs"
        allowDeselect={false}
        data={choicesOf(MODES)}
        value={mode}
        onChange={(value) => onChange({ ...config, mode: value })}
      />
    </Stack>
  );
}
