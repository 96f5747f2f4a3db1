import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../api/client.ts';
import { VIEWER_ZONE } from '../../frame/local-time.ts';
import { AGAIN_MS, FIRST_PERIOD, type Period } from '../home/home-queries.ts';

/** What became of the mails of one domain or receiver. */
export type Reputation = Omit<Schemas['DomainReputation'], 'domain'> & { readonly name: string };
export type OtherReputation = NonNullable<Schemas['OtherReputation']>;

/** Those with the most mails first. */
export interface Reputations {
  readonly rows: readonly Reputation[];
  readonly others: OtherReputation | null;
}

/** By the domain that mails are from, and by who gets them. */
export const BY = ['domain', 'receiver'] as const;
export type By = (typeof BY)[number];

async function readReputations(by: By, period: Period, signal: AbortSignal): Promise<Reputations> {
  const {
    byDomain = [],
    byReceiver = [],
    others = null,
  } = await answerOf(api.GET('/stats', { params: { query: { period, timezone: VIEWER_ZONE, by } }, signal }));
  const rows = [
    ...byDomain.map(({ domain: name, ...counts }) => ({ name, ...counts })),
    ...byReceiver.map(({ receiver: name, ...counts }) => ({ name, ...counts })),
  ];
  return { rows, others };
}

/** Of a period, which the last 7 days are unless told. */
export function reputationQuery(by: By, period: Period = FIRST_PERIOD) {
  return queryOptions({
    queryKey: ['reputation', by, period],
    queryFn: ({ signal }) => readReputations(by, period, signal),
    placeholderData: keepPreviousData,
    // Who is led here by what Home says has to find that here.
    staleTime: 0,
    refetchInterval: AGAIN_MS,
  });
}
