import { byCountName, SHOWN_COUNTERS, VARIANT_COUNTERS } from '../../domain/campaigns/counters.ts';
import { NOBODY_LEFT_OUT } from '../../domain/campaigns/left-out.ts';
import { BRAND, EMAILS, IDS, NOW } from './shown-records.ts';

export const GOAL = { event: 'order_paid', withinHours: 72, sum: 'total' };

const RECORD = {
  id: IDS.campaign,
  name: 'Spring news',
  template: 'newsletter',
  type: 'marketing',
  subject: 'News for {{ contact.first_name | default: "you" }}',
  brand_id: BRAND,
  audience_size: 1250,
  ...byCountName(SHOWN_COUNTERS, () => 0),
  created_at: NOW,
  sandboxed: false,
  goal: null,
  recurring_id: null,
  schedule: null,
  test: null,
};

const UNCOUNTED = byCountName(VARIANT_COUNTERS, () => 0);

const SCHEDULED = {
  ...RECORD,
  audience: { mode: 'entire' },
  status: 'scheduled',
  ...{ paused: false, paused_reason: null, reason: null, allowance: null },
  scheduled_at: '2026-06-02T08:00:00.000Z',
  ends_at: '2026-06-02T20:00:00.000Z',
  rate_per_second: 200,
  send_window: null,
  window_in_force: null,
  topic: null,
  variants: [
    { key: 'plain', subject: null, weight: 1, recipients: 0, ...UNCOUNTED },
    { key: 'short', subject: 'News', weight: 3, recipients: 0, ...UNCOUNTED },
  ],
  total_recipients: 1200,
  ...{ sent_at: null, cancelled_at: null },
};

const SENT = {
  ...RECORD,
  audience: { mode: 'tag', tag: 'vip' },
  subject: '{{ title }}',
  status: 'sent',
  ...{ paused: false, paused_reason: null, reason: null, allowance: null },
  scheduled_at: null,
  ends_at: null,
  rate_per_second: null,
  send_window: null,
  window_in_force: null,
  topic: null,
  variants: null,
  total_recipients: 1200,
  ...{ sent_count: 1194, delivered_count: 1180, opened_count: 512, clicked_count: 97, bounced_count: 9, unsubscribed_count: 3 },
  ...{ failed_count: 2, skipped_count: 4, sent_at: '2026-06-01T12:00:07.412Z', cancelled_at: null, goal: GOAL },
};

const LEFT_OUT = { ...NOBODY_LEFT_OUT, suppressed: 31, unsubscribed: 23 };

export const DRAFT = {
  ...SENT,
  ...{ status: 'draft', subject: '', brand_id: '', audience_size: 0, total_recipients: 0, sent_at: null, goal: null },
  ...byCountName(SHOWN_COUNTERS, () => 0),
};

const TEST = { share: 10, decideBy: 'clicks', afterHours: 4, default: 'plain' };

const COUNTED = { campaignId: IDS.campaign, audienceSize: 1250, enrolled: 1200 };

