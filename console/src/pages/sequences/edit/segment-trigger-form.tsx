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
  const problem = segment ? fault : 'Which segment?';
  return (
    <TriggerPart
      name={`segment ${segment || 'without a name'}`}
      problem={problem}
      enabled={enabled}
      off="The segment enters nobody"
      onEnabled={(on) => onChange({ ...trigger, enabled: on })}
      onRemove={onRemove}
      field={
        <Select
          label="Whoever joins the segment"
          flex={1}
          placeholder="Choose a segment"
          searchable
          allowDeselect={false}
          nothingFoundMessage="No segment is called so"
          autoFocus={isNew}
          data={segment === '' || labels.includes(segment) ? labels : [...labels, segment]}
          value={segment || null}
          error={problem !== undefined}
          onChange={(label) => onChange({ ...trigger, config: { segment: label ?? segment } })}
        />
      }
    >
      <Text size="xs" c="dimmed">
        Each time that somebody joins it while the sequence is active. Who is in it when it is turned on does not enter.
      </Text>
    </TriggerPart>
  );
}
