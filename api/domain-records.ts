import type * as z from 'zod';
import type { SendingDomainRow } from '../db/entities/index.ts';
import { dkimKeysOf } from '../db/queries/domains/dkim-keys.ts';
import { type RampDays, rampDays } from '../db/queries/domains/ramps.ts';
import { nextCheckMs } from '../domain/domains/standing.ts';
import { dayOf, endOfDay } from '../domain/sends/allowance.ts';
import { recordsOf } from '../usecases/domains/check-domain.ts';
import type { DomainWithRecords, SendingDomainRecord } from './domain-schemas.ts';
import type { KeyContext } from './route.ts';

/** The records of these domains, in their order. */
export async function domainRecords(
  em: KeyContext['em'],
  domains: readonly SendingDomainRow[],
  now: Date,
): Promise<z.output<typeof SendingDomainRecord>[]> {
  const withRamp = domains.flatMap(({ id, ramp }) => (ramp ? id : []));
  const days = withRamp.length > 0 ? await rampDays(em, withRamp, dayOf(now)) : new Map<string, RampDays>();
  return domains.map(({ id, domain, verified, vouched, standing, failing_since, checked_at, ed25519, ramp, created_at }) => {
    const { daysBefore = 0, today = 0 } = days.get(id) ?? {};
    const shownRamp = ramp && {
      ...{ steps: [...ramp.steps], day: daysBefore + 1, allowance: ramp.steps[daysBefore] ?? null },
      ...{ used: today, resets_at: endOfDay(now) },
    };
    return { id, domain, verified, vouched, standing, failing_since, checked_at, ed25519, ramp: shownRamp, created_at };
  });
}

/** The record of a domain with its DNS records. */
export async function withRecords(
  { em, now, spfInclude, trackingHost, returnPathHost }: KeyContext,
  row: SendingDomainRow,
): Promise<z.output<typeof DomainWithRecords>> {
  const { standing, checked_at, created_at, findings } = row;
  const keys = await dkimKeysOf(em, row.id);
  const wanted = recordsOf(row, keys, { spfInclude, trackingHost, returnPathHost });
  const records = wanted.map(({ key, purpose, type, name, value, required, action, keepUntil, dkim }) => {
    const finding = row.findings[key];
    return {
      ...{ purpose, type, name, value, required, action, keep_until: keepUntil ?? null },
      ...{ algorithm: dkim?.algorithm ?? null, signs: dkim?.signs ?? null },
      ...{ state: finding?.state ?? ('unchecked' as const), found: [...(finding?.found ?? [])], problem: finding?.problem ?? null },
      unavailable: finding?.unavailable ?? null,
      checked_at: finding?.checkedAt ? new Date(finding.checkedAt) : null,
    };
  });
  const isLookedAfter = checked_at !== null && records.length > 0;
  const nextMs = isLookedAfter ? checked_at.getTime() + nextCheckMs({ standing, created_at, keys, findings }, checked_at) : undefined;
  const [record] = await domainRecords(em, [row], now());
  return { ...(record as z.output<typeof SendingDomainRecord>), records, next_check_at: nextMs === undefined ? null : new Date(nextMs) };
}
