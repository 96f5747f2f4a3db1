import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { CampaignHead } from '../../../db/entities/index.ts';
import { countAtLaunch, digestAtLaunch } from '../../../db/queries/campaigns/campaign-audience.ts';
import { findCampaign, findWholeCampaign } from '../../../db/queries/campaigns/campaigns.ts';
import { type CampaignFields, givenColumns, givenOf } from '../../../domain/campaigns/draft.ts';
import { keptGoal } from '../../../domain/campaigns/goal.ts';
import type { LocalSchedule } from '../../../domain/campaigns/local-schedule.ts';
import { type Issue, invalidRequest, notFound, Refusal, refuseStale, unknownSegment } from '../../../domain/errors.ts';
import { WindowChoiceInput } from '../../../domain/send-window-schema.ts';
import { withoutUndefined } from '../../../domain/without-undefined.ts';
import { type Asked, approveCampaign, changeDraft, changeGoal, removeDraft } from '../../../usecases/campaigns/draft-campaign.ts';
import { changeScheduled, launchDraft } from '../../../usecases/campaigns/launch-campaign.ts';
import { lateZones, settledAtOf } from '../../../usecases/campaigns/resolve-in-time.ts';
import { checkCampaign, startOf, timesOf } from '../../campaign-check.ts';
import { demandOwnCampaign, wholeCampaign } from '../../campaign-records.ts';
import { CampaignChangeBody, CampaignCreated, CampaignWithData } from '../../campaign-schemas.ts';
import { LocalScheduleInput } from '../../campaign-time-schemas.ts';
import * as examples from '../../examples/campaign-draft-examples.ts';
import { defineRoute, type KeyContext, type Route } from '../../route.ts';
import { IfVersion, PathId, Timestamp, Warnings, warned } from '../../schemas.ts';
import { whicheverVersion } from '../../whichever-version.ts';

const CampaignPath = z.object({ id: PathId.meta({ description: "The campaign's id" }) });
const OfVersion = z.object({ ifVersion: IfVersion });

/** What the checks of a campaign that is sent can refuse. */
const CHECKED = [
  ...(['invalid_request', 'invalid_content', 'unknown_template', 'no_brand', 'template_not_enabled', 'invalid_from'] as const),
  ...(['schedule_in_past', 'ends_before_start', 'audience_too_large', 'unknown_segment', 'empty_audience'] as const),
] as const;

const change = defineRoute({
  method: 'patch',
  path: '/campaigns/:id',
  scope: 'campaigns:write',
  summary: 'Change a draft, a scheduled campaign until it begins, or the goal of any',
  description:
    'What is omitted stays, null takes out what was there. Each change is the next `version`; with `ifVersion` nothing is changed when somebody ' +
    'else has changed it since. A draft takes anything that a campaign may have. A scheduled campaign is checked and counted as POST /campaigns does, and keeps a template, ' +
    'an audience and a time. It begins, or is changed, and never both: once it has begun it is `invalid_status`. ' +
    'A change takes back an approval. In a project that asks for those a scheduled campaign that was changed does not begin before it is approved again. ' +
    'The `goal` alone can be changed, or taken out, of every campaign, also of one that is sent: it says how results are counted, and takes no approval back.',
  params: CampaignPath,
  query: OfVersion,
  body: CampaignChangeBody,
  status: 200,
  reply: CampaignWithData.extend({ warnings: Warnings }),
  errors: ['not_found', 'invalid_status', 'version_conflict', ...CHECKED],
  examples: examples.change,
  takesTestKeys: true,
  async handle(context, { params, query, body }) {
    const { em, project } = context;
    await demandOwnCampaign(context, params.id);
    const asked = askedOf(context, params.id, query.ifVersion);
    const before = (await findCampaign(em, project.id, params.id)) ?? notFound('campaign');
    if (isUnchangedBy(before, body)) {
      refuseStale('campaign', before.version, query.ifVersion);
      return wholeCampaign(context, before);
    }
    if (before.status !== 'draft' && body.goal !== undefined && isOfGoalAlone(body) && !isWonByGoal(before))
      return wholeCampaign(context, (await changeGoal(em, asked, body.goal && keptGoal(body.goal))) ?? notFound('campaign'));
    const { campaign, warnings } = await whicheverVersion(query.ifVersion, () => changeAsItStands(context, asked, before.status, body));
    return { ...(await wholeCampaign(context, campaign)), ...warned(warnings) };
  },
});

