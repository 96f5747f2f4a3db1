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
    answer: { contacts: [{ ...ADA, suppressed: null }], totalCount: 1, nextCursor: null, previousCursor: null },
  },
] as const;

export const read = [
  {
    params: { id: IDS.ada },
    answer: {
      contact: {
        ...ADA,
        suppressed: null,
        ...{ consent_source: CONSENT.source, consent_ip: CONSENT.ip, consent_user_agent: CONSENT.userAgent, consent_at: NOW },
        confirmation: null,
      },
    },
  },
] as const;

export const unsubscribe = [{ params: { id: IDS.ada }, answer: { id: IDS.ada, status: 'unsubscribed' } }] as const;

export const erase = [{ params: { id: IDS.ada }, answer: { id: IDS.ada, deleted: true } }] as const;

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
            status: 'subscribed',
            consent_source: CONSENT.source,
            consent_ip: CONSENT.ip,
            consent_user_agent: CONSENT.userAgent,
            consent_at: NOW,
            topics: null,
          },
        },
      ],
      withMails: true,
      nextCursor: null,
    },
  },
] as const;

/** Of the link in a mail. */
const LINK = { c: IDS.ada, t: 'v1.mL0wqkY7mGfWJ0r2hYc1oVn8cT3sQm1xXlJv0yq2Z0E' };

export const showUnsubscribe = [{ query: LINK, answer: '<!doctype html>… Unsubscribe ada@example.com? …</html>' }] as const;

export const unsubscribeByLink = [{ query: LINK, answer: '<!doctype html>… You are unsubscribed …</html>' }] as const;

export const resubscribe = [{ query: LINK, answer: '<!doctype html>… You are subscribed again …</html>' }] as const;

export const showTopics = [{ query: LINK, answer: '<!doctype html>… What Acme sends you …</html>' }] as const;

export const turnTopic = [
  { query: { ...LINK, topic: 'newsletter', on: 'false' }, answer: '<!doctype html>… What Acme sends you …</html>' },
] as const;

const CONFIRM_LINK = { c: '01a203fa-2a28-718d-aa22-87fb84369311', t: 'v1.Fj8…' };

export const showConfirm = [{ query: CONFIRM_LINK, answer: '<!doctype html>… Confirm your subscription …</html>' }] as const;

export const confirm = [{ query: CONFIRM_LINK, answer: '<!doctype html>… You are subscribed …</html>' }] as const;

const GROWTH = { made: 12, unsubscribed: 2, bounced: 1, resubscribed: 0, erased: 1 };

export const contactStats = [
  {
    query: { period: '24h', timezone: 'Europe/Berlin' },
    answer: { bucket: 'hour', counts: [{ from: NOW, ...GROWTH }], totals: GROWTH, contacts: { all: 1_284, subscribed: 1_190 } },
  },
] as const;
