import { sql } from 'kysely';
import type { FrequencyCap } from '../../domain/sequence/graph.ts';
import type { EntityManager } from '../orm.ts';
import { row } from '../rows.ts';

interface CappedIntent {
  readonly projectId: string;
  readonly contactId: string | null;
  readonly now: Date;
}

interface CappedVisit {
  readonly enrollmentId: string;
  readonly nodeId: string;
  readonly visit: number;
  readonly reachedAt: Date;
}

/** A step over the cap waits until a place may be free, or has waited as long as it may. */
export type CapHold = { readonly until: Date } | 'given up';

/** How long a step waits for a place at most: decisions.md 7.7. */
const CAP_PATIENCE_MS = 72 * 3_600_000;

/** Counts what was accepted, or is being handed over, within the window. undefined: there is a place. */
export async function capHold(
  tx: EntityManager,
  intent: CappedIntent,
  visit: CappedVisit,
  { count, windowHours }: FrequencyCap,
): Promise<CapHold | undefined> {
  const { projectId, contactId, now } = intent;
  const windowMs = windowHours * 3_600_000;
  const inTheWay = await row(
    tx,
    sql<{ created_at: Date }>`
      select created_at from sends
      where contact_id = ${contactId} and project_id = ${projectId} and type = 'marketing' and status is distinct from 'failed'
        and created_at > ${new Date(now.getTime() - windowMs)}
        and (enrollment_id, node_id, visit) is distinct from (${visit.enrollmentId}::uuid, ${visit.nodeId}, ${visit.visit}::integer)
      order by created_at desc offset ${count - 1} limit 1`,
  );
  if (!inTheWay) return undefined;
  const patience = visit.reachedAt.getTime() + CAP_PATIENCE_MS;
  if (now.getTime() >= patience) return 'given up';
  const freesAt = inTheWay.created_at.getTime() + windowMs;
  return { until: new Date(Math.min(freesAt, patience)) };
}
