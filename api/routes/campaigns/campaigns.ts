import * as z from 'zod';
import { findCampaign, listCampaigns } from '../../../db/queries/campaigns/campaigns.ts';
import { MAX_DRAFTS } from '../../../domain/campaigns/draft.ts';
import { notFound, Refusal } from '../../../domain/errors.ts';
import { cancelCampaign } from '../../../usecases/campaigns/cancel-campaign.ts';
import { createCampaign } from '../../../usecases/campaigns/create-campaign.ts';
import { createDraft } from '../../../usecases/campaigns/draft-campaign.ts';
import { setPaused } from '../../../usecases/campaigns/pause-campaign.ts';
import { checkCampaign, startOf, timesOf } from '../../campaign-check.ts';
import { campaignRecords, demandOwnCampaign, draftState, recordOf, wholeCampaign } from '../../campaign-records.ts';
import {
  CampaignBody,
  CampaignCancelled,
  CampaignCreated,
  CampaignDraftBody,
  CampaignList,
  CampaignStatusName,
  CampaignWithData,
  NewCampaignBody,
  OneCampaign,
} from '../../campaign-schemas.ts';
import { readCursor, writeCursor } from '../../cursor.ts';
import * as examples from '../../examples/campaign-examples.ts';
import { defineRoute, type KeyContext, type Route } from '../../route.ts';
import { Cursor, Id, Limit, PathId, warned } from '../../schemas.ts';

const CampaignPath = z.object({ id: PathId.meta({ description: "The campaign's id" }) });

const Draft = z
  .enum(['1', 'true'], { error: 'draft=1, or leave it out to send the campaign' })
  .optional()
  .meta({ description: 'Kept, and not sent before POST /campaigns/:id/launch: whatever is not known yet may be left out' });

const create = defineRoute({
  method: 'post',
  path: '/campaigns',
  scope: 'campaigns:write',
  summary: 'Send a campaign now or later',
  description:
    'Answers when the audience is resolved and queued. `audienceSize` is who matches, `enrolled` who of them gets email: not those who have ' +
    'unsubscribed, bounced or are suppressed. A scheduled campaign is counted now and resolved when it runs. `warnings` name data that the ' +
    'template requires and nothing gives, so that every email would fail, and variables of the subjects that no email has: ' +
    '`[{ "path": "data.resetUrl", "message": "password-reset requires resetUrl, and nothing gives it: the mail would fail" }]`. ' +
    `With \`draft=1\` it is kept, and nothing is checked but each field by itself; a project has at most ${MAX_DRAFTS} drafts ` +
    '(`too_many_drafts`). `approval_required`: the project has campaigns approved by a second key, which begins with a draft.',
  query: z.object({ draft: Draft }),
  body: CampaignBody,
  bodyFor: ({ draft }) => (draft ? CampaignDraftBody : CampaignBody),
  documentedBody: NewCampaignBody,
  status: 201,
  reply: CampaignCreated,
  errors: [
    'invalid_request',
    'invalid_content',
    'unknown_template',
    'no_brand',
    'template_not_enabled',
    'invalid_from',
    'schedule_in_past',
    'ends_before_start',
    'audience_too_large',
    'unknown_segment',
    'empty_audience',
    'approval_required',
    'too_many_drafts',
  ],
  needsVerifiedOwner: true,
  idempotency: 'stored',
  examples: examples.create,
  takesTestKeys: true,
  async handle(context, { query, body }) {
    if (query.draft) return keepDraft(context, body);
    const { em, project, isTestKey, now: clock, newId } = context;
    const now = clock();
    const id = newId();
    if (project.campaign_approval && !isTestKey) throw unapproved();
    const times = timesOf({}, body);
    const { request, warnings } = await checkCampaign(context, id, body, { now, start: () => startOf(times, now) });
    const { scheduledAt } = request;
    const counts = await em.transactional((tx) => createCampaign(tx, { ...request, isSandboxed: isTestKey }));
    const status = scheduledAt ? ('scheduled' as const) : ('queued' as const);
    return { campaignId: id, ...counts, scheduledFor: scheduledAt, status, ...warned(warnings) };
  },
});

function unapproved(): Refusal {
  return new Refusal(
    'approval_required',
    'this project has campaigns approved: POST /campaigns?draft=1, then /campaigns/:id/approve with another key, and /campaigns/:id/launch',
  );
}

/** Whom it is for is counted when it is launched. */
async function keepDraft({ em, project, keyId, isTestKey, now, newId }: KeyContext, body: z.output<typeof CampaignDraftBody>) {
  const { copyOf, ...fields } = body;
  timesOf({}, fields);
  const id = newId();
  const of = { projectId: project.id, id, keyId, isSandboxed: isTestKey, now: now() };
  await em.transactional((tx) => createDraft(tx, { ...of, fields, copyOf: copyOf ?? undefined }));
  return { campaignId: id, audienceSize: 0, enrolled: 0, scheduledFor: body.scheduleAt ?? null, status: 'draft' as const, version: 1 };
}

