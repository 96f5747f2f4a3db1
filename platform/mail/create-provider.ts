import { ConfigError } from '../config-error.ts';
import { createMailgunProvider } from './mailgun.ts';
import { createPostmarkProvider } from './postmark.ts';
import type { MailProvider, MailProviderOptions } from './provider.ts';
import { createResendProvider } from './resend.ts';
import { createSendgridProvider } from './sendgrid.ts';
import { createSesProvider } from './ses.ts';
import { createSmtpProvider } from './smtp.ts';

interface MailProviderKind {
  /** A value of EMAIL_PROVIDER_URL, for those who read an error. */
  readonly example: string;
  /** Throws ConfigError. */
  create(url: URL, options: MailProviderOptions): MailProvider;
}

/** By the scheme of EMAIL_PROVIDER_URL. A new provider is a file and a line here; one with a format of its own has a line in formats.ts too. */
const MAIL_PROVIDERS = {
  smtp: { example: 'smtp://user:password@host:587', create: createSmtpProvider },
  smtps: { example: 'smtps://…', create: createSmtpProvider },
  resend: { example: 'resend://<key>', create: createResendProvider },
  ses: { example: 'ses://<region>', create: createSesProvider },
  postmark: { example: 'postmark://<server token>', create: createPostmarkProvider },
  sendgrid: { example: 'sendgrid://<key>', create: createSendgridProvider },
  mailgun: { example: 'mailgun://<key>@<sending domain>', create: createMailgunProvider },
} satisfies Readonly<Record<string, MailProviderKind>>;
export type MailScheme = keyof typeof MAIL_PROVIDERS;

const SCHEMES = Object.keys(MAIL_PROVIDERS) as MailScheme[];

/** As the URL class has them, with the colon. */
export const MAIL_PROTOCOLS: readonly string[] = SCHEMES.map((scheme) => `${scheme}:`);
/** Where one example is enough. */
export const MAIL_URL_EXAMPLE = MAIL_PROVIDERS.smtp.example;
export const MAIL_URL_EXAMPLES = oneOf(SCHEMES.map((scheme) => MAIL_PROVIDERS[scheme].example));

/** The provider that EMAIL_PROVIDER_URL names. Throws ConfigError for a scheme or an option that it does not know. */
export function createMailProvider(url: URL, options: MailProviderOptions): MailProvider {
  const scheme = SCHEMES.find((each) => url.protocol === `${each}:`);
  if (!scheme) throw new ConfigError(`EMAIL_PROVIDER_URL should begin with ${oneOf(SCHEMES.map((each) => `${each}://`))}`);
  return MAIL_PROVIDERS[scheme].create(url, options);
}

function oneOf(texts: readonly string[]): string {
  return [texts.slice(0, -1).join(', '), texts.at(-1)].join(' or ');
}
