import { Button, Skeleton, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { type Column, List } from '../../frame/list.tsx';
import { Page } from '../../frame/page.tsx';
import { usePages } from '../../frame/paging.ts';
import { ReadsOnly } from '../../frame/reads-only.tsx';
import { RowName } from '../../frame/row-name.tsx';
import { useSession } from '../../session/session.tsx';
import { Time } from '../../show/time.tsx';
import { filterWords } from './filter-words.ts';
import { countQuery, type Segment, segmentsQuery } from './segment-queries.ts';

const COLUMNS: readonly Column<Segment>[] = [
  {
    title: 'Segment',
    hasTwoLines: true,
    cell: ({ label, filter }) => <RowName name={label} more={filterWords(filter)} />,
  },
  { title: 'Contacts', isNamed: true, width: 100, align: 'right', cell: (segment) => <Count segment={segment} /> },
  {
    title: 'Brand',
    wideOnly: true,
    width: 140,
    cell: ({ brand_id }) => (
      <Text inherit c="dimmed">
        {brand_id ?? 'all'}
      </Text>
    ),
  },
  { title: 'Changed', isNamed: true, width: 120, align: 'right', cell: ({ updated_at }) => <Time at={updated_at} dimmed /> },
];

/** Counted now; by a call of its own where that takes time, so that the list need not wait for it. */
function Count({ segment: { id, count } }: { readonly segment: Segment }): ReactNode {
  const { data, isError } = useQuery({ ...countQuery(id), enabled: count === undefined });
  const known = count ?? data;
  if (known !== undefined) return known.toLocaleString('en');
  return isError ? '–' : <Skeleton h={12} w={40} my={4} ml="auto" />;
}

/** The saved audiences. */
export function SegmentList(): ReactNode {
  const { may } = useSession();
  const { data, error, refetch } = useQuery(segmentsQuery());
  const { rows, paging } = usePages(data);
  const create = may('POST /segments') ? (
    <Button component={Link} href="/new" leftSection={<IconPlus size={14} />}>
      New segment
    </Button>
  ) : undefined;
  return (
    <Page
      title="Segments"
      description="Saved audiences that stay up to date"
      actions={create ?? <ReadsOnly things="segments" doing="creating" operation="POST /segments" />}
    >
      <List
        label="Segments"
        columns={COLUMNS}
        rows={rows}
        rowKey={({ id }) => id}
        rowLink={({ id }) => `/${id}`}
        error={error}
        onRetry={refetch}
        total={data?.length}
        paging={paging}
        empty={{
          title: 'No segments yet',
          text: 'A segment is a saved filter of contacts, used in campaigns and in conditions of sequences.',
          action: create && (
            <Button component={Link} href="/new" variant="default" mt="sm">
              Create your first segment
            </Button>
          ),
        }}
      />
    </Page>
  );
}
