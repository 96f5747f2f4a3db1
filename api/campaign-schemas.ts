import * as z from 'zod';
import { boundedArray } from '../domain/bounded-array.ts';
import { CAMPAIGN_REASONS, CAMPAIGN_STATUSES } from '../domain/campaigns/campaign.ts';
import { CAMPAIGN_LIMITS } from '../domain/campaigns/campaign-limits.ts';
import { byCountName, SHOWN_COUNTERS, type ShownCounter, VARIANT_COUNTERS } from '../domain/campaigns/counters.ts';
import { byReason, LEFT_OUT_REASONS } from '../domain/campaigns/left-out.ts';
import { SendWindowShown, WindowChoiceInput, WindowChoiceShown } from '../domain/send-window-schema.ts';
import { MAX_NAME_LENGTH } from '../domain/text-lengths.ts';
import { AudienceInput, AudienceShown } from './campaign-audience-schemas.ts';
import { CampaignDraft, CampaignDraftState } from './campaign-draft-schemas.ts';
import { GoalInput, GoalShown } from './campaign-goal-schemas.ts';
import { AbTestInput, AbTestShown } from './campaign-test-schemas.ts';
import { LocalScheduleInput, LocalScheduleShown } from './campaign-time-schemas.ts';
import {
  BrandSlug,
  CreatedAt,
  Id,
  MailData,
  NextCursor,
  SendTypeName,
  Subject,
  TemplateKey,
  Timestamp,
  TopicKey,
  Warnings,
} from './schemas.ts';

/** Mails a second. */
export const MAX_CAMPAIGN_RATE = 10_000;

export const FEWEST_VARIANTS = 2;
export const MAX_VARIANTS = 4;

const VARIANTS_RULE = `${FEWEST_VARIANTS} to ${MAX_VARIANTS} variants`;

export const CampaignStatusName = z.enum(CAMPAIGN_STATUSES).meta({
  id: 'CampaignStatus',
  description:
    '`scheduled` until its time comes, `queued` until its workflow begins, `sending`, then for good `sent` (every recipient is settled), ' +
    '`cancelled`, or `failed` (nothing could go: `reason` says why). `draft`: nobody has launched it',
});

const CampaignReasonName = z.enum(CAMPAIGN_REASONS).meta({
  id: 'CampaignReason',
  description: 'Why a campaign failed, ended early, or does not go on just now',
});

