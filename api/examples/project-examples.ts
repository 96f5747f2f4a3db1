import { SCOPES } from '../../domain/projects/scopes.ts';
import { BRAND, IDS, NOW } from './shown-records.ts';

const KEY = {
  id: IDS.key,
  public_id: '4fH2kQ9z',
  name: null,
  scopes: ['*'],
  is_test: false,
  created_at: NOW,
  last_used_at: '2026-06-02T08:30:00.000Z',
  revoked_at: null,
};

export const me = [
  {
    answer: {
      project: {
        slug: BRAND,
        name: 'Acme',
        status: 'active',
        owner_email_verified: true,
        sandbox: false,
        executables: true,
        campaign_approval: false,
      },
      key: KEY,
      scopes: SCOPES,
      grants: SCOPES,
      brands: [
        {
          slug: BRAND,
          name: 'Acme',
          from_email: 'hello@acme.example',
          from_name: 'Acme',
          reply_to: null,
          is_default: true,
          is_verified: true,
        },
      ],
      temporal_web: null,
    },
  },
] as const;

export const keys = [{ answer: { keys: [KEY] } }] as const;

export const vocabulary = [
  {
    answer: {
      tags: [{ tag: 'vip', contacts: 12 }],
      attributes: [
        { name: 'plan', types: ['string'], contacts: 870 },
        { name: 'seats', types: ['number'], contacts: 412 },
      ],
      sampledContacts: 1000,
      eventTypes: [{ type: 'signed_up', last_seen_at: NOW }],
    },
  },
] as const;
