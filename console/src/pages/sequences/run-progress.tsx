import { Alert, Group, Progress, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { TemporalLink } from '../../show/temporal-link.tsx';

/** What it came to is shown for so long. */
const SHOWN_MS = 3_600_000;

interface Given {
  readonly work: { readonly status: string; readonly ended_at: string | null; readonly total: number; readonly workflow_id: string };
  /** Of its total, whatever became of them. */
  readonly settled: number;
  /** Of the note, and of the bar in it. */
  readonly label: string;
  readonly progressLabel: string;
  readonly words: string;
  /** Ends it while it runs. */
  readonly stop: ReactNode;
}

/** How far work over many runs is, or what it came to. Nothing where that is long past. */
export function RunProgress({
  work: { status, ended_at, total, workflow_id },
  settled,
  label,
  progressLabel,
  words,
  stop,
}: Given): ReactNode {
  if (ended_at && Date.now() - Date.parse(ended_at) > SHOWN_MS) return null;
  const isRunning = status === 'running';
  return (
    <Alert color={isRunning ? 'blue' : 'gray'} role="status" aria-label={label}>
      <Group justify="space-between" gap="sm" mb={isRunning ? 6 : 0}>
        <Text size="sm">{words}</Text>
        <Group gap="sm">
          <TemporalLink workflowId={workflow_id} />
          {isRunning ? stop : null}
        </Group>
      </Group>
      {isRunning ? <Progress value={total > 0 ? Math.min(100, (100 * settled) / total) : 0} size="sm" aria-label={progressLabel} /> : null}
    </Alert>
  );
}
