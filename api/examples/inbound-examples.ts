import { INBOUND_ID, NOW, PROVIDER_ID } from './shown-records.ts';

export const inbound = [
  {
    title: 'generic: a bounce',
    params: { provider: 'generic', inboundId: INBOUND_ID },
    body: { type: 'bounced', providerId: PROVIDER_ID, timestamp: NOW, bounce: { kind: 'hard', code: '5.1.1' } },
    answer: { received: 1, matched: 1 },
  },
] as const;
