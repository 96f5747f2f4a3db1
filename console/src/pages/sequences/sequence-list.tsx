import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { choicesOf } from '../../frame/choices.ts';
import { ChoiceFilter, FilterBar, TextFilter } from '../../frame/filter-bar.tsx';
import { useFilters } from '../../frame/filters.ts';
import { type Column, List } from '../../frame/list.tsx';
import { Page } from '../../frame/page.tsx';
import { usePages } from '../../frame/paging.ts';
import { ReadsOnly } from '../../frame/reads-only.tsx';
import { RowName } from '../../frame/row-name.tsx';
import { useSession } from '../../session/session.tsx';
import { Status } from '../../show/status.tsx';
import { NewSequence } from './new-sequence.tsx';
import { type SequenceStatus, type SequenceSummary, sequencesQuery } from './sequence-queries.ts';
import { ALL_STARTERS } from './starter-list.tsx';

const STATUSES: Readonly<Record<SequenceStatus, string>> = { active: 'Active', paused: 'Paused', draft: 'Draft', archived: 'Archived' };

const COLUMNS: readonly Column<SequenceSummary>[] = [
  {
    title: 'Sequence',
    hasTwoLines: true,
    cell: ({ name, key }) => <RowName name={name} more={key} isMoreWideOnly />,
  },
  { title: 'Status', width: 112, cell: ({ status }) => <Status value={status} /> },
  {
    title: 'Trigger',
    wideOnly: true,
    width: '17%',
    cell: ({ trigger }) => (
      <Text inherit c={trigger ? undefined : 'dimmed'} truncate title={trigger ?? undefined}>
        {trigger ?? 'API or manual only'}
      </Text>
    ),
  },
  { title: 'Active runs', isNamed: true, width: 104, align: 'right', cell: ({ enrollments }) => count(enrollments.active) },
  {
    title: 'Completed',
    wideOnly: true,
    roomyOnly: true,
    width: 96,
    align: 'right',
    cell: ({ enrollments }) => count(enrollments.completed),
  },
  {
    title: 'Cancelled',
    wideOnly: true,
    roomyOnly: true,
    width: 92,
    align: 'right',
    cell: ({ enrollments }) => count(enrollments.cancelled),
  },
  {
    title: 'Failed steps',
    isNamed: true,
    width: 104,
    align: 'right',
    cell: ({ failed_steps }) =>
      failed_steps > 0 ? (
        <Text inherit span fw={600} c="var(--mantine-color-error)">
          {failed_steps.toLocaleString('en')}
        </Text>
      ) : (
        count(0)
      ),
  },
];

/** Every sequence of the project, newest first. */
export function SequenceList(): ReactNode {
  const { may } = useSession();
  const filters = useFilters(['q', 'status']);
  const { data, error, refetch } = useQuery(sequencesQuery());
  const q = filters.get('q').toLowerCase();
  const status = filters.get('status');
  const matching = data?.filter(
    (one) => (!status || one.status === status) && `${one.name} ${one.key} ${one.trigger ?? ''}`.toLowerCase().includes(q),
  );
  const { rows, paging } = usePages(matching);
  return (
    <Page
      title="Sequences"
      description="Automated emails, each contact at their own pace"
      actions={
        data ? (
          <>
            <ReadySequences />
            {may('PUT /sequences/{key}') ? (
              <NewSequence taken={data.map(({ key }) => key)} />
            ) : (
              <ReadsOnly things="sequences" doing="creating" operation="PUT /sequences/{key}" />
            )}
          </>
        ) : undefined
      }
    >
      <FilterBar
        filters={filters}
        rows={rows}
        search={<TextFilter filters={filters} name="q" label="Search sequences" placeholder="Name, key or trigger" isSearch />}
      >
        <ChoiceFilter filters={filters} name="status" label="Status" choices={choicesOf(STATUSES)} width={130} />
      </FilterBar>
      <List
        label="Sequences"
        columns={COLUMNS}
        rows={rows}
        rowKey={({ id }) => id}
        rowLink={({ key }) => `/${key}`}
        error={error}
        onRetry={refetch}
        total={matching?.length}
        paging={paging}
        empty={
          filters.noneMatch('sequence') ?? {
            title: 'No sequences yet',
            text: 'A sequence sends emails over time as each contact moves through its steps.',
            action: (
              <Group gap="sm" justify="center" mt="sm">
                <Button component={Link} href={`?starter=${ALL_STARTERS}`}>
                  Start from a sequence template
                </Button>
                <NewSequence taken={[]} isFirst />
              </Group>
            ),
          }
        }
      />
    </Page>
  );
}

function ReadySequences(): ReactNode {
  return (
    <Button component={Link} href={`?starter=${ALL_STARTERS}`} variant="default">
      Sequence templates
    </Button>
  );
}

function count(number: number): ReactNode {
  return (
    <Text inherit span c={number === 0 ? 'dimmed' : undefined}>
      {number.toLocaleString('en')}
    </Text>
  );
}
