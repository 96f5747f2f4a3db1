import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { SegmentDraft } from '../condition-draft.ts';
import { segmentsQuery } from '../segment-queries.ts';
import type { RuleGiven } from './rule-given.ts';
import { RuleWord } from './rule-word.tsx';

/** That a contact is in a segment. */
export function SegmentRule({ rule, onChange, isAsked }: RuleGiven<SegmentDraft>): ReactNode {
  const { data: segments = [] } = useQuery(segmentsQuery());
  const labels = segments.map(({ label }) => label);
  return (
    <Select
      aria-label="Segment"
      size="xs"
      flex={1}
      leftSectionWidth={50}
      leftSection={<RuleWord>Is in</RuleWord>}
      placeholder="Choose a segment"
      searchable
      allowDeselect={false}
      nothingFoundMessage="No matching segments"
      data={rule.segment === '' || labels.includes(rule.segment) ? labels : [...labels, rule.segment]}
      value={rule.segment || null}
      error={isAsked && rule.segment === ''}
      onChange={(segment) => onChange({ ...rule, segment: segment ?? rule.segment })}
    />
  );
}
