import { sql } from 'kysely';
import type { SequenceNode } from '../../../domain/sequences/kinds/node-kinds.ts';
import type { WaitingFor } from '../../../domain/sequences/waiting-for.ts';
import type { StepReport } from '../../../workflows/contracts.ts';
import type { EntityManager } from '../../orm.ts';
import { preparedRow, row } from '../../rows.ts';

/** Only a visit without outcome gets one: of an event and a timeout one wins. Returns whether this call recorded it. */
export async function recordOutcome(tx: EntityManager, enrollmentId: string, { step, outcome, detail }: StepReport): Promise<boolean> {
  const recorded = await preparedRow(
    tx,
    sql`
      with recorded as (
        update enrollment_steps set outcome = ${outcome}, detail = ${detail ?? null}
        where enrollment_id = ${enrollmentId} and step = ${step} and outcome is null returning 1 as recorded
      ), counted as (
        update enrollments set failed_steps = failed_steps + 1
        where ${outcome === 'failed'} and id = ${enrollmentId} and exists (select 1 from recorded)
      )
      select recorded from recorded`,
  );
  return recorded !== undefined;
}

/** Gives the visit at which a run fails the reason, beside what was recorded or reported of it. */
export async function failVisit(
  tx: EntityManager,
  enrollmentId: string,
  step: number,
  { reported, reason }: { readonly reported: StepReport | undefined; readonly reason: string },
): Promise<void> {
  const outcome = reported?.outcome ?? 'failed';
  await row(
    tx,
    sql`
      with standing as (
        select outcome from enrollment_steps where enrollment_id = ${enrollmentId} and step = ${step}
      ), ended as (
        update enrollment_steps set outcome = coalesce(outcome, ${outcome}),
               detail = concat_ws('; ', detail, ${reported?.detail ?? null}::text, ${reason}::text)
        where enrollment_id = ${enrollmentId} and step = ${step}
      )
      update enrollments set failed_steps = failed_steps + 1
      where ${outcome === 'failed'} and id = ${enrollmentId} and exists (select 1 from standing where outcome is null)`,
  );
}

/** One row of the trace to be. */
export interface TraceEntry {
  readonly node: SequenceNode;
  readonly step: number;
  readonly until: Date | null;
  readonly outcome: string | null;
  readonly detail: string | null;
}

export interface Trace {
  /** How the visit ended at which the run stood. */
  readonly reported: StepReport | undefined;
  readonly visits: readonly TraceEntry[];
  /** What the last of them waits for; absent when the walk goes on, or ends. */
  readonly stands?: {
    readonly waitingFor: WaitingFor | null;
    readonly until: Date | null;
    readonly watches: boolean;
    readonly hops: number;
  };
  readonly now: Date;
}

/** How the last visit ended, the visits after it, how many of them failed and where the run stands now, in one statement; `visit` counts those to a node over the whole run. */
export async function writeTrace(tx: EntityManager, enrollmentId: string, { reported, visits, stands, now }: Trace): Promise<void> {
  const before = new Map<string, number>();
  const records = visits.map(({ node, ...entry }) => {
    const again = (before.get(node.id) ?? 0) + 1;
    before.set(node.id, again);
    return { ...entry, node_id: node.id, kind: node.kind, again };
  });
  const failed = visits.filter(({ outcome }) => outcome === 'failed').length;
  await preparedRow(
    tx,
    sql`
      with reported as (
        update enrollment_steps set outcome = ${reported?.outcome ?? null}, detail = ${reported?.detail ?? null}
        where enrollment_id = ${enrollmentId} and step = ${reported?.step ?? null}::integer and outcome is null returning outcome
      ), visited as (
        insert into enrollment_steps (enrollment_id, step, node_id, visit, kind, at, until, outcome, detail)
        select ${enrollmentId}, r.step, r.node_id,
               r.again + (select count(*) from enrollment_steps s where s.enrollment_id = ${enrollmentId} and s.node_id = r.node_id),
               r.kind, ${now}, r.until, r.outcome, r.detail
        from jsonb_to_recordset(${JSON.stringify(records)}::jsonb)
          as r(step integer, node_id text, again integer, kind text, until timestamptz, outcome text, detail text)
      )
      update enrollments set failed_steps = failed_steps + ${failed} + (select count(*) from reported where outcome = 'failed'),
        current_node_id = coalesce(${visits.at(-1)?.node.id ?? null}, current_node_id),
        waiting_for = case when ${stands !== undefined} then ${stands?.waitingFor ?? null} else waiting_for end,
        wakes_at = case when ${stands !== undefined} then ${stands?.until ?? null}::timestamptz else wakes_at end,
        watches_contact = case when ${stands !== undefined} then ${stands?.watches ?? false} else watches_contact end,
        hops = case when ${stands !== undefined} then ${stands?.hops ?? 0}::integer else hops end
      where id = ${enrollmentId}`,
  );
}
