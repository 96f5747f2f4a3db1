import { ConfigError } from '../config-error.ts';
import type { MailProvider, MailProviderOptions } from './provider.ts';
import { createResendProvider } from './resend.ts';
import { createSesProvider } from './ses.ts';
import { createSmtpProvider } from './smtp.ts';

/** The provider that EMAIL_PROVIDER_URL names. Throws ConfigError for a scheme or an option that it does not know. */
export function createMailProvider(url: URL, options: MailProviderOptions): MailProvider {
  switch (url.protocol) {
    case 'smtp:':
    case 'smtps:':
      return createSmtpProvider(url, options);
    case 'resend:':
      return createResendProvider(url, options);
    case 'ses:':
      return createSesProvider(url, options);
    default:
      throw new ConfigError('EMAIL_PROVIDER_URL should begin with smtp://, smtps://, resend:// or ses://');
  }
}
