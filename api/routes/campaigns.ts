import * as z from 'zod';
import type { CampaignHead } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { findCampaign, listCampaigns, readCampaignCounts } from '../../db/queries/campaigns.ts';
import { boundedArray } from '../../domain/bounded-array.ts';
import { CAMPAIGN_STATUSES } from '../../domain/campaign.ts';
import { campaignRecord } from '../../domain/campaign-record.ts';
import { notFound, Refusal } from '../../domain/errors.ts';
import { checkTemplate } from '../../sending/check.ts';
import { cancelCampaign } from '../../usecases/cancel-campaign.ts';
import { createCampaign } from '../../usecases/create-campaign.ts';
import { setPaused } from '../../usecases/pause-campaign.ts';
import { requireBrand } from '../brand.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { defineRoute } from '../route.ts';
import {
  BrandSlug,
  Cursor,
  Email,
  Id,
  Limit,
  MailData,
  PathId,
  SendTypeName,
  Subject,
  Tag,
  TemplateKey,
  Timestamp,
  tooLargeAudience,
} from '../schemas.ts';
import { refuseFaultyLiquid } from '../template-of-brand.ts';

const MAX_PEOPLE = 10_000;
/** A time that is past by no more counts as now: clocks differ, and requests take time. */
const LATE_MS = 60_000;

const TOO_MANY = tooLargeAudience(`at most ${MAX_PEOPLE} addresses in one campaign`);

const CampaignStatusName = z.enum(CAMPAIGN_STATUSES).meta({ id: 'CampaignStatus' });

const AudienceInput = z
  .discriminatedUnion(
    'mode',
    [
      z.strictObject({ mode: z.literal('entire') }),
      z.strictObject({ mode: z.literal('segment'), segmentId: Id }),
      z.strictObject({
        mode: z.literal('tag'),
        tag: Tag,
      }),
      z.strictObject({
        mode: z.literal('people'),
        emails: boundedArray(Email, MAX_PEOPLE, TOO_MANY)
          .min(1, { error: 'at least one address' })
          .meta({ description: 'Unknown ones become contacts' }),
      }),
    ],
    { error: 'mode is one of entire, segment, tag and people' },
  )
  .meta({
    id: 'Audience',
    description: 'Who is meant: all contacts, those of a segment, those with a tag, or the people of a list',
    examples: [{ mode: 'tag', tag: 'newsletter' }],
  });

const VariantKey = z.string().regex(/^[a-z0-9_-]{1,32}$/, { error: '1 to 32 of a-z, 0-9, _ and -' });

const VariantInput = z
  .strictObject({
    key: VariantKey,
    subject: Subject.nullish(),
    weight: z
      .number()
      .positive({ error: 'more than 0' })
      .max(1_000_000, { error: 'at most 1000000' })
      .nullish()
      .meta({ description: 'Relative; 1 when omitted' }),
  })
  .meta({ id: 'CampaignVariantInput' });

const CampaignBody = z
  .object({
    template: TemplateKey,
    audience: AudienceInput,
    name: z
      .string()
      .max(200, { error: 'at most 200 characters' })
      .nullish()
      .meta({ description: 'For your own lists; no recipient sees it' }),
    subject: Subject.nullish().meta({ description: "Liquid; the template's own when omitted or empty" }),
    type: SendTypeName.nullish().meta({ description: "The template's own when omitted" }),
    data: MailData.nullish(),
    brand: BrandSlug.nullish().meta({
      description: "Whom it comes from; the project's default when omitted. Contacts of all brands get it",
    }),
    scheduleAt: Timestamp.nullish().meta({ description: 'Omitted: at once. Up to 60 s in the past counts as now' }),
    endsAt: Timestamp.nullish().meta({
      description: 'Nothing is sent after this instant, which is after the start; the rest counts as skipped',
    }),
    ratePerSecond: z
      .int()
      .min(1, { error: 'at least 1' })
      .max(10_000, { error: 'at most 10000' })
      .nullish()
      .meta({ description: 'Mails a second at most; as fast as it goes when omitted' }),
    variants: boundedArray(VariantInput, 4, { error: '2 to 4 variants' })
      .min(2, { error: '2 to 4 variants' })
      .refine((variants) => new Set(variants.map(({ key }) => key)).size === variants.length, { error: 'keys must differ' })
      .nullish()
      .meta({ description: 'Arms of a test, whose keys differ. Each contact has its arm for good' }),
  })
  .meta({ id: 'CampaignInput' });

