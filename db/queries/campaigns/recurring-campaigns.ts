import { type RawBuilder, sql } from 'kysely';
import type { ShownAudience } from '../../../domain/campaigns/campaign.ts';
import { MAX_RECURRING, type RecurringStatus } from '../../../domain/campaigns/recurring.ts';
import { columnsOf } from '../../columns.ts';
import { type KeysetPage, type Place, pageOf } from '../../cursor-page.ts';
import { RecurringCampaign, type RecurringCampaignRow, RecurringRun, type RecurringRunRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';

/** Which instants have an outcome, as far as that says what comes next. */
export interface RunsSoFar {
  /** How many campaigns were made. */
  readonly made: number;
  /** From the next instant on. */
  readonly settled: readonly Date[];
}

/** One as it is shown in lists: without its data and the addresses of its audience. */
export type ShownRecurring = Omit<RecurringCampaignRow, 'audience' | 'data'> &
  RunsSoFar & {
    readonly shown_audience: ShownAudience;
    /** The latest that has come, as JSON has it. */
    readonly last_run: (Pick<RecurringRunRow, 'outcome' | 'reason' | 'campaign_id'> & { readonly due_at: string }) | null;
  };

/** Of recurring campaign `r`. */
const MADE = sql`(select count(*) from recurring_runs n where n.recurring_id = r.id and n.outcome = 'created')`;
const SETTLED = sql`array(
  select n.due_at from recurring_runs n where n.recurring_id = r.id and n.due_at >= least(r.next_due_at, r.paused_from, now()) order by n.due_at)`;
export const RUNS_SO_FAR = sql`${MADE} as made, ${SETTLED} as settled`;

const HEAD = columnsOf(RecurringCampaign, 'r', { without: ['audience', 'data'] });
const SHOWN = sql`${HEAD}, ${RUNS_SO_FAR},
  case r.audience ->> 'mode' when 'people'
    then jsonb_build_object('mode', 'people', 'count', jsonb_array_length(r.audience -> 'emails')) else r.audience end as shown_audience,
  (select jsonb_build_object('due_at', n.due_at, 'outcome', n.outcome, 'reason', n.reason, 'campaign_id', n.campaign_id)
   from recurring_runs n where n.recurring_id = r.id and n.due_at <= now() order by n.due_at desc limit 1) as last_run`;

/** False when the project has MAX_RECURRING that have not ended, also where several are made at once. */
export async function insertRecurring(tx: EntityManager, recurring: Partial<RecurringCampaignRow>): Promise<boolean> {
  const { project_id: projectId } = recurring;
  await row(tx, sql`select 1 from projects where id = ${projectId} for no key update`);
  const open = await row(
    tx,
    sql<{ count: number }>`select count(*) as count from recurring_campaigns where project_id = ${projectId} and status <> 'ended'`,
  );
  if (!open || open.count >= MAX_RECURRING) return false;
  await tx.insert(RecurringCampaign, recurring as RecurringCampaignRow);
  return true;
}

export async function findRecurring(em: EntityManager, projectId: string, id: string): Promise<ShownRecurring | undefined> {
  return row(em, sql<ShownRecurring>`select ${SHOWN} from recurring_campaigns r where r.project_id = ${projectId} and r.id = ${id}`);
}

/** All of it, of the project. */
export async function findWholeRecurring(em: EntityManager, projectId: string, id: string): Promise<RecurringCampaignRow | undefined> {
  const found = await em.findOne(RecurringCampaign, { id, project_id: projectId }, { disableIdentityMap: true });
  return found ?? undefined;
}

/** All of it, with its row locked until the transaction ends: nobody else changes it, or makes one of its campaigns. */
export async function lockRecurring(tx: EntityManager, id: string): Promise<(RecurringCampaignRow & RunsSoFar) | undefined> {
  // Runs are counted once the lock is there: whoever had it may have added one.
  const locked = await row(tx, sql`select 1 from recurring_campaigns where id = ${id} for no key update`);
  if (!locked) return undefined;
  const columns = columnsOf(RecurringCampaign, 'r');
  return row(tx, sql<RecurringCampaignRow & RunsSoFar>`select ${columns}, ${RUNS_SO_FAR} from recurring_campaigns r where r.id = ${id}`);
}

export interface RecurringFilter {
  readonly status?: RecurringStatus | undefined;
}

/** Newest first. */
export async function listRecurring(
  em: EntityManager,
  projectId: string,
  { status }: RecurringFilter,
  place: Place,
): Promise<KeysetPage<ShownRecurring>> {
  const isWanted = status ? sql`r.status = ${status}` : sql`true`;
  return pageOf(place, (bounds) =>
    rows(em, sql<ShownRecurring>`select ${SHOWN} from recurring_campaigns r where project_id = ${projectId} and ${isWanted} and ${bounds}`),
  );
}

/** With which data its campaigns are made; undefined when it is gone. */
export async function readRecurringData(em: EntityManager, id: string): Promise<RecurringCampaignRow['data'] | undefined> {
  const found = await row(em, sql<Pick<RecurringCampaignRow, 'data'>>`select data from recurring_campaigns where id = ${id}`);
  return found?.data;
}

/** Of one whose row is locked. */
export async function writeRecurring(tx: EntityManager, id: string, change: Partial<RecurringCampaignRow>): Promise<void> {
  await tx.nativeUpdate(RecurringCampaign, { id }, change);
}

/** What became of instants, each once: of one whose row is locked. */
export async function insertRuns(tx: EntityManager, runs: readonly RecurringRunRow[]): Promise<void> {
  if (runs.length > 0) await tx.insertMany(RecurringRun, [...runs]);
}

/** The latest instant first. */
export async function listRuns(em: EntityManager, recurringId: string, place: Place): Promise<KeysetPage<RecurringRunRow & Placed>> {
  return pageOf(place, (bounds) =>
    rows(
      em,
      sql<RecurringRunRow & Placed>`
        select * from (select n.*, n.recurring_id as id, n.due_at as created_at from recurring_runs n where n.recurring_id = ${recurringId}) listed
        where ${bounds}`,
    ),
  );
}

/** By what a page of runs is cut. */
interface Placed {
  readonly id: string;
  readonly created_at: Date;
}

/** What needs a look, and why. */
export interface RecurringAtFault {
  readonly id: string;
  readonly name: string;
  readonly template: string;
  /** Of the last instant that has come; null where that is not what is wrong. */
  readonly outcome: RecurringRunRow['outcome'] | null;
  readonly reason: RecurringRunRow['reason'];
  readonly lacks_approval: boolean;
  /** It is due for so long that something keeps it. */
  readonly is_overdue: boolean;
}

/** Of recurring campaign `r`: what became of the last instant that somebody did not want left out. */
export const LATEST_OUTCOME = sql`(
  select n.outcome, n.reason from recurring_runs n
  where n.recurring_id = r.id and n.due_at <= now() and n.outcome <> 'skipped' and n.reason is distinct from 'paused'
  order by n.due_at desc limit 1)`;

/** Active ones that wait for an approval, whose last instant has no campaign, or that nobody runs: at most a hundred, the newest first. */
export async function recurringAtFault(em: EntityManager, projectId: string, overdueMs: number): Promise<RecurringAtFault[]> {
  return rows(
    em,
    sql<RecurringAtFault>`
      select id, name, template, outcome, reason, lacks_approval, is_overdue from recurring_campaigns r cross join lateral (
        select ${LACKS_APPROVAL} as lacks_approval, r.next_due_at < now() - make_interval(secs => ${overdueMs / 1000}) as is_overdue) s
      left join lateral ${LATEST_OUTCOME} l on l.outcome in ('not_created', 'missed')
      where project_id = ${projectId} and status = 'active' and (lacks_approval or is_overdue or outcome is not null)
      order by created_at desc, id desc limit 100`,
  );
}

/** Of recurring campaign `r`: its project asks for an approval, and nobody has approved it as it is. */
const LACKS_APPROVAL: RawBuilder<unknown> = sql`(r.approved_by is null and not r.sandboxed and coalesce((
  select p.campaign_approval from projects p where p.id = r.project_id), true))`;

/** Also where it is gone, or its project is. */
export async function lacksApproval(em: EntityManager, id: string): Promise<boolean> {
  const found = await row(em, sql<{ lacks: boolean }>`select ${LACKS_APPROVAL} as lacks from recurring_campaigns r where r.id = ${id}`);
  return found?.lacks ?? true;
}
