import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconCalendarRepeat, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { choicesOf } from '../../frame/choices.ts';
import { Panel } from '../../frame/detail.tsx';
import { ChoiceFilter, FilterBar } from '../../frame/filter-bar.tsx';
import { useFilters } from '../../frame/filters.ts';
import { List } from '../../frame/list.tsx';
import { Page } from '../../frame/page.tsx';
import { usePaging, usePosition } from '../../frame/paging.ts';
import { ReadsOnly } from '../../frame/reads-only.tsx';
import { useSession } from '../../session/session.tsx';
import { Time } from '../../show/time.tsx';
import { CAMPAIGN_COLUMNS } from './campaign-columns.tsx';
import { useCampaignNames } from './campaign-name.ts';
import { type Campaign, type CampaignFilter, campaignsQuery, pageOf } from './campaign-queries.ts';

const STATUSES: Readonly<Record<Campaign['status'], string>> = {
  draft: 'Draft',
  scheduled: 'Scheduled',
  queued: 'Queued',
  sending: 'Sending',
  sent: 'Sent',
  cancelled: 'Cancelled',
  failed: 'Failed',
};

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
      actions={
        <>
          {write || data?.campaigns.length ? (
            <Button
              component={Link}
              href={inConsole('/recurring-campaigns')}
              variant="default"
              leftSection={<IconCalendarRepeat size={14} />}
            >
              Recurring campaigns
            </Button>
          ) : null}
          {write ?? <ReadsOnly things="campaigns" doing="creating" operation="POST /campaigns" />}
        </>
      }
    >
      {filters.given.status ? null : <Drafts />}
      <FilterBar filters={filters} rows={data?.campaigns}>
        <ChoiceFilter filters={filters} name="status" label="Status" choices={choicesOf(STATUSES)} />
      </FilterBar>
      <List
        label="Campaigns"
        columns={CAMPAIGN_COLUMNS}
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
