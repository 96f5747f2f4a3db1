import type { Contact } from './contact-queries.ts';

export type ContactStatus = Contact['status'];

/** Whether a contact gets marketing mail: yes, not asked yet, or no. */
export const CONTACT_STATUSES: Readonly<Record<ContactStatus, string>> = {
  subscribed: 'Subscribed',
  pending: 'Pending',
  unsubscribed: 'Unsubscribed',
  bounced: 'Bounced',
};
