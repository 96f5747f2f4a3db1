import * as z from 'zod';
import { boundedArray } from '../domain/bounded-array.ts';
import { LAST_DAY, MAX_INTERVAL, RECURRENCE_PERIODS } from '../domain/campaigns/recurrence.ts';
import {
  MAX_ENDS_AFTER_MINUTES,
  RECURRING_END_REASONS,
  RECURRING_STATUSES,
  RUN_OUTCOMES,
  RUN_REASONS,
  SHOWN_RUNS,
} from '../domain/campaigns/recurring.ts';
import { WindowChoiceShown } from '../domain/send-window-schema.ts';
import { TimeOfDay, TimeZone } from '../domain/sequences/schema-parts.ts';
import { AudienceShown } from './campaign-audience-schemas.ts';
import { NamedKey } from './campaign-draft-schemas.ts';
import { GoalShown } from './campaign-goal-schemas.ts';
import { CampaignBody, ShownVariant } from './campaign-schemas.ts';
import { AbTestKept } from './campaign-test-schemas.ts';
import { CreatedAt, Id, MailData, NextCursor, SendTypeName, Timestamp, Warnings } from './schemas.ts';

const PERIOD = z.enum(RECURRENCE_PERIODS).meta({ description: 'What it repeats by' });
const AT = TimeOfDay.meta({ description: "By the zone's clocks, like 09:00" });
const DAYS_RULE = 'weekdays are 1 (Monday) to 7 (Sunday), days of a month 1 to 31 and -1 for the last';
const DAYS = 'Weekdays, 1 is Monday and 7 is Sunday; of `month` days, 1 to 31 and -1 for its last';
const INTERVAL_RULE = `1 to ${MAX_INTERVAL}`;
/** Of a month, and its last day once more. */
const MOST_DAYS = 32;

/** More campaigns than that come in no lifetime. */
export const MAX_COUNT = 10_000;
const COUNT_RULE = `1 to ${MAX_COUNT}`;

const MINUTES_RULE = `1 to ${MAX_ENDS_AFTER_MINUTES}`;
const ENDS_AFTER = 'Nothing of a campaign is sent so many minutes after the instant that it is for; null: until all of it is sent';

const RecurrenceInput = z
  .strictObject({
    every: PERIOD,
    interval: z
      .int({ error: INTERVAL_RULE })
      .min(1, { error: INTERVAL_RULE })
      .max(MAX_INTERVAL, { error: INTERVAL_RULE })
      .nullish()
      .meta({ description: 'Every so many days, weeks or months, counted from the one with `from`; 1 when omitted' }),
    on: boundedArray(z.int({ error: DAYS_RULE }).min(LAST_DAY, { error: DAYS_RULE }).max(31, { error: DAYS_RULE }), MOST_DAYS, {
      error: DAYS_RULE,
    })
      .nullish()
      .meta({ description: `${DAYS}; the day of \`from\` when omitted. Not of \`day\`. A month that has no such day has no run on it` }),
    at: AT,
    timezone: TimeZone,
    from: Timestamp.nullish().meta({ description: 'Nothing runs before it; when it is made when omitted' }),
    until: Timestamp.nullish().meta({ description: 'Nothing runs after it' }),
    count: z
      .int({ error: COUNT_RULE })
      .min(1, { error: COUNT_RULE })
      .max(MAX_COUNT, { error: COUNT_RULE })
      .nullish()
      .meta({ description: 'It ends after so many campaigns. What was skipped or missed, or could not be made, is none' }),
  })
  .superRefine(({ every, on, from, until }, context) => {
    const wrong = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
    if (every === 'day' && on?.length) wrong('on', 'a rule of days has none; for some weekdays it is every week');
    if (every === 'week' && on?.some((day) => day < 1 || day > 7)) wrong('on', DAYS_RULE);
    if (every === 'month' && on?.includes(0)) wrong('on', DAYS_RULE);
    if (every !== 'day' && on?.length === 0) wrong('on', 'one day at least, or leave it out for the day of from');
    if (from && until && until < from) wrong('until', 'is before from');
  })
  .meta({
    id: 'RecurrenceInput',
    description:
      'When it runs. A local time that clocks jump over is the first instant after the gap; one that comes twice is the first of the two, once',
    examples: [{ every: 'week', on: [2], at: '09:00', timezone: 'Europe/Berlin' }],
  });
