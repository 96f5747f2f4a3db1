import type { Config } from './config.ts';
import type { Logger } from './logger.ts';

/** Says in the log what works, but not as a service for others should be run. */
export function warnAboutConfig({ publicUrl, webhookAllowPrivate }: Pick<Config, 'publicUrl' | 'webhookAllowPrivate'>, log: Logger): void {
  // Mailbox providers take one-click unsubscribe over https only: docs/contract/sends.md 24.
  const { protocol, hostname } = new URL(publicUrl);
  if (protocol !== 'https:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname)) {
    log.warn('config.public_url_is_not_https', { publicUrl });
  }
  // docs/contract/webhooks.md 5: for development only.
  if (webhookAllowPrivate) log.warn('config.webhooks_reach_private_addresses', { variable: 'WEBHOOK_ALLOW_PRIVATE' });
}
