import { FIRST_STEPS } from './first-steps.ts';
import { DAY_MINUTES, type Starter } from './starter.ts';

export const TRIAL: Starter = {
  key: 'trial',
  name: 'Trial of 14 days',
  description:
    'Welcomes new trials, helps people who have not started after three days, and reminds them before the trial ends. Ends as soon as they subscribe.',
  templates: [FIRST_STEPS],
  example: { attributes: {}, event: { type: 'trial_started', payload: {} }, assume: {} },
  graph: {
    reentry: 'once_ever',
    goal: { event: { type: 'subscription_started' } },
    frequencyCap: { count: 3, windowHours: 168 },
    triggers: [{ kind: 'event', config: { type: 'trial_started' } }],
    nodes: [
      { id: 'start', kind: 'trigger' },
      { id: 'welcome', kind: 'send_email', config: { template: 'welcome' } },
      // The same for everybody: what is left of the trial is counted from its start.
      { id: 'three_days', kind: 'wait_delay', config: { minutes: 3 * DAY_MINUTES } },
      { id: 'has_started', kind: 'branch', config: { when: { event: { type: 'project_created' } } } },
      { id: 'first_steps', kind: 'send_email', config: { template: 'first-steps' } },
      { id: 'eight_days', kind: 'wait_delay', config: { minutes: 8 * DAY_MINUTES } },
      { id: 'ending', kind: 'send_email', label: 'Three days left', config: { template: 'trial-ending', data: { daysLeft: 3 } } },
      { id: 'two_days', kind: 'wait_delay', config: { minutes: 2 * DAY_MINUTES } },
      { id: 'last_day', kind: 'send_email', label: 'Last day', config: { template: 'trial-ending', data: { daysLeft: 1 } } },
      { id: 'end', kind: 'exit' },
    ],
    edges: [
      { from: 'start', to: 'welcome' },
      { from: 'welcome', to: 'three_days' },
      { from: 'three_days', to: 'has_started' },
      { from: 'has_started', to: 'eight_days', branchKey: 'true' },
      { from: 'has_started', to: 'first_steps', branchKey: 'false' },
      { from: 'first_steps', to: 'eight_days' },
      { from: 'eight_days', to: 'ending' },
      { from: 'ending', to: 'two_days' },
      { from: 'two_days', to: 'last_day' },
      { from: 'last_day', to: 'end' },
    ],
  },
};
