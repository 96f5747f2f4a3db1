import { Group, Progress, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { Time } from '../../show/time.tsx';
import { type Campaign, percent, settledOf } from './campaign-queries.ts';
import classes from './campaigns.module.css';

interface Outcome {
  readonly name: 'sent_count' | 'failed_count' | 'skipped_count' | 'cancelled_count';
  readonly label: string;
  readonly color: string;
}

const OUTCOMES: readonly Outcome[] = [
  { name: 'sent_count', label: 'Sent', color: 'iris.6' },
  { name: 'failed_count', label: 'Failed', color: 'red.7' },
  { name: 'skipped_count', label: 'Skipped', color: 'yellow.7' },
  { name: 'cancelled_count', label: 'Cancelled', color: 'gray.5' },
];

const REPORTED = [
  { name: 'delivered_count', label: 'Delivered' },
  { name: 'opened_count', label: 'Opened' },
  { name: 'clicked_count', label: 'Clicked' },
  { name: 'bounced_count', label: 'Bounced' },
  { name: 'complained_count', label: 'Complaints' },
  { name: 'unsubscribed_count', label: 'Unsubscribed' },
] as const;

/** How far a campaign is, by outcome, and what its mails led to. */
export function CampaignProgress({ campaign }: { readonly campaign: Campaign }): ReactNode {
  const total = campaign.total_recipients;
  const settled = settledOf(campaign);
  const outcomes = OUTCOMES.filter(({ name }) => name === 'sent_count' || campaign[name] > 0);
  // Nothing is under way any more: what counts is who has got it.
  const isCancelled = campaign.status === 'cancelled';
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
          {OUTCOMES.map(({ name, label, color }) => (
            <Progress.Section
              key={name}
              value={total > 0 ? (100 * campaign[name]) / total : 0}
              color={color}
              aria-label={`${label}: ${campaign[name]} of ${total}`}
            />
          ))}
        </Progress.Root>
      </div>
      <dl className={classes.counts} data-columns={Math.ceil((outcomes.length + REPORTED.length) / 2)}>
        {outcomes.map(({ name, label, color }) => (
          <Count key={name} label={label} color={color} count={campaign[name]} whole={total} />
        ))}
        {REPORTED.map(({ name, label }) => (
          <Count key={name} label={label} count={campaign[name]} whole={campaign.sent_count} />
        ))}
      </dl>
    </Panel>
  );
}

function Now({ campaign, settled }: { readonly campaign: Campaign; readonly settled: number }): ReactNode {
  const { status, paused, scheduled_at, sent_at, total_recipients: total } = campaign;
  if (status === 'sent' && sent_at) {
    return (
      <>
        Completed <Time at={sent_at} />
      </>
    );
  }
  if (status === 'cancelled' || status === 'failed') return null;
  if (paused) return 'Paused: nothing goes out until it is resumed';
  if (status === 'scheduled' && scheduled_at) {
    return (
      <>
        Begins <Time at={scheduled_at} />
      </>
    );
  }
  return total > 0 ? percent(settled, total) : null;
}

interface CountGiven {
  readonly label: string;
  readonly color?: string;
  readonly count: number;
  readonly whole: number;
}

function Count({ label, color, count, whole }: CountGiven): ReactNode {
  return (
    <div className={classes.count}>
      <dt>
        {color ? <span className={classes.swatch} style={{ background: `var(--mantine-color-${color.replace('.', '-')})` }} /> : null}
        {label}
      </dt>
      <dd>
        <Text span fz={20} fw={600} lh={1.2}>
          {count.toLocaleString('en')}
        </Text>
        {whole > 0 ? (
          <Text span size="xs" c="dimmed">
            {percent(count, whole)}
          </Text>
        ) : null}
      </dd>
    </div>
  );
}
