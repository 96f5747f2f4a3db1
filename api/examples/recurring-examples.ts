import { recurringScheduleId } from '../../workflows/contracts.ts';
import { IDS, NOW } from './shown-records.ts';

const RULE = { every: 'week', interval: 1, on: [2], at: '09:00', timezone: 'Europe/Berlin', from: null, until: null, count: null };

const IN_WORDS = 'every week on Tuesday at 09:00, Europe/Berlin';

const NEXT = [
  '2026-06-02T07:00:00.000Z',
  '2026-06-09T07:00:00.000Z',
  '2026-06-16T07:00:00.000Z',
  '2026-06-23T07:00:00.000Z',
  '2026-06-30T07:00:00.000Z',
];

const RECORD = {
  id: IDS.recurring,
  ...{
    name: 'Weekly news',
    status: 'active',
    recurrence: RULE,
    in_words: IN_WORDS,
    next_runs: NEXT,
    last_run: null as object | null,
    campaigns: 0,
  },
  ...{ template: 'newsletter', subject: null, type: null, brand: null, audience: { mode: 'tag', tag: 'newsletter' } },
  ...{
    variants: null,
    test: null,
    rate_per_second: null,
    send_window: null,
    topic: null,
    goal: null,
    ends_after_minutes: 720,
    sandboxed: false,
  },
  ...{ version: 1, created_at: NOW, changed_at: NOW, needs_approval: false, approved_at: null as string | null },
  ...{ ended_at: null as string | null, end_reason: null as string | null, schedule_id: recurringScheduleId(IDS.recurring) },
};

const WHOLE = {
  ...RECORD,
  data: { title: 'News of the week' },
  changed_by: { id: IDS.key, name: null },
  approved_by: null as object | null,
};
const CHANGED = { ...WHOLE, version: 2 };

const params = { id: IDS.recurring };

export const create = [
  {
    body: {
      recurrence: { every: 'week', on: [2], at: '09:00', timezone: 'Europe/Berlin' },
      ...{ name: 'Weekly news', template: 'newsletter', audience: { mode: 'tag', tag: 'newsletter' } },
      ...{ data: { title: 'News of the week' }, endsAfterMinutes: 720 },
    },
    answer: { recurringCampaign: WHOLE },
  },
] as const;

export const list = [
  {
    query: { status: 'active', limit: 50 },
    answer: { recurringCampaigns: [RECORD], nextCursor: null },
  },
] as const;

export const read = [{ params, answer: { recurringCampaign: WHOLE } }] as const;

export const change = [
  {
    params,
    query: { ifVersion: 1 },
    body: { recurrence: { every: 'month', on: [-1], at: '09:00', timezone: 'Europe/Berlin', count: 2 } },
    answer: {
      recurringCampaign: {
        ...CHANGED,
        recurrence: { ...RULE, every: 'month', on: [-1], count: 2 },
        in_words: 'every month on its last day at 09:00, Europe/Berlin, 2 campaigns at most',
        next_runs: ['2026-06-30T07:00:00.000Z', '2026-07-31T07:00:00.000Z'],
      },
    },
  },
] as const;

export const end = [
  {
    params,
    query: { ifVersion: 1 },
    answer: { recurringCampaign: { ...WHOLE, status: 'ended', next_runs: [], ended_at: NOW, end_reason: 'deleted' } },
  },
] as const;

export const runs = [
  {
    params,
    query: { limit: 50 },
    answer: { runs: [{ due_at: NEXT[0], outcome: 'skipped', reason: null, campaign_id: null, at: NOW }], nextCursor: null },
  },
] as const;

export const pause = [{ params, answer: { recurringCampaign: { ...WHOLE, status: 'paused' } } }] as const;

export const resume = [{ params, answer: { recurringCampaign: WHOLE } }] as const;

export const skip = [
  {
    params,
    query: { ifVersion: 1 },
    answer: { recurringCampaign: { ...CHANGED, next_runs: [...NEXT.slice(1), '2026-07-07T07:00:00.000Z'] } },
  },
] as const;

export const approve = [
  {
    params,
    query: { ifVersion: 1 },
    answer: { recurringCampaign: { ...WHOLE, approved_at: NOW, approved_by: { id: IDS.otherKey, name: null } } },
  },
] as const;

export const preview = [
  {
    body: { recurrence: { every: 'week', on: [2], at: '09:00', timezone: 'Europe/Berlin' } },
    answer: { in_words: IN_WORDS, next_runs: NEXT },
  },
] as const;
