import { Alert, List, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { asFailure } from '../../api/failure.ts';
import { capitalized } from '../../letters.ts';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { momentWords } from '../../show/time.tsx';
import { type Recurrence, rulePreviewQuery } from './recurring-queries.ts';
import { type RuleDraft, ruleOf } from './rule-draft.ts';

const TYPING_MS = 300;

interface Given {
  readonly draft: RuleDraft;
  /** That is changed; undefined: it is new. */
  readonly id: string | undefined;
  /** What the API found wrong with the rule as a whole. */
  readonly refused: string | undefined;
}

/** A rule in words and its next runs, as the API answers them as soon as one stops typing. Nothing while the rule is not whole. */
export function RulePreview({ draft, id, refused }: Given): ReactNode {
  const rule = ruleOf(draft);
  const asked = rule ? JSON.stringify(rule) : '';
  const [settled] = useDebouncedValue(asked, TYPING_MS);
  const recurrence = useMemo(() => (settled ? (JSON.parse(settled) as Recurrence) : undefined), [settled]);
  const { data, error, refetch } = useQuery({
    ...rulePreviewQuery(recurrence ?? NO_RULE, id),
    enabled: recurrence !== undefined,
  });
  if (!rule)
    return (
      <Text size="sm" c="dimmed" role="status" aria-label="Next runs">
        The next runs are shown here once the schedule is complete.
      </Text>
    );
  // What is wrong with a field is said there when it is saved.
  if (error && asFailure(error).kind !== 'input') return <FailureNotice error={error} onRetry={refetch} />;
  if (error || !data) return null;
  return (
    <div role="status" aria-label="Next runs">
      <Text size="sm" fw={500}>
        {capitalized(data.in_words)}
      </Text>
      {data.next_runs.length === 0 ? (
        <Alert color="orange" mt="xs">
          {refused ?? 'By this schedule nothing runs from now on.'}
        </Alert>
      ) : (
        <NextRuns runs={data.next_runs} />
      )}
    </div>
  );
}

/** The next instants, in the reader's own zone. */
export function NextRuns({ runs }: { readonly runs: readonly string[] }): ReactNode {
  return (
    <List size="sm" listStyleType="none" c="dimmed" mt={4} aria-label="Next runs, in your own time zone">
      {runs.map((at) => (
        <List.Item key={at}>{runWords(at)}</List.Item>
      ))}
    </List>
  );
}

/** Like `Tue 24 Nov 10:00`, in the reader's own zone. */
export function runWords(at: string): string {
  return `${WEEKDAY.format(new Date(at))} ${momentWords(at)}`;
}

const WEEKDAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short' });

/** In place of a rule while nothing is asked. */
const NO_RULE: Recurrence = { every: 'day', at: '00:00', timezone: 'UTC' };
