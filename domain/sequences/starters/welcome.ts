import { FIRST_STEPS } from './first-steps.ts';
import { DAY_MINUTES, NEXT_MORNING, type Starter } from './starter.ts';

export const WELCOME: Starter = {
  key: 'welcome',
  name: 'Welcome',
  description: "Sends a welcome email right after sign-up, and the first steps two days later, in the morning of the contact's time zone.",
  templates: [FIRST_STEPS],
  example: { attributes: {}, event: { type: 'signed_up', payload: {} }, assume: {} },
  graph: {
    reentry: 'once_ever',
    triggers: [{ kind: 'event', config: { type: 'signed_up' } }],
    nodes: [
      { id: 'start', kind: 'trigger' },
      { id: 'welcome', kind: 'send_email', config: { template: 'welcome' } },
      { id: 'two_days', kind: 'wait_delay', config: { minutes: 2 * DAY_MINUTES } },
      { id: 'morning', kind: 'wait_until', config: NEXT_MORNING },
      { id: 'first_steps', kind: 'send_email', config: { template: 'first-steps' } },
      { id: 'end', kind: 'exit' },
    ],
    edges: [
      { from: 'start', to: 'welcome' },
      { from: 'welcome', to: 'two_days' },
      { from: 'two_days', to: 'morning' },
      { from: 'morning', to: 'first_steps' },
      { from: 'first_steps', to: 'end' },
    ],
  },
};
