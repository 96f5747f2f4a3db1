import { SegmentedControl, Stack } from '@mantine/core';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useFilters } from '../../frame/filters.ts';
import { PartKeyMayNot } from '../../frame/not-here.tsx';
import { Page } from '../../frame/page.tsx';
import { useSession } from '../../session/session.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { Attention } from './attention.tsx';
import { ContactGrowth } from './contact-growth.tsx';
import { FirstSteps } from './first-steps.tsx';
import { FIRST_PERIOD, growthQuery, homeQuery, MOST_TESTS, PERIODS, type Period } from './home-queries.ts';
import { MailStats } from './mail-stats.tsx';
import { RunningCampaigns } from './running-campaigns.tsx';
import { SandboxNotice } from './sandbox-notice.tsx';

export function prefetch(queries: QueryClient): void {
  // With less than these scopes it is read anew.
  void queries.prefetchQuery(homeQuery(FIRST_PERIOD, () => true));
  void queries.prefetchQuery(growthQuery(FIRST_PERIOD));
}

/** How the project is: what needs a look, what runs, how its mails fare. */
export default function HomeSection(): ReactNode {
  const { may } = useSession();
  const filters = useFilters(['period']);
  const period = PERIODS.find(({ value }) => value === filters.get('period'))?.value ?? FIRST_PERIOD;
  const { data, error, isPlaceholderData, refetch } = useQuery(homeQuery(period, may));
  const choice =
    may('GET /stats') || may('GET /stats/contacts') ? (
      <SegmentedControl
        size="xs"
        data={[...PERIODS]}
        value={period}
        onChange={(value) => filters.set('period', value === FIRST_PERIOD ? '' : (value as Period))}
        aria-label="Period"
      />
    ) : undefined;
  return (
    <Page title="Home" actions={choice}>
      <Stack gap="md">
        <SandboxNotice />
        {error ? <FailureNotice error={error} onRetry={refetch} /> : null}
        {data ? <Attention items={data.attention} firstStats={data.firstStats} /> : null}
        {data || error ? <FirstSteps hasSent={data?.firstStats && data.firstStats.totals.sent > MOST_TESTS} /> : null}
        {data?.campaigns ? <RunningCampaigns campaigns={data.campaigns} /> : null}
        {may('GET /campaigns') ? null : <PartKeyMayNot title="Running and scheduled campaigns" operation="GET /campaigns" />}
        {may('GET /stats') && (data || !error) ? <MailStats stats={data?.stats} isChanging={isPlaceholderData} /> : null}
        {may('GET /stats') ? null : <PartKeyMayNot title="Emails" operation="GET /stats" />}
        {may('GET /stats/contacts') ? (
          <ContactGrowth period={period} />
        ) : (
          <PartKeyMayNot title="Contacts" operation="GET /stats/contacts" />
        )}
      </Stack>
    </Page>
  );
}
