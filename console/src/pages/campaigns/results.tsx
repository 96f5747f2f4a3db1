import { Anchor, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { Panel } from '../../frame/detail.tsx';
import { useSession } from '../../session/session.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { percent } from '../../show/percent.ts';
import { PLOT_COLORS } from '../../show/plot.ts';
import { isUnreported, UNREPORTED } from '../../show/reported.ts';
import { Time } from '../../show/time.tsx';
import { type Bucket, type Campaign, type CampaignResults, resultsQuery } from './campaign-queries.ts';
import { ConversionsPanel } from './conversions-panel.tsx';
import { OverTime } from './over-time.tsx';
import { LanguagesPanel, LinksPanel, ReceiversPanel } from './result-tables.tsx';
import classes from './results.module.css';
import { VariantResults } from './variant-results.tsx';

/** What a campaign led to: how its variants compare, how far its recipients went, when, by which link, in which language, and at whose receiver. */
export function Results({ campaign }: { readonly campaign: Campaign }): ReactNode {
  const [bucket, setBucket] = useState<Bucket>('hour');
  const { data: results, error, refetch, isPlaceholderData } = useQuery(resultsQuery(campaign, bucket));
  const { variants } = campaign;
  const compared = variants ? <VariantResults campaign={campaign} variants={variants} results={results} /> : null;
  if (!results) {
    return (
      <>
        {compared}
        {error ? <FailureNotice error={error} onRetry={refetch} /> : <Skeleton h={320} />}
      </>
    );
  }
  return (
    <>
      {compared}
      {error ? <FailureNotice error={error} onRetry={refetch} /> : null}
      <Panel title="Funnel" action={<AsOf results={results} />}>
        <Funnel campaign={campaign} funnel={{ ...results.funnel, ...countedNow(campaign) }} />
        {results.funnel.clicked > results.funnel.opened ? (
          <Text size="xs" c="dimmed" mt="xs">
            More clicked than opened: an email program that loads no images reports no open.
          </Text>
        ) : null}
      </Panel>
      <ConversionsPanel campaign={campaign} conversions={results.conversions} />
      <OverTime overTime={results.overTime} bucket={bucket} isChanging={isPlaceholderData} onBucket={setBucket} />
      <LinksPanel results={results} />
      <LanguagesPanel results={results} />
      <ReceiversPanel results={results} />
    </>
  );
}

/** Of a large campaign, which is counted now and then. */
function AsOf({ results: { asOf } }: { readonly results: CampaignResults }): ReactNode {
  return (
    <Text size="xs" c="dimmed">
      {asOf ? (
        <>
          Links, times and receivers as of <Time at={asOf} />
        </>
      ) : (
        'Counting links, times and receivers'
      )}
    </Text>
  );
}

type FunnelCounts = CampaignResults['funnel'];

const STAGES = [
  { name: 'matched', label: 'Matched' },
  { name: 'sent', label: 'Sent' },
  { name: 'delivered', label: 'Delivered' },
  { name: 'opened', label: 'Opened' },
  { name: 'clicked', label: 'Clicked' },
  { name: 'converted', label: 'Converted' },
] as const satisfies readonly { readonly name: keyof FunnelCounts; readonly label: string }[];

/** As its progress has them: both are read again while it is sent, and not at the same moment. */
function countedNow({ sent_count, delivered_count, opened_count, clicked_count }: Campaign): Partial<FunnelCounts> {
  return { sent: sent_count, delivered: delivered_count, opened: opened_count, clicked: clicked_count };
}

interface FunnelGiven {
  readonly campaign: Campaign;
  readonly funnel: FunnelCounts;
}

/** Each stage as a bar, with its share of the mails sent. */
function Funnel({ campaign, funnel }: FunnelGiven): ReactNode {
  const stages = STAGES.flatMap((stage) => {
    const count = funnel[stage.name];
    return count === null ? [] : [{ ...stage, count }];
  });
  const most = Math.max(1, ...stages.map(({ count }) => count));
  const besideOf = (name: keyof FunnelCounts, count: number): ReactNode => {
    if (name === 'matched' || funnel.sent === 0) return null;
    return name === 'sent' ? <LeftOut campaign={campaign} count={funnel.left_out} /> : percent(count, funnel.sent);
  };
  return (
    <dl className={classes.funnel}>
      {stages.map(({ name, label, count }) => (
        <div key={name} className={classes.stage}>
          <dt>{label}</dt>
          <dd>
            <span className={classes.bar} style={{ width: `${(100 * count) / most}%`, background: PLOT_COLORS.sent }} aria-hidden />
            <span className={classes.figure}>
              {name === 'delivered' && isUnreported(count, funnel.sent) ? (
                <Text span size="xs" c="dimmed">
                  {UNREPORTED}
                </Text>
              ) : (
                <>
                  {count.toLocaleString('en')}
                  <Text span size="xs" c="dimmed">
                    {besideOf(name, count)}
                  </Text>
                </>
              )}
            </span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function LeftOut({ campaign: { id }, count }: { readonly campaign: Campaign; readonly count: number }): ReactNode {
  const { may } = useSession();
  if (count === 0) return null;
  const words = `${count.toLocaleString('en')} left out`;
  if (!may('GET /campaigns/{id}/people')) return words;
  return (
    <Anchor component={Link} href={`/${id}/left-out`} inherit underline="always">
      {words}
    </Anchor>
  );
}
