import * as z from 'zod';
import { minutes } from '../schema-parts.ts';
import { defineKind, pass } from './kind.ts';

const WaitDelayConfig = z.strictObject({ minutes }).meta({ id: 'WaitDelayConfig', description: 'How long' });

export const waitDelay = defineKind({
  name: 'wait_delay',
  summary: 'Waits for so long',
  config: WaitDelayConfig,
  edges: { into: true, out: 'plain' },
  outcomes: () => ['waited'],
  arrive(config, { now }) {
    const until = new Date(now.getTime() + config.minutes * 60_000);
    return until.getTime() > now.getTime() ? { does: 'stand', until } : pass('waited', 'passed at once');
  },
  leastMinutes: ({ minutes }) => minutes,
  task: () => ({ does: 'wait', waitingFor: 'delay', endedBy: null, timeoutOutcome: 'waited' }),
});
