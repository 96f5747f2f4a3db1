import { Loader, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { Panel } from '../../frame/detail.tsx';
import { useSession } from '../../session/session.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { previewQuery, type SegmentFilter } from '../segments/segment-queries.ts';
import { addressesOf, audienceOf, type CampaignDraft } from './campaign-draft.ts';

const TYPING_MS = 400;
/** The others never get a campaign; those who are suppressed do not either, which no filter tells. */
const MAILABLE = ['subscribed', 'pending'] as const;

/** How many the audience is now. */
export function AudienceCount({ draft }: { readonly draft: CampaignDraft }): ReactNode {
  const { may } = useSession();
  const filter = useMemo(() => filterOf(draft), [draft]);
  if (draft.mode === 'people') {
    return (
      <Panel title="Recipients">
        <Told count={addressesOf(draft.people).length} what="address" more="es" />
      </Panel>
    );
  }
  if (!may('contacts:read')) {
    return (
      <Panel title="Recipients">
        <Text size="sm" c="dimmed">
          The count is shown to keys with the scope contacts:read.
        </Text>
      </Panel>
    );
  }
  if (filter) return <Counted filter={filter} />;
  return (
    <Panel title="Recipients">
      <Text size="sm" c="dimmed">
        Choose an audience to see how many it is.
      </Text>
    </Panel>
  );
}

function Counted({ filter }: { readonly filter: SegmentFilter }): ReactNode {
  const asked = JSON.stringify(filter);
  const [settled] = useDebouncedValue(asked, TYPING_MS);
  const all = useMemo(() => JSON.parse(settled) as SegmentFilter, [settled]);
  const matched = useQuery(previewQuery(all, null));
  const mailable = useQuery(previewQuery({ ...all, status: [...MAILABLE] }, null));
  const isCounting = matched.isFetching || mailable.isFetching || asked !== settled;
  const error = mailable.error ?? matched.error;
  return (
    <Panel title="Recipients" action={isCounting ? <Loader size={14} role="img" aria-label="Counting" /> : null}>
      {error ? <FailureNotice error={error} onRetry={() => Promise.all([matched.refetch(), mailable.refetch()])} /> : null}
      {mailable.data && matched.data && !error ? (
        <Told count={mailable.data.count} what="contact" more="s" matched={matched.data.count} />
      ) : null}
    </Panel>
  );
}

interface ToldGiven {
  readonly count: number;
  readonly what: string;
  /** What makes several of it. */
  readonly more: string;
  readonly matched?: number;
}

function Told({ count, what, more, matched = count }: ToldGiven): ReactNode {
  const left = matched - count;
  return (
    <Stack gap={4}>
      <div role="status">
        <Text fz={26} fw={600} lh={1.2}>
          {count.toLocaleString('en')}
        </Text>
        <Text size="sm" c="dimmed">
          {what}
          {count === 1 ? '' : more}
          {left > 0 ? `; ${left.toLocaleString('en')} more unsubscribed or bounced` : ''}
        </Text>
      </div>
      <Text size="xs" c="dimmed">
        Suppressed addresses are left out when it is sent.
      </Text>
    </Stack>
  );
}

function filterOf(draft: CampaignDraft): SegmentFilter | undefined {
  const audience = audienceOf(draft);
  if (!audience || audience.mode === 'people') return undefined;
  if (audience.mode === 'tag') return { tags: [audience.tag] };
  return audience.mode === 'segment' ? { where: { segment: audience.segmentId } } : {};
}
