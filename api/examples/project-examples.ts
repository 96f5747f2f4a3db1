import { SCOPES } from '../../domain/projects/scopes.ts';
import { BRAND, IDS, NOW } from './shown-records.ts';

const KEY = {
  id: IDS.key,
  public_id: '4fH2kQ9z',
  name: null,
  scopes: ['*'],
  is_test: false,
  made_by: null,
  created_at: NOW,
  last_used_at: '2026-06-02T08:30:00.000Z',
  revoked_at: null,
};

const PROJECT = {
  slug: BRAND,
  name: 'Acme',
  status: 'active',
  owner_email_verified: true,
  sandbox: false,
  executables: true,
  campaign_approval: false,
  campaign_limits: { bounce_rate: null, complaint_rate: null },
  send_window: null,
};

export const changeProject = [
  {
    title: 'Limits of campaigns',
    body: { campaignLimits: { bounceRate: 0.05, complaintRate: 0.003 } },
    answer: { project: { ...PROJECT, campaign_limits: { bounce_rate: 0.05, complaint_rate: 0.003 } } },
  },
  {
    title: 'Marketing in office hours',
    body: { sendWindow: { from: '09:00', to: '18:00', days: [1, 2, 3, 4, 5], timezone: 'contact', fallback: 'Europe/Vienna' } },
    answer: {
      project: {
        ...PROJECT,
        send_window: {
          ...{ from: '09:00', to: '18:00', days: [1, 2, 3, 4, 5], timezone: 'contact', fallback: 'Europe/Vienna' },
          transactional: false,
        },
      },
    },
  },
] as const;

export const me = [
  {
    answer: {
      project: PROJECT,
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
      mailbox: null,
      private_webhooks: false,
    },
  },
] as const;

const MADE = {
  ...KEY,
  ...{ id: IDS.madeKey, public_id: 'Tt7xW2mB', name: 'shop backend', scopes: ['send', 'templates:read'], made_by: IDS.key },
  last_used_at: null,
};

export const makeKey = [
  {
    body: { name: 'shop backend', scopes: ['send', 'templates:read'] },
    answer: { key: MADE, secret: 'ep_live_Tt7xW2mB_5hJ0kVq8ZrYd3NfLwXcS9gUoEa1MbPiT2vK6nHxQ4mR' },
  },
] as const;

export const revokeKey = [{ params: { id: IDS.madeKey }, answer: { key: { ...MADE, revoked_at: '2026-06-02T09:00:00.000Z' } } }] as const;

export const keys = [{ answer: { keys: [KEY] } }] as const;

export const vocabulary = [
  {
    answer: {
      tags: [{ tag: 'vip', contacts: 12 }],
      sources: ['signup-form'],
      attributes: [
        { name: 'plan', types: ['string'], contacts: 870 },
        { name: 'seats', types: ['number'], contacts: 412 },
      ],
      sampledContacts: 1000,
      eventTypes: [{ type: 'signed_up', last_seen_at: NOW }],
    },
  },
] as const;
