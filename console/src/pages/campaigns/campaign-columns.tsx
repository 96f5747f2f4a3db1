import { Progress, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Column } from '../../frame/list.tsx';
import { RowName } from '../../frame/row-name.tsx';
import { percent } from '../../show/percent.ts';
import { Sandboxed } from '../../show/sandboxed.tsx';
import { Time } from '../../show/time.tsx';
import { useAudienceNow } from './audience-count.tsx';
import { useAudienceWords, useLacksSegment } from './audience-name.tsx';
import { settledOf } from './campaign-counts.ts';
import { useCampaignName } from './campaign-name.ts';
import { type Campaign, hasEnded } from './campaign-queries.ts';
import { CampaignStatus } from './campaign-status.tsx';

/** Of a list of campaigns. */
export const CAMPAIGN_COLUMNS: readonly Column<Campaign>[] = [
  { title: 'Campaign', hasTwoLines: true, cell: (campaign) => <Name campaign={campaign} /> },
  { title: 'Status', width: 128, cell: (campaign) => <CampaignStatus campaign={campaign} /> },
  {
    title: 'Sent',
    isNamed: true,
    width: 190,
    cell: (campaign) => (isBegun(campaign) ? <Sent campaign={campaign} /> : <NobodyYet campaign={campaign} />),
  },
  { title: 'Opened', wideOnly: true, roomyOnly: true, width: 84, align: 'right', cell: (one) => percent(one.opened_count, one.sent_count) },
  {
    title: 'Clicked',
    wideOnly: true,
    roomyOnly: true,
    width: 84,
    align: 'right',
    cell: (one) => percent(one.clicked_count, one.sent_count),
  },
  {
    title: 'When',
    width: 132,
    align: 'right',
    cell: ({ status, sent_at, cancelled_at, scheduled_at, created_at }) => (
      <Time at={sent_at ?? cancelled_at ?? scheduled_at ?? created_at} isExact={status === 'scheduled'} dimmed />
    ),
  },
];

function isBegun({ status }: Campaign): boolean {
  return status !== 'scheduled' && status !== 'draft';
}

function Name({ campaign }: { readonly campaign: Campaign }): ReactNode {
  const name = useCampaignName(campaign);
  const whom = useAudienceWords()(campaign.audience);
  const isOpen = campaign.status === 'draft' && campaign.audience.mode === 'people' && campaign.audience.count === 0;
  return (
    <RowName
      name={name}
      more={[campaign.template, isOpen ? '' : whom].filter(Boolean).join(' · ')}
      isMoreWideOnly
      beside={campaign.sandboxed ? <Sandboxed what="campaign" /> : undefined}
    />
  );
}

function NobodyYet({ campaign }: { readonly campaign: Campaign }): ReactNode {
  const now = useAudienceNow(campaign);
  const lacksSegment = useLacksSegment(campaign.audience);
  if (lacksSegment) return 'Nobody (its segment was deleted)';
  const waits = campaign.draft?.needs_approval && !campaign.draft.approved_at;
  if (campaign.status === 'draft' || waits)
    return (
      <Text inherit c="dimmed">
        {waits ? 'Needs approval' : 'Not sent yet'}
      </Text>
    );
  return (
    <Text inherit c="dimmed">
      Not yet; {now ? `${now}, ` : ''}counted when it starts
    </Text>
  );
}

function Sent({ campaign }: { readonly campaign: Campaign }): ReactNode {
  const { sent_count: sent, total_recipients: total } = campaign;
  const name = useCampaignName(campaign);
  return (
    <>
      <Text span inherit>
        {sent.toLocaleString('en')}
        <Text span inherit c="dimmed">
          {' '}
          of {total.toLocaleString('en')}
        </Text>
      </Text>
      {hasEnded(campaign) ? null : (
        <Progress
          value={total > 0 ? (100 * settledOf(campaign)) / total : 0}
          size={4}
          mt={4}
          data-in-columns
          aria-label={`Progress of ${name}`}
        />
      )}
    </>
  );
}
