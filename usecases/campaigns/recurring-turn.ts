import type { RecurringCampaignRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { insertRuns, type RunsSoFar } from '../../db/queries/campaigns/recurring-campaigns.ts';
import { dueInstants, endReason, nextInstants, type RecurringEndReason, type RunReason } from '../../domain/campaigns/recurring.ts';

/** As far as it says what comes next. */
type Turning = Pick<RecurringCampaignRow, 'id' | 'recurrence' | 'created_at' | 'next_due_at'> & RunsSoFar;

/** The columns of an active recurring campaign that say what it does after an instant: its next one, or that it has ended. */
export function comingNext({ recurrence, created_at, made, settled }: Omit<Turning, 'id' | 'next_due_at'>, now: Date) {
  const [next] = nextInstants(recurrence, { madeAt: created_at, after: now, made, settled }, 1);
  return next ? ({ status: 'active', next_due_at: next } as const) : ended(endReason(recurrence, made), now);
}

/** The columns of one that has ended. */
export function ended(reason: RecurringEndReason, now: Date) {
  return { status: 'ended', next_due_at: null, ended_at: now, end_reason: reason } as const;
}

/** Records what is due, and has not been made before somebody changed the recurring campaign, as missed. Its row is locked. */
export async function missDue(tx: EntityManager, recurring: Turning, reason: RunReason, now: Date): Promise<void> {
  const { id, recurrence, created_at: madeAt, next_due_at: nextDueAt, made, settled } = recurring;
  const due = nextDueAt ? dueInstants(recurrence, { madeAt, made, settled }, nextDueAt, now) : [];
  await insertRuns(
    tx,
    due.map((dueAt) => ({ recurring_id: id, due_at: dueAt, outcome: 'missed', reason, campaign_id: null, at: now })),
  );
}
