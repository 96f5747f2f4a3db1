import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answerOf, api, type ListQuery, type Schemas } from '../../api/client.ts';
import { asFailure } from '../../api/failure.ts';

/** Where its pages lead back to. */
export const RECURRING_LIST = { to: '/', label: 'Recurring campaigns' };

export type Recurring = Schemas['RecurringCampaign'];
/** With its data, and who has changed and approved it. */
export type WholeRecurring = Schemas['RecurringCampaignWithData'];
export type Recurrence = Schemas['RecurrenceInput'];
export type RecurringInput = Schemas['RecurringCampaignInput'];
export type RecurringChange = Schemas['RecurringCampaignChange'];
export type Warning = NonNullable<Awaited<ReturnType<typeof createRecurring>>['warnings']>[number];

/** All queries of recurring campaigns begin with it. */
export const RECURRING = ['recurring campaigns'] as const;

/** The next of their runs may be soon. */
const LOOK_AGAIN_MS = 15_000;

export function recurringListQuery(query: ListQuery<'/recurring-campaigns'>) {
  return queryOptions({
    queryKey: [...RECURRING, 'list', query],
    queryFn: ({ signal }) => answerOf(api.GET('/recurring-campaigns', { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: LOOK_AGAIN_MS,
  });
}

export function recurringQuery(id: string) {
  return queryOptions({
    queryKey: [...RECURRING, id],
    queryFn: ({ signal }) => readRecurring(id, signal),
    refetchInterval: LOOK_AGAIN_MS,
  });
}

/** To be changed: read anew for each visit, and not while it is edited. */
export function editedRecurringQuery(id: string) {
  return queryOptions({
    queryKey: ['recurring campaign to change', id],
    queryFn: ({ signal }) => readRecurring(id, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

/** What became of its instants, the latest first. */
export function runsQuery(id: string) {
  return infiniteQueryOptions({
    queryKey: [...RECURRING, id, 'runs'],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) => {
      const query = { limit: RUNS_AT_ONCE, ...(pageParam ? { cursor: pageParam } : {}) };
      return answerOf(api.GET('/recurring-campaigns/{id}/runs', { params: { path: { id }, query }, signal }));
    },
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    // Whoever reads what is older is not disturbed: all of its pages would be read again.
    refetchInterval: ({ state }) => state.data?.pages.length === 1 && LOOK_AGAIN_MS,
  });
}

const RUNS_AT_ONCE = 10;

/** What a rule comes to; of the recurring campaign `id` that is changed by it, if any. */
export function rulePreviewQuery(recurrence: Recurrence, id: string | undefined) {
  return queryOptions({
    queryKey: ['rule', recurrence, id ?? null],
    queryFn: ({ signal }) =>
      answerOf(api.POST('/recurring-campaigns/preview', { body: { recurrence, ...(id ? { recurringId: id } : {}) }, signal })),
    placeholderData: keepPreviousData,
    retry: false,
  });
}

async function readRecurring(id: string, signal?: AbortSignal): Promise<WholeRecurring> {
  const params = { path: { id } };
  return (await answerOf(api.GET('/recurring-campaigns/{id}', { params, ...(signal ? { signal } : {}) }))).recurringCampaign;
}

/** The same key makes no second one. Throws Failure. */
export function createRecurring(body: RecurringInput, key: string) {
  return answerOf(api.POST('/recurring-campaigns', { params: { header: { 'Idempotency-Key': key } }, body }));
}

/** Nothing was saved: somebody else has meanwhile. */
export class RecurringSavedMeanwhile extends Error {
  readonly theirs: WholeRecurring;

  constructor(theirs: WholeRecurring) {
    super('saved by another meanwhile');
    this.theirs = theirs;
  }
}

/** Changes it unless it is at another than `version` by now. Throws RecurringSavedMeanwhile and Failure. */
export async function changeRecurring(id: string, body: RecurringChange, version: number) {
  try {
    return await answerOf(api.PATCH('/recurring-campaigns/{id}', { params: { path: { id }, query: { ifVersion: version } }, body }));
  } catch (error) {
    if (asFailure(error).details.code !== 'version_conflict') throw error;
    throw new RecurringSavedMeanwhile(await readRecurring(id));
  }
}

/** What the API warned of when it was saved last, for its page. */
export function savedWarningsKey(id: string): readonly string[] {
  return ['warnings of recurring campaign', id];
}
