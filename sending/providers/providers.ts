import { AsyncLocalStorage } from 'node:async_hooks';
import { type DailyLimits, forgetUsedAllowances } from '../../db/queries/sends/allowance-days.ts';
import { dayOf, type Ramp } from '../../domain/sends/allowance.ts';
import { type ProviderRoute, providerOrder, type RoutedMail } from '../../domain/sends/provider-order.ts';
import type { MailProvider } from '../../platform/mail/provider.ts';
import type { Metrics, Watched } from '../../platform/metrics/metrics.ts';
import { type Allowances, createAllowances } from '../allowances/allowances.ts';
import type { SendPaces } from '../send-paces.ts';
import { Provider } from './provider.ts';
import { startTelling, type Telling, type TellingDeps } from './tell-states.ts';

/** The mail providers of an installation, as one process has them. */
export interface Providers {
  /** The first of them: by it a mail goes that has no way. */
  readonly first: Provider;
  /** Whether a second submission of a mail under its key is deduplicated: where there are several, nobody knows by which of them it may have gone. */
  readonly deduplicates: boolean;
  /** Who is asked to take a mail, in this order; the very same array where there is one provider. */
  wayOf(mail: RoutedMail): readonly Provider[];
  /** To be called when nothing is submitted any more. */
  close(): Promise<void>;
}

/** One of them, and what is set of it. */
export interface ProviderMember {
  readonly name: string;
  readonly mail: MailProvider;
  readonly weight: number;
  readonly daily?: number | undefined;
  readonly ramp?: Ramp | undefined;
}

export interface ProvidersDeps extends TellingDeps {
  readonly metrics: Pick<Metrics, 'watch'>;
  readonly paces: Pick<SendPaces, 'of'>;
}

const PASSED_OVER: Watched = {
  name: 'everpost_mail_provider_open',
  help: 'Above 0 while a mail provider is passed over since most of its answers were failures',
  labels: ['provider'],
  type: 'gauge',
};

const DAY_USED: Watched = {
  name: 'everpost_mail_provider_allowance_used',
  help: 'Above 0 while the daily allowance of a mail provider is used',
  labels: ['provider'],
  type: 'gauge',
};

/** `members`: at least one. What was said of their days by other limits than these is taken back. */
export function createProviders(members: readonly ProviderMember[], routes: readonly ProviderRoute[], deps: ProvidersDeps): Providers {
  const { em, paces, log, metrics, now } = deps;
  const telling: Telling | undefined = members.length > 1 ? startTelling(deps) : undefined;
  // Where it cannot be, it is told until the day ends.
  void forgetUsedAllowances(em, dayOf(now()), dailyLimitsOf(members)).catch(() => undefined);
  const providers: readonly Provider[] = members.map(
    (member) =>
      new Provider({
        ...{ name: member.name, mail: member.mail, log, now },
        pace: paces.of(member.name),
        allowances: allowancesOf(member, deps),
        changed: telling && ((change, reason) => telling.changed(member.name, change, reason)),
      }),
  );
  const watch = (what: Watched, isSo: (provider: Provider) => boolean): void =>
    metrics.watch(what, async () => providers.map((provider) => ({ labels: { provider: provider.name }, value: isSo(provider) ? 1 : 0 })));
  watch(PASSED_OVER, ({ isOpen }) => isOpen);
  watch(DAY_USED, ({ hasUsedItsDay }) => hasUsedItsDay);
  const [first] = providers as readonly [Provider];
  const close = async (): Promise<void> => {
    await Promise.all(providers.map((provider) => provider.close()));
    await telling?.stop();
  };
  if (members.length === 1) return { first, deduplicates: first.mail.idempotent, wayOf: () => providers, close };
  const byName = new Map(providers.map((provider) => [provider.name, provider]));
  const orderOf = providerOrder(members, routes);
  return {
    first,
    deduplicates: false,
    wayOf: (mail) => orderOf(mail).map((name) => byName.get(name) as Provider),
    close,
  };
}

function dailyLimitsOf(members: readonly ProviderMember[]): DailyLimits {
  return members.map(({ name, daily }) => ({ provider: name, daily }));
}

/** Its limits are the same as long as the process runs, so one that is used stays so but for what others give back. */
const LOOK_AGAIN_MS = 10_000;

function allowancesOf(
  { name, daily, ramp }: ProviderMember,
  { em, log, now }: Pick<ProvidersDeps, 'em' | 'log' | 'now'>,
): Allowances | undefined {
  if (daily === undefined && ramp === undefined) return undefined;
  // It is about no single mail.
  const outside = AsyncLocalStorage.snapshot();
  const [hasRamp, hasDaily] = [ramp !== undefined, daily !== undefined];
  return createAllowances({
    ...{ em, holder: { of: 'provider', name }, of: { provider: name }, limits: () => ({ daily, ramp }), hasRamp, hasDaily },
    ...{ lookAgainMs: LOOK_AGAIN_MS, now },
    used: (isBulk) => outside(() => log.warn('mail.allowance_used', { provider: name, holds: isBulk ? 'campaigns' : 'all' })),
  });
}
