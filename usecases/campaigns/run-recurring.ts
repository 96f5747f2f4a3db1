import type { RecurringCampaignRow, RecurringRunRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { insertRuns, lacksApproval, lockRecurring, writeRecurring } from '../../db/queries/campaigns/recurring-campaigns.ts';
import { findTopic } from '../../db/queries/contacts/topics.ts';
import { databaseClock } from '../../db/queries/operations/database-now.ts';
import { enqueue, recurringSchedule } from '../../db/queries/operations/outbox.ts';
import { allowLongStatements } from '../../db/queries/operations/statement-limits.ts';
import { projectHeldBy } from '../../db/queries/projects/projects.ts';
import { givenOf } from '../../domain/campaigns/draft.ts';
import { dueInstants, type RunReason, runName } from '../../domain/campaigns/recurring.ts';
import { Refusal } from '../../domain/errors.ts';
import { grouped, shownInstant } from '../../domain/shown-text.ts';
import { checkTemplate } from '../../sending/check.ts';
import type { TemplateRegistry } from '../../sending/compose/template-registry.ts';
import type { RecurringRunReport } from '../../workflows/contracts.ts';
import { campaignRequest } from './campaign-request.ts';
import { createCampaign } from './create-campaign.ts';
import { comingNext } from './recurring-turn.ts';

export interface RunDeps {
  readonly registry: TemplateRegistry;
  readonly newId: () => string;
}

/** What became of the instant that is due. */
type Outcome = Pick<RecurringRunRow, 'outcome' | 'reason' | 'campaign_id'>;

/** An instant whose campaign cannot be made: what was written of it goes with its transaction. */
class NotCreated extends Error {
  readonly dueAt: Date;
  readonly reason: RunReason;

  constructor(dueAt: Date, reason: RunReason) {
    super(reason);
    this.dueAt = dueAt;
    this.reason = reason;
  }
}

/**
 * Makes the campaign of the latest instant that is due, and records those before it as missed: in one transaction with the next instant, so that
 * each has one outcome, whoever asks and however often (docs/contract/campaigns.md 60 to 62). Nothing is due: nothing is made.
 */
export async function runRecurring(em: EntityManager, deps: RunDeps, id: string): Promise<RecurringRunReport> {
  try {
    return await em.transactional((tx) => settleDue(tx, deps, id));
  } catch (error) {
    if (!(error instanceof NotCreated)) throw error;
    return em.transactional((tx) => settleDue(tx, deps, id, error));
  }
}

/** `failed`: what has just been tried. */
async function settleDue(tx: EntityManager, deps: RunDeps, id: string, failed?: NotCreated): Promise<RecurringRunReport> {
  await allowLongStatements(tx);
  const recurring = await lockRecurring(tx, id);
  if (!recurring) return { said: 'The recurring campaign is gone.' };
  const { project_id: projectId, status, next_due_at: nextDueAt, recurrence, created_at: madeAt, made, settled } = recurring;
  if (status === 'ended') {
    // A schedule that is there all the same, as after Temporal was restored, goes.
    await enqueue(tx, projectId, [recurringSchedule(id)]);
    return { said: 'The recurring campaign has ended: nothing is made.' };
  }
  const now = await databaseClock(tx);
  if (!nextDueAt || nextDueAt > now) return { said: nothingDue(nextDueAt) };
  const due = dueInstants(recurrence, { madeAt, made, settled }, nextDueAt, now);
  const latest = due.at(-1);
  const missed = due.slice(0, -1).map((dueAt) => runOf(id, dueAt, now, { outcome: 'missed', reason: 'later_run_due', campaign_id: null }));
  const outcome = latest && (await outcomeOf(tx, deps, recurring, { dueAt: latest, now, failed }));
  await insertRuns(tx, latest && outcome ? [...missed, runOf(id, latest, now, outcome)] : missed);
  const wasMade = outcome?.outcome === 'created' ? 1 : 0;
  await writeRecurring(tx, id, comingNext({ ...recurring, made: made + wasMade }, now));
  await enqueue(tx, projectId, [recurringSchedule(id)]);
  return { said: latest && outcome ? wordsOf(latest, outcome, missed.length) : nothingDue(null) };
}

function runOf(recurringId: string, dueAt: Date, at: Date, outcome: Outcome): RecurringRunRow {
  return { recurring_id: recurringId, due_at: dueAt, at, ...outcome };
}

interface Due {
  readonly dueAt: Date;
  readonly now: Date;
  readonly failed: NotCreated | undefined;
}

async function outcomeOf(tx: EntityManager, deps: RunDeps, recurring: RecurringCampaignRow, { dueAt, now, failed }: Due): Promise<Outcome> {
  const { ends_after_minutes: minutes } = recurring;
  const endsAt = minutes === null ? null : new Date(dueAt.getTime() + minutes * 60_000);
  if (endsAt && endsAt <= now) return { outcome: 'missed', reason: 'ends_at_reached', campaign_id: null };
  if (failed?.dueAt.getTime() === dueAt.getTime()) return { outcome: 'not_created', reason: failed.reason, campaign_id: null };
  return { outcome: 'created', reason: null, campaign_id: await makeCampaign(tx, deps, recurring, { dueAt, endsAt, now }) };
}

interface Times {
  readonly dueAt: Date;
  readonly endsAt: Date | null;
  readonly now: Date;
}

/** Its id. Everything is looked at as it is now. Throws NotCreated. */
async function makeCampaign(tx: EntityManager, deps: RunDeps, recurring: RecurringCampaignRow, times: Times): Promise<string> {
  const { dueAt, endsAt, now } = times;
  const { id: recurringId, project_id: projectId, sandboxed: isSandboxed, audience, recurrence } = recurring;
  const { registry, newId } = deps;
  const fail = (reason: RunReason): never => {
    throw new NotCreated(dueAt, reason);
  };
  const heldBy = await projectHeldBy(tx, projectId);
  if (heldBy) fail(heldBy);
  if (await lacksApproval(tx, recurringId)) fail('approval_required');
  const entry = (await registry.findBegun(tx, projectId, recurring.template)) ?? fail('unknown_template');
  const fields = givenOf({ ...recurring, scheduled_at: null, ends_at: null, local_schedule: null });
  const isOfNoTopic = fields.topic && ((fields.type ?? entry.type) !== 'marketing' || !(await findTopic(tx, projectId, fields.topic)));
  if (isOfNoTopic) fail('unknown_topic');
  try {
    const template = await checkTemplate(tx, { projectId, entry, brand: fields.brand ?? undefined });
    const id = newId();
    const name = runName(recurring.name || recurring.template, recurrence, dueAt);
    const made = { id, projectId, entry, template, audience, scheduledAt: dueAt, endsAt, isSandboxed, now, newId };
    await createCampaign(tx, { ...campaignRequest({ ...fields, name }, made), recurringId, isSandboxed });
    return id;
  } catch (error) {
    if (error instanceof Refusal) return fail(error.code as RunReason);
    throw error;
  }
}

function nothingDue(nextDueAt: Date | null): string {
  return nextDueAt
    ? `Nothing is due before ${shownInstant(nextDueAt)}: nothing is made.`
    : 'Nothing is due, as it is paused: nothing is made.';
}

function wordsOf(dueAt: Date, { outcome, reason, campaign_id }: Outcome, missed: number): string {
  const others = missed === 0 ? '' : `; ${grouped(missed)} before it ${missed === 1 ? 'was' : 'were'} missed`;
  const became = outcome === 'created' ? `made the campaign ${campaign_id}` : `${outcome.replace('_', ' ')} (${reason})`;
  return `For ${shownInstant(dueAt)}: ${became}${others}.`;
}