export type RecurrenceInput = z.output<typeof RecurrenceInput>;

const { scheduleAt: _, endsAt: __, schedule: ___, ...CAMPAIGN_FIELDS } = CampaignBody.shape;

const endsAfterMinutes = z
  .int({ error: MINUTES_RULE })
  .min(1, { error: MINUTES_RULE })
  .max(MAX_ENDS_AFTER_MINUTES, { error: MINUTES_RULE })
  .nullish()
  .meta({ description: ENDS_AFTER });

export const RecurringBody = z
  .object({ recurrence: RecurrenceInput, ...CAMPAIGN_FIELDS, endsAfterMinutes })
  .meta({ id: 'RecurringCampaignInput', description: 'What goes to whom, and when again and again' });

export const RecurringChangeBody = z
  .object({
    ...RecurringBody.shape,
    recurrence: RecurrenceInput.nullish().meta({ description: 'When it runs, as a whole' }),
    template: CAMPAIGN_FIELDS.template.nullish(),
    audience: CAMPAIGN_FIELDS.audience.nullish().meta({ description: 'Whom it is for' }),
  })
  .meta({ id: 'RecurringCampaignChange', description: 'What is omitted stays as it is; null takes out what was there' });

export const RecurrencePreviewBody = z
  .object({
    recurrence: RecurrenceInput,
    recurringId: Id.nullish().meta({
      description: 'Of the recurring campaign that is to be changed: `interval` counts from when that was made',
    }),
  })
  .meta({ id: 'RecurrencePreviewInput', description: 'A rule that is looked at' });

export const RecurringStatusName = z.enum(RECURRING_STATUSES).meta({
  id: 'RecurringCampaignStatus',
  description: '`active`, `paused` until it is resumed, or `ended` for good',
});

const Outcome = z.enum(RUN_OUTCOMES).meta({
  id: 'RecurringRunOutcome',
  description:
    '`created`: its campaign was made. `not_created`: it could not be, `reason` says why. `missed`: it was not made in time. `skipped`: by POST /recurring-campaigns/:id/skip-next',
});

export const RunRecord = z
  .object({
    due_at: Timestamp.meta({ description: 'The instant of the rule' }),
    outcome: Outcome,
    reason: z
      .enum(RUN_REASONS)
      .nullable()
      .meta({
        description:
          'Of `not_created`: empty_audience, unknown_segment, unknown_topic, project_suspended, email_unverified, approval_required or a code of the template. Of `missed`: ' +
          'later_run_due (a later one was due as well when it could be made), ends_at_reached (its campaign would have been over), or changed, paused or deleted before it was made',
      }),
    campaign_id: z.uuid().nullable().meta({ description: 'The campaign that was made; null: none was' }),
  })
  .meta({ id: 'RecurringRun', description: 'What became of one instant' });

export const RunList = z.object({
  runs: z.array(RunRecord.extend({ at: Timestamp.meta({ description: 'When that was settled' }) })).meta({ description: 'This page' }),
  nextCursor: NextCursor,
});

const Recurrence = z
  .object({
    every: PERIOD,
    interval: z.int().meta({ description: 'Every so many days, weeks or months' }),
    on: z.array(z.int()).meta({ description: `${DAYS}; empty of \`day\`` }),
    at: AT,
    timezone: z.string().meta({ description: 'IANA name' }),
    from: Timestamp.nullable().meta({ description: 'null: from when it was made' }),
    until: Timestamp.nullable().meta({ description: 'null: for good' }),
    count: z.int().nullable().meta({ description: 'null: however many' }),
  })
  .meta({ id: 'Recurrence', description: 'When a recurring campaign runs' });

