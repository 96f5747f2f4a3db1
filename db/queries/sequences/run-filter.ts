import { type RawBuilder, sql } from 'kysely';
import type { RunFilter } from '../../../domain/sequences/enrollment-action.ts';
import type { HoldReason } from '../../../domain/sequences/waiting-for.ts';
import { fromLatestRuns, LEFT_OUT_FOR, MAIL_LEFT_OUT, ofVersion } from './latest-runs.ts';

/** Whether the run `e` of the sequence is one of those that are asked for. */
export function matchingRuns(sequenceId: string, filter: RunFilter): RawBuilder<unknown> {
  const { held, version, contactIds } = filter;
  const conditions = [sql`e.sequence_id = ${sequenceId}`, ...standing(filter)];
  if (contactIds) conditions.push(sql`e.contact_id = any(${contactIds}::uuid[])`);
  if (filter.failedSteps) conditions.push(sql`e.failed_steps > 0`);
  if (held) conditions.push(heldFor(sequenceId, held));
  if (version) conditions.push(ofVersion(sequenceId, version));
  if (filter.leftOut || filter.leftOutAt) conditions.push(leftOut(sequenceId, filter));
  return sql.join(conditions, sql` and `);
}

/** Whether the run `e`, which was one of those, still stands as it did: what it has done it did for good. By its row alone, so that a statement that has waited for the row sees it as it is then. */
export function stillStanding(filter: RunFilter): RawBuilder<unknown> {
  const { held, version } = filter;
  const conditions = [sql`true`, ...standing(filter)];
  if (held) conditions.push(held === 'some' ? sql`e.waiting_for like 'held:%'` : sql`e.waiting_for = ${`held:${held}`}`);
  if (version) conditions.push(sql`e.sequence_version = ${version}`);
  return sql.join(conditions, sql` and `);
}

function standing({ status, nodeId, waitingFor }: RunFilter): RawBuilder<unknown>[] {
  return [
    ...(status ? [sql`e.status = ${status}`] : []),
    ...(nodeId ? [sql`e.current_node_id = ${nodeId}`] : []),
    ...(waitingFor ? [sql`e.waiting_for = ${waitingFor}`] : []),
  ];
}

/** By the index of what is held in a project, which is little beside all that runs. */
function heldFor(sequenceId: string, reason: 'some' | HoldReason): RawBuilder<unknown> {
  return sql`e.id in (
    select h.id from enrollments h where h.project_id = (select q.project_id from sequences q where q.id = ${sequenceId})
      and h.status = 'active' and h.waiting_for like 'held:%' ${reason === 'some' ? sql`` : sql`and h.waiting_for = ${`held:${reason}`}`})`;
}

/** Of the runs that the flow counts: each is looked up by itself, so that it takes no longer where nobody was left out. */
function leftOut(sequenceId: string, { version, leftOut: reason = 'some', leftOutAt }: RunFilter): RawBuilder<unknown> {
  return sql`e.id in (
    select l.id from (select id ${fromLatestRuns(sequenceId, version)}) l where exists (
      select from enrollment_steps st where st.enrollment_id = l.id and ${MAIL_LEFT_OUT}
        ${leftOutAt ? sql`and st.node_id = ${leftOutAt}` : sql``} ${reason === 'some' ? sql`` : sql`and ${LEFT_OUT_FOR} = ${reason}`}))`;
}
