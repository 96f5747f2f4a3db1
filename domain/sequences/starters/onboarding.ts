import { FIRST_STEPS } from './first-steps.ts';
import { DAY_MINUTES, type Starter, type StarterTemplate } from './starter.ts';

const ONBOARDING_TEAM: StarterTemplate = {
  key: 'onboarding-team',
  type: 'marketing',
  name: 'Team onboarding',
  description: 'Helps a team get started.',
  subject: 'Bring your team to {{ brand.name }}',
  dataSchema: [{ path: 'inviteUrl', kind: 'url', sample: 'https://example.com/invite' }],
  content: {
    preheader: 'It takes one link.',
    blocks: [
      { type: 'heading', text: 'Better together' },
      {
        type: 'text',
        text:
          'Hi {{ contact.first_name | default: "there" }},\n\n{{ brand.name }} is at its best with your whole team on board. ' +
          'Invite them, and get started together.',
      },
      { type: 'button', label: 'Invite your team', url: '{{ inviteUrl | default: brand.website }}' },
    ],
  },
};

export const ONBOARDING: Starter = {
  key: 'onboarding',
  name: 'Onboarding by plan',
  description:
    'Welcomes everyone, and a day later helps teams invite their colleagues and everyone else get started. Ends as soon as they are set up.',
  templates: [FIRST_STEPS, ONBOARDING_TEAM],
  example: { attributes: { plan: 'team' }, event: { type: 'signed_up', payload: {} }, assume: {} },
  graph: {
    reentry: 'once_ever',
    goal: { event: { type: 'onboarding_completed' } },
    triggers: [{ kind: 'event', config: { type: 'signed_up' } }],
    nodes: [
      { id: 'start', kind: 'trigger' },
      { id: 'welcome', kind: 'send_email', config: { template: 'welcome' } },
      { id: 'day', kind: 'wait_delay', config: { minutes: DAY_MINUTES } },
      {
        id: 'by_plan',
        kind: 'branch',
        config: {
          branches: [
            { key: 'team', when: { field: 'attributes.plan', op: 'eq', value: 'team' } },
            { key: 'solo', when: { field: 'attributes.plan', op: 'in', value: ['solo', 'free'] } },
          ],
        },
      },
      { id: 'team', kind: 'send_email', config: { template: 'onboarding-team' } },
      { id: 'solo', kind: 'send_email', label: 'First steps for solo users', config: { template: 'first-steps' } },
      {
        id: 'other',
        kind: 'send_email',
        label: 'First steps for everyone else',
        config: { template: 'first-steps', subject: 'How to begin with {{ brand.name }}' },
      },
      { id: 'end', kind: 'exit' },
    ],
    edges: [
      { from: 'start', to: 'welcome' },
      { from: 'welcome', to: 'day' },
      { from: 'day', to: 'by_plan' },
      { from: 'by_plan', to: 'team', branchKey: 'team' },
      { from: 'by_plan', to: 'solo', branchKey: 'solo' },
      { from: 'by_plan', to: 'other', branchKey: 'default' },
      { from: 'team', to: 'end' },
      { from: 'solo', to: 'end' },
      { from: 'other', to: 'end' },
    ],
  },
};
