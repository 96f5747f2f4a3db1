import { NOBODY_LEFT_OUT } from '../../domain/campaigns/left-out.ts';
import { DRAFT } from './campaign-examples.ts';
import { IDS, NOW } from './shown-records.ts';

const WRITTEN = {
  version: 2,
  changed_at: NOW,
  changed_by: { id: IDS.key, name: null },
  ...{ subject: null, type: null, brand: null },
  ...{ needs_approval: false, approved_at: null, approved_by: null },
};

export const change = [
  {
    params: { id: IDS.campaign },
    query: { ifVersion: 1 },
    body: { template: 'newsletter', data: { title: 'Spring' } },
    answer: { campaign: { ...DRAFT, left_out: NOBODY_LEFT_OUT, data: { title: 'Spring' } }, draft: WRITTEN },
  },
] as const;

export const audience = [{ params: { id: IDS.campaign }, answer: { audienceSize: 1250, enrolled: 1200 } }] as const;

export const launch = [
  {
    params: { id: IDS.campaign },
    query: { ifVersion: 2 },
    body: { scheduleAt: '2026-06-02T08:00:00.000Z' },
    answer: { campaignId: IDS.campaign, audienceSize: 1250, enrolled: 1200, scheduledFor: '2026-06-02T08:00:00.000Z', status: 'scheduled' },
  },
] as const;

export const approve = [
  {
    params: { id: IDS.campaign },
    query: { ifVersion: 2 },
    answer: {
      campaign: { ...DRAFT, left_out: NOBODY_LEFT_OUT, data: { title: 'Spring' } },
      draft: { ...WRITTEN, needs_approval: true, approved_at: NOW, approved_by: { id: IDS.otherKey, name: null } },
    },
  },
] as const;

export const remove = [{ params: { id: IDS.campaign }, answer: { id: IDS.campaign, deleted: true } }] as const;
