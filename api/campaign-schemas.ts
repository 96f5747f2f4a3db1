import * as z from 'zod';
import { boundedArray } from '../domain/bounded-array.ts';
import { CAMPAIGN_STATUSES } from '../domain/campaign.ts';
import {
  BrandSlug,
  Email,
  Id,
  MailData,
  SendTypeName,
  Subject,
  Tag,
  TemplateKey,
  Timestamp,
  tooLargeAudience,
  Warnings,
} from './schemas.ts';

const MAX_PEOPLE = 10_000;

const TOO_MANY = tooLargeAudience(`at most ${MAX_PEOPLE} addresses in one campaign`);

export const CampaignStatusName = z.enum(CAMPAIGN_STATUSES).meta({
  id: 'CampaignStatus',
  description:
    '`scheduled` until its time comes, `queued` until its workflow begins, `sending`, then for good `sent` (every recipient is settled), ' +
    '`cancelled`, or `failed` (nothing could go: `reason` says why). `draft` is reserved',
});

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
    // What is no object at all is refused as everywhere.
    { error: ({ code }) => (code === 'invalid_union' ? 'mode is one of entire, segment, tag and people' : undefined) },
  )
  .meta({
    id: 'Audience',
    description: 'Who is meant: all contacts, those of a segment, those with a tag, or the people of a list',
    examples: [
      { mode: 'entire' },
      { mode: 'segment', segmentId: '0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e11' },
      { mode: 'tag', tag: 'newsletter' },
      { mode: 'people', emails: ['ada@example.com', 'grace@example.com'] },
    ],
  });

const VariantKey = z
  .string()
  .regex(/^[a-z0-9_-]{1,32}$/, { error: '1 to 32 of a-z, 0-9, _ and -' })
  .meta({ description: '1 to 32 of a-z, 0-9, _ and -' });

const VariantInput = z
  .strictObject({
    key: VariantKey,
    subject: Subject.nullish().meta({ description: "Liquid; the campaign's when omitted" }),
    weight: z
      .number()
      .positive({ error: 'more than 0' })
      .max(1_000_000, { error: 'at most 1000000' })
      .nullish()
      .meta({ description: 'Relative; 1 when omitted' }),
  })
  .meta({ id: 'CampaignVariantInput', examples: [{ key: 'short', subject: 'News', weight: 3 }] });

export const CampaignBody = z
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
  .meta({
    id: 'CampaignInput',
    examples: [
      { template: 'newsletter', audience: { mode: 'tag', tag: 'newsletter' } },
      {
        template: 'newsletter',
        audience: { mode: 'entire' },
        name: 'Spring news',
        subject: 'News for {{ contact.first_name | default: "you" }}',
        data: { title: 'Spring' },
        scheduleAt: '2027-03-20T08:00:00Z',
        endsAt: '2027-03-20T20:00:00Z',
        ratePerSecond: 200,
        variants: [{ key: 'plain' }, { key: 'short', subject: 'News', weight: 3 }],
      },
    ],
  });

/** So many recipients. */
const Count = z.int().min(0);

const Counted = {
  sent_count: Count.meta({ description: 'The provider took their mail' }),
  delivered_count: Count.meta({ description: 'As the provider reports' }),
  opened_count: Count.meta({ description: 'Recipients who opened, each once' }),
  clicked_count: Count.meta({ description: 'Recipients who clicked, each once' }),
  bounced_count: Count.meta({ description: 'As the provider reports' }),
  complained_count: Count.meta({ description: 'As the provider reports' }),
  unsubscribed_count: Count.meta({ description: 'By the link of this mail' }),
};

const NOTHING_COUNTED = {
  ...{ sent_count: 0, delivered_count: 0, opened_count: 0, clicked_count: 0, bounced_count: 0, complained_count: 0 },
  ...{ unsubscribed_count: 0, failed_count: 0, skipped_count: 0, cancelled_count: 0 },
};

const SENDING = {
  id: '0199d3a1-77aa-7b52-8c0e-2f4a9b6d3c55',
  name: 'Spring news',
  template: 'newsletter',
  type: 'marketing',
  subject: 'News for {{ contact.first_name | default: "you" }}',
  brand_id: 'acme',
  status: 'sending',
  paused: false,
  reason: null,
  scheduled_at: null,
  ends_at: null,
  rate_per_second: 200,
  variants: null,
  audience_size: 1250,
  total_recipients: 1200,
  ...NOTHING_COUNTED,
  sent_count: 400,
  created_at: '2027-03-20T08:00:00.000Z',
  sent_at: null,
};