/** Nothing is said of it, so nothing is taken back of what was approved. */
function isUnchangedBy({ status }: Pick<CampaignHead, 'status'>, body: CampaignFields): boolean {
  return (status === 'draft' || status === 'scheduled') && Object.keys(givenColumns(body)).length === 0;
}

/** It has not begun, and what its test will decide by is as much of it as what it sends. */
function isWonByGoal({ status, ab_test: test }: CampaignHead): boolean {
  return status === 'scheduled' && test?.decideBy === 'goal';
}

function isOfGoalAlone(body: CampaignFields): boolean {
  return Object.keys(givenColumns(body)).every((column) => column === 'goal');
}

/** `status`: as it was seen. A draft that is scheduled between that look and the change is changed as a scheduled one. */
async function changeAsItStands(
  context: KeyContext,
  asked: Asked,
  status: CampaignHead['status'],
  body: CampaignFields,
): Promise<{ readonly campaign: CampaignHead; readonly warnings: readonly Issue[] }> {
  timesOf({}, body);
  const { em, project } = context;
  const present = async () => (await findCampaign(em, project.id, asked.id)) ?? notFound('campaign');
  if (status !== 'scheduled') {
    try {
      return { campaign: (await changeDraft(em, asked, body)) ?? notFound('campaign'), warnings: [] };
    } catch (error) {
      if (!(error instanceof Refusal && error.code === 'invalid_status') || (await present()).status !== 'scheduled') throw error;
    }
  }
  const warnings = await changeChecked(context, asked, body);
  return { campaign: await present(), warnings };
}

/** Says what is odd about it. */
async function changeChecked(context: KeyContext, asked: Asked, body: CampaignFields): Promise<readonly Issue[]> {
  const { em, project } = context;
  const row = (await findWholeCampaign(em, project.id, asked.id)) ?? notFound('campaign');
  refuseStale('campaign', row.version, asked.ifVersion);
  const before = givenOf(row);
  const times = timesOf(before, body);
  const taken: (keyof CampaignFields)[] = (['template', 'audience'] as const).filter((path) => body[path] === null);
  if (!times.scheduleAt && !times.schedule) taken.push(body.schedule === null ? 'schedule' : 'scheduleAt');
  if (taken.length > 0) throw invalidRequest(taken.map((path) => ({ path, message: 'a scheduled campaign keeps one' })));
  const given = withoutUndefined(body);
  // What it has been scheduled for may be past by now, where it is paused or waits for an approval.
  const isAnew = Boolean(body.scheduleAt || body.schedule);
  const start = (): Date | null => (isAnew ? (startOf(times, asked.now) ?? asked.now) : row.scheduled_at);
  const { request, warnings } = await checkCampaign(context, asked.id, { ...before, ...given, ...times }, { now: asked.now, start });
  const checked = { ...asked, request, ifVersion: row.version, asksApproval: project.campaign_approval };
  if (!(await changeScheduled(em, checked, body))) notFound('campaign');
  return warnings;
}

const AudienceDigest = z.string().regex(/^[0-9a-f]{64}$/, { error: 'the `digest` that GET /campaigns/:id/audience answers' });

