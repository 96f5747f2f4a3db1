import { Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { isUnreported, UNREPORTED } from '../../show/reported.ts';
import { MOST_BOUNCED, Share } from '../../show/share.tsx';
import { languageWords } from '../templates/languages/language-names.ts';
import type { CampaignResults } from './campaign-queries.ts';
import { CardCell, CardTable } from './card-table.tsx';
import classes from './results.module.css';

interface Given {
  readonly results: CampaignResults;
}

const number = (count: number): string => count.toLocaleString('en');

/** Links by their clicks. */
export function LinksPanel({ results: { links, otherLinks } }: Given): ReactNode {
  return (
    <Panel title="Links" flush>
      {links.length === 0 && otherLinks.clicks === 0 ? (
        <Text size="sm" c="dimmed" p="md">
          No clicks yet.
        </Text>
      ) : (
        <Table aria-label="Links" className={classes.numbers}>
          <Table.Thead>
            <Table.Tr c="dimmed" fz="xs">
              <Table.Th fw={500}>Link</Table.Th>
              <Table.Th fw={500}>Clicks</Table.Th>
              <Table.Th fw={500}>People</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {links.map(({ url, clicks, people }) => (
              <Table.Tr key={url}>
                <Table.Th scope="row" fw={400}>
                  {url}
                </Table.Th>
                <Table.Td>{number(clicks)}</Table.Td>
                <Table.Td>{number(people)}</Table.Td>
              </Table.Tr>
            ))}
            {otherLinks.clicks > 0 ? (
              <Table.Tr c="dimmed">
                <Table.Th scope="row" fw={400}>
                  {otherLinks.links > 0 ? `${number(otherLinks.links)} more, and erased contacts` : 'Others, and erased contacts'}
                </Table.Th>
                <Table.Td>{number(otherLinks.clicks)}</Table.Td>
                <Table.Td />
              </Table.Tr>
            ) : null}
          </Table.Tbody>
        </Table>
      )}
    </Panel>
  );
}

type Receiver = CampaignResults['otherReceivers'];
type ReceiverCounts = Omit<Receiver, 'receivers'>;

interface Column {
  readonly name: keyof ReceiverCounts;
  readonly label: string;
  /** Told as a share of those sent, too. */
  readonly isShare?: boolean;
  /** Above so many percent it is marked. */
  readonly most?: number;
}

const COUNTS: readonly Column[] = [
  { name: 'sent', label: 'Sent' },
  { name: 'delivered', label: 'Delivered', isShare: true },
  { name: 'bounced', label: 'Bounced', isShare: true, most: MOST_BOUNCED },
  { name: 'opened', label: 'Opened', isShare: true },
  { name: 'clicked', label: 'Clicked', isShare: true },
];

/** The domains that most mails went to. */
export function ReceiversPanel({ results: { byReceivers, otherReceivers } }: Given): ReactNode {
  if (byReceivers.length === 0 && otherReceivers.sent === 0) return null;
  return (
    <CountsPanel title="Receivers" first="Domain">
      {byReceivers.map(({ domain, ...counts }) => (
        <CountsRow key={domain} name={domain} counts={counts} />
      ))}
      {otherReceivers.sent > 0 ? <CountsRow name={othersName(otherReceivers)} counts={otherReceivers} /> : null}
    </CountsPanel>
  );
}

/** The languages that its template had when it began. */
export function LanguagesPanel({ results: { byLanguages } }: Given): ReactNode {
  if (byLanguages.length === 0) return null;
  return (
    <CountsPanel title="Languages" first="Language">
      {byLanguages.map(({ locale, ...counts }) => (
        <CountsRow key={locale ?? ''} name={languageWords(locale)} counts={counts} />
      ))}
    </CountsPanel>
  );
}

interface PanelGiven {
  readonly title: string;
  /** What a row is called by. */
  readonly first: string;
  readonly children: ReactNode;
}

function CountsPanel({ title, first, children }: PanelGiven): ReactNode {
  return (
    <Panel title={title} flush>
      <CardTable label={title} columns={[first, ...COUNTS.map(({ label }) => label)]} numbers={classes.numbers}>
        {children}
      </CardTable>
    </Panel>
  );
}

function othersName({ receivers }: Receiver): string {
  return receivers > 0 ? `${number(receivers)} more, and erased contacts` : 'Erased contacts';
}

function CountsRow({ name: row, counts }: { readonly name: string; readonly counts: ReceiverCounts }): ReactNode {
  const { sent } = counts;
  return (
    <Table.Tr role="row">
      <Table.Th scope="row" role="rowheader" fw={400}>
        {row}
      </Table.Th>
      {COUNTS.map(({ name, label, isShare = false, most }) => (
        <CardCell key={name} name={label}>
          {name === 'delivered' && isUnreported(counts[name], sent) ? (
            UNREPORTED
          ) : (
            <>
              {number(counts[name])} {isShare ? <Share part={counts[name]} whole={sent} most={most} /> : null}
            </>
          )}
        </CardCell>
      ))}
    </Table.Tr>
  );
}
