import { SegmentedControl, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFilters } from '../../frame/filters.ts';
import { Page } from '../../frame/page.tsx';
import { useSession } from '../../session/session.tsx';
import { Attention } from './attention.tsx';
import { PERIODS, type Period } from './home-queries.ts';
import { MailStats } from './mail-stats.tsx';
import { RunningCampaigns } from './running-campaigns.tsx';

/** How the project is: what needs a look, what runs, how its mails fare. */
export default function HomeSection(): ReactNode {
  const { may, project } = useSession();
  const filters = useFilters(['period']);
  const period = PERIODS.find(({ value }) => value === filters.get('period'))?.value ?? '7d';
  const choice = may('sends:read') ? (
    <SegmentedControl
      size="xs"
      data={[...PERIODS]}
      value={period}
      onChange={(value) => filters.set('period', value === '7d' ? '' : (value as Period))}
      aria-label="Period"
    />
  ) : undefined;
  return (
    <Page title={project.name} actions={choice}>
      <Stack gap="md">
        <Attention />
        {may('sends:read') ? <MailStats period={period} /> : null}
        <RunningCampaigns />
      </Stack>
    </Page>
  );
}