const audience = defineRoute({
  method: 'get',
  path: '/campaigns/:id/audience',
  scope: 'campaigns:read',
  summary: 'Count who would get a campaign that has not begun',
  description:
    'At this moment, as a launch would, without those whose time has passed where its `schedule` skips them: for `ifEnrolled` of POST /campaigns/:id/launch. ' +
    'Nobody while a draft does not say whom it is for. ' +
    'With `digest=1` it also tells who they are, for `ifAudience`. `invalid_status`: it has begun, and its record has the numbers.',
  params: CampaignPath,
  query: z.object({ digest: z.enum(['1']).optional().meta({ description: '`1`: with the digest of who would get it' }) }),
  status: 200,
  reply: z.object({
    audienceSize: z.int().min(0).meta({ description: 'Who matches' }),
    enrolled: z.int().min(0).meta({ description: 'Who of them would get it' }),
    digest: AudienceDigest.optional().meta({ description: 'Another one for any other addresses that would get it; with `digest=1`' }),
  }),
  errors: ['not_found', 'invalid_status', 'unknown_segment'],
  examples: examples.audience,
  async handle({ em, project, now }, { params, query }) {
    const at = now();
    const campaign = (await findWholeCampaign(em, project.id, params.id)) ?? notFound('campaign');
    const { id, status, audience, variants, rate_per_second: ratePerSecond, topic, local_schedule: local } = campaign;
    if (status !== 'draft' && status !== 'scheduled') throw new Refusal('invalid_status', `this campaign is ${status}`);
    const settledAt = status === 'draft' ? at : settledAtOf(campaign);
    const found = { campaignId: id, projectId: project.id, audience, variants, ratePerSecond, topic };
    const of = { ...found, lateZones: await lateZones(em, found, { local, settledAt, now: at }) };
    const counts = (await countAtLaunch(em, of)) ?? unknownSegment();
    return query.digest ? { ...counts, digest: (await digestAtLaunch(em, of)) ?? unknownSegment() } : counts;
  },
});

const launch = defineRoute({
  method: 'post',
  path: '/campaigns/:id/launch',
  scope: 'campaigns:write',
  summary: 'Send a draft now or later',
  description:
    'Checks what POST /campaigns checks and answers as it does. Once: a draft that is launched is one no more, so another call is `invalid_status`, and ' +
    'one with the same Idempotency-Key has the same answer. `approval_required`: the project has campaigns approved, and no other key than the ' +
    'one that wrote the last change has approved the draft as it is. `audience_changed`: others than `ifEnrolled` or `ifAudience` says would get it by now; the body has both counts, and nothing is sent.',
  params: CampaignPath,
  query: OfVersion,
  body: z
    .object({
      scheduleAt: Timestamp.nullish().meta({
        description: "In place of the draft's own; null: at once. Up to 60 s in the past counts as now",
      }),
      schedule: LocalScheduleInput.nullish().meta({
        description: "In place of the draft's own times: a time of the day that the clock of each recipient shows",
      }),
      sendWindow: WindowChoiceInput.nullish().meta({
        description: "In place of the draft's own: hours in which it goes, or `none`; null: the project's",
      }),
      ifEnrolled: z
        .int()
        .min(0)
        .nullish()
        .meta({ description: 'So many are to get it, as somebody was shown: 409 `audience_changed` when it is another number by now' }),
      ifAudience: AudienceDigest.nullish().meta({
        description:
          'These very addresses are to get it, by the `digest` of GET /campaigns/:id/audience: 409 `audience_changed` when they are others by now. ' +
          'A campaign that begins later is compared now, and goes to whoever is in its audience then',
      }),
    })
    .meta({ id: 'CampaignLaunchInput', description: 'When it begins' }),
  isBodyOptional: true,
  status: 200,
  reply: CampaignCreated,
  errors: ['not_found', 'invalid_status', 'version_conflict', 'approval_required', 'audience_changed', ...CHECKED],
  needsVerifiedOwner: true,
  idempotency: 'stored',
  examples: examples.launch,
  takesTestKeys: true,
  async handle(context, { params, query, body }) {
    await demandOwnCampaign(context, params.id);
    return whicheverVersion(query.ifVersion, () => launchChecked(context, params.id, query.ifVersion, body));
  },
});

