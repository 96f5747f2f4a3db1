import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ChoiceFilter, DayFilter, FilterBar, TextFilter } from '../../frame/filter-bar.tsx';
import { useFilters } from '../../frame/filters.ts';
import { type Column, List } from '../../frame/list.tsx';
import { Page } from '../../frame/page.tsx';
import { usePaging, usePosition } from '../../frame/paging.ts';
import { RowName } from '../../frame/row-name.tsx';
import { sendErrorWords } from '../../show/send-error-words.ts';
import { Status } from '../../show/status.tsx';
import { Time } from '../../show/time.tsx';
import { Engagement } from './engagement.tsx';
import { type Send, type SendFilter, sendsQuery, stateOf, templateKeysQuery } from './send-queries.ts';
import { StateFilter } from './state-filter.tsx';

const SOURCES = [
  { value: 'api', label: 'API' },
  { value: 'sequence', label: 'Sequences' },
  { value: 'campaign', label: 'Campaigns' },
  { value: 'test', label: 'Test mails' },
];

const FILTERS = ['q', 'status', 'deliveryStatus', 'template', 'type', 'sourceType', 'from', 'to', 'sourceId', 'contactId'];

const COLUMNS: readonly Column<Send>[] = [
  {
    title: 'Recipient',
    cell: ({ to_email, subject, error, template }) => (
      <RowName name={to_email || 'Erased'} more={subject || (error && sendErrorWords(error)) || template} />
    ),
  },
  { title: 'Status', width: 128, cell: (send) => <Status value={stateOf(send)} /> },
  {
    title: 'Template',
    wideOnly: true,
    width: 150,
    cell: ({ template }) => (
      <Text inherit truncate>
        {template}
      </Text>
    ),
  },
  { title: 'Source', wideOnly: true, width: 100, cell: ({ source_type }) => <Dimmed>{source_type}</Dimmed> },
  { title: 'Opens, clicks', width: 110, cell: (send) => <Engagement send={send} /> },
  { title: 'Sent', width: 116, align: 'right', cell: ({ created_at }) => <Time at={created_at} dimmed /> },
];

/** Every attempt to send, newest first. */
export function SendList(): ReactNode {
  const filters = useFilters(FILTERS);
  const position = usePosition();
  const { data, error, isPlaceholderData, refetch } = useQuery(sendsQuery({ ...asked(filters.given), ...position }));
  const { data: templates = [] } = useQuery(templateKeysQuery());
  const paging = usePaging(data);
  return (
    <Page title="Sends">
      <FilterBar filters={filters}>
        <TextFilter filters={filters} name="q" label="Search sends" placeholder="Search address or message id" isSearch />
        <StateFilter filters={filters} />
        <ChoiceFilter
          filters={filters}
          name="template"
          label="Template"
          choices={templates.map((key) => ({ value: key, label: key }))}
          width={150}
        />
        <ChoiceFilter filters={filters} name="type" label="Type" choices={['transactional', 'marketing']} width={130} />
        <ChoiceFilter filters={filters} name="sourceType" label="Source" choices={SOURCES} width={115} />
        <DayFilter filters={filters} name="from" label="From" />
        <DayFilter filters={filters} name="to" label="To" />
        {filters.get('sourceId') ? <TextFilter filters={filters} name="sourceId" label="Source id" /> : null}
        {filters.get('contactId') ? <TextFilter filters={filters} name="contactId" label="Contact id" /> : null}
      </FilterBar>
      <List
        label="Sends"
        columns={COLUMNS}
        rows={data?.sends}
        rowKey={({ id }) => id}
        rowLink={({ id }) => `/${encodeURIComponent(id)}`}
        isChanging={isPlaceholderData}
        error={error}
        onRetry={refetch}
        paging={paging}
        empty={
          filters.any
            ? { title: 'No send matches', text: 'Change the filters, or clear them.' }
            : {
                title: 'Nothing was sent yet',
                text: 'Mails of your own programs, of sequences and of campaigns are here as soon as they have their outcome.',
              }
        }
      />
    </Page>
  );
}

/** Days are the reader's own, the last one included. */
function asked({ from, to, ...rest }: Readonly<Record<string, string>>): SendFilter {
  const [begin, end] = [from && startOfDay(from), to && startOfDay(to, 1)];
  return { ...rest, ...(begin ? { from: begin } : {}), ...(end ? { to: end } : {}) };
}

/** When a day like `2026-06-01` begins here, or one so many days later; undefined when the text is none. */
function startOfDay(text: string, later = 0): string | undefined {
  const [year = Number.NaN, month = 1, day = 1] = text.split('-').map(Number);
  const date = new Date(year, month - 1, day + later);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

function Dimmed({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <Text inherit c="dimmed" truncate>
      {children}
    </Text>
  );
}
