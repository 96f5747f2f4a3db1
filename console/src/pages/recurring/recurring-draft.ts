import { type CampaignDraft, campaignFaults, changeOf, draftOfMade, EMPTY_CAMPAIGN } from '../campaigns/campaign-draft.ts';
import { draftOfTest } from '../campaigns/test-draft.ts';
import type { TemplateField, TemplateSchema } from '../templates/template-queries.ts';
import type { RecurringChange, RecurringInput, WholeRecurring } from './recurring-queries.ts';
import { draftOfRule, NEW_RULE, type RuleDraft, ruleFaults, ruleOf } from './rule-draft.ts';

/** A recurring campaign while it is written: what a campaign is made of, and when. The times of a campaign are none of it. */
export interface RecurringDraft extends CampaignDraft, RuleDraft {}

export const EMPTY_RECURRING: RecurringDraft = { ...EMPTY_CAMPAIGN, ...NEW_RULE };

/** The addresses of a list are not shown by the API, and stay. */
export function draftOfRecurring(recurring: WholeRecurring, schema: TemplateSchema | undefined): RecurringDraft {
  return { ...draftOfMade(recurring, { people: [], schema }), ...draftOfTest(recurring.test), ...draftOfRule(recurring) };
}

/** What is missing or wrong, by the name in the request. */
export function recurringFaults(
  draft: RecurringDraft,
  fields: readonly TemplateField[],
  keepsPeople: boolean,
): Readonly<Record<string, string | undefined>> {
  return { ...campaignFaults(draft, fields, keepsPeople), ...ruleFaults(draft) };
}

/** All of it as the API takes it for a change. What is absent stays as it is. */
export function recurringChangeOf(draft: RecurringDraft, fields: readonly TemplateField[] | undefined): RecurringChange {
  const { scheduleAt: _, endsAt: __, schedule: ___, audience, ...made } = changeOf(draft, fields);
  const recurrence = ruleOf(draft);
  return {
    ...made,
    ...(audience ? { audience } : {}),
    ...(recurrence ? { recurrence } : {}),
    endsAfterMinutes: draft.endsAfterMinutes,
  };
}

/** The same of one that is to be made; undefined while what it needs is missing. */
export function recurringInputOf(draft: RecurringDraft, fields: readonly TemplateField[] | undefined): RecurringInput | undefined {
  const { template, audience, recurrence, ...others } = recurringChangeOf(draft, fields);
  return template && audience && recurrence ? { ...others, template, audience, recurrence } : undefined;
}
