import { createPublicKey } from 'node:crypto';

/** Whose events are understood. */
export const INBOUND_PROVIDERS = ['resend', 'ses', 'sendgrid', 'postmark', 'generic'] as const;
export type InboundProvider = (typeof INBOUND_PROVIDERS)[number];

/** Those that prove their events with something of their own; `generic` has the project's inbound secret only. */
export type SettableProvider = Exclude<InboundProvider, 'generic'>;

/**
 * What an operator stores for a provider, and what is wrong with a value, if anything. resend: the signing secret it shows. ses: the
 * ARNs of the allowed topics, separated by commas. sendgrid: the verification key it shows. postmark: `user:password` as in the
 * webhook's URL. Without one, resend and postmark (as the password, with any user) take the project's inbound secret; ses and sendgrid
 * take nothing.
 */
export function inboundSettingProblem(provider: SettableProvider, value: string): string | undefined {
  switch (provider) {
    case 'resend':
      return /^whsec_[A-Za-z0-9+/]{22,}={0,2}$/.test(value) ? undefined : 'should be the signing secret, whsec_ and base64';
    case 'ses':
      return topicsOf(value).length > 0 && topicsOf(value).every((arn) => /^arn:aws[\w-]*:sns:[\w-]+:\d{12}:[\w.-]+$/.test(arn))
        ? undefined
        : 'should be ARNs of SNS topics, separated by commas';
    case 'sendgrid':
      return sendgridKey(value) ? undefined : 'should be the verification key, base64';
    case 'postmark':
      return /^[^:]+:.{16,}$/.test(value) ? undefined : 'should be user:password, the password at least 16 characters';
    default:
      return provider satisfies never;
  }
}

/** The topics of a stored value. */
export function topicsOf(value: string): string[] {
  return value
    .split(',')
    .map((arn) => arn.trim())
    .filter(Boolean);
}

/** The P-256 key of SendGrid's base64 text; undefined for anything else. */
export function sendgridKey(value: string) {
  try {
    const key = createPublicKey({ key: Buffer.from(value, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}
