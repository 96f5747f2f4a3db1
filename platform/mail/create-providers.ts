import { ConfigError } from '../config-error.ts';
import { createMailProvider } from './create-provider.ts';
import type { MailProvider, MailProviderOptions } from './provider.ts';
import type { EmailProvider } from './provider-settings.ts';

/** A provider of an installation, as it is set and as it is asked. */
export interface NamedMailProvider extends Pick<EmailProvider, 'weight' | 'daily' | 'ramp'> {
  readonly name: string;
  readonly mail: MailProvider;
}

/** All of them, in their order. Throws ConfigError with the one whose URL is wrong. */
export function createMailProviders(providers: readonly EmailProvider[], options: MailProviderOptions): NamedMailProvider[] {
  return providers.map(({ name, url, weight, daily, ramp }) => {
    const mail = name === undefined ? createMailProvider(url, options) : createNamed(name, url, options);
    return { name: name ?? mail.name, mail, weight, daily, ramp };
  });
}

/** What is wrong with a URL is said of the only one. */
function createNamed(name: string, url: URL, options: MailProviderOptions): MailProvider {
  try {
    return createMailProvider(url, options);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(error.message.replace('EMAIL_PROVIDER_URL', `the url of "${name}" in EMAIL_PROVIDERS`));
  }
}