interface LaunchBody {
  readonly scheduleAt?: Date | null | undefined;
  readonly schedule?: LocalSchedule | null | undefined;
  readonly sendWindow?: CampaignFields['sendWindow'];
  readonly ifEnrolled?: number | null | undefined;
  readonly ifAudience?: string | null | undefined;
}

async function launchChecked(context: KeyContext, id: string, ifVersion: number | undefined, body: LaunchBody) {
  const { em, project } = context;
  const asked = askedOf(context, id, ifVersion);
  const row = (await findWholeCampaign(em, project.id, id)) ?? notFound('campaign');
  if (row.status !== 'draft') throw new Refusal('invalid_status', `this campaign is no draft: it is ${row.status}`);
  refuseStale('campaign', row.version, ifVersion);
  const ofDraft = givenOf(row);
  const fields = body.sendWindow === undefined ? ofDraft : { ...ofDraft, sendWindow: body.sendWindow };
  // null alone: at once, whatever the draft says.
  const times = body.scheduleAt === null && !body.schedule ? { scheduleAt: null, schedule: null } : timesOf(fields, body);
  const start = () => startOf(times, asked.now);
  const { request, warnings } = await checkCampaign(context, id, { ...fields, ...times }, { now: asked.now, start });
  const { scheduledAt } = request;
  const checked = { ...asked, request, ifVersion: row.version, asksApproval: project.campaign_approval };
  const isOtherStart =
    times.scheduleAt?.getTime() !== fields.scheduleAt?.getTime() || !isDeepStrictEqual(times.schedule ?? null, fields.schedule ?? null);
  const isAtOtherTime = isOtherStart || !isDeepStrictEqual(request.sendWindow ?? null, row.send_window);
  const conditions = { ifEnrolled: body.ifEnrolled ?? undefined, ifAudience: body.ifAudience ?? undefined };
  const counts = await em.transactional((tx) => launchDraft(tx, { ...checked, isAtOtherTime, ...conditions }));
  if (!counts) notFound('campaign');
  const status = scheduledAt ? ('scheduled' as const) : ('queued' as const);
  return { campaignId: id, ...counts, scheduledFor: scheduledAt, status, ...warned(warnings) };
}

const approve = defineRoute({
  method: 'post',
  path: '/campaigns/:id/approve',
  scope: 'campaigns:write',
  summary: 'Approve a draft, or a scheduled campaign that was changed',
  description:
    'As it is: the next change takes it back, so name what was looked at in `ifVersion`. `forbidden`: the key, or the key of the session, wrote ' +
    'the last change; another one approves it. Projects ask for it by `project set --campaign-approval on`.',
  params: CampaignPath,
  query: OfVersion,
  status: 200,
  reply: CampaignWithData,
  errors: ['not_found', 'invalid_status', 'version_conflict'],
  examples: examples.approve,
  async handle(context, { params, query }) {
    const approved = await approveCampaign(context.em, askedOf(context, params.id, query.ifVersion));
    return wholeCampaign(context, approved ?? notFound('campaign'));
  },
});

const remove = defineRoute({
  method: 'delete',
  path: '/campaigns/:id',
  scope: 'campaigns:write',
  summary: 'Delete a draft',
  description: '`invalid_status`: it was launched; what is scheduled is cancelled.',
  params: CampaignPath,
  query: OfVersion,
  status: 200,
  reply: z.object({ id: z.uuid().meta({ description: 'What it was' }), deleted: z.literal(true).meta({ description: 'It is gone' }) }),
  errors: ['not_found', 'invalid_status', 'version_conflict'],
  examples: examples.remove,
  takesTestKeys: true,
  async handle(context, { params, query }) {
    await demandOwnCampaign(context, params.id);
    if (!(await removeDraft(context.em, askedOf(context, params.id, query.ifVersion)))) notFound('campaign');
    return { id: params.id, deleted: true as const };
  },
});

function askedOf({ project, keyId, now }: KeyContext, id: string, ifVersion: number | undefined): Asked {
  return { projectId: project.id, id, keyId, ifVersion, now: now() };
}

export const routes: readonly Route[] = [change, audience, launch, approve, remove];
