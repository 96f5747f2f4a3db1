import type { StarterTemplate } from './starter.ts';

/** What several starters send to who has not begun yet. */
export const FIRST_STEPS: StarterTemplate = {
  key: 'first-steps',
  type: 'marketing',
  name: 'First steps',
  description: 'Explains what to do first.',
  subject: 'Three things to try first',
  dataSchema: [{ path: 'startUrl', kind: 'url', sample: 'https://example.com/start' }],
  content: {
    preheader: 'Each takes a few minutes.',
    blocks: [
      { type: 'heading', text: 'A good way to get started' },
      {
        type: 'text',
        text:
          'Hi {{ contact.first_name | default: "there" }},\n\nHere is what to do first with {{ brand.name }}:\n\n' +
          '• Set up your account.\n• Try it with something small.\n• Invite the people you work with.',
      },
      { type: 'button', label: 'Get started', url: '{{ startUrl | default: brand.website }}' },
      { type: 'text', text: 'Any questions? Just reply to this email.' },
    ],
  },
};
