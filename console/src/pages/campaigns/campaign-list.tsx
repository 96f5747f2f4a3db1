import { Anchor, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { choicesOf } from '../../frame/choices.ts';
import { Panel } from '../../frame/detail.tsx';
import { ChoiceFilter, FilterBar } from '../../frame/filter-bar.tsx';
import { useFilters } from '../../frame/filters.ts';
import { type Column, List } from '../../frame/list.tsx';
import { Page } from '../../frame/page.tsx';
import { usePaging, usePosition } from '../../frame/paging.ts';
import { ReadsOnly } from '../../frame/reads-only.tsx';
import { RowName } from '../../frame/row-name.tsx';
import { useSession } from '../../session/session.tsx';
import { percent } from '../../show/percent.ts';
import { Sandboxed } from '../../show/sandboxed.tsx';
import { Time } from '../../show/time.tsx';
import { useAudienceNow } from './audience-count.tsx';
import { useAudienceWords, useLacksSegment } from './audience-name.tsx';
import { settledOf } from './campaign-counts.ts';
import { useCampaignName, useCampaignNames } from './campaign-name.ts';
import { type Campaign, type CampaignFilter, campaignsQuery, hasEnded, pageOf } from './campaign-queries.ts';
import { CampaignStatus } from './campaign-status.tsx';

const STATUSES: Readonly<Record<Campaign['status'], string>> = {
  draft: 'Draft',
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
    <Page
      title="Campaigns"
      description="Send one email to many people, now or later"
      actions={write ?? <ReadsOnly things="campaigns" doing="creating" operation="POST /campaigns" />}
    >
      {filters.given.status ? null : <Drafts />}
      <FilterBar filters={filters} rows={data?.campaigns}>
        <ChoiceFilter filters={filters} name="status" label="Status" choices={choicesOf(STATUSES)} />
      </FilterBar>
      <List
        label="Campaigns"
        columns={COLUMNS}
        rows={data?.campaigns}
        rowKey={({ id }) => id}
        rowLink={(campaign) => pageOf(campaign, may('PATCH /campaigns/{id}'))}
        isChanging={isPlaceholderData}
        error={error}
        onRetry={refetch}
        paging={paging}
        empty={
          filters.noneMatch('campaign') ?? {
            title: 'No campaigns yet',
            text: 'Choose a template and an audience. Each recipient gets one email.',
            action: write && (
              <Button component={Link} href="/new" variant="default" mt="sm">
                Create your first campaign
              </Button>
            ),
          }
        }
      />
    </Page>
  );
}

/** How many drafts there are, which the list of those that run leaves out. */
function Drafts(): ReactNode {
  const { data } = useQuery(campaignsQuery({ status: 'draft', limit: SHOWN_DRAFTS }));
  const { may } = useSession();
  const nameOf = useCampaignNames(data?.campaigns);
  if (!data || data.campaigns.length === 0) return null;
  return (
    <Panel title="Drafts">
      <Stack gap={6}>
        {data.campaigns.map((campaign) => (
          <Group key={campaign.id} justify="space-between" gap="sm" wrap="nowrap">
            <Anchor component={Link} href={pageOf(campaign, may('PATCH /campaigns/{id}'))} size="sm" truncate>
              {nameOf(campaign)}
            </Anchor>
            <Text size="xs" c="dimmed" style={{ flex: 'none' }}>
              {approvalWords(campaign)}
              changed <Time at={campaign.draft?.changed_at ?? campaign.created_at} />
            </Text>
          </Group>
        ))}
        {data.nextCursor ? (
          <Anchor component={Link} href="/?status=draft" size="sm">
            All drafts
          </Anchor>
        ) : null}
      </Stack>
    </Panel>
  );
}

const SHOWN_DRAFTS = 5;

function approvalWords({ draft }: Campaign): string {
  if (!draft?.needs_approval) return '';
  return draft.approved_at ? 'approved, ' : 'needs approval, ';
}

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
