import * as z from 'zod';
import { findWholeRecurring, listRecurring } from '../../../db/queries/campaigns/recurring-campaigns.ts';
import { findSegment } from '../../../db/queries/segments/segments.ts';
import { testWarnings } from '../../../domain/campaigns/ab-test.ts';
import { type CampaignFields, givenOf } from '../../../domain/campaigns/draft.ts';
import { MAX_RECURRING } from '../../../domain/campaigns/recurring.ts';
import { type Issue, invalidRequest, MAX_ISSUES, notFound, Refusal, refuseStale, unknownSegment } from '../../../domain/errors.ts';
import { withoutUndefined } from '../../../domain/without-undefined.ts';
import { changeRecurring, createRecurring, endRecurring } from '../../../usecases/campaigns/change-recurring.ts';
import { checkCampaign } from '../../campaign-check.ts';
import { readCursor, writeCursor } from '../../cursor.ts';
import * as examples from '../../examples/recurring-examples.ts';
import { demandOwnRecurring, recurringOf, recurringRecord, ruleAt, wholeRecurring } from '../../recurring-records.ts';
import {
  CheckedRecurring,
  OneRecurring,
  RecurringBody,
  RecurringChangeBody,
  RecurringList,
  RecurringStatusName,
} from '../../recurring-schemas.ts';
import { defineRoute, type KeyContext, type Route } from '../../route.ts';
import { Cursor, IfVersion, Limit, PathId, warned } from '../../schemas.ts';
import { whicheverVersion } from '../../whichever-version.ts';

const RecurringPath = z.object({ id: PathId.meta({ description: "The recurring campaign's id" }) });

/** What the checks of what its campaigns are made of can refuse. */
const CHECKED = [
  ...(['invalid_request', 'invalid_content', 'unknown_template', 'no_brand', 'template_not_enabled', 'invalid_from'] as const),
  ...(['audience_too_large', 'unknown_segment'] as const),
] as const;

const create = defineRoute({
  method: 'post',
  path: '/recurring-campaigns',
  scope: 'campaigns:write',
  summary: 'Have a campaign made again and again',
  description:
    'At each instant of `recurrence` a campaign of its own is made, for the audience of that moment; GET /campaigns?recurringId= lists them. It is checked as ' +
    'POST /campaigns checks, but for who is in the audience now. What cannot be made when its time has come is an outcome of GET /recurring-campaigns/:id/runs, and ' +
    'the next one goes on. Of several that were due while nothing ran the latest is made, and the others are `missed`. In a project that has campaigns approved ' +
    `it makes none before it is approved. A project has at most ${MAX_RECURRING} that have not ended.`,
  body: RecurringBody,
  status: 201,
  reply: CheckedRecurring,
  errors: [...CHECKED, 'too_many_recurring_campaigns'],
  needsVerifiedOwner: true,
  idempotency: 'stored',
  examples: examples.create,
  takesTestKeys: true,
  async handle(context, { body }) {
    const { em, project, keyId, isTestKey: isSandboxed, newId } = context;
    const { recurrence, endsAfterMinutes, ...fields } = body;
    const warnings = await check(context, fields, endsAfterMinutes ?? null);
    const asked = { projectId: project.id, id: newId(), keyId, isSandboxed, fields, endsAfterMinutes };
    const made = await createRecurring(em, { ...asked, ruleAt: (now) => ruleAt(recurrence, now) });
    return { ...(await wholeRecurring(context, made)), ...warned(warnings) };
  },
});

/** Whether its campaigns could be made as things stand, whoever is in their audience. Says what is odd about them. */
async function check(context: KeyContext, fields: CampaignFields, endsAfterMinutes: number | null): Promise<Issue[]> {
  const { em, project, now: clock, newId } = context;
  const now = clock();
  const { warnings } = await checkCampaign(context, newId(), { ...fields, scheduleAt: null, endsAt: null }, { now, start: () => null });
  const { audience } = fields;
  if (audience?.mode === 'segment' && !(await findSegment(em, project.id, audience.segmentId))) unknownSegment();
  const openMs = endsAfterMinutes === null ? null : endsAfterMinutes * 60_000;
  return [...testWarnings(fields, { openMs, path: 'endsAfterMinutes' }), ...warnings].slice(0, MAX_ISSUES);
}

