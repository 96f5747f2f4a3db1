import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { type Session, useSession } from '../../session/session.tsx';
import { sendSource } from '../../show/words.ts';
import { useCampaignName } from '../campaigns/campaign-name.ts';
import { newestCampaignsQuery } from '../campaigns/campaign-queries.ts';
import { type Details, text } from './timeline-texts.ts';

/** What asked for a mail; a campaign or a sequence by its name, with the way to it, or to the run. */
export function Asker({ of: mail }: { readonly of: Details }): ReactNode {
  const { may } = useSession();
  const { source_type, source_id, sequence_name } = mail;
  if (source_type === 'campaign' && typeof source_id === 'string') return <AskingCampaign id={source_id} />;
  const isNamed = source_type === 'sequence' && text(sequence_name) !== '';
  return <By asker={isNamed ? `the sequence ${text(sequence_name)}` : sendSource(text(source_type)).by} page={runPage(mail, may)} />;
}

function AskingCampaign({ id }: { readonly id: string }): ReactNode {
  const { data: campaigns } = useQuery(newestCampaignsQuery());
  const campaign = campaigns?.find((one) => one.id === id);
  const name = useCampaignName(campaign);
  const asker = name === undefined ? sendSource('campaign').by : `the campaign ${name}`;
  return <By asker={asker} page={inConsole(`/campaigns/${id}`)} />;
}

function By({ asker, page }: { readonly asker: string; readonly page: string | undefined }): ReactNode {
  if (page === undefined) return `by ${asker}`;
  return (
    <>
      by{' '}
      <Anchor component={Link} href={page} inherit underline="always">
        {asker}
      </Anchor>
    </>
  );
}

/** Where the run of an entry has its page. */
export function runPage({ sequence_key, enrollment_id }: Details, may: Session['may']): string | undefined {
  if (typeof enrollment_id !== 'string' || !may('GET /enrollments/{id}')) return undefined;
  return inConsole(`/sequences/${encodeURIComponent(text(sequence_key))}/runs/${enrollment_id}`);
}
