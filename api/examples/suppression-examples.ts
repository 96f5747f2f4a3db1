import { EMAILS, NOW } from './shown-records.ts';

const SUPPRESSED = { email: EMAILS.grace, reason: 'manual' };

const LISTED = [{ ...SUPPRESSED, created_at: NOW, contact_id: null }];

export const list = [
  { title: 'All of them', answer: { suppressions: LISTED } },
  { title: 'A page of a reason', query: { reason: 'manual', limit: 50 }, answer: { suppressions: LISTED, nextCursor: null } },
] as const;

export const suppress = [{ body: SUPPRESSED, answer: SUPPRESSED }] as const;

export const unsuppress = [{ params: { email: EMAILS.grace }, answer: { email: EMAILS.grace, deleted: true } }] as const;
