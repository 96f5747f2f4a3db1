import { SegmentedControl, Stack, Text } from '@mantine/core';
import type { QueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Route, Switch } from 'wouter';
import { useFilters } from '../../frame/filters.ts';
import { NotHere } from '../../frame/not-here.tsx';
import { Page } from '../../frame/page.tsx';
import { FIRST_PERIOD, PERIODS } from '../home/home-queries.ts';
import { CampaignLimits } from './campaign-limits.tsx';
import { ReputationList } from './reputation-list.tsx';
import { BY, reputationQuery } from './reputation-queries.ts';

export function prefetch(queries: QueryClient): void {
  for (const by of BY) void queries.prefetchQuery(reputationQuery(by));
}

export default function ReputationSection(): ReactNode {
  return (
    <Switch>
      <Route path="/">
        <ReputationPage />
      </Route>
      <Route>
        <NotHere />
      </Route>
    </Switch>
  );
}

/** What receivers make of the project's mail, by the domain that it is from and by who gets it. */
function ReputationPage(): ReactNode {
  const filters = useFilters(['period']);
  const period = PERIODS.find(({ value }) => value === filters.get('period'))?.value ?? FIRST_PERIOD;
  return (
    <Page
      title="Reputation"
      description="What becomes of your emails, by the time they were sent. Receivers judge your domains by it"
      actions={
        <SegmentedControl
          size="xs"
          data={[...PERIODS]}
          value={period}
          onChange={(value) => filters.set('period', value === FIRST_PERIOD ? '' : value)}
          aria-label="Period"
        />
      }
    >
      <Stack gap="lg">
        {BY.map((by) => (
          <ReputationList key={by} by={by} period={period} />
        ))}
        <Text size="sm" c="dimmed">
          Warning from 0.1 % complaints on; critical from 0.3 % complaints or 5 % bounces on. Fewer than 100 emails say nothing. Deferred
          are emails that a receiver put off, whatever came of them. Test emails that never left are not counted.
        </Text>
        <CampaignLimits />
      </Stack>
    </Page>
  );
}
