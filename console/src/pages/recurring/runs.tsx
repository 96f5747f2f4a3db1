import { Anchor, Button, Text } from '@mantine/core';
import { type Icon, IconAlertTriangle, IconPlayerSkipForward, IconSpeakerphone } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { Panel } from '../../frame/detail.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { Happenings } from '../../show/happenings.tsx';
import { Time } from '../../show/time.tsx';
import { runsQuery } from './recurring-queries.ts';
import { runWords } from './rule-preview.tsx';
import { hasFailed, outcomeWords } from './run-words.ts';

/** What became of its instants, the latest first. */
export function Runs({ id }: { readonly id: string }): ReactNode {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(runsQuery(id));
  const runs = data?.pages.flatMap((page) => page.runs) ?? [];
  return (
    <Panel title="Runs">
      {error ? <FailureNotice error={error} onRetry={refetch} /> : null}
      {data && runs.length === 0 ? (
        <Text size="sm" c="dimmed">
          None yet.
        </Text>
      ) : null}
      <Happenings
        of={runs}
        keyOf={({ due_at }) => due_at}
        show={(run) => ({
          icon: iconOf(run),
          at: run.due_at,
          time: <Time at={run.due_at} />,
          words:
            run.campaign_id === null ? (
              outcomeWords(run)
            ) : (
              <Anchor component={Link} href={inConsole(`/campaigns/${run.campaign_id}`)} inherit>
                {outcomeWords(run)}
              </Anchor>
            ),
          more: runWords(run.due_at),
          isBad: hasFailed(run),
        })}
      />
      {hasNextPage ? (
        <Button variant="default" mt="sm" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show earlier runs
        </Button>
      ) : null}
    </Panel>
  );
}

function iconOf(run: Parameters<typeof hasFailed>[0]): Icon {
  if (hasFailed(run)) return IconAlertTriangle;
  return run.outcome === 'created' ? IconSpeakerphone : IconPlayerSkipForward;
}
