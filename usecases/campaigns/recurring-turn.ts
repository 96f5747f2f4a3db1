import type { RecurringCampaignRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { insertRuns, type RunsSoFar } from '../../db/queries/campaigns/recurring-campaigns.ts';
import {
  dueInstants,
  endReason,
  instantsWhilePaused,
  nextInstants,
  type RecurringEndReason,
  type RunReason,
} from '../../domain/campaigns/recurring.ts';

/** As far as it says what comes next. */
type Turning = Pick<RecurringCampaignRow, 'id' | 'recurrence' | 'created_at' | 'next_due_at' | 'paused_from'> & RunsSoFar;

/** The columns of an active recurring campaign that say what it does after an instant: its next one, or that it has ended. */
export function comingNext({ recurrence, created_at, made, settled }: Omit<Turning, 'id' | 'next_due_at' | 'paused_from'>, now: Date) {
  const [next] = nextInstants(recurrence, { madeAt: created_at, after: now, made, settled }, 1);
  return next ? ({ status: 'active', next_due_at: next, paused_from: null } as const) : ended(endReason(recurrence, made), now);
}

/** The columns of one that has ended. */
export function ended(reason: RecurringEndReason, now: Date) {
  return { status: 'ended', next_due_at: null, paused_from: null, ended_at: now, end_reason: reason } as const;
}

/**
 * Records what is due, and has not been made before somebody changed the recurring campaign, as missed; what came while it was paused is missed for that.
 * Its row is locked.
 */
export async function missDue(tx: EntityManager, recurring: Turning, reason: RunReason, now: Date): Promise<void> {
  const { id, recurrence, created_at: madeAt, next_due_at: nextDueAt, paused_from: pausedFrom, made, settled } = recurring;
  const standing = { madeAt, made, settled };
  const due = nextDueAt ? dueInstants(recurrence, standing, nextDueAt, now) : [];
  const came = pausedFrom ? instantsWhilePaused(recurrence, standing, pausedFrom, now) : [];
  const missed = (dueAt: Date, why: RunReason) =>
    ({ recurring_id: id, due_at: dueAt, outcome: 'missed', reason: why, campaign_id: null, at: now }) as const;
  await insertRuns(tx, [...due.map((dueAt) => missed(dueAt, reason)), ...came.map((dueAt) => missed(dueAt, 'paused'))]);
}
