import { BRAND } from './shown-records.ts';

const SETTINGS = {
  ...{ slug: BRAND, name: 'Acme', from_email: 'hello@acme.example', from_name: 'Acme', reply_to: null },
  ...{ is_default: true, is_verified: true, logo_url: null, color: null, website: null },
  address: '1 Main Street, Springfield',
  track_transactional: false,
  ...{ double_opt_in: false, confirm_template: null, confirm_reminders: [], confirm_prune_days: 30 },
};

export const list = [{ answer: { brands: [SETTINGS] } }] as const;

const NORTH = {
  name: 'Acme North',
  color: '#1a73e8',
  website: 'https://north.acme.example/',
  address: '2 Harbour Road, Northport',
};

export const set = [
  {
    params: { slug: 'north' },
    body: { ...NORTH, from: { email: 'north@acme.example', name: 'Acme North' } },
    answer: {
      brand: { ...SETTINGS, ...NORTH, slug: 'north', from_email: 'north@acme.example', from_name: 'Acme North', is_default: false },
    },
  },
] as const;
