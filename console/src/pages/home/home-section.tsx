import { SegmentedControl, Stack } from '@mantine/core';
import type { QueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useFilters } from '../../frame/filters.ts';
import { Page } from '../../frame/page.tsx';
import { useSession } from '../../session/session.tsx';
import { Attention } from './attention.tsx';
import { FirstSteps } from './first-steps.tsx';
import { attentionQuery, FIRST_PERIOD, PERIODS, type Period, runningCampaignsQuery, statsQuery } from './home-queries.ts';
import { MailStats } from './mail-stats.tsx';
import { RunningCampaigns } from './running-campaigns.tsx';
import { SandboxNotice } from './sandbox-notice.tsx';

export function prefetch(queries: QueryClient): void {
  void queries.prefetchQuery(statsQuery(FIRST_PERIOD));
  void queries.prefetchQuery(attentionQuery());
  void queries.prefetchQuery(runningCampaignsQuery());
}

/** How the project is: what needs a look, what runs, how its mails fare. */
export default function HomeSection(): ReactNode {
  const { may } = useSession();
  const filters = useFilters(['period']);
  const period = PERIODS.find(({ value }) => value === filters.get('period'))?.value ?? FIRST_PERIOD;
  const choice = may('GET /stats') ? (
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
        <FirstSteps />
        <Attention />
        <RunningCampaigns />
        {may('GET /stats') ? <MailStats period={period} /> : null}
      </Stack>
    </Page>
  );
}
