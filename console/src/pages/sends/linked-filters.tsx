import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { FilterChip } from '../../frame/filter-chip.tsx';
import type { Filters } from '../../frame/filters.ts';
import { useSession } from '../../session/session.tsx';
import { useCampaignName } from '../campaigns/campaign-name.ts';
import { campaignNameQuery } from '../campaigns/campaign-queries.ts';
import { contactQuery } from '../contacts/contact-queries.ts';
import { sequencesQuery } from '../sequences/sequence-queries.ts';

/** Filters of the send log that only links set. */
export const LINKED_FILTERS = ['contactId', 'sourceId', 'variant'];

/** Those that are set, each by the name of what it is of, as far as the key may look at it. */
export function LinkedFilters({ filters }: { readonly filters: Filters }): ReactNode {
  return (
    <>
      {filters.get('contactId') ? <OfContact filters={filters} /> : null}
      {filters.get('sourceId') ? <OfSource filters={filters} /> : null}
      {filters.get('variant') ? <FilterChip filters={filters} name="variant" label="Variant" /> : null}
    </>
  );
}

function OfContact({ filters }: { readonly filters: Filters }): ReactNode {
  const { may } = useSession();
  const { data } = useQuery({ ...contactQuery(filters.get('contactId')), enabled: may('GET /contacts/{id}') });
  return <FilterChip filters={filters} name="contactId" label="Contact" words={data?.email} />;
}

function OfSource({ filters }: { readonly filters: Filters }): ReactNode {
  const { may } = useSession();
  const id = filters.get('sourceId');
  const type = filters.get('sourceType');
  const { data: campaign } = useQuery({ ...campaignNameQuery(id), enabled: type === 'campaign' });
  const name = useCampaignName(campaign);
  const { data: sequences } = useQuery({ ...sequencesQuery(), enabled: type === 'sequence' && may('GET /sequences') });
  if (type === 'campaign') return <FilterChip filters={filters} name="sourceId" label="Campaign" words={name} />;
  const sequence = sequences?.find((one) => one.id === id);
  return <FilterChip filters={filters} name="sourceId" label={type === 'sequence' ? 'Sequence' : 'Source id'} words={sequence?.name} />;
}
