import { Anchor, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useSession } from '../../session/session.tsx';
import { Share } from '../../show/share.tsx';
import { OUTCOMES, REPORTED } from './campaign-counts.ts';
import { type Campaign, type CampaignResults, type CountName, sendsOf, type Variant } from './campaign-queries.ts';
import classes from './campaigns.module.css';
import { CardCell, CardTable } from './card-table.tsx';
import { sumWords } from './goal-draft.ts';
import { SubjectWords } from './sample-mail.tsx';

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

const CONVERSIONS = 'Conversions';

interface Given {
  readonly campaign: Campaign;
  readonly variants: readonly Variant[];
  /** undefined while they are not known. */
  readonly results: CampaignResults | undefined;
}

/** The counts of each arm of a test, and the way to its mails. */
export function VariantTable({ campaign, variants, results }: Given): ReactNode {
  const columns = ['Variant', ...COUNTS.map(({ label }) => label), ...(campaign.goal ? [CONVERSIONS] : [])];
  return (
    <CardTable label="Results by variant" columns={columns} numbers={classes.numbers}>
      {variants.map((variant) => (
        <VariantRow key={variant.key} campaign={campaign} variant={variant} results={results} />
      ))}
    </CardTable>
  );
}

function VariantRow({ campaign, variant, results }: Omit<Given, 'variants'> & { readonly variant: Variant }): ReactNode {
  const { may } = useSession();
  return (
    <Table.Tr role="row">
      <Table.Th scope="row" role="rowheader" fw={400}>
        <Text size="sm" fw={500}>
          {variant.key}
        </Text>
        <Text size="xs" c="dimmed" lineClamp={2}>
          <SubjectWords campaign={campaign} subject={variant.subject ?? campaign.subject} />
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
        <CardCell key={name} name={label}>
          {variant[name].toLocaleString('en')}
          {isShare ? (
            <div>
              <Share part={variant[name]} whole={variant.sent_count} most={most} />
            </div>
          ) : null}
        </CardCell>
      ))}
      {campaign.goal ? <Converted variant={variant} results={results} /> : null}
    </Table.Tr>
  );
}

/** Who of an arm did what the campaign is for, and what that came to. */
function Converted({ variant, results }: Pick<Given, 'results'> & { readonly variant: Variant }): ReactNode {
  const own = results?.byVariant?.find(({ key }) => key === variant.key);
  // Until a new goal is counted, nothing is known of it.
  const counted = results?.conversions?.as_of ? own?.conversions : undefined;
  return (
    <CardCell name={CONVERSIONS}>
      {own && counted ? (
        <>
          {counted.people.toLocaleString('en')}
          <div>
            <Share part={counted.people} whole={own.sent} />
          </div>
          {counted.sum === null ? null : (
            <Text size="xs" c="dimmed">
              Sum {sumWords(counted.sum)}
            </Text>
          )}
        </>
      ) : (
        <Text span size="xs" c="dimmed">
          Counting
        </Text>
      )}
    </CardCell>
  );
}
