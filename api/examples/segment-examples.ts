import { ADA, IDS, NOW } from './shown-records.ts';

const PRO = { field: 'attributes.plan', op: 'eq', value: 'pro' };
const FILTER = { status: 'subscribed', where: { all: [PRO, { field: 'attributes.seats', op: 'gte', value: 5 }] } };

const SEGMENT = {
  id: IDS.segment,
  label: 'Large customers',
  brand_id: null,
  filter: FILTER,
  version: 1,
  count: 1,
  created_at: NOW,
  updated_at: NOW,
};

export const list = [{ answer: { segments: [SEGMENT] } }] as const;

export const create = [{ body: { label: SEGMENT.label, filter: FILTER }, answer: { segment: SEGMENT } }] as const;

export const read = [{ params: { id: IDS.segment }, answer: { segment: SEGMENT } }] as const;

export const contacts = [
  { params: { id: IDS.segment }, query: { tag: 'vip', limit: 50 }, answer: { contacts: [{ ...ADA, suppressed: null }], nextCursor: null } },
] as const;

export const preview = [
  {
    body: { filter: { tags: ['vip'], where: PRO }, mailable: true },
    answer: { count: 1, mailable: 1, sample: [{ ...ADA, suppressed: null }] },
  },
] as const;

export const change = [
  {
    params: { id: IDS.segment },
    query: { ifVersion: 1 },
    body: { label: 'Customers', filter: { where: PRO } },
    answer: { segment: { ...SEGMENT, label: 'Customers', filter: { where: PRO }, version: 2, updated_at: '2026-06-02T09:30:00.000Z' } },
  },
] as const;

export const remove = [{ params: { id: IDS.segment }, answer: { id: IDS.segment, deleted: true } }] as const;

export const uses = [
  {
    params: { id: IDS.segment },
    answer: {
      sequences: [{ key: 'large-customers', name: 'Large customers', status: 'draft', isTrigger: true, isCondition: false }],
      sequenceCount: 1,
      campaigns: [{ id: IDS.campaign, name: 'Spring news', subject: '', template: '', status: 'draft', scheduled_at: null }],
      campaignCount: 1,
      recurringCampaigns: [],
      recurringCount: 0,
    },
  },
] as const;
