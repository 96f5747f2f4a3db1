import { Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { MOST_BOUNCED, Share } from '../../show/share.tsx';
import { isUnreported, UNREPORTED } from './campaign-counts.ts';
import type { CampaignResults } from './campaign-queries.ts';
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

/** The domains that most mails went to. */
export function ReceiversPanel({ results: { byReceivers, otherReceivers } }: Given): ReactNode {
  if (byReceivers.length === 0 && otherReceivers.sent === 0) return null;
  return (
    <Panel title="Receivers" flush>
      <Table aria-label="Receivers" className={classes.numbers}>
        <Table.Thead>
          <Table.Tr c="dimmed" fz="xs">
            <Table.Th fw={500}>Domain</Table.Th>
            <Table.Th fw={500}>Sent</Table.Th>
            <Table.Th fw={500} className={classes.wide}>
              Delivered
            </Table.Th>
            <Table.Th fw={500}>Bounced</Table.Th>
            <Table.Th fw={500}>Opened</Table.Th>
            <Table.Th fw={500} className={classes.wide}>
              Clicked
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {byReceivers.map(({ domain, ...counts }) => (
            <ReceiverRow key={domain} name={domain} counts={counts} />
          ))}
          {otherReceivers.sent > 0 ? <ReceiverRow name={othersName(otherReceivers)} counts={otherReceivers} /> : null}
        </Table.Tbody>
      </Table>
    </Panel>
  );
}

function Reported({ count, of }: { readonly count: number; readonly of: number }): ReactNode {
  return (
    <>
      {number(count)} <Share part={count} whole={of} />
    </>
  );
}

function othersName({ receivers }: Receiver): string {
  return receivers > 0 ? `${number(receivers)} more, and erased contacts` : 'Erased contacts';
}

function ReceiverRow({ name, counts }: { readonly name: string; readonly counts: Omit<Receiver, 'receivers'> }): ReactNode {
  const { sent, delivered, bounced, opened, clicked } = counts;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        {name}
      </Table.Th>
      <Table.Td>{number(sent)}</Table.Td>
      <Table.Td className={classes.wide}>{isUnreported(delivered, sent) ? UNREPORTED : <Reported count={delivered} of={sent} />}</Table.Td>
      <Table.Td>
        {number(bounced)} <Share part={bounced} whole={sent} most={MOST_BOUNCED} />
      </Table.Td>
      <Table.Td>
        {number(opened)} <Share part={opened} whole={sent} />
      </Table.Td>
      <Table.Td className={classes.wide}>
        {number(clicked)} <Share part={clicked} whole={sent} />
      </Table.Td>
    </Table.Tr>
  );
}
