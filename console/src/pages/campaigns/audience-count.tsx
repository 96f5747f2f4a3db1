import { Group, Loader, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { someOf } from '../../letters.ts';
import { addressesIn } from '../../pasted-emails.ts';
import { scopeOf } from '../../session/operations.ts';
import { useSession } from '../../session/session.tsx';
import { FailureNotice } from '../../show/failure-notice.tsx';
import type { ContactStatus } from '../contacts/contact-status.ts';
import { previewQuery, type Segment, type SegmentFilter, segmentsQuery } from '../segments/segment-queries.ts';
import { audienceOf, type CampaignDraft, MOST_NAMED, notAddresses } from './campaign-draft.ts';
import { type Campaign, type CampaignChange, type CampaignInput, launchCountQuery } from './campaign-queries.ts';
import classes from './campaigns.module.css';

const TYPING_MS = 400;
/** The others never get a campaign; those who are suppressed do not either, which no filter tells. */
const MAILABLE = ['subscribed', 'pending'] as const satisfies readonly ContactStatus[];

/** What is asked of the API: those who match, of one brand or all. */
interface Asked {
  readonly filter: SegmentFilter;
  readonly brand: string | null;
}

const EVERYBODY: Asked = { filter: {}, brand: null };

/** How many an audience is now, as far as it is known. */
export interface AudienceSize {
  /** undefined: it is not said whom, the key may not count, or it is being counted for the first time. */
  readonly told: { readonly count: number; readonly words: string } | undefined;
  /** Without those who would be left out, as of now. */
  readonly isExact?: boolean;
  readonly isCounting: boolean;
  readonly error: unknown;
  readonly retry: () => void;
}

/** Counts the audience of a draft as soon as one stops typing, and as the server has it once it is kept. What was counted before stands until then. */
export function useAudienceSize(draft: CampaignDraft, kept: KeptAudience | undefined): AudienceSize {
  const { may } = useSession();
  const matching = useMatching(draft);
  const whom = audienceOf(draft);
  const of = JSON.stringify([kept?.audience ?? null, kept?.topic ?? null]);
  const enabled =
    may('GET /campaigns/{id}/audience') && kept !== undefined && whom !== undefined && of === JSON.stringify([whom, draft.topic]);
  const exact = useQuery({ ...launchCountQuery(kept?.id ?? '', of), enabled });
  // Of an audience that is chosen and not kept yet nothing exact is known.
  return enabled && exact.data
    ? { ...matching, isExact: true, told: { count: exact.data.enrolled, words: recipientWords(exact.data, draft.topic) }, error: null }
    : matching;
}

/** A draft as the server has it. */
export interface KeptAudience extends Pick<CampaignChange, 'audience' | 'topic'> {
  readonly id: string;
}

export interface LaunchCount {
  /** Who matches. */
  readonly audienceSize: number;
  /** Who of them gets it. */
  readonly enrolled: number;
}

/** After the number of those who get it: what they are called, and how many match and do not. */
export function recipientWords({ enrolled, audienceSize }: LaunchCount, topic: string | null): string {
  const left = audienceSize - enrolled;
  const why =
    topic === null ? 'unsubscribed, bounced, suppressed or unconfirmed' : 'unsubscribed, bounced, suppressed, unconfirmed or topic off';
  const others = left > 0 ? `; ${left.toLocaleString('en')} left out: ${why}` : '';
  return `${enrolled === 1 ? 'recipient' : 'recipients'}${others}`;
}

function useMatching(draft: CampaignDraft): AudienceSize {
  const { may } = useSession();
  const { data: segments } = useQuery({ ...segmentsQuery(), enabled: draft.mode === 'segment' });
  const whom = useMemo(() => askedOf(audienceOf(draft), segments), [draft, segments]);
  const asked = JSON.stringify(whom ?? EVERYBODY);
  const [settled] = useDebouncedValue(asked, TYPING_MS);
  const { filter, brand } = useMemo(() => JSON.parse(settled) as Asked, [settled]);
  const enabled = whom !== undefined && may('POST /segments/preview');
  const { data, error, isFetching, refetch } = useQuery({ ...previewQuery(filter, brand, { topic: draft.topic }), enabled });
  const retry = (): void => void refetch();
  if (draft.mode === 'people') {
    const typed = addressesIn(draft.people);
    const wrong = notAddresses(typed);
    const people = typed.length - wrong.length;
    const others = `; ${wrong.length.toLocaleString('en')} more ${wrong.length === 1 ? 'is' : 'are'} not valid: ${someOf(wrong, MOST_NAMED)}`;
    const words = `${people === 1 ? 'address' : 'addresses'}${wrong.length > 0 ? others : ''}`;
    return { told: typed.length > 0 ? { count: people, words } : undefined, isCounting: false, error: null, retry };
  }
  const counts = enabled && data ? { audienceSize: data.count, enrolled: data.mailable ?? data.count } : undefined;
  return {
    told: counts && { count: counts.enrolled, words: recipientWords(counts, draft.topic) },
    isExact: true,
    isCounting: enabled && (isFetching || asked !== settled),
    error: enabled ? error : null,
    retry,
  };
}

/** How many may get a campaign that has not begun, as of now, like `about 60`; undefined where that is not known, or not yet. */
export function useAudienceNow({ audience, topic }: Pick<Campaign, 'audience' | 'topic'>): string | undefined {
  const { may } = useSession();
  const { data: segments } = useQuery({ ...segmentsQuery(), enabled: audience.mode === 'segment' });
  const asked = askedOf(audience, segments);
  const enabled = asked !== undefined && may('POST /segments/preview');
  const { filter, brand } = asked ?? EVERYBODY;
  const status = mailableOf(filter);
  const mailable = useQuery({ ...previewQuery({ ...havingTopic(filter, topic), status }, brand), enabled: enabled && status.length > 0 });
  // Of a filter that asks only for others it is always known.
  const count = status.length > 0 ? mailable.data?.count : 0;
  const found = audience.mode === 'people' ? audience.count : enabled ? count : undefined;
  return found === undefined ? undefined : `about ${found.toLocaleString('en')}`;
}

/** How many get the campaign, below the choice of whom. */
export function AudienceCount({ size, mode }: { readonly size: AudienceSize; readonly mode: CampaignDraft['mode'] }): ReactNode {
  const { told, isExact = false, isCounting, error, retry } = size;
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
            {may('POST /segments/preview')
              ? isCounting
                ? 'Counting'
                : LACKING[mode]
              : `To see the size, sign in with a key that has the scope ${scopeOf('POST /segments/preview')}`}
          </Text>
        )}
        {isCounting ? <Loader size={12} role="img" aria-label="Counting" style={{ alignSelf: 'center' }} /> : null}
      </Group>
      <Text size="xs" c="dimmed">
        {isExact ? COUNTED_NOW : LEFT_OUT_LATER}
      </Text>
    </div>
  );
}

