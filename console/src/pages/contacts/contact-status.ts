import type { Contact, ContactWithConsent } from './contact-queries.ts';

export type ContactStatus = Contact['status'];

/** Whether a contact gets marketing mail: yes; unless it was asked to confirm and has not; or no. */
export const CONTACT_STATUSES: Readonly<Record<ContactStatus, string>> = {
  subscribed: 'Subscribed',
  pending: 'Pending',
  unsubscribed: 'Unsubscribed',
  bounced: 'Bounced',
};

/** Of a contact that was asked to confirm and has not, where that stands; it gets no marketing mail then. */
export function unconfirmed({
  status,
  confirmation,
}: Pick<ContactWithConsent, 'status' | 'confirmation'>): 'waiting' | 'expired' | undefined {
  const state = confirmation?.state;
  return status === 'pending' && (state === 'waiting' || state === 'expired') ? state : undefined;
}

export const UNCONFIRMED: Readonly<Record<'waiting' | 'expired', string>> = {
  waiting: 'Waiting for confirmation',
  expired: 'Not confirmed in time',
};
