import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { keysOf } from '../../frame/choices.ts';
import { ChoiceFilter, DaysFilter, FilterBar, TextFilter } from '../../frame/filter-bar.tsx';
import { type Filters, useFilters, withMoments } from '../../frame/filters.ts';
import { type Column, List } from '../../frame/list.tsx';
import { MoreFilters, type RareFilter } from '../../frame/more-filters.tsx';
import { Page } from '../../frame/page.tsx';
import { usePaging, usePosition } from '../../frame/paging.ts';
import { RowName } from '../../frame/row-name.tsx';
import { isWholeAddress } from '../../pasted-emails.ts';
import { useSession } from '../../session/session.tsx';
import { CellText } from '../../show/cell-text.tsx';
import { Download } from '../../show/download.tsx';
import type { EmptyProps } from '../../show/empty.tsx';
import { Sandboxed } from '../../show/sandboxed.tsx';
import { sendErrorWords } from '../../show/send-error-words.ts';
import { Time } from '../../show/time.tsx';
import { madeOf, SEND_SOURCES } from '../../show/words.ts';
import { Engagement } from './engagement.tsx';
import { LeftOutNotice } from './left-out-notice.tsx';
import { LINKED_FILTERS, LinkedFilters } from './linked-filters.tsx';
import { type Send, sendsQuery, templateKeysQuery } from './send-queries.ts';
import { SendStatus } from './send-status.tsx';
import { SourceLink, type Sources, useSources } from './source-link.tsx';
import { StateFilter } from './state-filter.tsx';

const SOURCES = keysOf(SEND_SOURCES).map((value) => ({ value, label: SEND_SOURCES[value].name }));

const SANDBOXED = [
  { value: 'true', label: 'Sandboxed' },
  { value: 'false', label: 'Not sandboxed' },
];

const RARE_FILTERS: readonly RareFilter[] = [
  { name: 'tag', label: 'Tag', width: 126 },
  { name: 'metadata', label: 'Metadata', placeholder: 'name:value', isWhole: (text) => /^[^:]+:./.test(text) },
];

const FILTERS = [
  'q',
  'status',
  'deliveryStatus',
  'template',
  'type',
  'sourceType',
  'sandboxed',
  'from',
  'to',
  ...RARE_FILTERS.map(({ name }) => name),
  ...LINKED_FILTERS,
];

/** What all lists of mails begin with. */
const whichFor = (sources: Sources): readonly Column<Send>[] => [
  {
    title: 'Recipient',
    hasTwoLines: true,
    cell: ({ to_email, subject, error, template, sandboxed }) => (
      <RowName
        name={to_email || 'Erased'}
        more={subject || (error && sendErrorWords(error, to_email)) || madeOf(template)}
        beside={sandboxed ? <Sandboxed /> : undefined}
      />
    ),
  },
  { title: 'Status', width: 128, cell: (send) => <SendStatus send={send} /> },
  {
    title: 'Template',
    wideOnly: true,
    width: 150,
    cell: ({ template }) => (
      <CellText isDimmed={template === null} title={madeOf(template)}>
        {madeOf(template)}
      </CellText>
    ),
  },
  { title: 'Source', wideOnly: true, roomyOnly: true, width: 150, cell: (send) => <SourceLink send={send} sources={sources} /> },
];

const ENDED: readonly Column<Send>[] = [
  { title: 'Opens, clicks', width: 110, cell: (send) => <Engagement send={send} /> },
  { title: 'Sent', width: 116, align: 'right', cell: ({ created_at }) => <Time at={created_at} dimmed /> },
];

const WAITING: readonly Column<Send>[] = [
  {
    title: 'Requested',
    wideOnly: true,
    roomyOnly: true,
    width: 116,
    align: 'right',
    cell: ({ created_at }) => <Time at={created_at} dimmed />,
  },
  {
    title: 'Scheduled for',
    isNamed: true,
    width: 150,
    align: 'right',
    cell: ({ send_at, created_at }) => <Time at={send_at ?? created_at} isExact />,
  },
];

