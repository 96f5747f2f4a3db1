import { Button, Progress, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { choicesOf } from '../../frame/choices.ts';
import { ChoiceFilter, FilterBar } from '../../frame/filter-bar.tsx';
import { useFilters } from '../../frame/filters.ts';
import { type Column, List } from '../../frame/list.tsx';
import { Page } from '../../frame/page.tsx';
import { usePaging, usePosition } from '../../frame/paging.ts';
import { RowName } from '../../frame/row-name.tsx';
import { useSession } from '../../session/session.tsx';
import { Sandboxed } from '../../show/sandboxed.tsx';
import { percent } from '../../show/share.tsx';
import { Time } from '../../show/time.tsx';
import { useAudienceNow } from './audience-count.tsx';
import { useAudienceWords, useLacksSegment } from './audience-name.tsx';
import { settledOf } from './campaign-counts.ts';
import { type Campaign, type CampaignFilter, campaignsQuery, hasEnded, nameOfCampaign } from './campaign-queries.ts';
import { CampaignStatus } from './campaign-status.tsx';

/** A campaign is written and sent by one call, so that none is a draft. */
const STATUSES: Readonly<Record<Exclude<Campaign['status'], 'draft'>, string>> = {
  scheduled: 'Scheduled',
  queued: 'Queued',
  sending: 'Sending',
  sent: 'Sent',
  cancelled: 'Cancelled',
  failed: 'Failed',
};

const COLUMNS: readonly Column<Campaign>[] = [
  { title: 'Campaign', hasTwoLines: true, cell: (campaign) => <Name campaign={campaign} /> },
  { title: 'Status', width: 128, cell: (campaign) => <CampaignStatus campaign={campaign} /> },
  {
    title: 'Sent',
    isNamed: true,
    width: 190,
    cell: (campaign) => (campaign.status === 'scheduled' ? <NobodyYet campaign={campaign} /> : <Sent campaign={campaign} />),
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

/** All campaigns, newest first. */
export function CampaignList(): ReactNode {
  const { may } = useSession();
  const filters = useFilters(['status']);
  const position = usePosition();
  const { data, error, isPlaceholderData, refetch } = useQuery(campaignsQuery({ ...(filters.given as CampaignFilter), ...position }));
  const paging = usePaging(data);
  const write = may('POST /campaigns') ? (
    <Button component={Link} href="/new" leftSection={<IconPlus size={14} />}>
      New campaign
    </Button>
  ) : undefined;
  return (
    <Page title="Campaigns" description="One mail to many people, now or later" actions={write}>
      <FilterBar filters={filters} rows={data?.campaigns}>
        <ChoiceFilter filters={filters} name="status" label="Status" choices={choicesOf(STATUSES)} />
      </FilterBar>
      <List
        label="Campaigns"
        columns={COLUMNS}
        rows={data?.campaigns}
        rowKey={({ id }) => id}
        rowLink={({ id }) => `/${id}`}
        isChanging={isPlaceholderData}
        error={error}
        onRetry={refetch}
        paging={paging}
        empty={
          filters.noneMatch('campaign') ?? {
            title: 'No campaigns yet',
            text: 'Choose a template and an audience; each recipient gets one mail.',
            action: write && (
              <Button component={Link} href="/new" variant="default" mt="sm">
                Write the first campaign
              </Button>
            ),
          }
        }
      />
    </Page>
  );
}

function Name({ campaign }: { readonly campaign: Campaign }): ReactNode {
  const whom = useAudienceWords()(campaign.audience);
  return (
    <RowName
      name={nameOfCampaign(campaign)}
      more={whom ? `${campaign.template} · ${whom}` : campaign.template}
      isMoreWideOnly
      beside={campaign.sandboxed ? <Sandboxed what="campaign" /> : undefined}
    />
  );
}

function NobodyYet({ campaign }: { readonly campaign: Campaign }): ReactNode {
  const now = useAudienceNow(campaign.audience);
  const lacksSegment = useLacksSegment(campaign.audience);
  if (lacksSegment) return 'Nobody: its segment was deleted';
  return (
    <Text inherit c="dimmed">
      Not yet; {now ? `${now}, ` : ''}found when it begins
    </Text>
  );
}

function Sent({ campaign }: { readonly campaign: Campaign }): ReactNode {
  const { sent_count: sent, total_recipients: total } = campaign;
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
          aria-label={`Progress of ${nameOfCampaign(campaign)}`}
        />
      )}
    </>
  );
}
