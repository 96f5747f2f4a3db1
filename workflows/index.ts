export { bulkEnrollment } from './bulk-enrollment.ts';
export { campaign } from './campaign.ts';
export { enrollment } from './enrollment.ts';
export { reconcile } from './reconcile.ts';
export { scheduledSends } from './scheduled-sends.ts';
export { webhookBurst } from './webhook-burst.ts';
export { webhookDelivery } from './webhook-delivery.ts';
export { webhookRetry } from './webhook-retry.ts';
