import { DAY_MINUTES, type Starter, type StarterTemplate } from './starter.ts';

const REMINDER: StarterTemplate = {
  key: 'invoice-reminder',
  type: 'transactional',
  name: 'Invoice reminder',
  description: 'Reminds customers of an unpaid invoice.',
  subject: 'Invoice{% if event.number %} {{ event.number }}{% endif %} is due',
  dataSchema: [
    { path: 'event.number', kind: 'string', sample: '2026-0117' },
    { path: 'event.amount', kind: 'string', sample: '€ 240.00' },
    { path: 'event.invoiceUrl', kind: 'url', sample: 'https://example.com/invoices/2026-0117' },
  ],
  content: {
    preheader: 'Already paid? Then please ignore this email.',
    blocks: [
      { type: 'heading', text: 'A reminder' },
      {
        type: 'text',
        text:
          'Hi {{ contact.first_name | default: "there" }},\n\nThe invoice{% if event.number %} {{ event.number }}{% endif %}' +
          '{% if event.amount %} of {{ event.amount }}{% endif %} has not been paid yet. ' +
          'If you have paid in the meantime, please ignore this email.',
      },
      { type: 'button', label: 'View invoice', url: '{{ event.invoiceUrl | default: brand.website }}' },
    ],
  },
};

export const INVOICE_REMINDER: Starter = {
  key: 'invoice-reminder',
  name: 'Invoice reminder',
  description:
    'Reminds customers three days after an invoice is due and again a week later, then tags the contact so that someone can follow up. Ends as soon as the invoice is paid. One invoice per contact at a time.',
  templates: [REMINDER],
  example: {
    attributes: {},
    event: {
      type: 'invoice_due',
      payload: { number: '2026-0117', amount: '€ 240.00', invoiceUrl: 'https://example.com/invoices/2026-0117' },
    },
    assume: {},
  },
  graph: {
    goal: { event: { type: 'invoice_paid' } },
    triggers: [{ kind: 'event', config: { type: 'invoice_due' } }],
    nodes: [
      { id: 'start', kind: 'trigger' },
      { id: 'three_days', kind: 'wait_delay', config: { minutes: 3 * DAY_MINUTES } },
      { id: 'first', kind: 'send_email', label: 'First reminder', config: { template: 'invoice-reminder' } },
      { id: 'week', kind: 'wait_delay', label: 'Wait after first reminder', config: { minutes: 7 * DAY_MINUTES } },
      {
        id: 'second',
        kind: 'send_email',
        label: 'Second reminder',
        config: {
          template: 'invoice-reminder',
          subject: 'Second reminder: invoice{% if event.number %} {{ event.number }}{% endif %}',
        },
      },
      { id: 'second_week', kind: 'wait_delay', label: 'Wait after second reminder', config: { minutes: 7 * DAY_MINUTES } },
      { id: 'overdue', kind: 'update_contact', config: { addTags: ['overdue'] } },
      { id: 'end', kind: 'exit' },
    ],
    edges: [
      { from: 'start', to: 'three_days' },
      { from: 'three_days', to: 'first' },
      { from: 'first', to: 'week' },
      { from: 'week', to: 'second' },
      { from: 'second', to: 'second_week' },
      { from: 'second_week', to: 'overdue' },
      { from: 'overdue', to: 'end' },
    ],
  },
};