export const create = [
  {
    title: 'To a tag, now',
    body: { template: 'newsletter', name: 'Spring news', audience: { mode: 'tag', tag: 'vip' }, data: { title: 'Spring' }, goal: GOAL },
    answer: { ...COUNTED, scheduledFor: null, status: 'queued' },
  },
  {
    title: 'To the people of a list, now',
    body: { template: 'newsletter', audience: { mode: 'people', emails: [EMAILS.ada, EMAILS.grace] }, data: { title: 'Spring' } },
    answer: { campaignId: IDS.campaign, audienceSize: 2, enrolled: 2, scheduledFor: null, status: 'queued' },
  },
  {
    title: 'To everybody tomorrow, with two subjects',
    body: {
      template: 'newsletter',
      name: 'Spring news',
      audience: { mode: 'entire' },
      subject: RECORD.subject,
      data: { title: 'Spring' },
      scheduleAt: '2026-06-02T08:00:00.000Z',
      endsAt: '2026-06-02T20:00:00.000Z',
      ratePerSecond: 200,
      variants: [{ key: 'plain' }, { key: 'short', subject: 'News', weight: 3 }],
    },
    answer: { ...COUNTED, scheduledFor: '2026-06-02T08:00:00.000Z', status: 'scheduled' },
  },
  {
    title: 'Two subjects, of which the one with more clicks goes to the rest',
    body: {
      template: 'newsletter',
      audience: { mode: 'entire' },
      data: { title: 'Spring' },
      scheduleAt: '2026-06-02T08:00:00.000Z',
      endsAt: '2026-06-02T20:00:00.000Z',
      ratePerSecond: 200,
      variants: [{ key: 'plain' }, { key: 'short', subject: 'News' }],
      test: TEST,
    },
    answer: { ...COUNTED, scheduledFor: '2026-06-02T08:00:00.000Z', status: 'scheduled' },
  },
  {
    title: 'Kept as a draft, with what is known already',
    query: { draft: '1' },
    body: { name: 'Spring news', audience: { mode: 'tag', tag: 'vip' } },
    answer: { campaignId: IDS.campaign, audienceSize: 0, enrolled: 0, scheduledFor: null, status: 'draft', version: 1 },
  },
] as const;

export const list = [{ query: { status: 'sent', limit: 50 }, answer: { campaigns: [SENT], nextCursor: null } }] as const;

export const read = [
  { params: { id: IDS.campaign }, answer: { campaign: { ...SENT, left_out: LEFT_OUT, data: { title: 'Spring' } } } },
] as const;

export const progress = [{ params: { id: IDS.campaign }, answer: { campaign: { ...SENT, left_out: LEFT_OUT } } }] as const;

export const people = [
  {
    title: 'Whom it was given',
    params: { id: IDS.campaign },
    answer: { emails: [EMAILS.ada, EMAILS.grace], people: [], nextCursor: null },
  },
  {
    title: 'Who was left out since they have unsubscribed',
    params: { id: IDS.campaign },
    query: { outcome: 'left_out', reason: 'unsubscribed' },
    answer: {
      emails: [],
      people: [{ contact_id: IDS.ada, email: EMAILS.ada, reason: 'unsubscribed', at: NOW }],
      nextCursor: null,
    },
  },
] as const;

export const cancel = [{ params: { id: IDS.campaign }, answer: { id: IDS.campaign, status: 'cancelled', cancelledJobs: 1200 } }] as const;

export const pause = [
  { params: { id: IDS.campaign }, answer: { campaign: { ...SCHEDULED, paused: true, left_out: NOBODY_LEFT_OUT } } },
] as const;

export const resume = [{ params: { id: IDS.campaign }, answer: { campaign: { ...SCHEDULED, left_out: NOBODY_LEFT_OUT } } }] as const;

const TRIED = [
  { key: 'plain', mails: 0, hits: 0 },
  { key: 'short', mails: 0, hits: 0 },
];

export const winner = [
  {
    params: { id: IDS.campaign },
    body: { variant: 'short' },
    answer: {
      campaign: {
        ...SCHEDULED,
        variants: SCHEDULED.variants.map((variant) => ({ ...variant, weight: 1 })),
        test: { ...TEST, decides_at: null, decision: { winner: 'short', reason: 'by_hand', at: NOW, variants: TRIED } },
        left_out: NOBODY_LEFT_OUT,
      },
    },
  },
] as const;

export const failures = [
  {
    params: { id: IDS.campaign },
    answer: { failures: [{ reason: 'render_failed', count: 2 }] },
  },
] as const;

export const retry = [
  {
    params: { id: IDS.campaign },
    body: { outcomes: ['outcome_unknown', 'render_failed'] },
    answer: { id: IDS.campaign, status: 'sending', retried: 2, mayArriveTwice: 1 },
  },
] as const;
