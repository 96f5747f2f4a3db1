import { IDS, NOW } from './shown-records.ts';

const KEY = 'onboarding';

const ACTION = {
  id: IDS.action,
  sequence_key: KEY,
  action: 'cancel',
  filter: { nodeId: 'three_days' },
  to: null,
  migrate: null,
  version: null,
  status: 'running',
  total: 0,
  done: 0,
  skipped: 0,
  created_at: NOW,
  ended_at: null,
  workflow_id: `enrollment-action/${IDS.action}`,
};
const COMPLETED = { ...ACTION, status: 'completed', ended_at: NOW };
const CANCEL = { action: 'cancel', filter: { nodeId: 'three_days' } };

export const begin = [
  {
    title: 'How many would be moved',
    params: { key: KEY },
    query: { dryRun: '1' },
    body: { action: 'move', filter: { nodeId: 'three_days' }, to: 'reminder' },
    answer: { dryRun: true, count: 0 },
  },
  { title: 'All that stand at a step end', params: { key: KEY }, body: CANCEL, status: 202, answer: { action: ACTION } },
] as const;

export const list = [{ params: { key: KEY }, answer: { actions: [COMPLETED], nextCursor: null } }] as const;

export const read = [{ params: { key: KEY, id: IDS.action }, answer: { action: COMPLETED } }] as const;

export const cancel = [
  { params: { key: KEY, id: IDS.action }, answer: { action: { ...ACTION, status: 'cancelled', ended_at: NOW } } },
] as const;
