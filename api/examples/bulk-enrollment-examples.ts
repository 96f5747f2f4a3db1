import { IDS, NOW } from './shown-records.ts';

const KEY = 'onboarding';

const BULK = {
  id: IDS.event,
  sequence_key: KEY,
  segment: 'Large customers',
  status: 'running',
  total: 0,
  enrolled: 0,
  skipped: 0,
  reasons: {},
  created_at: NOW,
  ended_at: null,
  workflow_id: `bulk-enrollment/${IDS.event}`,
};
const COMPLETED = { ...BULK, status: 'completed', ended_at: NOW };

export const begin = [
  { title: 'Into an active sequence', params: { key: KEY }, body: { segmentId: IDS.segment }, answer: { bulk: BULK } },
  { title: 'Into a paused one, where it waits', params: { key: KEY }, body: { segmentId: IDS.segment }, answer: { bulk: BULK } },
] as const;

export const list = [{ params: { key: KEY }, answer: { bulks: [COMPLETED], nextCursor: null } }] as const;

export const read = [{ params: { key: KEY, id: IDS.event }, answer: { bulk: COMPLETED } }] as const;

export const cancel = [{ params: { key: KEY, id: IDS.event }, answer: { bulk: { ...BULK, status: 'cancelled', ended_at: NOW } } }] as const;
