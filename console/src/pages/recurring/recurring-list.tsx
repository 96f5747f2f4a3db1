import { Button, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { ListQuery } from '../../api/client.ts';
import { choicesOf } from '../../frame/choices.ts';
import { ChoiceFilter, FilterBar } from '../../frame/filter-bar.tsx';
import { useFilters } from '../../frame/filters.ts';
import { type Column, List } from '../../frame/list.tsx';
import { Page } from '../../frame/page.tsx';
import { usePaging, usePosition } from '../../frame/paging.ts';
import { ReadsOnly } from '../../frame/reads-only.tsx';
import { RowName } from '../../frame/row-name.tsx';
import { capitalized } from '../../letters.ts';
import { useSession } from '../../session/session.tsx';
import { CellText } from '../../show/cell-text.tsx';
import { Sandboxed } from '../../show/sandboxed.tsx';
import { Time } from '../../show/time.tsx';
import { useAudienceWords } from '../campaigns/audience-name.tsx';
import { useRecurringNames } from './recurring-name.ts';
import { type Recurring, recurringListQuery } from './recurring-queries.ts';
import { RecurringStatus } from './recurring-status.tsx';
import { hasFailed, outcomeWords } from './run-words.ts';

const STATUSES: Readonly<Record<Recurring['status'], string>> = { active: 'Active', paused: 'Paused', ended: 'Ended' };

const COLUMNS: readonly Column<Recurring>[] = [
  { title: 'Recurring campaign', hasTwoLines: true, cell: (recurring) => <Name recurring={recurring} /> },
  { title: 'Status', width: 136, cell: (recurring) => <RecurringStatus recurring={recurring} /> },
  { title: 'Last run', wideOnly: true, roomyOnly: true, width: 190, cell: (recurring) => <LastRun recurring={recurring} /> },
  { title: 'Campaigns', isNamed: true, width: 100, align: 'right', cell: ({ campaigns }) => campaigns.toLocaleString('en') },
  {
    title: 'Next run',
    isNamed: true,
    width: 132,
    align: 'right',
    cell: ({ status, next_runs: [next] }) =>
      status === 'active' && next ? (
        <Time at={next} isExact dimmed />
      ) : (
        <Text inherit c="dimmed">
          None
        </Text>
      ),
  },
];

/** All recurring campaigns, newest first. */
export function RecurringCampaigns(): ReactNode {
  const { may } = useSession();
  const filters = useFilters(['status']);
  const position = usePosition();
  const query = { ...(filters.given as ListQuery<'/recurring-campaigns'>), ...position };
  const { data, error, isPlaceholderData, refetch } = useQuery(recurringListQuery(query));
  const paging = usePaging(data);
  const write = may('POST /recurring-campaigns') ? (
    <Button component={Link} href="/new" leftSection={<IconPlus size={14} />}>
      New recurring campaign
    </Button>
  ) : undefined;
  return (
    <Page
      title="Recurring campaigns"
      description="Make a campaign again and again, each for whoever is in its audience that day"
      actions={write ?? <ReadsOnly things="recurring campaigns" doing="creating" operation="POST /recurring-campaigns" />}
    >
      <FilterBar filters={filters} rows={data?.recurringCampaigns}>
        <ChoiceFilter filters={filters} name="status" label="Status" choices={choicesOf(STATUSES)} />
      </FilterBar>
      <List
        label="Recurring campaigns"
        columns={COLUMNS}
        rows={data?.recurringCampaigns}
        rowKey={({ id }) => id}
        rowLink={({ id }) => `/${id}`}
        isChanging={isPlaceholderData}
        error={error}
        onRetry={refetch}
        paging={paging}
        empty={
          filters.noneMatch('recurring campaign') ?? {
            title: 'No recurring campaigns yet',
            text: 'Choose a template, an audience and a schedule: a newsletter every Tuesday at nine, say.',
            action: write && (
              <Button component={Link} href="/new" variant="default" mt="sm">
                Create your first recurring campaign
              </Button>
            ),
          }
        }
      />
    </Page>
  );
}

function Name({ recurring }: { readonly recurring: Recurring }): ReactNode {
  const nameOf = useRecurringNames();
  const whom = useAudienceWords()(recurring.audience);
  return (
    <RowName
      name={nameOf(recurring)}
      more={[capitalized(recurring.in_words), whom].filter(Boolean).join(' · ')}
      beside={recurring.sandboxed ? <Sandboxed what="campaign" /> : undefined}
    />
  );
}

function LastRun({ recurring: { last_run: run } }: { readonly recurring: Recurring }): ReactNode {
  if (!run) {
    return (
      <Text inherit c="dimmed">
        Has not run yet
      </Text>
    );
  }
  const words = outcomeWords(run);
  return (
    <CellText title={words} isDimmed={!hasFailed(run)}>
      {words}
    </CellText>
  );
}
