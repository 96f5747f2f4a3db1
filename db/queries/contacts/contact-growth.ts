import { IsolationLevel } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { EntityManager } from '../../orm.ts';
import { row } from '../../rows.ts';
import { counter } from '../operations/counters.ts';
import { type CountedTimes, countHours, type HourlyCounts, sumUpHours } from '../operations/hourly-counts.ts';

/** What happened to contacts: migration 0071. */
export const GROWTH_COUNTERS = ['made', 'unsubscribed', 'bounced', 'resubscribed', 'erased'] as const;

const GROWTH = {
  kept: 'contact_growth',
  changes: 'contact_growth_changes',
  counters: GROWTH_COUNTERS,
} as const satisfies HourlyCounts<string>;

/** What happened to the contacts of a project in one hour or day. */
export type ContactGrowth = { readonly from: Date } & Readonly<Record<(typeof GROWTH_COUNTERS)[number], number>>;

/** How many contacts a project has, and how many of these are subscribed. */
export interface ContactTotals {
  readonly all: number;
  readonly subscribed: number;
}

export interface GrowthRead {
  /** Of each hour or day; those in which nothing happened are among them. */
  readonly counts: ContactGrowth[];
  readonly totals: ContactTotals;
}

/** Both of one instant: a contact that was just made is in both, or in neither. */
export async function readGrowth(em: EntityManager, projectId: string, times: CountedTimes): Promise<GrowthRead> {
  const atOnce = { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true };
  return em.transactional(async (tx) => {
    const counts = await countHours(tx, projectId, GROWTH, GROWTH_COUNTERS, times);
    const totals = sql<ContactTotals>`select ${counter(projectId, {})} as "all", ${counter(projectId, { statuses: ['subscribed'] })} as subscribed`;
    return { counts, totals: (await row(tx, totals)) ?? { all: 0, subscribed: 0 } };
  }, atOnce);
}

/** Adds what changed to the numbers that are kept, so that reading them stays quick. */
export async function sumUpContactGrowth(em: EntityManager): Promise<void> {
  await sumUpHours(em, GROWTH);
}
