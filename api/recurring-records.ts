import type * as z from 'zod';
import type { RecurringRunRow } from '../db/entities/index.ts';
import type { EntityManager } from '../db/orm.ts';
import { findRecurring, readRecurringData, type ShownRecurring } from '../db/queries/campaigns/recurring-campaigns.ts';
import { givenByItself } from '../domain/campaigns/draft.ts';
import { type Recurrence, usualDays } from '../domain/campaigns/recurrence.ts';
import { recurrenceWords } from '../domain/campaigns/recurrence-words.ts';
import { nextInstants, SHOWN_RUNS } from '../domain/campaigns/recurring.ts';
import { notFound } from '../domain/errors.ts';
import { shownChoice } from '../domain/send-window-schema.ts';
import { recurringScheduleId } from '../workflows/contracts.ts';
import { namedKeys } from './campaign-records.ts';
import type { OneRecurring, RecurrenceInput, RecurrencePreview, RecurringRecord, RunRecord } from './recurring-schemas.ts';
import type { KeyContext } from './route.ts';
import { demandOwnOfTestKeys } from './test-keys.ts';

/** A rule as it is kept, of what was made then: its days are said, whoever left them out. */
export function ruleAt(input: RecurrenceInput, madeAt: Date): Recurrence {
  const { every, interval, on, at, timezone, from, until, count } = input;
  return {
    ...{ every, interval: interval ?? 1, at, timezone },
    on: on?.length ? [...new Set(on)].sort((a, b) => a - b) : usualDays(input, from ?? madeAt),
    ...{ from: from?.toISOString() ?? null, until: until?.toISOString() ?? null, count: count ?? null },
  };
}

/** `now`: PostgreSQL's, or near it; the next runs come after it. */
export function recurringRecord(
  { project, now }: Pick<KeyContext, 'project' | 'now'>,
  recurring: ShownRecurring,
): z.output<typeof RecurringRecord> {
  const { id, name, status, recurrence, last_run, made, settled, next_due_at, template, shown_audience } = recurring;
  const { variants, rate_per_second, topic, goal, ends_after_minutes, sandboxed, version } = recurring;
  const { created_at, changed_at, approved_at, approved_by, ended_at, end_reason } = recurring;
  const { from, until, ...rule } = recurrence;
  const standing = { madeAt: created_at, after: now(), made, settled };
  // What is due and not made yet is still to come, too.
  const due = next_due_at && next_due_at <= standing.after ? [next_due_at] : [];
  const coming = status === 'ended' ? [] : nextInstants(recurrence, { ...standing, made: made + due.length }, SHOWN_RUNS);
  return {
    ...{ id, name, status },
    recurrence: { ...rule, on: [...rule.on], from: from === null ? null : new Date(from), until: until === null ? null : new Date(until) },
    in_words: recurrenceWords(recurrence),
    next_runs: [...due, ...coming].slice(0, SHOWN_RUNS),
    last_run: last_run && runRecord({ ...last_run, due_at: new Date(last_run.due_at) }),
    campaigns: made,
    ...{ template, ...givenByItself(recurring), audience: shown_audience },
    variants: variants?.map((variant) => ({ ...variant })) ?? null,
    test: recurring.ab_test,
    send_window: recurring.send_window && shownChoice(recurring.send_window),
    ...{ rate_per_second, topic, goal, ends_after_minutes, sandboxed, version, created_at, changed_at },
    needs_approval: project.campaign_approval && !sandboxed && status !== 'ended' && approved_by === null,
    ...{ approved_at, ended_at, end_reason, schedule_id: recurringScheduleId(id) },
  };
}

/** What a rule that nobody has kept would come to: of a new one, or in place of that of `changed`. */
export function rulePreview(input: RecurrenceInput, now: Date, changed: ShownRecurring | undefined): z.output<typeof RecurrencePreview> {
  const { created_at: madeAt, made, settled } = changed ?? { created_at: now, made: 0, settled: [] };
  const rule = ruleAt(input, madeAt);
  return { in_words: recurrenceWords(rule), next_runs: nextInstants(rule, { madeAt, after: now, made, settled }, SHOWN_RUNS) };
}

export function runRecord({
  due_at,
  outcome,
  reason,
  campaign_id,
}: Pick<RecurringRunRow, 'due_at' | 'outcome' | 'reason' | 'campaign_id'>): z.output<typeof RunRecord> {
  return { due_at, outcome, reason, campaign_id };
}

/** With its data, and who has changed and approved it. */
export async function wholeRecurring(context: KeyContext, recurring: ShownRecurring): Promise<z.output<typeof OneRecurring>> {
  const { em, project } = context;
  const { id, changed_by, approved_by } = recurring;
  const data = (await readRecurringData(em, id)) ?? notFound('recurring campaign');
  const keyOf = await namedKeys(em, project.id, [changed_by, approved_by]);
  const record = recurringRecord(context, recurring);
  return { recurringCampaign: { ...record, data, changed_by: keyOf(changed_by), approved_by: keyOf(approved_by) } };
}

export async function recurringOf(em: EntityManager, projectId: string, id: string): Promise<ShownRecurring> {
  return (await findRecurring(em, projectId, id)) ?? notFound('recurring campaign');
}

/** Throws forbidden to a test key that asks for a change of what another key has asked for. */
export async function demandOwnRecurring(context: KeyContext, id: string): Promise<void> {
  const { em, project, isTestKey } = context;
  if (isTestKey) demandOwnOfTestKeys(context, (await findRecurring(em, project.id, id))?.sandboxed);
}
