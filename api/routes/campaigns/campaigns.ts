import * as z from 'zod';
import type { CampaignHead } from '../../../db/entities/index.ts';
import type { EntityManager } from '../../../db/orm.ts';
import {
  findCampaign,
  listCampaigns,
  readAudiences,
  readCampaignCounts,
  readCampaignData,
} from '../../../db/queries/campaigns/campaigns.ts';
import { countLeftOut } from '../../../db/queries/campaigns/left-out.ts';
import { campaignRecord } from '../../../domain/campaigns/campaign-record.ts';
import { notFound, Refusal } from '../../../domain/errors.ts';
import { checkTemplate } from '../../../sending/check.ts';
import { campaignWarnings } from '../../../usecases/campaigns/campaign-warnings.ts';
import { cancelCampaign } from '../../../usecases/campaigns/cancel-campaign.ts';
import { createCampaign } from '../../../usecases/campaigns/create-campaign.ts';
import { setPaused } from '../../../usecases/campaigns/pause-campaign.ts';
import { requireBrand } from '../../brand.ts';
import {
  CampaignBody,
  CampaignCancelled,
  CampaignCreated,
  CampaignList,
  type CampaignRecord,
  CampaignStatusName,
  CampaignWithData,
  OneCampaign,
} from '../../campaign-schemas.ts';
import { readCursor, writeCursor } from '../../cursor.ts';
import * as examples from '../../examples/campaign-examples.ts';
import { defineRoute, type KeyContext, type Route } from '../../route.ts';
import { Cursor, Limit, PathId, warned } from '../../schemas.ts';
import { refuseFaultyLiquid } from '../../template-of-brand.ts';
import { demandOwnOfTestKeys } from '../../test-keys.ts';

const CampaignPath = z.object({ id: PathId.meta({ description: "The campaign's id" }) });

/** A time that is past by no more counts as now: clocks differ, and requests take time. */
const LATE_MS = 60_000;

const create = defineRoute({
  method: 'post',
  path: '/campaigns',
  scope: 'campaigns:write',
  summary: 'Send a campaign now or later',
  description:
    'Answers when the audience is resolved and queued. `audienceSize` is who matches, `enrolled` who of them gets mail: not those who have ' +
    'unsubscribed, bounced or are suppressed. A scheduled campaign is counted now and resolved when it runs. `warnings` name data that the ' +
    'template requires and nothing gives, so that every mail would fail, and variables of the subjects that no mail has: ' +
    '`[{ "path": "data.resetUrl", "message": "password-reset requires resetUrl, and nothing gives it: the mail would fail" }]`.',
  body: CampaignBody,
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
  ],
  needsVerifiedOwner: true,
  idempotency: 'stored',
  examples: examples.create,
  takesTestKeys: true,
  async handle({ em, project, registry, authoring, caller, isTestKey, now: clock, newId }, { body }) {
    const now = clock();
    const arms = (body.variants ?? []).map(({ subject }, index) => ({ path: `variants[${index}].subject`, text: subject }));
    const subjects = [{ path: 'subject', text: body.subject }, ...arms];
    // It would fail the mail of every recipient.
    await refuseFaultyLiquid(authoring, project.id, subjects);
    await requireBrand(em, project.id, body.brand);
    const entry = await registry.find(em, project, body.template);
    if (!entry) throw new Refusal('unknown_template', await registry.noSuchTemplate(em, project, body.template));
    const template = await checkTemplate(em, { projectId: project.id, entry, brand: body.brand ?? undefined });
    const scheduledAt = startOf(body.scheduleAt ?? undefined, now);
    const endsAt = body.endsAt ?? null;
    if (endsAt && endsAt <= (scheduledAt ?? now)) throw new Refusal('ends_before_start', 'endsAt is not after the start');
    const { audience } = body;
    const people = audience.mode === 'people' ? [...new Set(audience.emails)].sort() : [];
    const id = newId();
    const data = body.data ?? {};
    const warnings = await campaignWarnings(authoring, { projectId: project.id, entry, data, subjects });
    const counts = await em.transactional((tx) =>
      createCampaign(tx, {
        id,
        projectId: project.id,
        name: body.name ?? '',
        template: entry.key,
        type: body.type ?? entry.type,
        brand: template.brand,
        subject: body.subject || template.subject,
        hasOwnSubject: Boolean(body.subject),
        data,
        audience: audience.mode === 'people' ? { mode: 'people', emails: people } : audience,
        variants: body.variants?.map(({ key, subject, weight }) => ({ key, subject: subject ?? null, weight: weight ?? 1 })) ?? null,
        scheduledAt,
        endsAt,
        ratePerSecond: body.ratePerSecond ?? null,
        isSandboxed: isTestKey,
        now,
        origin: { source: 'campaign', ip: caller.ip, userAgent: caller.userAgent, now },
        newId,
      }),
    );
    const status = scheduledAt ? ('scheduled' as const) : ('queued' as const);
    return { campaignId: id, ...counts, scheduledFor: scheduledAt, status, ...warned(warnings) };
  },
});

