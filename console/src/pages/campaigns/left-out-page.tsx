import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { inConsole } from '../../base.ts';
import { keysOf } from '../../frame/choices.ts';
import { ChoiceFilter, FilterBar } from '../../frame/filter-bar.tsx';
import { useFilters } from '../../frame/filters.ts';
import { type Column, List } from '../../frame/list.tsx';
import { Unread } from '../../frame/not-here.tsx';
import { Page } from '../../frame/page.tsx';
import { usePaging, usePosition } from '../../frame/paging.ts';
import { RowName } from '../../frame/row-name.tsx';
import { Time } from '../../show/time.tsx';
import { useCampaignName } from './campaign-name.ts';
import { CAMPAIGN_LIST, campaignQuery, type LeftOutFilter, leftOutQuery, type PersonLeftOut } from './campaign-queries.ts';
import { ExportPeople } from './export-people.tsx';
import { LEFT_OUT, leftOutCount, personLeftOutWords } from './left-out-words.ts';

const COLUMNS: readonly Column<PersonLeftOut>[] = [
  { title: 'Contact', cell: ({ email }) => <RowName name={email} /> },
  { title: 'Reason', width: 220, cell: personLeftOutWords },
  { title: 'When', width: 132, align: 'right', cell: ({ at }) => <Time at={at} dimmed /> },
];

/** Who matched the audience of a campaign and does not get it, and why. */
export function LeftOutPage({ id }: { readonly id: string }): ReactNode {
  const filters = useFilters(['reason']);
  const { data: campaign, error: unread, refetch: readAgain } = useQuery(campaignQuery(id));
  const name = useCampaignName(campaign);
  const { data, error, isPlaceholderData, refetch } = useQuery(leftOutQuery(id, { ...(filters.given as LeftOutFilter), ...usePosition() }));
  const paging = usePaging(data);
  const counts = campaign?.left_out;
  const reason = filters.get('reason') as keyof typeof LEFT_OUT | '';
  // Contacts that were deleted are in no list.
  const choices = keysOf(LEFT_OUT)
    .filter((value) => value !== 'erased')
    .map((value) => ({
      value,
      label: counts ? `${LEFT_OUT[value]} (${counts[value].toLocaleString('en')})` : LEFT_OUT[value],
    }));
  const back = name !== undefined ? { to: `/${id}`, label: name } : CAMPAIGN_LIST;
  if (unread) {
    return (
      <Page title="Left out" back={CAMPAIGN_LIST}>
        <Unread error={unread} onRetry={readAgain} what="campaign" back={CAMPAIGN_LIST} />
      </Page>
    );
  }
  return (
    <Page
      title="Left out"
      description="People in the audience who did not get this campaign"
      back={back}
      actions={<ExportPeople id={id} outcome="left_out" />}
    >
      <FilterBar filters={filters} rows={data?.people}>
        <ChoiceFilter filters={filters} name="reason" label="Reason" choices={choices} />
      </FilterBar>
      <List
        label="Left out"
        columns={COLUMNS}
        rows={data?.people}
        rowKey={(person) => person.contact_id}
        rowLink={(person) => inConsole(`/contacts/${person.contact_id}`)}
        isChanging={isPlaceholderData}
        error={error}
        onRetry={refetch}
        paging={paging}
        total={counts && (reason ? counts[reason] : leftOutCount(counts))}
        empty={filters.noneMatch('person') ?? { title: 'Nobody was left out' }}
      />
      {counts && counts.erased > 0 ? (
        <Text size="sm" c="dimmed">
          Deleted contacts are counted but not listed.
        </Text>
      ) : null}
    </Page>
  );
}
