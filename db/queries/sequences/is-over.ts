import { sql } from 'kysely';

/**
 * Whether the run `e` of the sequence `s` is over although its row does not say so yet: the runs of an archived or deleted sequence end in
 * batches, and what may still happen to one of them asks for this first. Both instants are of PostgreSQL's clock.
 */
export const IS_OVER = sql.raw(`(s.status = 'archived' or coalesce(e.started_at <= s.archived_at, false))`);
