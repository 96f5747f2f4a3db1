import { Group, Loader, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { useSession } from '../../session/session.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import { previewQuery, type SegmentFilter } from '../segments/segment-queries.ts';
import { addressesOf, audienceOf, type CampaignDraft } from './campaign-draft.ts';
import classes from './campaigns.module.css';

const TYPING_MS = 400;
/** The others never get a campaign; those who are suppressed do not either, which no filter tells. */
const MAILABLE = ['subscribed', 'pending'] as const;
const NOBODY: SegmentFilter = { tags: [] };

/** How many an audience is now, as far as it is known. */
export interface AudienceSize {
  /** undefined: it is not said whom, the key may not count, or it is being counted for the first time. */
  readonly told: { readonly count: number; readonly words: string } | undefined;
  readonly isCounting: boolean;
  readonly error: unknown;
  readonly retry: () => void;
}

/** Counts the audience of a draft as soon as one stops typing. What was counted before stands until then. */
export function useAudienceSize(draft: CampaignDraft): AudienceSize {
  const { may } = useSession();
  const filter = useMemo(() => filterOf(draft), [draft]);
  const asked = JSON.stringify(filter ?? NOBODY);
  const [settled] = useDebouncedValue(asked, TYPING_MS);
  const all = useMemo(() => JSON.parse(settled) as SegmentFilter, [settled]);
  const enabled = filter !== undefined && may('contacts:read');
  const matched = useQuery({ ...previewQuery(all, null), enabled });
  const mailable = useQuery({ ...previewQuery({ ...all, status: [...MAILABLE] }, null), enabled });
  const retry = (): void => void Promise.all([matched.refetch(), mailable.refetch()]);
  if (draft.mode === 'people') {
    const count = addressesOf(draft.people).length;
    const words = count === 1 ? 'address' : 'addresses';
    return { told: count > 0 ? { count, words } : undefined, isCounting: false, error: null, retry };
  }
  const told = enabled && mailable.data && matched.data ? inWords(mailable.data.count, matched.data.count) : undefined;
  return {
    told,
    isCounting: enabled && (matched.isFetching || mailable.isFetching || asked !== settled),
    error: enabled ? (mailable.error ?? matched.error) : null,
    retry,
  };
}

/** How many get the campaign, below the choice of whom. */
export function AudienceCount({ size: { told, isCounting, error, retry } }: { readonly size: AudienceSize }): ReactNode {
  const { may } = useSession();
  if (error) return <FailureNotice error={error} onRetry={retry} />;
  return (
    <div className={classes.audience}>
      <Group gap={8} align="baseline" wrap="nowrap" role="status" miw={0}>
        {told ? (
          <>
            <Text fz={22} fw={600} lh={1.2} className={classes.audienceCount}>
              {told.count.toLocaleString('en')}
            </Text>
            <Text size="sm" c="dimmed">
              {told.words}
            </Text>
          </>
        ) : (
          <Text size="sm" c="dimmed">
            {may('contacts:read')
              ? isCounting
                ? 'Counting'
                : 'Choose an audience to see how many it is'
              : 'The count is shown to keys with the scope contacts:read'}
          </Text>
        )}
        {isCounting ? <Loader size={12} role="img" aria-label="Counting" style={{ alignSelf: 'center' }} /> : null}
      </Group>
      <Text size="xs" c="dimmed">
        Suppressed addresses are left out when it is sent.
      </Text>
    </div>
  );
}

function inWords(count: number, matched: number): AudienceSize['told'] {
  const left = matched - count;
  const others = left > 0 ? `; ${left.toLocaleString('en')} more unsubscribed or bounced` : '';
  return { count, words: `${count === 1 ? 'contact' : 'contacts'}${others}` };
}

function filterOf(draft: CampaignDraft): SegmentFilter | undefined {
  const audience = audienceOf(draft);
  if (!audience || audience.mode === 'people') return undefined;
  if (audience.mode === 'tag') return { tags: [audience.tag] };
  return audience.mode === 'segment' ? { where: { segment: audience.segmentId } } : {};
}
