import { Anchor, Button } from '@mantine/core';
import { IconPlus, IconUpload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { choicesOf } from '../../frame/choices.ts';
import { ChoiceFilter, FilterBar, TextFilter } from '../../frame/filter-bar.tsx';
import { type Filters, useFilters } from '../../frame/filters.ts';
import { type Column, List } from '../../frame/list.tsx';
import { Page } from '../../frame/page.tsx';
import { usePaging, usePosition } from '../../frame/paging.ts';
import { ReadsOnly } from '../../frame/reads-only.tsx';
import { useVocabulary } from '../../frame/vocabulary.ts';
import { useSession } from '../../session/session.tsx';
import { CellText } from '../../show/cell-text.tsx';
import { Download } from '../../show/download.tsx';
import { Time } from '../../show/time.tsx';
import { contactSource } from '../../show/words.ts';
import { countQuery, segmentsQuery } from '../segments/segment-queries.ts';
import { ContactName } from './contact-name.tsx';
import { type ContactFilter, contactsQuery, type ListedContact, totalQuery } from './contact-queries.ts';
import { MailableStatus } from './mailable-status.tsx';
import { ManyAtOnce } from './many-at-once.tsx';
import { Tags } from './tags.tsx';

const STATUSES: Readonly<Record<ListedContact['status'], string>> = {
  subscribed: 'Subscribed',
  unsubscribed: 'Unsubscribed',
  pending: 'Pending',
  bounced: 'Bounced',
};

const COLUMNS: readonly Column<ListedContact>[] = [
  { title: 'Contact', hasTwoLines: true, cell: (contact) => <ContactName contact={contact} /> },
  { title: 'Status', width: 138, hasTwoLines: true, cell: (contact) => <MailableStatus contact={contact} /> },
  { title: 'Tags', wideOnly: true, width: '24%', cell: ({ tags }) => <Tags tags={tags} most={3} /> },
  {
    title: 'Source',
    wideOnly: true,
    roomyOnly: true,
    width: 130,
    cell: ({ source }) => (
      <CellText isDimmed title={source}>
        {contactSource(source)}
      </CellText>
    ),
  },
  { title: 'Added', isNamed: true, width: 120, align: 'right', cell: ({ created_at }) => <Time at={created_at} dimmed /> },
];

/** Everybody in the project, newest first. */
export function ContactList(): ReactNode {
  const { may } = useSession();
  const filters = useFilters(['q', 'status', 'tag', 'segment']);
  const position = usePosition();
  const filter = filters.given as ContactFilter;
  const { data, error, isPlaceholderData, refetch } = useQuery(contactsQuery({ ...filter, ...position }));
  const { data: found } = useQuery({ ...totalQuery(filter), enabled: data?.totalCount === null && !isPlaceholderData });
  const segment = filters.get('segment');
  const isWhole = segment !== '' && Object.keys(filters.given).length === 1;
  // Its members are listed without a count, which may take longer than the list.
  const { data: members } = useQuery({ ...countQuery(segment), enabled: isWhole });
  const paging = usePaging(data);
  const isEmpty = data?.contacts.length === 0 && !filters.any;
  const add = may('POST /contacts') ? (
    <Button component={Link} href="/new" leftSection={<IconPlus size={14} />}>
      New contact
    </Button>
  ) : undefined;
  return (
    <Page
      title="Contacts"
      actions={
        <>
          {isEmpty ? null : <Export filter={filter} />}
          {add || !isEmpty ? (
            <Button component={Link} href={add ? '/imports/new' : '/imports'} variant="default" leftSection={<IconUpload size={14} />}>
              {add ? 'Import' : 'Imports'}
            </Button>
          ) : null}
          {add ?? <ReadsOnly things="contacts" doing="adding" operation="POST /contacts" />}
        </>
      }
    >
      <ContactFilters filters={filters} rows={data?.contacts} />
      <List
        label="Contacts"
        columns={COLUMNS}
        rows={data?.contacts}
        rowKey={({ id }) => id}
        rowLink={({ id }) => `/${id}`}
        isChanging={isPlaceholderData}
        error={error}
        onRetry={refetch}
        total={data?.totalCount ?? found ?? (isWhole ? members : undefined)}
        paging={paging}
        empty={
          filters.noneMatch('contact') ?? {
            title: 'No contacts yet',
            text: (
              <>
                Contacts come from your apps and forms, from the first marketing email to an address, or are added by hand.{' '}
                {add ? <ManyAtOnce /> : null}
              </>
            ),
            action: add && (
              <Button component={Link} href="/new" variant="default" mt="sm">
                Add your first contact
              </Button>
            ),
          }
        }
      />
    </Page>
  );
}

/** All that the filters find, as a file. */
function Export({ filter: { segment, q, status, tag } }: { readonly filter: ContactFilter }): ReactNode {
  const query = { q, status, tag };
  return (
    <Download path={segment ? `/segments/${encodeURIComponent(segment)}/export` : '/contacts/export'} query={query}>
      Export CSV
    </Download>
  );
}

interface FiltersGiven {
  readonly filters: Filters;
  /** What they leave. */
  readonly rows: readonly ListedContact[] | undefined;
}

function ContactFilters({ filters, rows }: FiltersGiven): ReactNode {
  const { may } = useSession();
  const { tags } = useVocabulary();
  const { data: segments = [] } = useQuery(segmentsQuery());
  return (
    <FilterBar
      filters={filters}
      rows={rows}
      search={<TextFilter filters={filters} name="q" label="Search contacts" placeholder="Email or name" isSearch />}
    >
      <ChoiceFilter filters={filters} name="status" label="Status" choices={choicesOf(STATUSES)} />
      <TextFilter filters={filters} name="tag" label="Tag" suggestions={tags} />
      {segments.length > 0 || filters.get('segment') !== '' ? (
        <ChoiceFilter
          filters={filters}
          name="segment"
          label="Segment"
          choices={segments.map(({ id, label }) => ({ value: id, label }))}
          width={170}
        />
      ) : null}
      {may('POST /segments') ? (
        <Anchor component={Link} href={inConsole('/segments/new?attribute=')} size="sm" lh="32px">
          By attribute…
        </Anchor>
      ) : null}
    </FilterBar>
  );
}
