import { IDS, INBOUND_ID, NOW, PROVIDER_ID } from './shown-records.ts';

/** Of the link in a mail. */
const LINK = { c: IDS.ada, t: 'v1.mL0wqkY7mGfWJ0r2hYc1oVn8cT3sQm1xXlJv0yq2Z0E' };

export const showUnsubscribe = [{ query: LINK, answer: '<!doctype html>… Unsubscribe ada@example.com? …</html>' }] as const;

export const unsubscribe = [{ query: LINK, answer: '<!doctype html>… You are unsubscribed …</html>' }] as const;

export const resubscribe = [{ query: LINK, answer: '<!doctype html>… You are subscribed again …</html>' }] as const;

export const inbound = [
  {
    title: 'generic: a bounce',
    params: { provider: 'generic', inboundId: INBOUND_ID },
    body: { type: 'bounced', providerId: PROVIDER_ID, timestamp: NOW, bounce: { kind: 'hard', code: '5.1.1' } },
    answer: { received: 1, matched: 1 },
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
      components: {},
    },
  },
] as const;
