import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Column, List } from '../../frame/list.tsx';
import { RowName } from '../../frame/row-name.tsx';
import { CellText } from '../../show/cell-text.tsx';
import { rateWords } from '../../show/percent.ts';
import { isUnreported, UNREPORTED } from '../../show/reported.ts';
import type { Period } from '../home/home-queries.ts';
import { type By, type OtherReputation, type Reputation, reputationQuery } from './reputation-queries.ts';
import { ReputationState } from './reputation-state.tsx';

const WORDS: Readonly<Record<By, { readonly title: string; readonly name: string; readonly others: string; readonly empty: string }>> = {
  domain: {
    ...{ title: 'Sending domains', name: 'Domain', others: 'domains' },
    empty: 'Emails that left in this period are counted here by the domain that they were sent from.',
  },
  receiver: {
    ...{ title: 'Receivers', name: 'Receiver', others: 'receivers' },
    empty: 'Emails that left in this period are counted here by who runs the mailboxes: Gmail, Outlook and others with all their domains.',
  },
};

const columnsOf = (name: string): readonly Column<Reputation>[] => [
  { title: name, cell: (row) => <RowName name={row.name} /> },
  { title: 'State', width: 130, cell: ({ state }) => <ReputationState state={state} /> },
  { title: 'Sent', isNamed: true, width: 90, align: 'right', cell: ({ sent }) => sent.toLocaleString('en') },
  {
    title: 'Delivered',
    wideOnly: true,
    roomyOnly: true,
    width: 120,
    align: 'right',
    cell: ({ delivered, sent }) =>
      isUnreported(delivered, sent) ? <CellText isDimmed>{UNREPORTED}</CellText> : delivered.toLocaleString('en'),
  },
  { title: 'Deferred', wideOnly: true, roomyOnly: true, width: 90, align: 'right', cell: ({ deferred }) => deferred.toLocaleString('en') },
  {
    ...{ title: 'Bounced', isNamed: true, hasTwoLines: true, width: 140, align: 'right' },
    cell: ({ bounced: { hard, soft }, bounce_rate }) => (
      <Rate rate={bounce_rate} more={hard + soft > 0 ? `${words(hard)} hard, ${words(soft)} soft` : ''} />
    ),
  },
  {
    ...{ title: 'Complaints', isNamed: true, hasTwoLines: true, width: 110, align: 'right' },
    cell: ({ complained, complaint_rate }) => <Rate rate={complaint_rate} more={complained > 0 ? words(complained) : ''} />,
  },
];

const COLUMNS: Readonly<Record<By, readonly Column<Reputation>[]>> = {
  domain: columnsOf(WORDS.domain.name),
  receiver: columnsOf(WORDS.receiver.name),
};

/** What became of the mails of a period by sending domain, or by receiver. */
export function ReputationList({ by, period }: { readonly by: By; readonly period: Period }): ReactNode {
  const { data, error, isPlaceholderData, refetch } = useQuery(reputationQuery(by, period));
  const { title, others, empty } = WORDS[by];
  return (
    <Stack gap="xs" component="section">
      <Title order={2}>{title}</Title>
      <List
        label={title}
        columns={COLUMNS[by]}
        rows={data?.rows}
        rowKey={({ name }) => name}
        isChanging={isPlaceholderData}
        error={error}
        onRetry={refetch}
        empty={{ title: 'No emails in this period', text: empty }}
      />
      {data?.others ? <Others others={data.others} of={others} /> : null}
    </Stack>
  );
}

function Others({ others, of }: { readonly others: OtherReputation; readonly of: string }): ReactNode {
  const { groups, sent, bounce_rate, complaint_rate } = others;
  return (
    <Text size="sm" c="dimmed">
      {words(groups)} other {of}: {words(sent)} sent, {rateWords(bounce_rate)} bounced, {rateWords(complaint_rate)} reported as spam
    </Text>
  );
}

function Rate({ rate, more }: { readonly rate: number | null; readonly more: string }): ReactNode {
  return (
    <>
      {rateWords(rate)}
      {more ? (
        <CellText isSmall isDimmed isWideOnly>
          {more}
        </CellText>
      ) : null}
    </>
  );
}

function words(count: number): string {
  return count.toLocaleString('en');
}
