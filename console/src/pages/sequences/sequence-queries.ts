import { infiniteQueryOptions, keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { answerOf, api, type ListQuery, type Schemas } from '../../api/client.ts';
import { asFailure, type Issue } from '../../api/failure.ts';

export type SequenceSummary = Schemas['SequenceSummary'];
/** Its nodes may have any config: what is edited need not be right yet. */
export type SequenceGraph = Omit<Schemas['FlowGraph'], 'nodes' | 'edges'> & {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
};

export interface GraphNode {
  readonly id: string;
  readonly kind: string;
  /** What people call it. */
  readonly label?: string | undefined;
  readonly config?: Readonly<Record<string, unknown>> | undefined;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** Absent: serves every outcome that no other edge of the node names. */
  readonly branchKey?: string;
}

/** Whether contacts enter by it on a date of theirs. */
export function entersByDate({ kind, enabled }: SequenceGraph['triggers'][number]): boolean {
  return kind === 'date' && enabled !== false;
}

export type SequenceStatus = Schemas['SequenceStatus'];
export type Run = Schemas['ListedEnrollment'];
export type RunWithSteps = Schemas['EnrollmentWithSteps'];
export type ListedVersion = Schemas['SequenceVersion'];
export type SequenceFlow = Awaited<ReturnType<typeof readFlow>>;

/** All sequence and run queries begin with it. */
export const SEQUENCES = ['sequences'] as const;

/** Counts of what runs do change all the time. */
const LOOK_AGAIN_MS = 15_000;
/** A run that was started just now comes to where it waits in moments. */
const LOOK_SOON_MS = 3000;

export function sequencesQuery() {
  return queryOptions({
    queryKey: [...SEQUENCES, 'all'],
    queryFn: async ({ signal }) => (await answerOf(api.GET('/sequences', { signal }))).sequences,
  });
}

export function graphQuery(key: string) {
  return queryOptions({
    queryKey: [...SEQUENCES, 'one', key],
    queryFn: async ({ signal }) => (await answerOf(api.GET('/sequences/{key}', { params: { path: { key } }, signal }))) as SequenceGraph,
  });
}

/** A portion takes a second or two. */
const LOOK_ON_MS = 2_000;

/** The latest enrollment of a whole segment, which is followed while it runs; null: there was none. */
export function bulkQuery(key: string) {
  return queryOptions({
    queryKey: [...SEQUENCES, 'one', key, 'bulk'],
    async queryFn({ signal }) {
      const path = { params: { path: { key }, query: { limit: 1 } }, signal };
      const { bulks } = await answerOf(api.GET('/sequences/{key}/bulk-enrollments', path));
      return bulks[0] ?? null;
    },
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? LOOK_ON_MS : LOOK_AGAIN_MS),
  });
}

/** So many actions of a sequence may run at once, and a few that have ended since. */
const LATEST_ACTIONS = 20;

/** The actions over many runs that are under way, which are followed, or else the latest one; none: there was none. */
export function actionsQuery(key: string) {
  return queryOptions({
    queryKey: [...SEQUENCES, 'one', key, 'actions'],
    async queryFn({ signal }) {
      const path = { params: { path: { key }, query: { limit: LATEST_ACTIONS } }, signal };
      const { actions } = await answerOf(api.GET('/sequences/{key}/enrollments/actions', path));
      const running = actions.filter(({ status }) => status === 'running');
      return running.length > 0 ? running : actions.slice(0, 1);
    },
    refetchInterval: ({ state }) => (state.data?.some(({ status }) => status === 'running') ? LOOK_ON_MS : LOOK_AGAIN_MS),
  });
}

/** How many runs an action would be about now. */
export function actionCountQuery(key: string, asked: Schemas['EnrollmentActionInput']) {
  return queryOptions({
    queryKey: [...SEQUENCES, 'one', key, 'action-count', asked],
    async queryFn({ signal }) {
      const path = { params: { path: { key }, query: { dryRun: '1' as const } }, body: asked, signal };
      const answer = await answerOf(api.POST('/sequences/{key}/enrollments/actions', path));
      return 'count' in answer ? answer.count : 0;
    },
    staleTime: 0,
  });
}

const VERSIONS_A_PAGE = 50;
/** As many as a page of the API may have. */
const MOST_VERSIONS_IN_USE = 250;

/** Every version of a sequence, latest first. */
export function versionsQuery(key: string) {
  return infiniteQueryOptions({
    queryKey: [...SEQUENCES, 'one', key, 'versions'],
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: VERSIONS_A_PAGE, ...(pageParam === undefined ? {} : { before: pageParam }) };
      return (await answerOf(api.GET('/sequences/{key}/versions', { params: { path: { key }, query }, signal }))).versions;
    },
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (last) => (last.length === VERSIONS_A_PAGE ? last.at(-1)?.version : undefined),
  });
}

