import { DAY_MINUTES, type Starter } from './starter.ts';

export const WIN_BACK: Starter = {
  key: 'win-back',
  name: 'Win back',
  description:
    'Emails people who have been away, tests two subjects a week later, and tags those who stay away, so that other emails can leave them out. Ends as soon as they come back.',
  templates: [],
  example: { attributes: {}, event: { type: 'away', payload: {} }, assume: {} },
  graph: {
    cooldownHours: 90 * 24,
    goal: { event: { type: 'logged_in' } },
    triggers: [{ kind: 'event', config: { type: 'away' } }],
    nodes: [
      { id: 'start', kind: 'trigger' },
      { id: 'missed', kind: 'send_email', label: 'We miss you', config: { template: 'win-back' } },
      { id: 'week', kind: 'wait_delay', label: 'Wait after first email', config: { minutes: 7 * DAY_MINUTES } },
      { id: 'subjects', kind: 'split', config: { arms: [{ key: 'question' }, { key: 'news' }] } },
      {
        id: 'asks',
        kind: 'send_email',
        label: 'Subject as a question',
        config: { template: 'win-back', subject: 'Is {{ brand.name }} still for you?' },
      },
      {
        id: 'tells',
        kind: 'send_email',
        label: 'Subject with news',
        config: { template: 'win-back', subject: 'What is new at {{ brand.name }}' },
      },
      { id: 'second_week', kind: 'wait_delay', label: 'Wait after second email', config: { minutes: 7 * DAY_MINUTES } },
      { id: 'away', kind: 'update_contact', config: { addTags: ['away'] } },
      { id: 'end', kind: 'exit' },
    ],
    edges: [
      { from: 'start', to: 'missed' },
      { from: 'missed', to: 'week' },
      { from: 'week', to: 'subjects' },
      { from: 'subjects', to: 'asks', branchKey: 'question' },
      { from: 'subjects', to: 'tells', branchKey: 'news' },
      { from: 'asks', to: 'second_week' },
      { from: 'tells', to: 'second_week' },
      { from: 'second_week', to: 'away' },
      { from: 'away', to: 'end' },
    ],
  },
};
