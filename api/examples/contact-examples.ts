import { ADA, CONSENT, EMAILS, GRACE, IDS, NOW } from './shown-records.ts';

export const upsert = [
  {
    title: 'One contact',
    body: {
      email: EMAILS.ada,
      firstName: 'Ada',
      lastName: 'Lovelace',
      source: 'signup-form',
      tags: ['vip'],
      timezone: 'Europe/London',
      attributes: { plan: 'pro', seats: 5 },
      consent: CONSENT,
    },
    answer: { contacts: [ADA] },
  },
  {
    title: 'Several contacts',
    body: [
      { email: EMAILS.ada, tags: ['vip', 'beta'] },
      { email: EMAILS.grace, firstName: 'Grace', tags: ['beta'] },
    ],
    answer: { contacts: [{ ...ADA, tags: ['vip', 'beta'] }, GRACE] },
  },
] as const;

export const list = [
  {
    query: { status: 'subscribed', tag: 'vip', limit: 50 },
    answer: { contacts: [ADA], totalCount: 1, nextCursor: null, previousCursor: null },
  },
] as const;

export const read = [
  {
    params: { id: IDS.ada },
    answer: {
      contact: {
        ...ADA,
        ...{ consent_source: CONSENT.source, consent_ip: CONSENT.ip, consent_user_agent: CONSENT.userAgent, consent_at: NOW },
      },
    },
  },
] as const;

export const unsubscribe = [{ params: { id: IDS.ada }, answer: { id: IDS.ada, status: 'unsubscribed' } }] as const;

export const erase = [{ params: { id: IDS.ada }, answer: { id: IDS.ada, deleted: true } }] as const;