const Counted = {
  sent_count: z.int(),
  delivered_count: z.int(),
  opened_count: z.int().meta({ description: 'Recipients who opened, each once' }),
  clicked_count: z.int().meta({ description: 'Recipients who clicked, each once' }),
  bounced_count: z.int(),
  complained_count: z.int(),
  unsubscribed_count: z.int(),
};

export const CampaignRecord = z
  .object({
    id: z.uuid(),
    name: z.string(),
    template: z.string(),
    type: SendTypeName,
    subject: z.string(),
    brand_id: z.string(),
    status: CampaignStatusName,
    paused: z.boolean(),
    reason: z
      .string()
      .nullable()
      .meta({
        description:
          'Why it failed (unknown_segment, empty_audience, project_suspended or a code of the template), ended early (ends_at_reached, ' +
          'provider_unavailable, cancelled or terminated by an operator), or does not go on just now (provider_unavailable)',
      }),
    scheduled_at: Timestamp.nullable(),
    ends_at: Timestamp.nullable(),
    rate_per_second: z.int().nullable(),
    variants: z
      .array(
        z
          .object({ key: z.string(), subject: z.string().nullable(), weight: z.number(), recipients: z.int(), ...Counted })
          .meta({ id: 'CampaignVariant' }),
      )
      .nullable(),
    audience_size: z.int(),
    total_recipients: z.int().meta({
      description: 'Who was queued: sent + failed + skipped + cancelled when it has ended. Counted anew when a scheduled one runs',
    }),
    ...Counted,
    failed_count: z.int().meta({ description: 'Their mail could not be made, was refused, or is in doubt' }),
    skipped_count: z.int().meta({ description: 'They unsubscribed meanwhile, or it ended before their turn' }),
    cancelled_count: z.int().meta({ description: 'They will never get it, since it was cancelled' }),
    created_at: Timestamp,
    sent_at: Timestamp.nullable(),
  })
  .meta({ id: 'Campaign' });

export const create = defineRoute({
  method: 'post',
  path: '/campaigns',
  scope: 'campaigns:write',
  summary: 'Send a campaign now or later',
  description:
    'Answers when the audience is resolved and queued. `audienceSize` is who matches, `enrolled` who of them gets mail: not those who have ' +
    'unsubscribed, bounced or are suppressed. A scheduled campaign is counted now and resolved when it runs.',
  body: CampaignBody,
  status: 201,
  reply: z.object({
    campaignId: z.uuid(),
    audienceSize: z.int(),
    enrolled: z.int(),
    scheduledFor: Timestamp.nullable(),
    status: CampaignStatusName,
  }),
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
  async handle({ em, project, registry, authoring, caller, now: clock, newId }, { body }) {
    const now = clock();
    const arms = (body.variants ?? []).map(({ subject }, index) => ({ path: `variants[${index}].subject`, text: subject }));
    // It would fail the mail of every recipient.
    await refuseFaultyLiquid(authoring, project.id, [{ path: 'subject', text: body.subject }, ...arms]);
    await requireBrand(em, project.id, body.brand);
    const entry = registry.find(body.template, project.slug);
    if (!entry) throw new Refusal('unknown_template', `no template has the key ${body.template}`);
    const template = await checkTemplate(em, { projectId: project.id, entry, brand: body.brand ?? undefined });
    const scheduledAt = startOf(body.scheduleAt ?? undefined, now);
    const endsAt = body.endsAt ?? null;
    if (endsAt && endsAt <= (scheduledAt ?? now)) throw new Refusal('ends_before_start', 'endsAt is not after the start');
    const { audience } = body;
    const people = audience.mode === 'people' ? [...new Set(audience.emails)].sort() : [];
    const id = newId();
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
        data: body.data ?? {},
        audience: audience.mode === 'people' ? { mode: 'people', emails: people } : audience,
        variants: body.variants?.map(({ key, subject, weight }) => ({ key, subject: subject ?? null, weight: weight ?? 1 })) ?? null,
        scheduledAt,
        endsAt,
        ratePerSecond: body.ratePerSecond ?? null,
        now,
        origin: { source: 'campaign', ip: caller.ip, userAgent: caller.userAgent, now },
        newId,
      }),
    );
    return { campaignId: id, ...counts, scheduledFor: scheduledAt, status: scheduledAt ? ('scheduled' as const) : ('queued' as const) };
  },
});

