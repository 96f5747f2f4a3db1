import { NO_CONTACT_TEXTS } from '../../../domain/contacts/fields.ts';
import type { BrandVariables, ContactVariables } from '../../../domain/templates/variables.ts';

export const NOW = new Date('2026-05-01T12:00:00Z');

export const BRAND: BrandVariables = {
  slug: 'acme',
  name: 'Acme & Sons',
  logo_url: 'https://acme.example/logo.png',
  color: '#0f766e',
  website: 'https://acme.example',
  address: 'Acme & Sons, 1 Example Street, Dublin',
};

export const CONTACT: ContactVariables = {
  id: '019e0000-0000-7000-8000-000000000001',
  email: 'ada@example.com',
  ...NO_CONTACT_TEXTS,
  ...{ first_name: 'Ada', last_name: 'Lovelace' },
  status: 'subscribed',
  brand_id: 'acme',
  source: 'api',
  tags: ['vip'],
  attributes: { plan: 'team' },
  created_at: '2026-04-01T00:00:00.000Z',
  updated_at: '2026-04-01T00:00:00.000Z',
};