/** A graph as it was; what was saved once never changes. */
export function versionQuery(key: string, version: number) {
  return queryOptions({
    queryKey: [...SEQUENCES, 'version', key, version],
    queryFn: async ({ signal }) =>
      (await answerOf(api.GET('/sequences/{key}', { params: { path: { key }, query: { version } }, signal }))) as SequenceGraph,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Nothing was saved: somebody else has meanwhile. Theirs is what graphQuery has then. */
export class SavedMeanwhile extends Error {}

export type ChangedStep = Schemas['ChangedStep'];
/** Where those go on who stand at a step, or null where they end. */
export type Migrate = Readonly<Record<string, string | null>>;

/** Who stands at steps that a graph would remove or change in place of `version`. Throws as saveGraph does. */
export async function affectedSteps(queries: QueryClient, key: string, graph: object, version: number): Promise<readonly ChangedStep[]> {
  return (await putGraph(queries, key, graph, { ifVersion: version, dryRun: '1' })).changes ?? [];
}

/**
 * Saves a graph as the next version, unless there is another than `version` already. Whether it is a good graph is the API's to say. Throws
 * SavedMeanwhile, and Failure.
 */
export function saveGraph(queries: QueryClient, key: string, graph: object, version: number) {
  return putGraph(queries, key, graph, { ifVersion: version });
}

async function putGraph(queries: QueryClient, key: string, graph: object, query: { readonly ifVersion: number; readonly dryRun?: '1' }) {
  try {
    return await answerOf(api.PUT('/sequences/{key}', { params: { path: { key }, query }, body: graph as never }));
  } catch (error) {
    if (asFailure(error).details.code !== 'version_conflict') throw error;
    await queries.fetchQuery({ ...graphQuery(key), staleTime: 0 });
    throw new SavedMeanwhile();
  }
}

/** The current version of a sequence and those by which runs are under way, latest first: who stays where when another is saved. */
export async function versionsInUse(key: string) {
  const query = { inUse: 'true', limit: MOST_VERSIONS_IN_USE } as const;
  return (await answerOf(api.GET('/sequences/{key}/versions', { params: { path: { key }, query } }))).versions;
}

async function readFlow(key: string, version: number | undefined, signal: AbortSignal) {
  return answerOf(api.GET('/sequences/{key}/flow', { params: { path: { key }, query: version === undefined ? {} : { version } }, signal }));
}

/** Which way the runs took and what became of their mails: of all over the current graph, or of those of one version over that. */
export function flowQuery(key: string, version?: number) {
  return queryOptions({
    queryKey: [...SEQUENCES, 'one', key, 'flow', version ?? 'all'],
    queryFn: ({ signal }) => readFlow(key, version, signal),
    refetchInterval: LOOK_AGAIN_MS,
  });
}

/** Who is about to enter by a date changes with each look, which is minutes apart. */
const LOOK_AT_DATES_MS = 60_000;

export function dateEntriesQuery(key: string) {
  return queryOptions({
    queryKey: [...SEQUENCES, 'one', key, 'date-entries'],
    queryFn: ({ signal }) => answerOf(api.GET('/sequences/{key}/date-entries', { params: { path: { key } }, signal })),
    refetchInterval: LOOK_AT_DATES_MS,
  });
}

export type RunFilter = ListQuery<'/sequences/{key}/enrollments'>;

export function runsQuery(key: string, query: RunFilter) {
  return queryOptions({
    queryKey: [...SEQUENCES, 'one', key, 'runs', query],
    queryFn: ({ signal }) => answerOf(api.GET('/sequences/{key}/enrollments', { params: { path: { key }, query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => lookAgainAt(state.data?.enrollments ?? []),
  });
}

/** In milliseconds; false where nothing changes any more. */
function lookAgainAt(runs: readonly Pick<Run, 'status' | 'current_node_id'>[]): number | false {
  const active = runs.filter(({ status }) => status === 'active');
  if (active.some(({ current_node_id }) => current_node_id === null)) return LOOK_SOON_MS;
  return active.length > 0 && LOOK_AGAIN_MS;
}

/** A run with its last steps; each page adds those before. */
export function runQuery(id: string) {
  return infiniteQueryOptions({
    queryKey: [...SEQUENCES, 'run', id],
    queryFn: ({ signal, pageParam: cursor }) =>
      answerOf(api.GET('/enrollments/{id}', { params: { path: { id }, query: cursor ? { cursor } : {} }, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    select: ({ pages }): RunWithSteps => ({
      ...(pages[0] as (typeof pages)[number]).enrollment,
      steps: pages.toReversed().flatMap(({ enrollment }) => enrollment.steps),
    }),
    refetchInterval: ({ state }) => lookAgainAt(state.data?.pages.slice(0, 1).map(({ enrollment }) => enrollment) ?? []),
  });
}

const STARTERS = ['sequence-starters'] as const;

/** The ready sequences, which are the same as long as the page is there. */
export function startersQuery() {
  return queryOptions({
    queryKey: [...STARTERS, 'all'],
    queryFn: async ({ signal }) => (await answerOf(api.GET('/sequence-starters', { signal }))).starters,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

async function readStarter(key: string, signal: AbortSignal) {
  return answerOf(api.GET('/sequence-starters/{key}', { params: { path: { key } }, signal }));
}

export type Starter = Awaited<ReturnType<typeof readStarter>>;

/** One of them, with what its mails lack in the project now. */
export function starterQuery(key: string) {
  return queryOptions({ queryKey: [...STARTERS, 'one', key], queryFn: ({ signal }) => readStarter(key, signal) });
}

export type SimulationInput = Extract<Schemas['SimulateInput'], { assume?: unknown }>;
export type Simulation = Awaited<ReturnType<typeof simulate>>;

/** A dry run; nothing is sent or written. */
export function simulate(key: string, body: SimulationInput) {
  return answerOf(api.POST('/sequences/{key}/simulate', { params: { path: { key } }, body }));
}

/** What the last change of a sequence was warned of: no route reads it again. */
export function warningsQuery(key: string) {
  return queryOptions({
    queryKey: [...SEQUENCES, 'one', key, 'warnings'],
    queryFn: (): readonly Issue[] => [],
    enabled: false,
    initialData: [],
    staleTime: Number.POSITIVE_INFINITY,
  });
}
