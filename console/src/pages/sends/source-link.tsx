import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { useSession } from '../../session/session.tsx';
import { CellText } from '../../show/cell-text.tsx';
import { sendSource } from '../../show/words.ts';
import { useCampaignName } from '../campaigns/campaign-name.ts';
import { type Campaign, newestCampaignsQuery } from '../campaigns/campaign-queries.ts';
import { type SequenceSummary, sequencesQuery } from '../sequences/sequence-queries.ts';
import type { Send } from './send-queries.ts';
import classes from './source-link.module.css';

/** What mails of a list can be named after, as far as the key may look at it; read once for all of its rows. */
export interface Sources {
  readonly campaigns: readonly Campaign[] | undefined;
  readonly sequences: readonly SequenceSummary[] | undefined;
}

export function useSources(sends: readonly Send[] = []): Sources {
  const { may } = useSession();
  const has = (type: Send['source_type']): boolean => sends.some(({ source_type }) => source_type === type);
  const { data: campaigns } = useQuery({ ...newestCampaignsQuery(), enabled: has('campaign') });
  const { data: sequences } = useQuery({ ...sequencesQuery(), enabled: has('sequence') && may('GET /sequences') });
  return useMemo(() => ({ campaigns, sequences }), [campaigns, sequences]);
}

interface Given {
  readonly send: Send;
  readonly sources: Sources;
}

/** What asked for a mail: the campaign or the sequence by its name; a confirmation leads to whom it is of. */
export function SourceLink({ send, sources: { campaigns, sequences } }: Given): ReactNode {
  const { may } = useSession();
  const { source_type: type, source_id: id } = send;
  const campaign = type === 'campaign' ? campaigns?.find((one) => one.id === id) : undefined;
  const sequence = type === 'sequence' ? sequences?.find((one) => one.id === id) : undefined;
  const name = useCampaignName(campaign);
  const words = name ?? sequence?.name ?? sendSource(type).name;
  const contact = type === 'confirmation' && send.contact_id && may('GET /contacts/{id}') ? `/contacts/${send.contact_id}` : undefined;
  const to = type === 'campaign' && id ? `/campaigns/${id}` : sequence ? `/sequences/${encodeURIComponent(sequence.key)}` : contact;
  if (!to) {
    return (
      <CellText isDimmed title={words}>
        {words}
      </CellText>
    );
  }
  return (
    <Link href={inConsole(to)} className={classes.source} title={words} data-above>
      {words}
    </Link>
  );
}
