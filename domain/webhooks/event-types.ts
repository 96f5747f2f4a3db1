/** What an endpoint can subscribe to: docs/contract/webhooks.md 6. */
export const WEBHOOK_EVENT_TYPES = [
  'contact.subscribed',
  'contact.unsubscribed',
  'contact.topics_changed',
  'contact.confirmed',
  'email.sent',
  'email.delivered',
  'email.opened',
  'email.clicked',
  'email.bounced',
  'email.complained',
  'sequence.completed',
  'campaign.completed',
  'domain.verified',
  'domain.failing',
] as const;
export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number];

export type ContactEventType = Extract<WebhookEventType, `contact.${string}`>;
export type EmailEventType = Extract<WebhookEventType, `email.${string}`>;
/** The end of a run or of a campaign. */
export type EndEventType = Extract<WebhookEventType, `${string}.completed`>;
/** What DNS has of a sending domain came to be right, or wrong. */
export type DomainEventType = Extract<WebhookEventType, `domain.${string}`>;