/** What is missing before there is anything to count. */
const LACKING: Readonly<Record<CampaignDraft['mode'], string>> = {
  entire: '',
  segment: 'Select a segment to see how many get it',
  tag: 'Type a tag to see how many get it',
  people: 'Add addresses to see how many get it',
};

const COUNTED_NOW = 'As of now. It is counted again when it is sent.';
/** Of addresses that are typed nothing is asked before they are kept. */
const LEFT_OUT_LATER = 'Unsubscribed, bounced, suppressed and unconfirmed addresses are left out when it is sent.';

function askedOf(
  audience: Campaign['audience'] | CampaignInput['audience'] | undefined,
  segments: readonly Segment[] = [],
): Asked | undefined {
  if (!audience || audience.mode === 'people') return undefined;
  if (audience.mode === 'tag') return { filter: { tags: [audience.tag] }, brand: null };
  if (audience.mode === 'entire') return EVERYBODY;
  // No filter may name a segment: what it says is asked for.
  const segment = segments.find(({ id }) => id === audience.segmentId);
  return segment && { filter: segment.filter, brand: segment.brand_id };
}

/** Those of a filter who get a topic; null: all of them. */
function havingTopic(filter: SegmentFilter, topic: string | null): SegmentFilter {
  if (topic === null) return filter;
  const isOn = { field: `contact.topics.${topic}`, op: 'eq', value: true } as const;
  return { ...filter, where: filter.where ? { all: [filter.where, isOn] } : isOn };
}

/** Those of the statuses of a filter who may get mail; there may be none. */
function mailableOf({ status }: SegmentFilter): (typeof MAILABLE)[number][] {
  const asked = status ? [status].flat() : MAILABLE;
  return MAILABLE.filter((one) => asked.includes(one));
}