export const LeftOutReasonName = z.enum(LEFT_OUT_REASONS).meta({
  id: 'LeftOutReason',
  description:
    '`suppressed`, `unsubscribed` and `bounced`: they get no email of a campaign. `unconfirmed`: they have not confirmed their sign-up. `topic_off`: they do not want its topic. `erased`: the contact was deleted before their turn. `late`: the hour had passed in their time zone when it was launched. `ended`: the ' +
    'campaign was over before their turn, or nothing of it could go: its `reason`. `cancelled`: before their turn. `capped` is reserved',
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
  .meta({ id: 'CampaignVariantInput', description: 'One arm of a test' });

export const CampaignBody = z
  .object({
    template: TemplateKey,
    audience: AudienceInput,
    name: z
      .string()
      .max(MAX_NAME_LENGTH, { error: `at most ${MAX_NAME_LENGTH} characters` })
      .nullish()
      .meta({ description: 'For your own lists; no recipient sees it' }),
    subject: Subject.nullish().meta({ description: "Liquid; the template's own when omitted or empty" }),
    type: SendTypeName.nullish().meta({ description: "The template's own when omitted" }),
    data: MailData.nullish(),
    brand: BrandSlug.nullish().meta({
      description: "Whom it comes from; the project's default when omitted. Contacts of all brands get it",
    }),
    scheduleAt: Timestamp.nullish().meta({ description: 'Omitted: at once. Up to 60 s in the past counts as now' }),
    schedule: LocalScheduleInput.nullish().meta({
      description: 'Instead of `scheduleAt`: a time of the day that the clock of each recipient shows',
    }),
    endsAt: Timestamp.nullish().meta({
      description: 'Nothing is sent after this instant, which is after the start; the rest counts as skipped',
    }),
    ratePerSecond: z
      .int()
      .min(1, { error: 'at least 1' })
      .max(MAX_CAMPAIGN_RATE, { error: `at most ${MAX_CAMPAIGN_RATE}` })
      .nullish()
      .meta({ description: 'Emails a second at most; as fast as it goes when omitted' }),
    sendWindow: WindowChoiceInput.nullish().meta({
      description: "Hours in which it goes, in place of the project's window; `none`: at any time. The project's when omitted",
    }),
    topic: TopicKey.nullish(),
    variants: boundedArray(VariantInput, MAX_VARIANTS, { error: VARIANTS_RULE })
      .min(FEWEST_VARIANTS, { error: VARIANTS_RULE })
      .refine((variants) => new Set(variants.map(({ key }) => key)).size === variants.length, { error: 'keys must differ' })
      .nullish()
      .meta({ description: 'Arms of a test, whose keys differ. Each contact has its arm for good' }),
    test: AbTestInput.nullish().meta({ description: 'The variants are tried on a part; all get them by their weights when omitted' }),
    goal: GoalInput.nullish().meta({ description: 'Whose conversions GET /campaigns/:id/results counts; can be changed at any time' }),
  })
  .meta({
    id: 'CampaignInput',
    description: 'What goes to whom, and when',
  });

const { template, audience, data, ...others } = CampaignBody.shape;

/** What is said of a draft. */
const DRAFT_FIELDS = {
  ...others,
  template: template.nullish(),
  audience: audience.nullish().meta({ description: 'Whom it is for' }),
  data,
};

const COPY_OF =
  'A campaign of the project, whatever became of it: all that it was made with but its times. What else the body has goes before';

export const CampaignDraftBody = z
  .object({ ...DRAFT_FIELDS, copyOf: Id.nullish().meta({ description: COPY_OF }) })
  .meta({ id: 'CampaignDraftInput', description: 'What is known already of a campaign that is to be launched later' });

/** What POST /campaigns takes, by its query. */
export const NewCampaignBody = z
  .union([CampaignBody, CampaignDraftBody])
  .meta({ id: 'NewCampaignInput', description: 'With `draft=1` what is known already, else all that is needed to send it' });

export const CampaignChangeBody = z
  .object(DRAFT_FIELDS)
  .meta({ id: 'CampaignChange', description: 'What is omitted stays as it is; null takes out what was there' });

/** So many recipients. */
const Count = z.int().min(0);

const countsOf = <C extends ShownCounter>(counters: readonly C[]) => byCountName(counters, (_, description) => Count.meta({ description }));

/** An arm as it was given. */
const GIVEN_VARIANT = {
  key: z.string().meta({ description: 'As it was given' }),
  subject: z.string().nullable().meta({ description: "null: the campaign's" }),
  weight: z.number().meta({ description: 'Relative to the others' }),
};

export const ShownVariant = z.object(GIVEN_VARIANT).meta({ id: 'GivenVariant', description: 'One arm of a test' });

export const CampaignRecord = z
  .object({
    id: z.uuid().meta({ description: 'Stays the same for good' }),
    name: z.string().meta({ description: 'Empty when none was given' }),
    template: z.string().meta({ description: 'The key of the template' }),
    type: SendTypeName,
    subject: z.string().meta({ description: 'Liquid, as it was given or as the template has it' }),
    brand_id: z.string().meta({ description: "The brand's slug" }),
    status: CampaignStatusName,
    paused: z.boolean().meta({ description: 'Nothing goes until it is resumed' }),
    paused_reason: z
      .object({
        limit: z.enum(CAMPAIGN_LIMITS).meta({ description: 'Which of the limits of PATCH /project it is beyond' }),
        value: z.number().meta({ description: 'The share that was allowed, 0 to 1' }),
        count: Count.meta({ description: 'How many bounced, or were reported as spam' }),
        mails: Count.meta({ description: 'Of how many: since it was resumed, if it had paused by itself before' }),
      })
      .meta({ id: 'CampaignPausedReason', description: 'Why a campaign has paused by itself' })
      .nullable()
      .meta({ description: 'null: it is not paused, or somebody has paused it' }),
    reason: CampaignReasonName.nullable().meta({
      description:
        'Why it failed (unknown_segment, empty_audience, project_suspended, email_unverified or a code of the template), ended early (ends_at_reached, ' +
        'provider_unavailable, cancelled or terminated by an operator, failed: its workflow), or does not go on just now (provider_unavailable, ' +
        'allowance_used, receiver_pace, send_window, local_time)',
    }),
    allowance: z
      .object({
        of: z
          .enum(['domain', 'provider'])
          .meta({ description: 'domain: the sending domain is on a ramp; provider: the mail provider has a ramp or a daily limit' }),
        name: z.string().meta({ description: 'The domain, or the name of the provider' }),
        resumes_at: Timestamp.meta({ description: 'It goes on by itself then: the next 00:00 UTC' }),
      })
      .meta({ id: 'CampaignAllowance', description: 'Whose allowance of the day a campaign has used' })
      .nullable()
      .meta({ description: 'null: it does not wait for the next day' }),
    scheduled_at: Timestamp.nullable().meta({ description: 'null: at once' }),
    schedule: LocalScheduleShown.nullable().meta({
      description: 'Each recipient gets it then by their own clock, and `scheduled_at` is when it is that time anywhere; null: all at once',
    }),
    ends_at: Timestamp.nullable().meta({ description: 'Nothing is sent after it; null: no such instant' }),
    rate_per_second: z.int().min(1).nullable().meta({ description: 'null: as fast as it goes' }),
    send_window: WindowChoiceShown.nullable().meta({ description: "As it was given: `none`: it waits for no window; null: the project's" }),
    window_in_force: SendWindowShown.nullable().meta({
      description: 'What it goes by since its recipients were found; null: by no window, or they were not found yet',
    }),
    topic: z.string().nullable().meta({ description: 'The key of the topic that it is of; null: of none' }),
    variants: z
      .array(
        z
          .object({
            ...GIVEN_VARIANT,
            recipients: Count.meta({ description: 'Who was queued in this arm; 0 until the audience is resolved' }),
            ...countsOf(VARIANT_COUNTERS),
          })
          .meta({ id: 'CampaignVariant', description: 'One arm of a test with its counts' }),
      )
      .nullable()
      .meta({ description: 'null: no test' }),
    audience: AudienceShown,
    audience_size: Count.meta({ description: 'Who matched, those who may get no email among them' }),
    total_recipients: Count.meta({
      description: 'Who was queued: sent + failed + skipped + cancelled when it has ended. Counted anew when a scheduled one runs',
    }),
    ...countsOf(SHOWN_COUNTERS),
    created_at: CreatedAt,
    sent_at: Timestamp.nullable().meta({ description: 'When the last of them was settled; null unless it is `sent`' }),
    cancelled_at: Timestamp.nullable().meta({
      description: 'When it was cancelled; null unless it is `cancelled`, and of those cancelled before Everpost kept it',
    }),
    sandboxed: z.boolean().meta({ description: 'A test key asked for it: none of its emails leaves' }),
    test: AbTestShown.nullable().meta({ description: 'null: its variants, if it has any, go to all' }),
    goal: GoalShown.nullable().meta({ description: 'null: it has none' }),
    recurring_id: z.uuid().nullable().meta({ description: 'The recurring campaign that made it; null: none did' }),
  })
  .meta({ description: 'One email to many contacts, with its counts' });

export const CampaignCreated = z.object({
  campaignId: z.uuid().meta({ description: 'Its id from now on' }),
  audienceSize: Count.meta({ description: 'Who matches' }),
  enrolled: Count.meta({ description: 'Who of them gets email: not those who have unsubscribed, bounced or are suppressed' }),
  scheduledFor: Timestamp.nullable().meta({ description: 'null: at once' }),
  status: CampaignStatusName,
  version: z.int().optional().meta({ description: 'Of a draft, for `ifVersion`; absent of what is sent' }),
  warnings: Warnings,
});

const ListedCampaign = CampaignRecord.extend({
  draft: CampaignDraftState.optional().meta({ description: 'Of a draft and of a scheduled campaign; absent once it has begun' }),
}).meta({ id: 'Campaign', description: 'One email to many contacts, with its counts' });

export const CampaignList = z.object({
  campaigns: z.array(ListedCampaign).meta({ description: 'This page' }),
  nextCursor: NextCursor,
});

/** What is counted of one campaign alone, since it is too much for a list of them. */
const LEFT_OUT = {
  left_out: z.object(byReason((reason) => Count.meta({ description: `For the reason ${reason}` }))).meta({
    id: 'LeftOutCounts',
    description: 'Whom it was for and who does not get it, by reason: audience_size - total_recipients + skipped + cancelled',
  }),
};

export const OneCampaign = z.object({
  campaign: CampaignRecord.extend(LEFT_OUT).meta({
    id: 'CountedCampaign',
    description: 'One email to many contacts, with all of its counts',
  }),
});

const WithData = CampaignRecord.extend({
  ...LEFT_OUT,
  data: MailData.meta({ description: 'What it was made with; {} when none was given' }),
}).meta({ id: 'CampaignWithData', description: 'One email to many contacts, with its counts and its data' });

export const CampaignWithData = z.object({
  campaign: WithData,
  draft: CampaignDraft.optional().meta({ description: 'Of a draft and of a scheduled campaign; absent once it has begun' }),
});

export const CampaignCancelled = z.object({
  id: z.uuid().meta({ description: 'Of the campaign' }),
  status: z.literal('cancelled').meta({ description: 'For good' }),
  cancelledJobs: Count.meta({ description: 'Recipients who never get it; 0 when it was cancelled before' }),
});
