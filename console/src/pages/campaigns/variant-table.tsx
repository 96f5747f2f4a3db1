import { Anchor, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useSession } from '../../session/session.tsx';
import { Share } from '../../show/share.tsx';
import { OUTCOMES, REPORTED } from './campaign-counts.ts';
import { type Campaign, type CountName, sendsOf, type Variant } from './campaign-queries.ts';
import classes from './campaigns.module.css';

interface Column {
  readonly name: CountName<Variant> | 'recipients';
  readonly label: string;
  /** Told as a share of those sent too. */
  readonly isShare?: boolean;
  /** Above so many percent it is marked. */
  readonly most?: number;
}

const SHARES = ['opened_count', 'clicked_count', 'bounced_count', 'unsubscribed_count'] as const;

const COUNTS: readonly Column[] = [
  { name: 'recipients', label: 'Recipients' },
  { name: 'sent_count', label: OUTCOMES.sent_count.label },
  ...SHARES.map((name) => ({ name, ...REPORTED[name], isShare: true })),
];

interface Given {
  readonly campaign: Campaign;
  readonly variants: readonly Variant[];
}

/** The counts of each arm of a test, and the way to its mails. */
export function VariantTable({ campaign, variants }: Given): ReactNode {
  return (
    <Table role="table" aria-label="Results by variant" className={`${classes.numbers} ${classes.cards}`}>
      <Table.Thead role="rowgroup">
        <Table.Tr role="row" c="dimmed" fz="xs">
          {['Variant', ...COUNTS.map(({ label }) => label)].map((name) => (
            <Table.Th key={name} role="columnheader" fw={500}>
              {name}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody role="rowgroup">
        {variants.map((variant) => (
          <VariantRow key={variant.key} campaign={campaign} variant={variant} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

function VariantRow({ campaign, variant }: { readonly campaign: Campaign; readonly variant: Variant }): ReactNode {
  const { may } = useSession();
  return (
    <Table.Tr role="row">
      <Table.Th scope="row" role="rowheader" fw={400}>
        <Text size="sm" fw={500}>
          {variant.key}
        </Text>
        <Text size="xs" c="dimmed" lineClamp={2}>
          {variant.subject ?? campaign.subject}
        </Text>
        {may('GET /sends') && variant.recipients > 0 ? (
          <Anchor
            component={Link}
            href={sendsOf(campaign, { variant: variant.key })}
            size="xs"
            aria-label={`Sends of variant ${variant.key}`}
          >
            Sends
          </Anchor>
        ) : null}
      </Table.Th>
      {COUNTS.map(({ name, label, isShare = false, most }) => (
        <Table.Td key={name} role="cell">
          <Text size="xs" c="dimmed" hiddenFrom="sm" aria-hidden>
            {label}
          </Text>
          {variant[name].toLocaleString('en')}
          {isShare ? (
            <div>
              <Share part={variant[name]} whole={variant.sent_count} most={most} />
            </div>
          ) : null}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}
