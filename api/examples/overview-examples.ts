import { SCOPES } from '../../domain/projects/scopes.ts';
import { BRAND, CONSENT, IDS, NOW } from './shown-records.ts';

const KEY = {
  id: IDS.key,
  public_id: '4fH2kQ9z',
  name: null,
  scopes: ['*'],
  created_at: NOW,
  last_used_at: '2026-06-02T08:30:00.000Z',
  revoked_at: null,
};

export const me = [
  {
    answer: {
      project: { slug: BRAND, name: 'Acme', status: 'active', owner_email_verified: true },
      key: KEY,
      scopes: SCOPES,
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

const COUNTS = { sent: 1200, failed: 2, delivered: 1180, bounced: 7, complained: 1, opened: 431, clicked: 88 };

export const stats = [
  {
    query: { period: '24h' },
    answer: { bucket: 'hour', counts: [{ from: NOW, ...COUNTS }], totals: COUNTS },
  },
] as const;

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

export const timeline = [
  {
    params: { id: IDS.ada },
    query: { limit: 50 },
    answer: {
      timeline: [
        {
          id: 'b3f0c1de0f0b4a529d6f1f6a0d5f4c11',
          at: '2026-06-01T12:03:00.000Z',
          kind: 'event',
          details: { event_id: IDS.event, type: 'signed_up', data: { plan: 'pro' } },
        },
        {
          id: '8c1f5d0a7be24c0c9a55d0c1f2b7e6d4',
          at: NOW,
          kind: 'contact_created',
          details: {
            source: 'signup-form',
            consent_source: CONSENT.source,
            consent_ip: CONSENT.ip,
            consent_user_agent: CONSENT.userAgent,
            consent_at: NOW,
          },
        },
      ],
      withMails: true,
      nextCursor: null,
    },
  },
] as const;
