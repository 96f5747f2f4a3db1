import { byColumn, NAME_COLUMNS, TRAIT_COLUMNS } from '../../domain/contacts/fields.ts';

/**
 * The world of the examples: one project, `acme`, with the people Ada and Grace. An id means the same thing wherever it is shown, so that the
 * examples can be followed one after the other.
 */
export const IDS = {
  ada: '0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e01',
  grace: '0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e02',
  send: '0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e03',
  campaign: '0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e04',
  sequence: '0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e05',
  enrollment: '0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e06',
  segment: '0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e07',
  webhook: '0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e08',
  delivery: '0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e09',
  event: '0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e10',
  key: '0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e11',
  nextSend: '0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e12',
  otherKey: '0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e13',
  madeKey: '0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e14',
  file: '0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e20',
  savedBlock: '0199d3a0-6c2d-7d4f-8a63-8e7c2d1b5f32',
  image: '0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e21',
  domain: '0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e22',
  recurring: '0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e23',
  import: '0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e24',
  action: '0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e25',
} as const;

export const EMAILS = { ada: 'ada@example.com', grace: 'grace@example.com' } as const;
export const BRAND = 'acme';
/** As SMTP gives it: the Message-ID without angle brackets. */
export const PROVIDER_ID = '0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e03@acme.example';
export const HOOK_URL = 'https://acme.example/hooks/everpost';
export const INBOUND_ID = 'in_7Kq2mZ5tWd9xR4vB';
/** When everything happens. */
export const NOW = '2026-06-01T12:00:00.000Z';

export const CONSENT = { source: 'signup-form', ip: '203.0.113.7', userAgent: 'Mozilla/5.0 (Macintosh)' };

/** A contact of which nothing but the address is known. */
const PLAIN_CONTACT = {
  id: IDS.grace,
  email: EMAILS.grace as string,
  ...byColumn(NAME_COLUMNS, () => null as string | null),
  status: 'subscribed',
  brand_id: BRAND,
  source: 'api',
  tags: [] as string[],
  ...byColumn(TRAIT_COLUMNS, () => null as string | null),
  attributes: {},
  topics: {},
  created_at: NOW,
  updated_at: NOW,
};

export const ADA = {
  ...PLAIN_CONTACT,
  ...{ id: IDS.ada, email: EMAILS.ada, first_name: 'Ada', last_name: 'Lovelace', source: 'signup-form', tags: ['vip'] },
  ...{ timezone: 'Europe/London', attributes: { plan: 'pro', seats: 5 } },
};

export const GRACE = { ...PLAIN_CONTACT, first_name: 'Grace', tags: ['beta'] };
