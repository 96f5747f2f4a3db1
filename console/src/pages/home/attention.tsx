import { Anchor, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle, IconChevronRight, IconCircleCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { FEWEST_RATED_MAILS } from '../../api/limits.ts';
import { inConsole } from '../../base.ts';
import { Panel } from '../../frame/detail.tsx';
import { capitalized } from '../../letters.ts';
import { type Session, useSession } from '../../session/session.tsx';
import { Command } from '../../show/command.tsx';
import { percent } from '../../show/percent.ts';
import { hostOf, wayToDomainOf } from '../../show/sender-host.ts';
import { isAbove, MOST_BOUNCED, MOST_COMPLAINED, MOST_FAILED } from '../../show/share.tsx';
import { endpointsQuery } from '../webhooks/webhook-queries.ts';
import classes from './home.module.css';
import type { AttentionItem, SendStats } from './home-queries.ts';

/** What keeps mail from leaving comes first. */
const FIRST_SHOWN = 5;

interface Given {
  readonly items: readonly AttentionItem[];
  /** undefined to a key that may not read them. */
  readonly firstStats: SendStats | undefined;
}

/** What somebody should look at; nothing but a line when all is well. */
export function Attention({ items, firstStats }: Given): ReactNode {
  const [isAllShown, setIsAllShown] = useState(false);
  const { totals, counts: [first] = [] } = firstStats ?? {};
  const rates = totals && first ? ratesOf(totals, first.from, items.some(isReputation)) : [];
  if (items.length === 0 && rates.length === 0)
    return <AllWell hasMails={totals !== undefined && totals.sent + totals.failed - totals.withheld > 0} />;
  const shown = isAllShown ? items : items.slice(0, FIRST_SHOWN);
  return (
    <Panel title="Needs attention" flush>
      <ul className={classes.items}>
        {rates.map((rate) => (
          <LinkedItem key={rate.to} {...rate} />
        ))}
        {shown.map((item) => (
          <Item key={`${item.kind} ${item.about}`} item={item} />
        ))}
      </ul>
      {items.length > shown.length ? (
        <Button variant="subtle" color="gray" m={6} onClick={() => setIsAllShown(true)}>
          Show {items.length - shown.length} more
        </Button>
      ) : null}
    </Panel>
  );
}

/** Names what was looked at, and nothing that there is not. */
function AllWell({ hasMails }: { readonly hasMails: boolean }): ReactNode {
  const { brands, may } = useSession();
  const { data: endpoints = [] } = useQuery({ ...endpointsQuery(), enabled: may('GET /webhooks') });
  const well = [
    ...(brands.length > 0 ? ['senders are verified'] : []),
    ...(endpoints.some(({ enabled }) => enabled) ? ['endpoints accept deliveries'] : []),
  ];
  const words = [...(well.length > 0 ? [well.join(', ')] : []), 'nothing is on hold'].join(' and ');
  return (
    <Group gap={6} c="dimmed" wrap="nowrap" align="flex-start">
      <IconCircleCheck size={17} className={classes.well} aria-hidden />
      <Text size="sm">
        Nothing needs attention: {words}
        {hasMails ? ', and few emails fail or bounce' : ''}.
      </Text>
    </Group>
  );
}

interface Rate {
  readonly words: string;
  readonly to: string;
}

function isReputation({ kind }: Pick<AttentionItem, 'kind'>): boolean {
  return kind === 'reputation_domain' || kind === 'reputation_receiver';
}

/** What too many mails of the first period came to, and the way to these mails. */
function ratesOf(
  { sent, failed, withheld, bounced, complained }: SendStats['totals'],
  from: string,
  isReputationTold: boolean,
): readonly Rate[] {
  const rate = (part: number, whole: number, most: number, what: string, filter: object): readonly Rate[] =>
    isAbove(part, whole, most)
      ? [
          {
            words: `${percent(part, whole)} of emails in the last 7 days ${what}: ${part.toLocaleString('en')} of ${whole.toLocaleString('en')}`,
            to: `/sends?${new URLSearchParams({ ...filter, from })}`,
          },
        ]
      : [];
  return [
    // What a suppressed or unsubscribed address does not get is as it should be.
    ...rate(failed - withheld, sent + failed - withheld, MOST_FAILED, 'failed', { status: 'failed' }),
    // Told of the domain that they are from, they are not told of all once more; of few mails no rate tells anything.
    ...(isReputationTold || sent < FEWEST_RATED_MAILS
      ? []
      : [
          ...rate(bounced, sent, MOST_BOUNCED, 'bounced', { deliveryStatus: 'bounced' }),
          ...rate(complained, sent, MOST_COMPLAINED, 'were marked as spam', { deliveryStatus: 'complained' }),
        ]),
  ];
}

function LinkedItem({ words, to }: Rate): ReactNode {
  return (
    <li className={classes.item} data-linked>
      <IconAlertTriangle size={16} className={classes.warning} aria-hidden />
      <div className={classes.message}>
        <Link href={inConsole(to)} className={classes.way}>
          {words}
        </Link>
      </div>
      <IconChevronRight size={16} className={classes.more} aria-hidden />
    </li>
  );
}

/** The way to what it is about, where the console has it and the key may see it; else how an operator mends it. */
function Item({ item }: { readonly item: AttentionItem }): ReactNode {
  const session = useSession();
  const ways = waysOf(item, session);
  const mending = mendingOf(item, session);
  const [only, ...others] = ways;
  const words = mending?.words ?? wordsOf(item, session.brands);
  if (only && others.length === 0) return <LinkedItem words={words} to={only.to} />;
  return (
    <li className={classes.item}>
      <IconAlertTriangle size={16} className={classes.warning} aria-hidden />
      <div className={classes.message}>
        <Text size="sm">{words}</Text>
        {mending ? (
          <Command words={mending.how} name="command that fixes it">
            {mending.command}
          </Command>
        ) : null}
      </div>
      {ways.length > 1 ? (
        <Group gap="sm" className={classes.ways}>
          {ways.map(({ label, to }) => (
            <Anchor key={to} component={Link} href={inConsole(to)} size="sm" truncate maw={180}>
              {label}
            </Anchor>
          ))}
        </Group>
      ) : null}
    </li>
  );
}

interface Mending {
  readonly words: string;
  /** By whom, and when. */
  readonly how: string;
  readonly command: string;
}

const BY_OPERATOR = 'Whoever runs Everpost can fix it with';

/** What no call of the API mends; undefined for all else. */
function mendingOf({ kind, about }: AttentionItem, { project, brands }: Session): Mending | undefined {
  const admin = 'npm run -s admin --';
  if (kind === 'owner_unverified') {
    return {
      words: "The owner's email is not verified, so nothing can be sent",
      how: BY_OPERATOR,
      command: `${admin} project verify-owner ${project.slug}`,
    };
  }
  const brand = brands.find(({ slug }) => slug === about);
  if (kind !== 'brand_without_sender' || !brand) return undefined;
  return {
    words: `The brand ${brand.name} has no sender, so it cannot send`,
    how: BY_OPERATOR,
    command: `${admin} brand set ${project.slug} ${brand.slug} --from <address>`,
  };
}

interface Way {
  readonly label: string;
  readonly to: string;
}

const MOST_SEQUENCES = 3;

function waysOf({ kind, about, sequences = [], since = '' }: AttentionItem, { may, brands }: Session): readonly Way[] {
  if (kind === 'domain_failing' || kind === 'domain_key_awaited') return [{ label: 'Domain', to: `/domains/${about}` }];
  if (kind === 'domain_unverified') return [{ label: 'Domain', to: wayToDomainOf(hostOf(senderOf(about, brands))) }];
  if (isReputation({ kind })) return [{ label: 'Reputation', to: '/reputation' }];
  if (kind === 'webhook_failing') return [{ label: 'Deliveries', to: `/webhooks/${about}` }];
  if (kind === 'campaign_held' || kind === 'campaign_without_segment') return [{ label: 'Campaign', to: `/campaigns/${about}` }];
  if (kind === 'recurring_held' || kind === 'recurring_not_made')
    return [{ label: 'Recurring campaign', to: `/recurring-campaigns/${about}` }];
  if (kind === 'scheduled_overdue') return may('GET /sends') ? [{ label: 'Scheduled emails', to: '/sends?status=scheduled' }] : [];
  if (kind === 'rendering_failed') {
    const filter = { status: 'failed', ...(about === null ? {} : { template: about }), from: since };
    return [{ label: 'Failed emails', to: `/sends?${new URLSearchParams(filter)}` }];
  }
  if (kind === 'sequence_failing' && about !== null && may('GET /sequences/{key}/enrollments'))
    return [{ label: 'Runs', to: `/sequences/${encodeURIComponent(about)}/runs?failedSteps=some` }];
  if (kind === 'brand_without_sender') return may('PUT /brands/{slug}') ? [{ label: 'Brands', to: '/brands' }] : [];
  if (kind !== 'runs_held' || !may('GET /sequences/{key}/enrollments')) return [];
  return sequences.slice(0, MOST_SEQUENCES).map((key) => ({
    label: key,
    to: `/sequences/${encodeURIComponent(key)}/runs?${new URLSearchParams({ held: about ?? 'some' })}`,
  }));
}

function senderOf(slug: string | null, brands: Session['brands']): string {
  return brands.find((brand) => brand.slug === slug)?.from_email ?? '';
}

/** The API's own, without what only programs can do about it. */
function wordsOf({ kind, about, message }: AttentionItem, brands: Session['brands']): string {
  // What is to be set stands on the page of the domain.
  if (kind === 'domain_key_awaited') return asSentence(message.split(';', 1)[0]!);
  const sender = senderOf(about, brands);
  if (kind !== 'domain_unverified' || !sender) return asSentence(message);
  return `The domain of ${sender}, the sender of the brand ${about}, is not verified, so it cannot send`;
}

/** With a capital, unless it begins with an address. */
function asSentence(message: string): string {
  return /^[a-z]+:/.test(message) ? message : capitalized(message);
}
