import { Button, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ChoiceFilter, FilterBar, TextFilter } from '../../frame/filter-bar.tsx';
import { useFilters } from '../../frame/filters.ts';
import { type Column, List } from '../../frame/list.tsx';
import { Page } from '../../frame/page.tsx';
import { usePages } from '../../frame/paging.ts';
import { ReadsOnly } from '../../frame/reads-only.tsx';
import { RowName } from '../../frame/row-name.tsx';
import { capitalized } from '../../letters.ts';
import { useSession } from '../../session/session.tsx';
import { Status } from '../../show/status.tsx';
import { NEW_TEMPLATE, type Template, templateHref, templatesQuery } from './template-queries.ts';

const COLUMNS: readonly Column<Template>[] = [
  {
    title: 'Template',
    hasTwoLines: true,
    cell: ({ key, name, description }) => <RowName name={name || key} more={[name && key, description].filter(Boolean).join(' · ')} />,
  },
  { title: 'Status', width: 128, cell: ({ enabled }) => <EnabledStatus enabled={enabled} /> },
  { title: 'Type', width: 150, cell: ({ type }) => <Dimmed>{capitalized(type)}</Dimmed> },
  {
    title: 'Source',
    isNamed: true,
    roomyOnly: true,
    width: 140,
    cell: ({ own }) => <Dimmed>{own ? 'This project' : 'Installation'}</Dimmed>,
  },
];

/** Where none has a sender of its own, all have that of the brand. */
const SENDER: Column<Template> = {
  title: 'Sender',
  wideOnly: true,
  roomyOnly: true,
  width: 220,
  cell: ({ from }) => <Dimmed>{from?.email}</Dimmed>,
};
const WITH_SENDER = [...COLUMNS, SENDER];

/** The templates of the installation and of the project, as a brand has set them. */
export function TemplateList(): ReactNode {
  const { may, brands } = useSession();
  const filters = useFilters(['q', 'type', 'enabled', 'brand']);
  const brand = filters.get('brand');
  const { data, error, refetch } = useQuery(templatesQuery(brand || undefined));
  const [type, enabled] = [filters.get('type'), filters.get('enabled')];
  const sought = filters.get('q').toLowerCase();
  const found = data?.filter(
    (one) => saysOf(one).includes(sought) && (!type || one.type === type) && (!enabled || one.enabled === (enabled === 'yes')),
  );
  const { rows, paging } = usePages(found);
  const create = may('POST /templates') ? (
    <Button component={Link} href={NEW_TEMPLATE} leftSection={<IconPlus size={14} />}>
      New template
    </Button>
  ) : undefined;
  return (
    <Page
      title="Templates"
      description="The content, subject and sender of your emails"
      actions={create ?? <ReadsOnly things="templates" doing="creating" operation="POST /templates" />}
    >
      <FilterBar
        filters={filters}
        rows={rows}
        search={<TextFilter filters={filters} name="q" label="Search" placeholder="Search templates" isSearch />}
      >
        <ChoiceFilter filters={filters} name="type" label="Type" choices={['transactional', 'marketing']} />
        <ChoiceFilter
          filters={filters}
          name="enabled"
          label="Status"
          choices={[
            { value: 'yes', label: 'On' },
            { value: 'no', label: 'Off' },
          ]}
          width={120}
        />
        {brands.length > 1 ? (
          <ChoiceFilter
            filters={filters}
            name="brand"
            label={`Brand: ${brands.find(({ is_default }) => is_default)?.name ?? 'default'}`}
            choices={brands.map(({ slug, name }) => ({ value: slug, label: name }))}
            width={180}
          />
        ) : null}
      </FilterBar>
      <List
        label="Templates"
        columns={found?.some(({ from }) => from) ? WITH_SENDER : COLUMNS}
        rows={rows}
        rowKey={({ key }) => key}
        rowLink={({ key }) => templateHref(key, brand)}
        error={error}
        onRetry={refetch}
        total={found?.length}
        paging={paging}
        empty={
          filters.noneMatch('template') ?? {
            title: 'No templates yet',
            text: 'Create your own, or ask whoever runs Everpost to install some.',
          }
        }
      />
    </Page>
  );
}

/** What it is found by. */
function saysOf({ key, name, description, subject }: Template): string {
  return [key, name, description, subject].join(' ').toLowerCase();
}

/** Whether mails may be made with it. */
export function EnabledStatus({ enabled }: { readonly enabled: boolean }): ReactNode {
  return <Status value={enabled ? 'on' : 'off'} tone={enabled ? 'good' : 'idle'} />;
}

function Dimmed({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <Text inherit c="dimmed" truncate>
      {children}
    </Text>
  );
}