export const RecurrencePreview = z.object({
  in_words: z.string().meta({ description: 'The rule in words' }),
  next_runs: z.array(Timestamp).meta({ description: `The next ${SHOWN_RUNS} at most; none: it would be refused` }),
});

export const RecurringRecord = z
  .object({
    id: z.uuid().meta({ description: 'Stays the same for good' }),
    name: z.string().meta({ description: 'Empty when none was given. Its campaigns are called by it, or by the template, and their day' }),
    status: RecurringStatusName,
    recurrence: Recurrence,
    in_words: z.string().meta({ description: 'The rule in words' }),
    next_runs: z.array(Timestamp).meta({
      description: `The next ${SHOWN_RUNS} at most, without those that are skipped; of one that is paused, as if it was resumed now`,
    }),
    last_run: RunRecord.nullable().meta({ description: 'The latest instant that has come and has an outcome; null: none has' }),
    campaigns: z.int().meta({ description: 'How many were made' }),
    template: z.string().meta({ description: 'The key of the template' }),
    subject: z.string().nullable().meta({ description: "As it was given; null: the template's own" }),
    type: SendTypeName.nullable().meta({ description: "As it was given; null: the template's own" }),
    brand: z.string().nullable().meta({ description: "As it was given; null: the project's default" }),
    audience: AudienceShown,
    variants: z.array(ShownVariant).nullable().meta({ description: 'null: no test' }),
    test: AbTestKept.nullable().meta({ description: 'How each of its campaigns tries them; null: they go to all' }),
    rate_per_second: z.int().nullable().meta({ description: 'null: as fast as it goes' }),
    send_window: WindowChoiceShown.nullable().meta({ description: "`none`: its campaigns wait for no window; null: for the project's" }),
    topic: z.string().nullable().meta({ description: 'The key of its topic; null: of none' }),
    goal: GoalShown.nullable().meta({ description: 'null: it has none' }),
    ends_after_minutes: z.int().nullable().meta({ description: ENDS_AFTER }),
    sandboxed: z.boolean().meta({ description: 'A test key asked for it: no email of its campaigns leaves' }),
    version: z.int().meta({ description: 'Goes up with each change; for `ifVersion`' }),
    created_at: CreatedAt,
    changed_at: Timestamp.meta({ description: 'When it was changed last' }),
    needs_approval: z.boolean().meta({
      description:
        'The project has campaigns approved: no campaign is made before another key than that of the last change has approved it',
    }),
    approved_at: Timestamp.nullable().meta({ description: 'When it was approved as it is; null: it was not' }),
    ended_at: Timestamp.nullable().meta({ description: 'null: it has not ended' }),
    end_reason: z.enum(RECURRING_END_REASONS).nullable().meta({ description: '`deleted`: by DELETE; `until` and `count`: of its rule' }),
    schedule_id: z.string().meta({ description: 'The id of its Schedule in Temporal' }),
  })
  .meta({ id: 'RecurringCampaign', description: 'A campaign that is made again and again, each time for its audience of that day' });

export const RecurringList = z.object({
  recurringCampaigns: z.array(RecurringRecord).meta({ description: 'This page' }),
  nextCursor: NextCursor,
});

const Whole = RecurringRecord.extend({
  data: MailData.meta({ description: 'What its campaigns are made with; {} when none was given' }),
  changed_by: NamedKey.nullable().meta({ description: 'Whose change was the last' }),
  approved_by: NamedKey.nullable().meta({ description: 'Who approved it' }),
}).meta({ id: 'RecurringCampaignWithData', description: 'A recurring campaign with its data' });

export const OneRecurring = z.object({ recurringCampaign: Whole });

export const CheckedRecurring = OneRecurring.extend({ warnings: Warnings });
