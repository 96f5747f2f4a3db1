import { testIssues, testWarnings } from '../domain/campaigns/ab-test.ts';
import type { CampaignFields } from '../domain/campaigns/draft.ts';
import { firstAndLast, type LocalSchedule } from '../domain/campaigns/local-schedule.ts';
import { type Issue, invalidRequest, MAX_ISSUES, Refusal } from '../domain/errors.ts';
import { checkTemplate } from '../sending/check.ts';
import { campaignRequest } from '../usecases/campaigns/campaign-request.ts';
import { campaignWarnings } from '../usecases/campaigns/campaign-warnings.ts';
import type { CampaignRequest } from '../usecases/campaigns/create-campaign.ts';
import { requireBrand } from './brand.ts';
import type { KeyContext } from './route.ts';
import { refuseFaultyLiquid } from './template-of-brand.ts';
import { refuseTopicOf, requireTopic } from './topic.ts';

/** A time that is past by no more counts as now: clocks differ, and requests take time. */
const LATE_MS = 60_000;

/** A campaign that could be sent as things stand, and what is odd about it. */
export interface CheckedCampaign {
  readonly request: Omit<CampaignRequest, 'isSandboxed'>;
  readonly warnings: Issue[];
}

export interface Times {
  readonly now: Date;
  /** When it begins, asked once its template is found to be right; null: at once. */
  readonly start: () => Date | null;
}

/**
 * Checks what a campaign is made of, as POST /campaigns, POST /campaigns/:id/launch and PATCH /campaigns/:id of a scheduled one do. Throws what those
 * refuse, but for what only the audience tells.
 */
export async function checkCampaign(
  context: KeyContext,
  id: string,
  fields: CampaignFields,
  { now, start }: Times,
): Promise<CheckedCampaign> {
  const { em, project, registry, authoring, isTestKey, newId } = context;
  const { template: key, audience } = fields;
  if (!key || !audience) throw unsaid({ template: key, audience });
  refuseTest(fields);
  const arms = (fields.variants ?? []).map(({ subject }, index) => ({ path: `variants[${index}].subject`, text: subject }));
  const subjects = [{ path: 'subject', text: fields.subject }, ...arms];
  // It would fail the mail of every recipient.
  await refuseFaultyLiquid(authoring, project.id, subjects);
  await requireBrand(em, project.id, fields.brand);
  await requireTopic(em, project.id, fields.topic);
  const entry = await registry.find(em, project, key);
  if (!entry) throw new Refusal('unknown_template', await registry.noSuchTemplate(em, project, key));
  refuseTopicOf(fields.type ?? entry.type, fields.topic);
  const template = await checkTemplate(em, { projectId: project.id, entry, brand: fields.brand ?? undefined });
  const scheduledAt = start();
  const endsAt = fields.endsAt ?? null;
  if (endsAt && endsAt <= (scheduledAt ?? now)) throw new Refusal('ends_before_start', 'endsAt is not after the start');
  const data = fields.data ?? {};
  const openMs = endsAt && endsAt.getTime() - (scheduledAt ?? now).getTime();
  const warnings = [
    ...testWarnings(fields, { openMs, path: 'endsAt' }),
    ...(await campaignWarnings(authoring, { projectId: project.id, entry, data, subjects })),
  ].slice(0, MAX_ISSUES);
  const made = { id, projectId: project.id, entry, template, audience, scheduledAt, endsAt, isSandboxed: isTestKey, now, newId };
  const request = campaignRequest(fields, made);
  return { request, warnings };
}

function refuseTest(fields: CampaignFields): void {
  const issues = testIssues(fields);
  if (issues.length > 0) throw invalidRequest(issues);
}

/** What has to be said of every campaign that is sent. */
function unsaid(needed: Readonly<Record<'template' | 'audience', unknown>>): Refusal {
  const missing = (['template', 'audience'] as const).filter((path) => !needed[path]);
  return invalidRequest(missing.map((path) => ({ path, message: `this draft has no ${path}, which a campaign needs to be sent` })));
}

/** The times of a campaign of which some are given anew: one that is given takes the place of the other. Throws invalid_request for both. */
export function timesOf(before: TimesGiven, given: TimesGiven): TimesGiven {
  if (given.scheduleAt && given.schedule) throw invalidRequest([{ path: 'schedule', message: 'give scheduleAt or schedule, not both' }]);
  if (given.schedule) return { schedule: given.schedule, scheduleAt: null };
  if (given.scheduleAt) return { scheduleAt: given.scheduleAt, schedule: null };
  return {
    scheduleAt: given.scheduleAt === undefined ? before.scheduleAt : given.scheduleAt,
    schedule: given.schedule === undefined ? before.schedule : given.schedule,
  };
}

type TimesGiven = Pick<CampaignFields, 'scheduleAt' | 'schedule'>;

/** When a campaign begins that is to go then; null: at once. Throws schedule_in_past. */
export function startOf({ scheduleAt, schedule }: TimesGiven, now: Date): Date | null {
  if (schedule) return firstOf(schedule, now);
  if (!scheduleAt) return null;
  if (scheduleAt.getTime() < now.getTime() - LATE_MS)
    throw new Refusal('schedule_in_past', `scheduleAt is in the past: here it is ${now.toISOString()}`);
  return scheduleAt > now ? scheduleAt : null;
}

/** Where the day begins first. */
function firstOf(schedule: LocalSchedule, now: Date): Date | null {
  const { first, last } = firstAndLast(schedule);
  if (last.getTime() < now.getTime() - LATE_MS)
    throw new Refusal('schedule_in_past', `it has been ${schedule.at} on ${schedule.date} everywhere: here it is ${now.toISOString()}`);
  return first > now ? first : null;
}
