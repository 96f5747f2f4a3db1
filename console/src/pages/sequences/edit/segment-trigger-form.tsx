import { Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { segmentsQuery } from '../../segments/segment-queries.ts';
import { useFault } from './faults.tsx';
import type { TriggerGiven } from './trigger-draft.ts';
import { TriggerPart } from './trigger-part.tsx';

/** A segment whose members enter as they become members. */
export function SegmentTriggerForm({ trigger, at, isNew, onChange, onRemove }: TriggerGiven<'segment'>): ReactNode {
  const { config, enabled } = trigger;
  const { segment } = config;
  const { data: segments = [] } = useQuery(segmentsQuery());
  const labels = segments.map(({ label }) => label);
  const fault = useFault(`${at}.segment`);
  const problem = segment ? fault : 'Choose a segment';
  return (
    <TriggerPart
      name={`segment ${segment || '(not chosen)'}`}
      problem={problem}
      enabled={enabled}
      off="This segment enrolls nobody"
      onEnabled={(on) => onChange({ ...trigger, enabled: on })}
      onRemove={onRemove}
      field={
        <Select
          label="When a contact joins this segment"
          flex={1}
          placeholder="Choose a segment"
          searchable
          allowDeselect={false}
          nothingFoundMessage="No matching segments"
          autoFocus={isNew}
          data={segment === '' || labels.includes(segment) ? labels : [...labels, segment]}
          value={segment || null}
          error={problem !== undefined}
          onChange={(label) => onChange({ ...trigger, config: { segment: label ?? segment } })}
        />
      }
    >
      <Text size="xs" c="dimmed">
        Each time a contact joins it while the sequence is active. Contacts already in it when you turn the sequence on do not enter.
      </Text>
    </TriggerPart>
  );
}