const SENT = {
  ...SENDING,
  status: 'sent',
  ...{ sent_count: 1194, delivered_count: 1180, opened_count: 512, clicked_count: 97, bounced_count: 9, unsubscribed_count: 3 },
  ...{ failed_count: 2, skipped_count: 4, sent_at: '2027-03-20T08:00:07.412Z' },
};

export const CampaignRecord = z
  .object({
    id: z.uuid(),
    name: z.string(),
    template: z.string(),
    type: SendTypeName,
    subject: z.string().meta({ description: 'Liquid, as it was given or as the template has it' }),
    brand_id: z.string().meta({ description: "The brand's slug" }),
    status: CampaignStatusName,
    paused: z.boolean().meta({ description: 'Nothing goes until it is resumed' }),
    reason: z
      .string()
      .nullable()
      .meta({
        description:
          'Why it failed (unknown_segment, empty_audience, project_suspended, email_unverified or a code of the template), ended early (ends_at_reached, ' +
          'provider_unavailable, cancelled or terminated by an operator, failed: its workflow), or does not go on just now (provider_unavailable)',
      }),
    scheduled_at: Timestamp.nullable().meta({ description: 'null: at once' }),
    ends_at: Timestamp.nullable(),
    rate_per_second: z.int().min(1).nullable().meta({ description: 'null: as fast as it goes' }),
    variants: z
      .array(
        z
          .object({
            key: z.string(),
            subject: z.string().nullable().meta({ description: "null: the campaign's" }),
            weight: z.number(),
            recipients: Count.meta({ description: 'Who was queued in this arm; 0 until the audience is resolved' }),
            ...Counted,
          })
          .meta({ id: 'CampaignVariant' }),
      )
      .nullable(),
    audience_size: Count.meta({ description: 'Who matched, those who may get no mail among them' }),
    total_recipients: Count.meta({
      description: 'Who was queued: sent + failed + skipped + cancelled when it has ended. Counted anew when a scheduled one runs',
    }),
    ...Counted,
    failed_count: Count.meta({ description: 'Their mail could not be made, was refused, or is in doubt' }),
    skipped_count: Count.meta({ description: 'They unsubscribed meanwhile, or it ended before their turn' }),
    cancelled_count: Count.meta({ description: 'They will never get it, since it was cancelled' }),
    created_at: Timestamp,
    sent_at: Timestamp.nullable().meta({ description: 'When the last of them was settled; null unless it is `sent`' }),
  })
  .meta({ id: 'Campaign', examples: [SENT] });

export const CampaignCreated = z
  .object({
    campaignId: z.uuid(),
    audienceSize: Count.meta({ description: 'Who matches' }),
    enrolled: Count.meta({ description: 'Who of them gets mail: not those who have unsubscribed, bounced or are suppressed' }),
    scheduledFor: Timestamp.nullable().meta({ description: 'null: at once' }),
    status: CampaignStatusName,
    warnings: Warnings,
  })
  .meta({ examples: [{ campaignId: SENDING.id, audienceSize: 1250, enrolled: 1200, scheduledFor: null, status: 'queued' }] });

export const CampaignList = z
  .object({
    campaigns: z.array(CampaignRecord),
    nextCursor: z.string().nullable().meta({ description: 'For the next page; null on the last' }),
  })
  .meta({ examples: [{ campaigns: [SENT], nextCursor: null }] });

export const OneCampaign = z.object({ campaign: CampaignRecord }).meta({ examples: [{ campaign: SENT }] });

export const PausedCampaign = z.object({ campaign: CampaignRecord }).meta({ examples: [{ campaign: { ...SENDING, paused: true } }] });

export const ResumedCampaign = z.object({ campaign: CampaignRecord }).meta({ examples: [{ campaign: SENDING }] });

export const CampaignCancelled = z
  .object({
    id: z.uuid(),
    status: z.literal('cancelled'),
    cancelledJobs: Count.meta({ description: 'Recipients who never get it; 0 when it was cancelled before' }),
  })
  .meta({ examples: [{ id: SENDING.id, status: 'cancelled', cancelledJobs: 800 }] });
