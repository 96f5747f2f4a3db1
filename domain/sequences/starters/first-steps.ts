import type { StarterTemplate } from './starter.ts';

/** What several starters send to who has not begun yet. */
export const FIRST_STEPS: StarterTemplate = {
  key: 'first-steps',
  type: 'marketing',
  name: 'First steps',
  description: 'Says what to do first.',
  subject: 'Three things to try first',
  dataSchema: [{ path: 'startUrl', kind: 'url', sample: 'https://example.com/start' }],
  content: {
    preheader: 'Each takes a few minutes.',
    blocks: [
      { type: 'heading', text: 'A good way to begin' },
      {
        type: 'text',
        text:
          'Hi {{ contact.first_name | default: "there" }},\n\nhere is what most people of {{ brand.name }} do first:\n\n' +
          '• Say here what to set up.\n• Say here what to try.\n• Say here whom to invite.',
      },
      { type: 'button', label: 'Begin', url: '{{ startUrl | default: brand.website }}' },
      { type: 'text', text: 'Something unclear? Answer this mail.' },
    ],
  },
};
