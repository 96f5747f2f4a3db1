import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { type Campaign, type CampaignResults, hasEnded, type Variant } from './campaign-queries.ts';
import { TestPanel } from './test-panel.tsx';
import { differencesOf } from './variant-difference.ts';
import { hasShares, VariantPlot } from './variant-plot.tsx';
import { VariantTable } from './variant-table.tsx';

interface Given {
  readonly campaign: Campaign;
  readonly variants: readonly Variant[];
  /** undefined while they are read, and before it begins. */
  readonly results?: CampaignResults | undefined;
}

/** What a test tells, and each of its arms: its shares side by side, its counts, and the way to its mails. */
export function VariantResults({ campaign, variants, results }: Given): ReactNode {
  return (
    <>
      {campaign.test ? <TestPanel campaign={campaign} test={campaign.test} results={results} /> : null}
      <Panel title="Results by variant" flush>
        {hasShares(variants) ? (
          <VariantPlot variants={variants} />
        ) : (
          <Text size="sm" c="dimmed" p="md">
            {hasEnded(campaign) && campaign.sent_count === 0
              ? 'No emails were sent.'
              : 'Results appear with the first open, click or unsubscribe.'}
          </Text>
        )}
        <VariantTable campaign={campaign} variants={variants} results={results} />
        {/* Of a test that decides the winner has had more time, and more people. */}
        {campaign.test ? null : (
          <Stack gap={4} p="md">
            {differencesOf(variants).map((words) => (
              <Text key={words} size="sm">
                {words}
              </Text>
            ))}
          </Stack>
        )}
      </Panel>
    </>
  );
}
