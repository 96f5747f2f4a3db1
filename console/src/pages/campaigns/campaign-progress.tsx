import { Alert, Anchor, Group, Progress, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { keysOf } from '../../frame/choices.ts';
import { Panel } from '../../frame/detail.tsx';
import { useSession } from '../../session/session.tsx';
import { rateWords } from '../../show/percent.ts';
import { isUnreported, UNREPORTED } from '../../show/reported.ts';
import { Share } from '../../show/share.tsx';
import { Time } from '../../show/time.tsx';
import { useAudienceNow } from './audience-count.tsx';
import { useLacksSegment } from './audience-name.tsx';
import { type Counted, OUTCOMES, REPORTED, settledOf } from './campaign-counts.ts';
import { type Campaign, type CountName, sendsOf } from './campaign-queries.ts';
import classes from './campaigns.module.css';
import { leftWords, useSecondsLeft } from './seconds-left.ts';

/** How far a campaign is, by outcome, and what its mails led to; before it begins, to how many it may go. */
export function CampaignProgress({ campaign }: { readonly campaign: Campaign }): ReactNode {
  return campaign.status === 'scheduled' || campaign.status === 'draft' ? (
    <Beginning campaign={campaign} />
  ) : (
    <Progressing campaign={campaign} />
  );
}

function Beginning({ campaign }: { readonly campaign: Campaign }): ReactNode {
  const now = useAudienceNow(campaign);
  const lacksSegment = useLacksSegment(campaign.audience);
  return (
    <Panel title="Progress">
      {lacksSegment ? (
        <Alert color="orange" title="Its segment was deleted" mb="sm">
          It will reach nobody. Cancel it, then duplicate it with another audience.
        </Alert>
      ) : null}
      <Group justify="space-between" role="status">
        <Text size="sm">
          {lacksSegment ? 'To nobody' : now ? `To ${now} now, counted when it starts` : 'Its audience is counted when it starts'}
        </Text>
        <Text size="sm" c="dimmed">
          <Now campaign={campaign} settled={0} />
        </Text>
      </Group>
    </Panel>
  );
}

function Progressing({ campaign }: { readonly campaign: Campaign }): ReactNode {
  const { may } = useSession();
  const total = campaign.total_recipients;
  const settled = settledOf(campaign);
  // Two more or none, so that each row of figures is full.
  const isWhole = campaign.skipped_count + campaign.cancelled_count === 0;
  const outcomes = keysOf(OUTCOMES).filter((name) => !isWhole || name === 'sent_count' || name === 'failed_count');
  // Nothing is under way any more: what counts is who has got it.
  const isCancelled = campaign.status === 'cancelled';
  const reported = keysOf(REPORTED);
  const countOf = (name: CountName<Campaign>, { sends, ...shown }: Counted, whole: number): ReactNode => {
    const to = sends && campaign[name] > 0 && may('GET /sends') ? sendsOf(campaign, sends) : undefined;
    const isUnknown = name === 'delivered_count' && isUnreported(campaign[name], whole);
    return <Count key={name} {...shown} count={isUnknown ? undefined : campaign[name]} whole={whole} to={to} />;
  };
  return (
    <Panel title="Progress" flush>
      <div style={{ padding: '14px 16px 16px' }}>
        <Group justify="space-between" mb={8} role="status">
          <Text size="sm">
            <Text span fw={600} inherit>
              {(isCancelled ? campaign.sent_count : settled).toLocaleString('en')}
            </Text>{' '}
            of {total.toLocaleString('en')}{' '}
            {isCancelled ? `sent, ${campaign.cancelled_count.toLocaleString('en')} cancelled` : 'recipients'}
          </Text>
          <Text size="sm" c="dimmed">
            <Now campaign={campaign} settled={settled} />
          </Text>
        </Group>
        <Progress.Root size={10}>
          {keysOf(OUTCOMES).map((name) => (
            <Progress.Section
              key={name}
              value={total > 0 ? (100 * campaign[name]) / total : 0}
              color={OUTCOMES[name].color}
              aria-label={`${OUTCOMES[name].label}: ${campaign[name]} of ${total}`}
            />
          ))}
        </Progress.Root>
      </div>
      <dl className={classes.counts} data-columns={(outcomes.length + reported.length) / 2}>
        {outcomes.map((name) => countOf(name, OUTCOMES[name], total))}
        {reported.map((name) => countOf(name, REPORTED[name], campaign.sent_count))}
      </dl>
    </Panel>
  );
}

function Now({ campaign, settled }: { readonly campaign: Campaign; readonly settled: number }): ReactNode {
  const { status, paused, scheduled_at, sent_at, cancelled_at } = campaign;
  const secondsLeft = useSecondsLeft(campaign, settled);
  const endedAt = sent_at ?? cancelled_at;
  if (endedAt) {
    return (
      <>
        {sent_at ? 'Completed' : 'Cancelled'} <Time at={endedAt} />
      </>
    );
  }
  if (status === 'cancelled' || status === 'failed') return null;
  if (paused) return campaign.paused_reason ? pausedByItself(campaign.paused_reason) : 'Paused. Nothing is sent until you resume it';
  if (status === 'scheduled' && scheduled_at) {
    return (
      <>
        Begins <Time at={scheduled_at} isExact />
        {campaign.schedule ? ', where the day begins first' : null}
      </>
    );
  }
  return secondsLeft === undefined ? null : leftWords(secondsLeft);
}

/** Why it has paused, and what follows from going on. */
function pausedByItself({ limit, value, count, mails }: NonNullable<Campaign['paused_reason']>): string {
  const what = limit === 'bounceRate' ? 'bounced' : 'were reported as spam';
  return `Paused by itself: ${rateWords(count / mails)} of ${mails.toLocaleString('en')} emails ${what}, limit ${rateWords(value)}. Nothing is sent until you resume it`;
}

interface CountGiven {
  readonly label: string;
  readonly color?: string;
  /** undefined: nobody has reported it. */
  readonly count: number | undefined;
  readonly whole: number;
  readonly most?: number | undefined;
  /** The list of these mails. */
  readonly to?: string | undefined;
}

function Count({ label, color, count, whole, most, to }: CountGiven): ReactNode {
  return (
    <div className={classes.count}>
      <dt>
        {color ? (
          <span
            className={classes.swatch}
            style={{ background: color.startsWith('#') ? color : `var(--mantine-color-${color.replace('.', '-')})` }}
          />
        ) : null}
        {to ? (
          <Anchor component={Link} href={to} inherit c="inherit" underline="always">
            {label}
          </Anchor>
        ) : (
          label
        )}
      </dt>
      <dd>
        {count === undefined ? (
          <Text span size="sm" c="dimmed" lh="24px">
            {UNREPORTED}
          </Text>
        ) : (
          <>
            <Text span fz={20} fw={600} lh={1.2}>
              {count.toLocaleString('en')}
            </Text>
            {whole > 0 ? <Share part={count} whole={whole} most={most} /> : null}
          </>
        )}
      </dd>
    </div>
  );
}
