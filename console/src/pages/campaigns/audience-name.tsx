import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { segmentsQuery } from '../segments/segment-queries.ts';
import type { Campaign, CampaignInput } from './campaign-queries.ts';

type Audience = Campaign['audience'] | CampaignInput['audience'];

/** Whether a campaign is for a segment that is no more, as far as it is known. */
export function useLacksSegment(audience: Audience): boolean {
  const { data: segments } = useQuery({ ...segmentsQuery(), enabled: audience.mode === 'segment' });
  return audience.mode === 'segment' && segments !== undefined && !segments.some(({ id }) => id === audience.segmentId);
}

/** Whom a campaign is for, in a few words: "Segment Mine", "12 people". Empty while the segment's label is being read. */
export function useAudienceWords(): (audience: Audience) => string {
  const { data: segments, error } = useQuery(segmentsQuery());
  return (audience) => {
    if (audience.mode === 'entire') return 'All contacts';
    if (audience.mode === 'tag') return `Tag ${audience.tag}`;
    if (audience.mode === 'people') {
      const count = 'count' in audience ? audience.count : audience.emails.length;
      return count === 1 ? '1 person' : `${count.toLocaleString('en')} people`;
    }
    const label = segments?.find(({ id }) => id === audience.segmentId)?.label;
    if (label !== undefined) return `Segment ${label}`;
    return segments ? 'A deleted segment' : error ? 'A segment' : '';
  };
}

/** The same, leading to the segment. */
export function AudienceName({ audience }: { readonly audience: Audience }): ReactNode {
  const { data: segments } = useQuery(segmentsQuery());
  const words = useAudienceWords()(audience);
  const isThere = audience.mode === 'segment' && segments?.some(({ id }) => id === audience.segmentId);
  return isThere ? (
    <Anchor component={Link} href={inConsole(`/segments/${audience.segmentId}`)} inherit>
      {words}
    </Anchor>
  ) : (
    words
  );
}