const NOTHING_SENT: EmptyProps = {
  title: 'Nothing sent yet',
  text: 'Emails from your apps, sequences and campaigns appear here once they are sent or fail.',
};

const MAILS_WAIT: EmptyProps = {
  title: 'Nothing sent yet',
  text: 'Some emails are scheduled for later.',
  action: (
    <Anchor component={Link} href={inConsole('/sends?status=scheduled')} size="sm">
      View scheduled emails
    </Anchor>
  ),
};

/** What the list says where filters leave nothing. Whoever looks for a person may look for an email that was left out. */
function noneFound(filters: Filters, mayLook: boolean): EmptyProps | undefined {
  const none = filters.noneMatch('send');
  const search = filters.get('q');
  const contact = filters.get('contactId');
  // Of a whole address the notice above the list says more.
  if (!none || !(contact || search) || isWholeAddress(search)) return none;
  return {
    ...none,
    text: `${none.text} Emails that somebody was left out of are not listed here; the page of the contact says which, and why.`,
    action: mayLook && (
      <Anchor component={Link} href={inConsole(contact ? `/contacts/${contact}` : `/contacts?q=${encodeURIComponent(search)}`)} size="sm">
        {contact ? 'View the contact' : 'Find the contact'}
      </Anchor>
    ),
  };
}

/** Every attempt to send, newest first. */
export function SendList(): ReactNode {
  const { may } = useSession();
  const filters = useFilters(FILTERS);
  const position = usePosition();
  const { data, error, isPlaceholderData, refetch } = useQuery(sendsQuery({ ...withMoments(filters.given), ...position }));
  const { data: templates = [] } = useQuery(templateKeysQuery());
  const sources = useSources(data?.sends);
  // By the rows that are shown, which stay until those of another filter are there.
  const isWaiting = data ? data.sends.some(({ send_at }) => send_at !== null) : filters.get('status') === 'scheduled';
  const columns = useMemo(() => [...whichFor(sources), ...(isWaiting ? WAITING : ENDED)], [sources, isWaiting]);
  const paging = usePaging(data);
  const isEmpty = data?.sends.length === 0 && !filters.any;
  const { data: waiting } = useQuery({ ...sendsQuery({ status: 'scheduled', limit: 1 }), enabled: isEmpty });
  return (
    <Page
      title="Sends"
      actions={
        isEmpty ? undefined : (
          <Download path="/sends/export" query={withMoments(filters.given)}>
            Export CSV
          </Download>
        )
      }
    >
      <FilterBar
        filters={filters}
        rows={data?.sends}
        search={<TextFilter filters={filters} name="q" label="Search sends" placeholder="Email, message ID" isSearch />}
      >
        <StateFilter filters={filters} />
        <ChoiceFilter
          filters={filters}
          name="template"
          label="Template"
          choices={templates.map((key) => ({ value: key, label: key }))}
          width={126}
        />
        <ChoiceFilter filters={filters} name="type" label="Type" choices={['transactional', 'marketing']} width={126} />
        <ChoiceFilter filters={filters} name="sourceType" label="Source" choices={SOURCES} width={110} />
        {filters.get('sandboxed') || data?.sends.some(({ sandboxed }) => sandboxed) ? (
          <ChoiceFilter filters={filters} name="sandboxed" label="Sandbox" choices={SANDBOXED} width={126} />
        ) : null}
        <DaysFilter filters={filters} />
        <MoreFilters filters={filters} rare={RARE_FILTERS} />
        <LinkedFilters filters={filters} />
      </FilterBar>
      <LeftOutNotice search={filters.get('q')} />
      <List
        label="Sends"
        columns={columns}
        rows={data?.sends}
        rowKey={({ id }) => id}
        rowLink={({ id }) => `/${encodeURIComponent(id)}`}
        isChanging={isPlaceholderData}
        error={error}
        onRetry={refetch}
        paging={paging}
        empty={noneFound(filters, may('GET /contacts')) ?? (isEmpty && waiting?.sends.length ? MAILS_WAIT : NOTHING_SENT)}
      />
    </Page>
  );
}
