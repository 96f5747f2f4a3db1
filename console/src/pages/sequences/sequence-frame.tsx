import { Stack, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { DetailSkeleton } from '../../frame/detail.tsx';
import { askBeforeLeaving } from '../../frame/leave-guard.ts';
import { Unread } from '../../frame/not-here.tsx';
import { Page } from '../../frame/page.tsx';
import { useSession } from '../../session/session.tsx';
import { Status } from '../../show/status.tsx';
import { ActionsProgress } from './action-progress.tsx';
import { BulkProgress } from './bulk-progress.tsx';
import { SequenceActions } from './sequence-actions.tsx';
import { graphQuery, type SequenceGraph } from './sequence-queries.ts';
import classes from './sequences.module.css';

export const SEQUENCE_LIST = { to: '/', label: 'Sequences' };

const TABS = [
  { value: 'flow', label: 'Flow', path: '' },
  { value: 'simulate', label: 'Simulate', path: '/simulate' },
  { value: 'runs', label: 'Runs', path: '/runs' },
  { value: 'versions', label: 'Versions', path: '/versions' },
] as const;

interface Given {
  /** The key of the sequence. */
  readonly sequence: string;
  readonly tab: (typeof TABS)[number]['value'];
  /** Shown once the graph is there. */
  readonly children: (graph: SequenceGraph) => ReactNode;
}

/** What every page about one sequence has: its name and status, what can be done with it, and the ways to its other pages. */
export function SequenceFrame({ sequence, tab, children }: Given): ReactNode {
  const { data: graph, error, refetch } = useQuery(graphQuery(sequence));
  const { may } = useSession();
  const [, navigate] = useLocation();
  const shownTabs = TABS.filter(({ value }) => value !== 'simulate' || may('POST /sequences/{key}/simulate'));
  return (
    <Page
      title={graph?.name ?? (error ? 'Sequence' : undefined)}
      part={TABS.find(({ value }) => value === tab)?.label}
      beside={graph ? <Status value={graph.status} /> : undefined}
      description={graph ? `${graph.key} · version ${graph.version}` : undefined}
      back={SEQUENCE_LIST}
      isWide
      actions={graph ? <SequenceActions graph={graph} isEditMain={tab !== 'simulate'} /> : undefined}
    >
      {error && !graph ? <Unread error={error} onRetry={refetch} what="sequence" back={SEQUENCE_LIST} /> : null}
      {graph || error ? null : <DetailSkeleton />}
      {graph ? (
        <Tabs
          value={tab}
          onChange={(value) => askBeforeLeaving(() => navigate(`/${sequence}${TABS.find((one) => one.value === value)?.path ?? ''}`))}
          className={classes.tabs}
          activateTabWithKeyboard={false}
        >
          <Tabs.List aria-label="About this sequence">
            {shownTabs.map(({ value, label }) => (
              <Tabs.Tab key={value} value={value}>
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value={tab} pt="sm" tabIndex={-1}>
            <Stack gap="md">
              <BulkProgress graph={graph} />
              <ActionsProgress graph={graph} />
              {children(graph)}
            </Stack>
          </Tabs.Panel>
        </Tabs>
      ) : null}
    </Page>
  );
}
