import { Anchor, Group, Loader, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { Link } from 'wouter';
import { inConsole } from '../../base.ts';
import { Panel } from '../../frame/detail.tsx';
import { scopeOf } from '../../session/operations.ts';
import { useSession } from '../../session/session.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { Status } from '../../show/status.tsx';
import { isOfRules } from './rule-faults.ts';
import { filterOf, type SegmentDraft } from './segment-draft.ts';
import { previewQuery } from './segment-queries.ts';

const TYPING_MS = 400;

interface Given {
  readonly draft: SegmentDraft;
  /** The id of the segment that says the same; its contacts can be listed. */
  readonly listed?: string | undefined;
}

/** How many the draft matches now, with the newest of them. */
export function SegmentPreview({ draft, listed }: Given): ReactNode {
  const { may } = useSession();
  const asked = useMemo(() => JSON.stringify([filterOf(draft).filter, draft.brand]), [draft]);
  const [settled] = useDebouncedValue(asked, TYPING_MS);
  const [filter, brand] = useMemo(() => JSON.parse(settled), [settled]);
  const { data, error, isFetching, refetch } = useQuery({ ...previewQuery(filter, brand), enabled: may('POST /segments/preview') });
  const { isComplete } = filterOf(draft);
  if (!may('POST /segments/preview')) {
    return (
      <Panel title="Preview">
        <Text size="sm" c="dimmed">
          To see who matches, sign in with a key that has the scope {scopeOf('POST /segments/preview')}.
        </Text>
      </Panel>
    );
  }
  return (
    <Panel title="Preview" action={isFetching ? <Loader role="status" size={14} aria-label="Counting" /> : null}>
      {error && isOfRules(error) ? (
        <Text size="sm" c="dimmed" role="status">
          Complete the rules to see who matches.
        </Text>
      ) : error ? (
        <FailureNotice error={error} onRetry={refetch} />
      ) : null}
      {data && !error ? (
        <Stack gap="sm">
          <div role="status">
            <Text fz={26} fw={600} lh={1.2}>
              {data.count.toLocaleString('en')}
            </Text>
            <Text size="sm" c="dimmed">
              {data.count === 1 ? 'contact matches' : 'contacts match'} now
              {isComplete ? '' : '; incomplete rules are ignored'}
            </Text>
          </div>
          {data.sample.map(({ id, email, status }) => (
            <Group key={id} justify="space-between" wrap="nowrap" gap="sm">
              <Anchor component={Link} href={inConsole(`/contacts/${id}`)} size="sm" c="inherit" truncate>
                {email}
              </Anchor>
              <Status value={status} />
            </Group>
          ))}
          {listed !== undefined && data.count > 0 ? (
            <Anchor component={Link} href={inConsole(`/contacts?segment=${listed}`)} size="sm">
              View all contacts
            </Anchor>
          ) : null}
        </Stack>
      ) : null}
    </Panel>
  );
}