/** null: at once. */
function startOf(scheduleAt: Date | undefined, now: Date): Date | null {
  if (!scheduleAt) return null;
  if (scheduleAt.getTime() < now.getTime() - LATE_MS) throw new Refusal('schedule_in_past', 'scheduleAt is in the past');
  return scheduleAt > now ? scheduleAt : null;
}

export const list = defineRoute({
  method: 'get',
  path: '/campaigns',
  scope: 'any key',
  summary: 'List campaigns, newest first',
  query: z.object({ status: CampaignStatusName.optional(), limit: Limit, cursor: Cursor.optional() }),
  status: 200,
  reply: z.object({ campaigns: z.array(CampaignRecord), nextCursor: z.string().nullable() }),
  errors: ['invalid_cursor'],
  async handle({ em, project, vault }, { query }) {
    const { limit, cursor, ...filter } = query;
    const scope = { projectId: project.id, list: 'campaigns', filter };
    const page = await listCampaigns(em, project.id, filter, { limit, from: readCursor(vault, scope, cursor), direction: 'next' });
    return { campaigns: await records(em, page.rows), nextCursor: writeCursor(vault, scope, page.next) };
  },
});

export const read = defineRoute({
  method: 'get',
  path: '/campaigns/:id',
  scope: 'any key',
  summary: 'Read one campaign with its counters',
  params: z.object({ id: PathId }),
  status: 200,
  reply: z.object({ campaign: CampaignRecord }),
  errors: ['not_found'],
  async handle({ em, project }, { params }) {
    return { campaign: await recordOf(em, (await findCampaign(em, project.id, params.id)) ?? notFound('campaign')) };
  },
});

export const cancel = defineRoute({
  method: 'post',
  path: '/campaigns/:id/cancel',
  scope: 'campaigns:write',
  summary: 'Cancel a campaign; nobody else gets it',
  description: '`cancelledJobs` is the number of recipients who never will. A campaign that was cancelled before answers 0.',
  params: z.object({ id: PathId }),
  status: 200,
  reply: z.object({ id: z.uuid(), status: z.literal('cancelled'), cancelledJobs: z.int() }),
  errors: ['not_found', 'already_sent'],
  async handle({ em, project }, { params }) {
    const cancelledJobs = await cancelCampaign(em, { projectId: project.id, id: params.id });
    return { id: params.id, status: 'cancelled' as const, cancelledJobs: cancelledJobs ?? notFound('campaign') };
  },
});

export const pause = defineRoute({
  method: 'post',
  path: '/campaigns/:id/pause',
  scope: 'campaigns:write',
  summary: 'Pause a campaign that has not ended',
  description: 'Mails that are being handed over at this moment still go. `invalid_status`: it has ended, or is paused already.',
  params: z.object({ id: PathId }),
  status: 200,
  reply: z.object({ campaign: CampaignRecord }),
  errors: ['not_found', 'invalid_status'],
  handle: ({ em, project }, { params }) => changePaused(em, { projectId: project.id, id: params.id }, true),
});

export const resume = defineRoute({
  method: 'post',
  path: '/campaigns/:id/resume',
  scope: 'campaigns:write',
  summary: 'Let a paused campaign go on',
  description: '`invalid_status`: it has ended, or is not paused.',
  params: z.object({ id: PathId }),
  status: 200,
  reply: z.object({ campaign: CampaignRecord }),
  errors: ['not_found', 'invalid_status'],
  handle: ({ em, project }, { params }) => changePaused(em, { projectId: project.id, id: params.id }, false),
});

async function changePaused(em: EntityManager, of: { readonly projectId: string; readonly id: string }, paused: boolean) {
  const changed = (await setPaused(em, of.projectId, of.id, paused)) ?? notFound('campaign');
  return { campaign: await recordOf(em, changed) };
}

async function recordOf(em: EntityManager, campaign: CampaignHead) {
  const [record] = await records(em, [campaign]);
  return record as z.output<typeof CampaignRecord>;
}

async function records(em: EntityManager, campaigns: readonly CampaignHead[]): Promise<z.output<typeof CampaignRecord>[]> {
  const counts = await readCampaignCounts(
    em,
    campaigns.map(({ id }) => id),
  );
  return campaigns.map((campaign) => campaignRecord(campaign, counts.get(campaign.id)));
}
