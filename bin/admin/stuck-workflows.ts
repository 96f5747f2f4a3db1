import type { Client } from '@temporalio/client';
import { RECONCILED_TYPES } from '../../activities/reconciled-types.ts';
import type { EntityManager } from '../../db/orm.ts';
import {
  type OverdueRow,
  overdueBursts,
  overdueCampaigns,
  overdueDeliveries,
  overdueEnrollments,
  overdueScheduled,
  refusedMessages,
} from '../../db/queries/operations/overdue-rows.ts';
import { reconcilePassAge } from '../../db/queries/operations/reconcile-progress.ts';
import { OPEN_ROWS } from '../../db/queries/operations/workflow-rows.ts';
import { reconcileHelp, type Stuck } from '../../domain/operations/stuck.ts';
import { grouped } from '../../domain/shown-text.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import { listFailing, workflowProblem } from '../../platform/temporal/workflow-problem.ts';
import { closingOf, describeWorkflow } from '../../platform/temporal/workflow-state.ts';
import type { WorkflowType } from '../../workflows/contracts.ts';

/** A workflow that does not go on as it should. */
export interface StuckWorkflow extends Stuck {
  readonly workflowId: string;
  readonly type: string;
  /** Slug; null for one that belongs to no project. */
  readonly project: string | null;
}

export interface StuckDeps {
  readonly em: EntityManager;
  readonly client: Client;
  /** Tells a person what the list leaves out. */
  readonly note: (text: string) => void;
  readonly progress: (text: string) => void;
}

/** Rows of each type of which Temporal is asked. */
const MOST_LOOKED_AT = 2_000;
/** Found by their rows, or by the list of workflows. */
const MOST_FOUND = 500;
const ASKED_AT_ONCE = 20;
const SHOWN_EVERY = 100;

const TYPES = Object.keys(RECONCILED_TYPES) as WorkflowType[];

interface Candidate {
  readonly workflowId: string;
  readonly type: string;
  readonly project: string | null;
  readonly since: Date;
  /** What its row says. */
  readonly overdue?: Stuck;
  /** What Temporal does not take for it. */
  readonly refused?: Stuck;
}

/** What is stuck, the oldest first: of one project, or of all and of none. */
export async function findStuck(
  deps: StuckDeps,
  project: { readonly id: string; readonly slug: string } | undefined,
): Promise<StuckWorkflow[]> {
  const candidates = new Map<string, Candidate>();
  for (const candidate of [
    ...(await failing(deps, project?.slug)),
    ...(await openRows(deps, project?.id)),
    ...(await overdueRows(deps, project?.id)),
  ])
    candidates.set(candidate.workflowId, { ...candidates.get(candidate.workflowId), ...candidate });
  const passAgeSeconds = await reconcilePassAge(deps.em);
  const help = (does: string): string => reconcileHelp(passAgeSeconds, does);
  const stuck: StuckWorkflow[] = [];
  let looked = 0;
  await inParallel(ASKED_AT_ONCE, [...candidates.values()], async (candidate) => {
    const found = await problemOf(deps, candidate, help);
    const { workflowId, type, project } = candidate;
    if (found) stuck.push({ workflowId, type, project, since: found.since, problem: found.problem });
    if (++looked % SHOWN_EVERY === 0) deps.progress(`${grouped(looked)} of ${grouped(candidates.size)} workflows looked at`);
  });
  return stuck.sort((a, b) => a.since.getTime() - b.since.getTime());
}

async function failing({ client, note }: StuckDeps, project: string | undefined): Promise<Candidate[]> {
  const listed = await listFailing(client, project, MOST_FOUND);
  if (!listed)
    note('this Temporal server does not list workflows whose tasks fail (1.30 and later do): those looked at one by one are shown');
  if (listed?.length === MOST_FOUND) note(`only the first ${MOST_FOUND} workflows whose tasks fail are shown`);
  return (listed ?? []).map(({ startTime, ...workflow }) => ({ ...workflow, since: startTime }));
}

async function openRows({ em, note }: StuckDeps, projectId: string | undefined): Promise<Candidate[]> {
  const found: Candidate[] = [];
  for (const type of TYPES) {
    const open = await OPEN_ROWS[type](em, { projectId, limit: MOST_LOOKED_AT + 1 });
    if (open.length > MOST_LOOKED_AT)
      note(
        `there are more than ${grouped(MOST_LOOKED_AT)} open rows of ${type}: Temporal is asked about those under way and the newest only`,
      );
    for (const { id, project, since } of open.slice(0, MOST_LOOKED_AT))
      found.push({ workflowId: RECONCILED_TYPES[type].workflowId(id), type, project, since });
  }
  return found;
}

async function overdueRows({ em, note }: StuckDeps, projectId: string | undefined): Promise<Candidate[]> {
  const now = new Date();
  const asked = { projectId, limit: MOST_FOUND };
  const found: Candidate[] = [];
  const take = (as: 'overdue' | 'refused', rows: readonly OverdueRow[]): void => {
    if (rows.length === MOST_FOUND) note(`of the rows that are overdue in the same way only the first ${MOST_FOUND} are shown`);
    for (const { workflowId, project, since, problem } of rows) {
      const row = rowOf(workflowId);
      if (row) found.push({ type: row.type, workflowId, project, since, [as]: { since, problem } });
    }
  };
  take('overdue', await overdueEnrollments(em, asked, now));
  take('overdue', await overdueCampaigns(em, asked, now));
  take('overdue', await overdueScheduled(em, asked, now));
  take('overdue', await overdueDeliveries(em, asked, now));
  take('overdue', await overdueBursts(em, asked, now));
  take('refused', await refusedMessages(em, asked));
  return found;
}

/** What Temporal says goes before what the row says: it is the cause. */
async function problemOf({ em, client }: StuckDeps, candidate: Candidate, help: (does: string) => string): Promise<Stuck | undefined> {
  const { workflowId, since, overdue, refused } = candidate;
  const description = await describeWorkflow(client, workflowId);
  const closing = description && closingOf(description);
  if (description && !closing) return (await workflowProblem(client, description, since)) ?? overdue ?? refused;
  const row = rowOf(workflowId);
  // It may have ended between the two questions.
  if (!row || (await RECONCILED_TYPES[row.type].openAmong(em.fork(), [row.rowId])).length === 0) return undefined;
  if (refused) return refused;
  if (!description)
    return { since, problem: `its workflow does not exist; ${help('starts it within minutes')}, or at once: workflow retry` };
  return {
    since: description.closeTime ?? since,
    problem: `its workflow is closed (${closing}) and its row is open; ${help('settles it within a minute')}, or at once: workflow terminate`,
  };
}

/** Undefined for a workflow that no row can have. */
function rowOf(workflowId: string): { readonly type: WorkflowType; readonly rowId: string } | undefined {
  for (const type of TYPES) {
    const rowId = RECONCILED_TYPES[type].rowIdOf(workflowId);
    if (rowId !== undefined) return { type, rowId };
  }
  return undefined;
}
