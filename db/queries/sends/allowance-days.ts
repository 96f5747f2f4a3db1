import { type RawBuilder, sql } from 'kysely';
import type { Ramp } from '../../../domain/sends/allowance.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';

/** Whose mails are counted on which day. */
export interface AllowanceDay {
  readonly of: { readonly provider: string } | { readonly domainId: string };
  /** `2026-01-31`, UTC. */
  readonly day: string;
}

/** How many there may be; absent: as many as there are. */
export interface DayLimits {
  readonly daily?: number | undefined;
  readonly ramp?: Ramp | undefined;
}

/** What was taken of a day. */
export interface Taken {
  readonly count: number;
  /** How many campaigns may send on the whole day; undefined: as many as there are. */
  readonly limit: number | undefined;
}

/**
 * Takes so many mails of the day, or what is left of it. A ramp leaves campaigns less (`isBulk`), and what else goes is counted. Throws for a domain that
 * is gone.
 */
export async function takeAllowance(
  em: EntityManager,
  day: AllowanceDay,
  { limits, isBulk, wanted }: { readonly limits: DayLimits; readonly isBulk: boolean; readonly wanted: number },
): Promise<Taken> {
  return em.transactional(async (tx) => {
    const { table, key, value } = rowsOf(day);
    await row(tx, sql`insert into ${table} (${key}, day, taken) values (${value}, ${day.day}::date, 0) on conflict do nothing`);
    const before = await row(tx, sql<{ taken: number }>`select taken from ${table} where ${isOf(day)} for update`);
    const limit = await limitOf(tx, day, limits);
    const most = (isBulk ? limit : limits.daily) ?? Number.POSITIVE_INFINITY;
    const taken = before?.taken ?? 0;
    const count = Math.max(0, Math.min(wanted, most - taken));
    const isUsed = count === 0 && limits.daily !== undefined && taken >= limits.daily;
    await row(tx, sql`update ${table} set taken = taken + ${count}${usedSince(day, isUsed)} where ${isOf(day)}`);
    return { count, limit };
  });
}

/** Of what was taken and not used: at least one. */
export async function returnAllowance(em: EntityManager, day: AllowanceDay, count: number): Promise<void> {
  await row(em, sql`update ${rowsOf(day).table} set taken = greatest(0, taken - ${count})${usedSince(day, false)} where ${isOf(day)}`);
}

/** Of providers, beside what is taken of their day: a domain has no daily limit. */
function usedSince({ of }: AllowanceDay, isUsed: boolean): RawBuilder<unknown> {
  if ('domainId' in of) return sql``;
  return isUsed ? sql`, used_at = coalesce(used_at, now())` : sql`, used_at = null`;
}

/** A provider whose daily allowance is used. */
export interface UsedAllowance {
  readonly provider: string;
  readonly since: Date;
}

/** Those of which mails have found nothing left on this day, `2026-01-31`. */
export async function usedAllowances(em: EntityManager, day: string): Promise<UsedAllowance[]> {
  return rows(
    em,
    sql<UsedAllowance>`
      select provider, used_at as since from provider_days where day = ${day}::date and used_at is not null order by provider`,
  );
}

/** Providers with what they may be given a day. */
export type DailyLimits = readonly { readonly provider: string; readonly daily?: number | undefined }[];

/** Forgets of this day what is used no more by limits that were set since, or of providers that are there no more. */
export async function forgetUsedAllowances(em: EntityManager, day: string, limits: DailyLimits): Promise<void> {
  await row(
    em,
    sql`
      update provider_days d set used_at = null where day = ${day}::date and used_at is not null and not exists (
        select 1 from json_to_recordset(${JSON.stringify(limits)}::json) as l(provider text, daily bigint)
        where l.provider = d.provider and l.daily <= d.taken)`,
  );
}

/** The step of the day counts the days before it on which mail went. */
async function limitOf(tx: EntityManager, day: AllowanceDay, { daily, ramp }: DayLimits): Promise<number | undefined> {
  const step = ramp?.steps[await daysBefore(tx, day, ramp)];
  return daily === undefined || step === undefined ? (daily ?? step) : Math.min(daily, step);
}

async function daysBefore(tx: EntityManager, day: AllowanceDay, { from = '-infinity' }: Ramp): Promise<number> {
  const { table, key, value } = rowsOf(day);
  const found = await row(
    tx,
    sql<{ days: number }>`
      select count(*) as days from ${table} where ${key} = ${value} and day >= ${from}::date and ${isStepBefore(day.day)}`,
  );
  return found?.days ?? 0;
}

/** Of the days of a ramp: whether mail went on one before `today`, `2026-01-31`. */
export function isStepBefore(today: string): RawBuilder<unknown> {
  return sql`day < ${today}::date and taken > 0`;
}

interface Counted {
  readonly table: RawBuilder<unknown>;
  readonly key: RawBuilder<unknown>;
  readonly value: RawBuilder<unknown>;
}

function rowsOf({ of }: AllowanceDay): Counted {
  return 'provider' in of
    ? { table: sql.table('provider_days'), key: sql.ref('provider'), value: sql`${of.provider}` }
    : { table: sql.table('domain_days'), key: sql.ref('domain_id'), value: sql`${of.domainId}::uuid` };
}

function isOf(day: AllowanceDay): RawBuilder<unknown> {
  const { key, value } = rowsOf(day);
  return sql`${key} = ${value} and day = ${day.day}::date`;
}
