import { GOAL } from './campaign-examples.ts';
import { IDS, NOW } from './shown-records.ts';

const MAILED = { sent: 1194, delivered: 1180, opened: 512, clicked: 0 };
const LEFT = { unsubscribed: 3, bounced: 9, complained: 0 };

export const results = [
  {
    params: { id: IDS.campaign },
    query: { bucket: 'day' },
    answer: {
      asOf: NOW,
      funnel: { matched: 1250, left_out: 54, ...MAILED, converted: 41, ...LEFT },
      overTime: { bucket: 'day', counts: [{ from: '2026-06-01T00:00:00.000Z', opened: 512, clicked: 0 }] },
      links: [],
      otherLinks: { links: 0, clicks: 0 },
      byVariant: null,
      test: null,
      byReceivers: [{ domain: 'example.com', sent: 1102, delivered: 1094, opened: 480, clicked: 0, bounced: 4 }],
      byLanguages: [],
      otherReceivers: { receivers: 12, sent: 92, delivered: 86, opened: 32, clicked: 0, bounced: 5 },
      conversions: {
        goal: GOAL,
        ...{ as_of: NOW, complete: true, people: 41, events: 46, sum: 3188.5, not_summed: 0 },
      },
    },
  },
] as const;
