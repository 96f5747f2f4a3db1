import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Redirect, useSearchParams } from 'wouter';
import { FormDialog } from '../../frame/form.tsx';
import { type Column, List } from '../../frame/list.tsx';
import { Page } from '../../frame/page.tsx';
import { usePages } from '../../frame/paging.ts';
import { ReadsOnly } from '../../frame/reads-only.tsx';
import { RowName } from '../../frame/row-name.tsx';
import { useSession } from '../../session/session.tsx';
import { CellText } from '../../show/cell-text.tsx';
import { ADD_DOMAIN, OF_HOST } from '../../show/sender-host.ts';
import { Time } from '../../show/time.tsx';
import { AddDomain } from './add-domain.tsx';
import { type Domain, domainOf, domainsQuery } from './domain-queries.ts';
import { DomainStatus } from './domain-status.tsx';

const COLUMNS: readonly Column<Domain>[] = [
  { title: 'Domain', cell: ({ domain }) => <RowName name={domain} /> },
  { title: 'Status', width: 210, cell: (domain) => <DomainStatus domain={domain} /> },
  {
    title: 'DNS checked',
    isNamed: true,
    width: 130,
    align: 'right',
    cell: ({ checked_at }) => (checked_at ? <Time at={checked_at} dimmed /> : <CellText isDimmed>Never</CellText>),
  },
  { title: 'Added', wideOnly: true, width: 116, align: 'right', cell: ({ created_at }) => <Time at={created_at} dimmed /> },
];

/** Domains that email is sent from. By the host of a sender in its address it leads to the domain that decides about it. */
export function DomainList(): ReactNode {
  const { may } = useSession();
  const { data, error, refetch } = useQuery(domainsQuery());
  const [search, setSearch] = useSearchParams();
  const [isClicked, setIsClicked] = useState(false);
  const { rows, paging } = usePages(data);
  const host = search.get(OF_HOST) ?? '';
  const sought = host && data ? domainOf(host, data) : undefined;
  const isAsked = search.has(ADD_DOMAIN) || (host !== '' && data !== undefined);
  const close = (): void => {
    setIsClicked(false);
    if (isAsked) setSearch({}, { replace: true });
  };
  if (sought) return <Redirect to={`/${sought.id}`} replace />;
  const isAddable = may('POST /domains');
  return (
    <Page
      title="Domains"
      description="Domains that your emails are sent from, proved by DNS records"
      actions={
        isAddable ? (
          <Button leftSection={<IconPlus size={14} />} onClick={() => setIsClicked(true)}>
            Add domain
          </Button>
        ) : (
          <ReadsOnly things="domains" doing="adding" operation="POST /domains" />
        )
      }
    >
      <List
        label="Domains"
        columns={COLUMNS}
        rows={rows}
        rowKey={({ id }) => id}
        rowLink={({ id }) => `/${id}`}
        error={error}
        onRetry={refetch}
        total={data?.length}
        paging={paging}
        empty={{
          title: 'No domains yet',
          text: 'Email is sent from verified domains only. Add the one that your senders are on, and set the DNS records that you are shown.',
          action: isAddable && (
            <Button variant="default" mt="sm" onClick={() => setIsClicked(true)}>
              Add your first domain
            </Button>
          ),
        }}
      />
      <FormDialog opened={isAddable && (isClicked || isAsked)} onClose={close} title="Add domain">
        <AddDomain taken={data ?? []} host={host} onClose={close} />
      </FormDialog>
    </Page>
  );
}