const list = defineRoute({
  method: 'get',
  path: '/campaigns',
  scope: 'campaigns:read',
  summary: 'List campaigns, newest first',
  description: 'Drafts only with `status=draft`.',
  query: z.object({
    status: CampaignStatusName.optional(),
    recurringId: Id.optional().meta({ description: 'Those that this recurring campaign has made' }),
    underWay: z.enum(['true', 'false']).optional().meta({ description: '`true`: those scheduled, queued or sending; `false`: the others' }),
    limit: Limit,
    cursor: Cursor.optional(),
  }),
  status: 200,
  reply: CampaignList,
  errors: ['invalid_cursor'],
  examples: examples.list,
  async handle({ em, project, vault }, { query }) {
    const { limit, cursor, status, underWay, recurringId } = query;
    const filter = { status, isUnderWay: underWay && underWay === 'true', recurringId };
    const scope = { projectId: project.id, list: 'campaigns', filter };
    const page = await listCampaigns(em, project.id, filter, { limit, from: readCursor(vault, scope, cursor), direction: 'next' });
    const records = await campaignRecords(em, page.rows);
    const states = new Map(page.rows.map((campaign) => [campaign.id, draftState(project, campaign)]));
    const campaigns = records.map((record) => ({ ...record, ...states.get(record.id) }));
    return { campaigns, nextCursor: writeCursor(vault, scope, page.next) };
  },
});

const read = defineRoute({
  method: 'get',
  path: '/campaigns/:id',
  scope: 'campaigns:read',
  summary: 'Read one campaign with its counters',
  params: CampaignPath,
  status: 200,
  reply: CampaignWithData,
  errors: ['not_found'],
  examples: examples.read,
  async handle(context, { params }) {
    const { em, project } = context;
    return wholeCampaign(context, (await findCampaign(em, project.id, params.id)) ?? notFound('campaign'));
  },
});

const progress = defineRoute({
  method: 'get',
  path: '/campaigns/:id/progress',
  scope: 'campaigns:read',
  summary: 'Read one campaign with its counters, without its data',
  description: 'For whoever asks again and again while it is sent: `data` never changes and may be large.',
  params: CampaignPath,
  status: 200,
  reply: OneCampaign,
  errors: ['not_found'],
  examples: examples.progress,
  async handle({ em, project }, { params }) {
    return { campaign: await recordOf(em, (await findCampaign(em, project.id, params.id)) ?? notFound('campaign')) };
  },
});

const cancel = defineRoute({
  method: 'post',
  path: '/campaigns/:id/cancel',
  scope: 'campaigns:write',
  summary: 'Cancel a campaign; nobody else gets it',
  description:
    'Answers when the emails in flight have their outcome, after 22 s at the latest: no further email is submitted to the provider from then on, and ' +
    '`cancelledJobs` is the number of recipients who never get it. What the provider has taken is not recalled. In every state but `sent` and ' +
    '`draft`, which is deleted instead.',
  params: CampaignPath,
  status: 200,
  reply: CampaignCancelled,
  errors: ['not_found', 'already_sent', 'invalid_status'],
  examples: examples.cancel,
  takesTestKeys: true,
  async handle(context, { params }) {
    const { em, project, sending } = context;
    await demandOwnCampaign(context, params.id);
    const cancelledJobs = await cancelCampaign(em, sending.leftBatches, { projectId: project.id, id: params.id });
    return { id: params.id, status: 'cancelled' as const, cancelledJobs: cancelledJobs ?? notFound('campaign') };
  },
});

const pause = defineRoute({
  method: 'post',
  path: '/campaigns/:id/pause',
  scope: 'campaigns:write',
  summary: 'Pause a campaign that has not ended',
  description: 'Emails that are being submitted at this moment still go. `invalid_status`: it has ended, or is paused already.',
  params: CampaignPath,
  status: 200,
  reply: OneCampaign,
  errors: ['not_found', 'invalid_status'],
  examples: examples.pause,
  takesTestKeys: true,
  handle: (context, { params }) => changePaused(context, params.id, true),
});

const resume = defineRoute({
  method: 'post',
  path: '/campaigns/:id/resume',
  scope: 'campaigns:write',
  summary: 'Let a paused campaign go on',
  description: '`invalid_status`: it has ended, or is not paused.',
  params: CampaignPath,
  status: 200,
  reply: OneCampaign,
  errors: ['not_found', 'invalid_status'],
  examples: examples.resume,
  takesTestKeys: true,
  handle: (context, { params }) => changePaused(context, params.id, false),
});

async function changePaused(context: KeyContext, id: string, paused: boolean) {
  const { em, project } = context;
  await demandOwnCampaign(context, id);
  const changed = (await setPaused(em, project.id, id, paused)) ?? notFound('campaign');
  return { campaign: await recordOf(em, changed) };
}

export const routes: readonly Route[] = [create, list, read, progress, cancel, pause, resume];
