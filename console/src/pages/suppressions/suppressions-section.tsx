import { Anchor, Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { ChoiceFilter, FilterBar, TextFilter } from '../../frame/filter-bar.tsx';
import { useFilters } from '../../frame/filters.ts';
import { type Column, List } from '../../frame/list.tsx';
import { Page } from '../../frame/page.tsx';
import { usePaging, usePosition } from '../../frame/paging.ts';
import { ReadsOnly } from '../../frame/reads-only.tsx';
import { RowName } from '../../frame/row-name.tsx';
import { useSession } from '../../session/session.tsx';
import { Status } from '../../show/status.tsx';
import { Time } from '../../show/time.tsx';
import { AddSuppression } from './add-suppression.tsx';
import { REASONS, type Reason, reasonWords } from './reasons.ts';
import { RemoveSuppression } from './remove-suppression.tsx';
import { type Suppression, type SuppressionFilter, suppressionsQuery } from './suppression-queries.ts';

const EMAIL: Column<Suppression> = { title: 'Email', cell: ({ email }) => <RowName name={email} /> };

const LINKED_EMAIL: Column<Suppression> = {
  ...EMAIL,
  cell: ({ email, contact_id }) => {
    if (contact_id === null) return <RowName name={email} />;
    return (
      <Anchor component={Link} href={inConsole(`/contacts/${contact_id}`)} c="inherit" display="block" title="View contact">
        <RowName name={email} />
      </Anchor>
    );
  },
};

const FACTS: readonly Column<Suppression>[] = [
  {
    title: 'Reason',
    width: 190,
    cell: ({ reason }) => (
      <span title={reasonWords(reason)}>
        <Status value={REASONS[reason].label} tone={REASONS[reason].tone} />
      </span>
    ),
  },
  { title: 'Since', width: 130, cell: ({ created_at }) => <Time at={created_at} dimmed /> },
];

export function prefetch(queries: QueryClient): void {
  void queries.prefetchQuery(suppressionsQuery({}));
}

/** Addresses that get no mail at all. */
export default function SuppressionsSection(): ReactNode {
  const { may } = useSession();
  const filters = useFilters(['q', 'reason']);
  const position = usePosition();
  const [isAdding, setIsAdding] = useState(false);
  const [removed, setRemoved] = useState<Suppression>();
  const { data, error, isPlaceholderData, refetch } = useQuery(suppressionsQuery({ ...(filters.given as SuppressionFilter), ...position }));
  const paging = usePaging(data && { nextCursor: data.nextCursor ?? null });
  const mayRemove = may('DELETE /suppressions/{email}');
  const mayLook = may('GET /contacts/{id}');
  const columns = useMemo(
    () => [mayLook ? LINKED_EMAIL : EMAIL, ...FACTS, ...(mayRemove ? [removal(setRemoved)] : [])],
    [mayLook, mayRemove],
  );
  const add = may('POST /suppressions') ? (
    <Button leftSection={<IconPlus size={14} />} onClick={() => setIsAdding(true)}>
      Suppress address
    </Button>
  ) : undefined;
  return (
    <Page
      title="Suppressions"
      description="Addresses that get no email at all, including transactional email"
      actions={add ?? <ReadsOnly things="suppressions" doing="adding" operation="POST /suppressions" />}
    >
      <FilterBar
        filters={filters}
        rows={data?.suppressions}
        search={<TextFilter filters={filters} name="q" label="Search addresses" placeholder="Email" isSearch />}
      >
        <ChoiceFilter
          filters={filters}
          name="reason"
          label="Reason"
          width={190}
          choices={(Object.keys(REASONS) as Reason[]).map((value) => ({ value, label: REASONS[value].label }))}
        />
      </FilterBar>
      <List
        label="Suppressions"
        columns={columns}
        rows={data?.suppressions}
        isChanging={isPlaceholderData}
        rowKey={({ email }) => email}
        error={error}
        onRetry={refetch}
        paging={paging}
        empty={
          filters.noneMatch('address') ?? {
            title: 'No suppressed addresses',
            text: 'Bounces and complaints are added automatically when the provider reports them.',
            action: add && (
              <Button variant="default" mt="sm" onClick={() => setIsAdding(true)}>
                Suppress an address
              </Button>
            ),
          }
        }
      />
      <AddSuppression opened={isAdding} onClose={() => setIsAdding(false)} />
      <RemoveSuppression suppression={removed} onClose={() => setRemoved(undefined)} />
    </Page>
  );
}

function removal(onRemove: (suppression: Suppression) => void): Column<Suppression> {
  return {
    title: 'Actions',
    width: 96,
    align: 'right',
    cell: (suppression) => (
      <Button
        variant="subtle"
        color="gray"
        size="compact-xs"
        mr={-8}
        onClick={() => onRemove(suppression)}
        aria-label={`Remove ${suppression.email}`}
      >
        Remove
      </Button>
    ),
  };
}
