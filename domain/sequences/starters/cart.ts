import { DAY_MINUTES, type Starter, type StarterTemplate } from './starter.ts';

const CART_REMINDER: StarterTemplate = {
  key: 'cart-reminder',
  type: 'marketing',
  name: 'Cart reminder',
  description: 'Reminds customers of an abandoned cart.',
  subject: 'Your cart is still there',
  dataSchema: [
    { path: 'event.cartUrl', kind: 'url', sample: 'https://example.com/cart' },
    { path: 'offer', kind: 'string', sample: 'Any questions before you order? Just reply to this email.' },
  ],
  content: {
    preheader: 'Everything you chose is still in it.',
    blocks: [
      { type: 'heading', text: 'You left something behind' },
      {
        type: 'text',
        text: 'Hi {{ contact.first_name | default: "there" }},\n\nWhat you chose at {{ brand.name }} is still in your cart.',
      },
      { type: 'text', text: '{{ offer }}', showIf: 'offer' },
      { type: 'button', label: 'Back to your cart', url: '{{ event.cartUrl | default: brand.website }}' },
    ],
  },
};

export const CART: Starter = {
  key: 'cart',
  name: 'Abandoned cart',
  description:
    'Sends a reminder after an hour and another one a day later, which offers help with larger carts. Ends as soon as they order.',
  templates: [CART_REMINDER],
  example: {
    attributes: {},
    event: { type: 'cart_abandoned', payload: { total: 120, cartUrl: 'https://example.com/cart' } },
    assume: {},
  },
  graph: {
    cooldownHours: 72,
    goal: { event: { type: 'order_placed' } },
    frequencyCap: { count: 2, windowHours: 72 },
    triggers: [{ kind: 'event', config: { type: 'cart_abandoned' } }],
    nodes: [
      { id: 'start', kind: 'trigger' },
      { id: 'hour', kind: 'wait_delay', config: { minutes: 60 } },
      { id: 'reminder', kind: 'send_email', label: 'First reminder', config: { template: 'cart-reminder' } },
      { id: 'day', kind: 'wait_delay', config: { minutes: DAY_MINUTES } },
      { id: 'worth_it', kind: 'branch', config: { when: { field: 'event.total', op: 'gte', value: 100 } } },
      {
        id: 'offer',
        kind: 'send_email',
        label: 'Offer of help',
        config: {
          template: 'cart-reminder',
          subject: 'Can we help with your order?',
          data: { offer: 'Any questions before you order? Just reply to this email.' },
        },
      },
      {
        id: 'last',
        kind: 'send_email',
        label: 'Last reminder',
        config: { template: 'cart-reminder', subject: 'Shall we keep your cart?' },
      },
      { id: 'end', kind: 'exit' },
    ],
    edges: [
      { from: 'start', to: 'hour' },
      { from: 'hour', to: 'reminder' },
      { from: 'reminder', to: 'day' },
      { from: 'day', to: 'worth_it' },
      { from: 'worth_it', to: 'offer', branchKey: 'true' },
      { from: 'worth_it', to: 'last', branchKey: 'false' },
      { from: 'offer', to: 'end' },
      { from: 'last', to: 'end' },
    ],
  },
};