const list = defineRoute({
  method: 'get',
  path: '/recurring-campaigns',
  scope: 'campaigns:read',
  summary: 'List recurring campaigns, newest first',
  query: z.object({ status: RecurringStatusName.optional(), limit: Limit, cursor: Cursor.optional() }),
  status: 200,
  reply: RecurringList,
  errors: ['invalid_cursor'],
  examples: examples.list,
  async handle(context, { query }) {
    const { em, project, vault } = context;
    const { limit, cursor, status } = query;
    const scope = { projectId: project.id, list: 'recurring campaigns', filter: { status } };
    const from = readCursor(vault, scope, cursor);
    const page = await listRecurring(em, project.id, { status }, { limit, from, direction: 'next' });
    const recurringCampaigns = page.rows.map((recurring) => recurringRecord(context, recurring));
    return { recurringCampaigns, nextCursor: writeCursor(vault, scope, page.next) };
  },
});

const read = defineRoute({
  method: 'get',
  path: '/recurring-campaigns/:id',
  scope: 'campaigns:read',
  summary: 'Read one recurring campaign with its next runs',
  params: RecurringPath,
  status: 200,
  reply: OneRecurring,
  errors: ['not_found'],
  examples: examples.read,
  async handle(context, { params }) {
    return wholeRecurring(context, await recurringOf(context.em, context.project.id, params.id));
  },
});

const change = defineRoute({
  method: 'patch',
  path: '/recurring-campaigns/:id',
  scope: 'campaigns:write',
  summary: 'Change what recurs, or when',
  description:
    'What is omitted stays, null takes out what was there; `recurrence` is given as a whole. It is checked as POST /recurring-campaigns checks. Campaigns that were made ' +
    'stay as they are. A change takes back an approval. `invalid_status`: it has ended.',
  params: RecurringPath,
  query: z.object({ ifVersion: IfVersion }),
  body: RecurringChangeBody,
  status: 200,
  reply: CheckedRecurring,
  errors: ['not_found', 'invalid_status', 'version_conflict', ...CHECKED],
  examples: examples.change,
  takesTestKeys: true,
  async handle(context, { params, query, body }) {
    await demandOwnRecurring(context, params.id);
    return whicheverVersion(query.ifVersion, () => changeChecked(context, params.id, query.ifVersion, body));
  },
});

async function changeChecked(
  context: KeyContext,
  id: string,
  ifVersion: number | undefined,
  body: z.output<typeof RecurringChangeBody>,
): Promise<z.output<typeof CheckedRecurring>> {
  const { em, project, keyId } = context;
  const row = (await findWholeRecurring(em, project.id, id)) ?? notFound('recurring campaign');
  refuseStale('recurring campaign', row.version, ifVersion);
  const given = withoutUndefined(body);
  // Nothing is said of it, so nothing is taken back of what was approved.
  if (Object.keys(given).length === 0) return wholeRecurring(context, await recurringOf(em, project.id, id));
  if (row.status === 'ended') throw new Refusal('invalid_status', 'this recurring campaign has ended');
  const taken = (['template', 'audience', 'recurrence'] as const).filter((path) => body[path] === null);
  if (taken.length > 0) throw invalidRequest(taken.map((path) => ({ path, message: 'a recurring campaign keeps one' })));
  const { recurrence, endsAfterMinutes, ...fields } = body;
  const whole = { ...givenOf({ ...row, scheduled_at: null, ends_at: null, local_schedule: null }), ...given };
  const warnings = await check(context, whole, endsAfterMinutes === undefined ? row.ends_after_minutes : endsAfterMinutes);
  const rule = recurrence ? (madeAt: Date) => ruleAt(recurrence, madeAt) : undefined;
  // What was checked is what is written.
  const asked = { projectId: project.id, id, keyId, ifVersion: row.version, fields, endsAfterMinutes, ruleAt: rule };
  const changed = (await changeRecurring(em, asked)) ?? notFound('recurring campaign');
  return { ...(await wholeRecurring(context, changed)), ...warned(warnings) };
}

const end = defineRoute({
  method: 'delete',
  path: '/recurring-campaigns/:id',
  scope: 'campaigns:write',
  summary: 'End a recurring campaign; no further campaign is made',
  description: 'For good. Campaigns that were made go on, and it can still be read. One that has ended stays as it is.',
  params: RecurringPath,
  query: z.object({ ifVersion: IfVersion }),
  status: 200,
  reply: OneRecurring,
  errors: ['not_found', 'version_conflict'],
  examples: examples.end,
  takesTestKeys: true,
  async handle(context, { params, query }) {
    const { em, project, keyId } = context;
    await demandOwnRecurring(context, params.id);
    const asked = { projectId: project.id, id: params.id, keyId, ifVersion: query.ifVersion };
    return wholeRecurring(context, (await endRecurring(em, asked)) ?? notFound('recurring campaign'));
  },
});

export const routes: readonly Route[] = [create, list, read, change, end];