/** null: at once. */
function startOf(scheduleAt: Date | undefined, now: Date): Date | null {
  if (!scheduleAt) return null;
  if (scheduleAt.getTime() < now.getTime() - LATE_MS)
    throw new Refusal('schedule_in_past', `scheduleAt is in the past: here it is ${now.toISOString()}`);
  return scheduleAt > now ? scheduleAt : null;
}

const list = defineRoute({
  method: 'get',
  path: '/campaigns',
  scope: 'any key',
  summary: 'List campaigns, newest first',
  query: z.object({ status: CampaignStatusName.optional(), limit: Limit, cursor: Cursor.optional() }),
  status: 200,
  reply: CampaignList,
  errors: ['invalid_cursor'],
  examples: examples.list,
  async handle({ em, project, vault }, { query }) {
    const { limit, cursor, ...filter } = query;
    const scope = { projectId: project.id, list: 'campaigns', filter };
    const page = await listCampaigns(em, project.id, filter, { limit, from: readCursor(vault, scope, cursor), direction: 'next' });
    return { campaigns: await records(em, page.rows), nextCursor: writeCursor(vault, scope, page.next) };
  },
});

const read = defineRoute({
  method: 'get',
  path: '/campaigns/:id',
  scope: 'any key',
  summary: 'Read one campaign with its counters',
  params: CampaignPath,
  status: 200,
  reply: CampaignWithData,
  errors: ['not_found'],
  examples: examples.read,
  async handle({ em, project }, { params }) {
    const record = await recordOf(em, (await findCampaign(em, project.id, params.id)) ?? notFound('campaign'));
    return { campaign: { ...record, data: (await readCampaignData(em, record.id)) ?? notFound('campaign') } };
  },
});

const progress = defineRoute({
  method: 'get',
  path: '/campaigns/:id/progress',
  scope: 'any key',
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
    'Answers when the mails in flight have their outcome, after 22 s at the latest: no further mail is submitted to the provider from then on, and ' +
    '`cancelledJobs` is the number of recipients who never get it. What the provider has taken is not recalled. In every state but `sent`.',
  params: CampaignPath,
  status: 200,
  reply: CampaignCancelled,
  errors: ['not_found', 'already_sent'],
  examples: examples.cancel,
  takesTestKeys: true,
  async handle(context, { params }) {
    const { em, project, sending } = context;
    await demandOwn(context, params.id);
    const cancelledJobs = await cancelCampaign(em, sending.leftBatches, { projectId: project.id, id: params.id });
    return { id: params.id, status: 'cancelled' as const, cancelledJobs: cancelledJobs ?? notFound('campaign') };
  },
});

const pause = defineRoute({
  method: 'post',
  path: '/campaigns/:id/pause',
  scope: 'campaigns:write',
  summary: 'Pause a campaign that has not ended',
  description: 'Mails that are being submitted at this moment still go. `invalid_status`: it has ended, or is paused already.',
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
  await demandOwn(context, id);
  const changed = (await setPaused(em, project.id, id, paused)) ?? notFound('campaign');
  return { campaign: await recordOf(em, changed) };
}

async function demandOwn(context: KeyContext, id: string): Promise<void> {
  if (context.isTestKey) demandOwnOfTestKeys(context, (await findCampaign(context.em, context.project.id, id))?.sandboxed);
}

async function recordOf(em: EntityManager, campaign: CampaignHead) {
  const [record] = await records(em, [campaign]);
  return { ...(record ?? notFound('campaign')), left_out: await countLeftOut(em, campaign.id) };
}

async function records(em: EntityManager, campaigns: readonly CampaignHead[]): Promise<z.output<typeof CampaignRecord>[]> {
  const ids = campaigns.map(({ id }) => id);
  const counts = await readCampaignCounts(em, ids);
  const audiences = await readAudiences(em, ids);
  // One that is gone since its row was read is told no more.
  return campaigns.flatMap((campaign) => {
    const audience = audiences.get(campaign.id);
    return audience ? campaignRecord(campaign, { audience, byVariant: counts.get(campaign.id) }) : [];
  });
}

export const routes: readonly Route[] = [create, list, read, progress, cancel, pause, resume];
