import { type RawBuilder, sql } from 'kysely';
import { MAIL_LEFT_OUT_REASONS, type MailLeftOutReason } from '../../../domain/sequences/left-out-mails.ts';

/** The runs that are looked at, the last started first: enough to see the way they take, and quick however many there are. */
export const LATEST_RUNS = 10_000;

/** What a version says of when its runs began is widened by so much: the clocks of API and database differ, and a call takes a while. */
const CLOCKS_DIFFER = sql.lit('1 hour');

/** What follows the columns of a query of the latest runs of a sequence, all or those of a version. */
export function fromLatestRuns(sequenceId: string, version: number | undefined): RawBuilder<unknown> {
  return sql`from enrollments where sequence_id = ${sequenceId} ${version === undefined ? sql`` : sql`and ${ofVersion(sequenceId, version)}`}
    order by started_at desc, id desc limit ${sql.lit(LATEST_RUNS)}`;
}

/**
 * Begun between that version and the next, so that runs of later ones are not walked through to find none; or from the first on of those that were
 * moved into it, which began before it.
 */
export function ofVersion(sequenceId: string, version: number): RawBuilder<unknown> {
  const madeAt = (which: number): RawBuilder<unknown> =>
    sql`(select created_at from sequence_versions where sequence_id = ${sequenceId} and version = ${which})`;
  const firstMoved = sql`(select min(m.started_at) from enrollments m where m.sequence_id = ${sequenceId} and m.sequence_version = ${version} and m.moved_step is not null)`;
  return sql`sequence_version = ${version} and started_at >= least(${madeAt(version)} - interval ${CLOCKS_DIFFER}, ${firstMoved})
    and started_at <= coalesce(${madeAt(version + 1)} + interval ${CLOCKS_DIFFER}, 'infinity')`;
}

/** Of a visit `st`: whether its mail was left out. */
export const MAIL_LEFT_OUT = sql`st.kind = 'send_email' and st.outcome = 'skipped'`;

const NAMED = MAIL_LEFT_OUT_REASONS.filter((reason) => reason !== 'other');

/** Of such a visit: why. */
export const LEFT_OUT_FOR: RawBuilder<MailLeftOutReason> = sql`case when st.detail in (${sql.join(NAMED.map((reason) => sql.lit(reason)))}) then st.detail else 'other' end`;
