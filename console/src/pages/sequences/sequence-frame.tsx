import { Stack, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { askBeforeLeaving } from '../../frame/leave-guard.ts';
import { Page } from '../../frame/page.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { Status } from '../../show/status.tsx';
import { SequenceActions } from './sequence-actions.tsx';
import { graphQuery, type SequenceGraph } from './sequence-queries.ts';
import classes from './sequences.module.css';

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
  const [, navigate] = useLocation();
  return (
    <Page
      title={graph?.name ?? (error ? 'Sequence' : undefined)}
      beside={graph ? <Status value={graph.status} /> : undefined}
      description={graph ? `${graph.key} · version ${graph.version}` : undefined}
      back={{ to: '/', label: 'Sequences' }}
      actions={graph ? <SequenceActions graph={graph} /> : undefined}
    >
      {error && !graph ? <FailureNotice error={error} onRetry={refetch} /> : null}
      {graph ? (
        <Tabs
          value={tab}
          onChange={(value) => askBeforeLeaving(() => navigate(`/${sequence}${TABS.find((one) => one.value === value)?.path ?? ''}`))}
          className={classes.tabs}
          activateTabWithKeyboard={false}
        >
          <Tabs.List aria-label="About this sequence">
            {TABS.map(({ value, label }) => (
              <Tabs.Tab key={value} value={value}>
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value={tab} pt="md" tabIndex={-1}>
            <Stack gap="md">{children(graph)}</Stack>
          </Tabs.Panel>
        </Tabs>
      ) : null}
    </Page>
  );
}
