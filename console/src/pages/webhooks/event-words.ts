import type { Endpoint, EventType } from './webhook-queries.ts';

/** What an endpoint can subscribe to, with what each means. */
export const EVENT_WORDS: Readonly<Record<EventType, string>> = {
  'contact.subscribed': 'Contact subscribed',
  'contact.unsubscribed': 'Contact unsubscribed',
  'contact.topics_changed': 'Topics changed',
  'contact.confirmed': 'A person confirmed their sign-up',
  'email.sent': 'Email accepted by the provider',
  'email.delivered': 'Email delivered',
  'email.opened': 'Email opened for the first time',
  'email.clicked': 'Email link clicked for the first time',
  'email.bounced': 'Email bounced',
  'email.complained': 'Recipient reported spam',
  'sequence.completed': 'Sequence run completed',
  'campaign.completed': 'Campaign sent',
  'domain.verified': 'Sending domain verified',
  'domain.failing': 'Sending domain lacks a DNS record',
};

/** What an endpoint gets, in one line. */
export function subscriptionWords({ events }: Endpoint): string {
  return events === null ? 'All events' : events.join(', ');
}
