import { IDS } from './shown-records.ts';

export const attention = [
  {
    answer: {
      items: [
        {
          kind: 'campaign_held',
          message: 'the campaign Spring news is paused; resume or cancel it',
          about: IDS.campaign,
          count: null,
        },
      ],
    },
  },
] as const;

export const health = [{ answer: { status: 'ok', version: '0.1.0', uptimeSeconds: 86_400 } }] as const;

export const ready = [{ answer: { checks: { database: 'ok', temporal: 'ok' } } }] as const;

export const openapi = [
  {
    answer: {
      openapi: '3.1.0',
      info: { title: 'Everpost', version: '0.1.0', license: { name: 'MIT', identifier: 'MIT' }, description: 'Durable email. …' },
      servers: [{ url: '/api/v1' }],
      security: [{ apiKey: [] }],
      tags: [{ name: 'contacts', description: 'The people of a project, each with one address' }],
      paths: {},
      webhooks: {},
      components: {},
    },
  },
] as const;
