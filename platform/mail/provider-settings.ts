import { z } from 'zod';
import type { Ramp } from '../../domain/sends/allowance.ts';
import type { ProviderRoute } from '../../domain/sends/provider-order.ts';
import { RampSteps } from '../../domain/sends/ramp-steps.ts';
import { ConfigError } from '../config-error.ts';
import { jsonOf } from '../json-setting.ts';
import type { SettingRule } from '../setting-rules.ts';
import { MAIL_PROTOCOLS, MAIL_URL_EXAMPLES } from './create-provider.ts';

/** One of the providers of an installation. */
export interface EmailProvider {
  /** In metrics, in the log and in routes; undefined: the name of its kind, of the only one. */
  readonly name: string | undefined;
  readonly url: URL;
  /** Of the mails that no route is for, relative to those of the others; 0: only what others did not take. */
  readonly weight: number;
  /** That each process submits to it at most; undefined: as many as go. */
  readonly ratePerSecond: number | undefined;
  /** That it is given from midnight to midnight UTC, by all processes together; undefined: as many as there are. */
  readonly daily: number | undefined;
  /** Of campaigns, in its first days; undefined: none. */
  readonly ramp: Ramp | undefined;
}

/** The one that EMAIL_PROVIDER_URL names. */
export function onlyProvider(url: URL): EmailProvider {
  return { name: undefined, url, weight: 1, ratePerSecond: undefined, daily: undefined, ramp: undefined };
}

const MOST_PROVIDERS = 10;
const MOST_ROUTES = 100;

const EXAMPLE = '[{ "name": "main", "url": "smtp://user:password@host:587" }, { "name": "second", "url": "resend://<key>", "weight": 0 }]';
const ROUTES_EXAMPLE = '[{ "type": "marketing", "use": ["second", "main"] }]';

const Name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'not a name of lower-case letters, digits and hyphens, like main');

const ProviderRamp = z
  .strictObject({
    steps: RampSteps,
    from: z.iso.date().optional(),
  })
  .transform(({ steps, from }): Ramp => ({ steps, from }));

const Provider = z
  .strictObject({
    name: Name,
    url: z.string().refine((text) => URL.canParse(text) && MAIL_PROTOCOLS.includes(new URL(text).protocol), {
      error: `not a URL like ${MAIL_URL_EXAMPLES}`,
    }),
    weight: z.number().min(0).max(1_000).default(1),
    ratePerSecond: z.number().positive().max(100_000).optional(),
    daily: z.int().min(1).optional(),
    ramp: ProviderRamp.optional(),
  })
  .transform(
    ({ name, url, weight, ratePerSecond, daily, ramp }): EmailProvider => ({ name, url: new URL(url), weight, ratePerSecond, daily, ramp }),
  );

const Providers = z
  .array(Provider)
  .min(1)
  .max(MOST_PROVIDERS)
  .refine((providers) => new Set(providers.map(({ name }) => name)).size === providers.length, 'two of them have the same name')
  .refine((providers) => providers.some(({ weight }) => weight > 0), 'none of them has a weight above 0');

const Slug = z.string().min(1);

const Routes = z
  .array(
    z.strictObject({
      project: Slug.optional(),
      brand: Slug.optional(),
      type: z.enum(['transactional', 'marketing']).optional(),
      share: z.number().positive().max(100).optional(),
      use: z.array(Name).min(1).max(MOST_PROVIDERS),
    }),
  )
  .max(MOST_ROUTES) satisfies z.ZodType<readonly ProviderRoute[]>;

/** EMAIL_PROVIDERS, in the order in which those are asked that a mail was not meant for. */
export const EMAIL_PROVIDERS: SettingRule<readonly EmailProvider[]> = jsonOf(Providers, EXAMPLE);

/** EMAIL_ROUTES: the first that means a mail decides. */
export const EMAIL_ROUTES: SettingRule<readonly ProviderRoute[]> = jsonOf(Routes, ROUTES_EXAMPLE);

/** Of EMAIL_PROVIDER_URL or of EMAIL_PROVIDERS; undefined: of neither. Throws ConfigError where both are set. */
export function settledProviders(
  one: URL | undefined,
  several: readonly EmailProvider[] | undefined,
): readonly EmailProvider[] | undefined {
  if (one && several) throw new ConfigError('EMAIL_PROVIDER_URL and EMAIL_PROVIDERS are both set; set one of them');
  return one ? [onlyProvider(one)] : several;
}

/** At which the first provider that has a rate gets as much as it takes, by weight; undefined: none has one. */
export function rateOfAll(providers: readonly EmailProvider[] | undefined = []): number | undefined {
  const weights = providers.reduce((sum, { weight }) => sum + weight, 0);
  const rates = providers.flatMap(({ weight, ratePerSecond }) => (weight > 0 && ratePerSecond ? (ratePerSecond * weights) / weight : []));
  return rates.length > 0 ? Math.min(...rates) : undefined;
}

/** Throws ConfigError for a route to a provider that there is not. */
export function knownRoutes(
  providers: readonly EmailProvider[] | undefined,
  routes: readonly ProviderRoute[] = [],
): readonly ProviderRoute[] {
  const names = new Set(providers?.map(({ name }) => name));
  const unknown = routes.flatMap(({ use }) => use).find((name) => !names.has(name));
  if (unknown === undefined) return routes;
  throw new ConfigError(`EMAIL_ROUTES names the provider "${unknown}", which EMAIL_PROVIDERS should have`);
}
