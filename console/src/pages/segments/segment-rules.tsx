import { List, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { useSession } from '../../session/session.tsx';
import { filterParts } from './filter-words.ts';
import type { Segment } from './segment-queries.ts';

/** Who is in a segment, for those who may not change it. */
export function SegmentRules({ segment }: { readonly segment: Segment }): ReactNode {
  const { brands } = useSession();
  const { brand_id, filter } = segment;
  const parts = [
    ...(brand_id ? [`brand is ${brands.find(({ slug }) => slug === brand_id)?.name ?? brand_id}`] : []),
    ...filterParts(filter),
  ];
  return (
    <Panel title="Who is in it">
      {parts.length === 0 ? (
        <Text size="sm">Everyone in the project: the segment has no rules.</Text>
      ) : (
        <>
          <Text size="sm" mb={6}>
            {parts.length === 1 ? 'Contacts for whom this holds:' : 'Contacts for whom all of this holds:'}
          </Text>
          <List size="sm" spacing={4}>
            {parts.map((part) => (
              <List.Item key={part}>{part}</List.Item>
            ))}
          </List>
        </>
      )}
    </Panel>
  );
}
