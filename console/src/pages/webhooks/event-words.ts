import type { Endpoint, EventType } from './webhook-queries.ts';

/** What an endpoint can subscribe to, with what each means. */
export const EVENT_WORDS: Readonly<Record<EventType, string>> = {
  'contact.subscribed': 'A contact subscribes',
  'contact.unsubscribed': 'A contact unsubscribes',
  'email.sent': 'The provider took a mail',
  'email.delivered': 'A mail arrived',
  'email.opened': 'A mail is opened for the first time',
  'email.clicked': 'A link is clicked for the first time',
  'email.bounced': 'A mail came back',
  'email.complained': 'A recipient reported spam',
  'sequence.completed': 'A run reached its end',
  'campaign.completed': 'A campaign was sent to all',
};

/** What an endpoint gets, in one line. */
export function subscriptionWords({ events }: Endpoint): string {
  return events === null ? 'All events' : events.join(', ');
}
