import { Button } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { ListQuery } from '../../../api/client.ts';
import { choicesOf } from '../../../frame/choices.ts';
import { ChoiceFilter, FilterBar } from '../../../frame/filter-bar.tsx';
import { useFilters } from '../../../frame/filters.ts';
import { type Column, List } from '../../../frame/list.tsx';
import { Page } from '../../../frame/page.tsx';
import { usePaging, usePosition } from '../../../frame/paging.ts';
import { ReadsOnly } from '../../../frame/reads-only.tsx';
import { RowName } from '../../../frame/row-name.tsx';
import { useSession } from '../../../session/session.tsx';
import { Time } from '../../../show/time.tsx';
import { CONTACT_LIST } from '../contact-queries.ts';
import { type Import, importsQuery } from './import-queries.ts';
import { ImportStatus } from './import-status.tsx';
import { sizeWords } from './import-words.ts';

const STATUSES: Readonly<Record<Import['status'], string>> = {
  running: 'Running',
  paused: 'Paused',
  completed: 'Completed',
  cancelled: 'Cancelled',
  failed: 'Failed',
};

const COLUMNS: readonly Column<Import>[] = [
  {
    title: 'File',
    hasTwoLines: true,
    cell: ({ filename, dry_run, size }) => <RowName name={filename} more={`${dry_run ? 'Dry run · ' : ''}${sizeWords(size)}`} />,
  },
  { title: 'Status', width: 138, cell: (shown) => <ImportStatus shown={shown} /> },
  { title: 'Rows', isNamed: true, width: 100, align: 'right', cell: ({ rows }) => rows.toLocaleString('en') },
  { title: 'New', wideOnly: true, roomyOnly: true, width: 100, align: 'right', cell: ({ inserted }) => inserted.toLocaleString('en') },
  { title: 'Refused', wideOnly: true, width: 100, align: 'right', cell: ({ refused }) => refused.toLocaleString('en') },
  { title: 'Started', isNamed: true, width: 120, align: 'right', cell: ({ created_at }) => <Time at={created_at} dimmed /> },
];

/** Files of contacts that were imported lately, the newest first. */
export function ImportList(): ReactNode {
  const { may } = useSession();
  const filters = useFilters(['status']);
  const position = usePosition();
  const { data, error, isPlaceholderData, refetch } = useQuery(importsQuery({ ...(filters.given as ListQuery<'/imports'>), ...position }));
  const paging = usePaging(data);
  const add = may('POST /imports') ? (
    <Button component={Link} href="/imports/new" leftSection={<IconUpload size={14} />}>
      Import contacts
    </Button>
  ) : undefined;
  return (
    <Page
      title="Imports"
      description="Files of the last 30 days"
      back={CONTACT_LIST}
      actions={add ?? <ReadsOnly things="imports" doing="starting" operation="POST /imports" />}
    >
      <FilterBar filters={filters} rows={data?.imports}>
        <ChoiceFilter filters={filters} name="status" label="Status" choices={choicesOf(STATUSES)} />
      </FilterBar>
      <List
        label="Imports"
        columns={COLUMNS}
        rows={data?.imports}
        rowKey={({ id }) => id}
        rowLink={({ id }) => `/imports/${id}`}
        isChanging={isPlaceholderData}
        error={error}
        onRetry={refetch}
        paging={paging}
        empty={
          filters.noneMatch('import') ?? {
            title: 'No imports yet',
            text: 'A CSV file adds contacts and updates those that there are.',
            action: add && (
              <Button component={Link} href="/imports/new" variant="default" mt="sm">
                Import your first file
              </Button>
            ),
          }
        }
      />
    </Page>
  );
}
