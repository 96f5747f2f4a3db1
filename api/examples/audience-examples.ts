import { ADA, EMAILS, IDS, NOW } from './shown-records.ts';

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

export const listSegments = [{ answer: { segments: [SEGMENT] } }] as const;

export const createSegment = [{ body: { label: SEGMENT.label, filter: FILTER }, answer: { segment: SEGMENT } }] as const;

export const readSegment = [{ params: { id: IDS.segment }, answer: { segment: SEGMENT } }] as const;

export const segmentContacts = [
  { params: { id: IDS.segment }, query: { tag: 'vip', limit: 50 }, answer: { contacts: [ADA], nextCursor: null } },
] as const;

export const previewSegment = [{ body: { filter: { tags: ['vip'], where: PRO } }, answer: { count: 1, sample: [ADA] } }] as const;

export const changeSegment = [
  {
    params: { id: IDS.segment },
    query: { ifVersion: 1 },
    body: { label: 'Customers', filter: { where: PRO } },
    answer: { segment: { ...SEGMENT, label: 'Customers', filter: { where: PRO }, version: 2, updated_at: '2026-06-02T09:30:00.000Z' } },
  },
] as const;

export const removeSegment = [{ params: { id: IDS.segment }, answer: { id: IDS.segment, deleted: true } }] as const;

const SUPPRESSED = { email: EMAILS.grace, reason: 'manual' };

const LISTED = [{ ...SUPPRESSED, created_at: NOW }];

export const listSuppressions = [
  { title: 'All of them', answer: { suppressions: LISTED } },
  { title: 'A page of a reason', query: { reason: 'manual', limit: 50 }, answer: { suppressions: LISTED, nextCursor: null } },
] as const;

export const suppress = [{ body: SUPPRESSED, answer: SUPPRESSED }] as const;

export const unsuppress = [{ params: { email: EMAILS.grace }, answer: { email: EMAILS.grace, deleted: true } }] as const;
