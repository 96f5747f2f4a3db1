import { sql } from 'kysely';
import { KNOWN_RECEIVERS } from '../../../domain/sends/receiver-group.ts';
import {
  ALERT_HOURS,
  FEWEST_MAILS,
  REPUTATION_COUNTERS,
  REPUTATION_STATES,
  type ReputationCounts,
  type ReputationState,
  reputationOf,
} from '../../../domain/sends/reputation.ts';
import type { EntityManager } from '../../orm.ts';
import { rows } from '../../rows.ts';
import { type CountedTimes, countGroups, type GroupCounts, type HourlyCounts, sumUpHours } from '../operations/hourly-counts.ts';

/** What is counted of the hour in which mails were sent: migration 0079. */
const REPUTATION = {
  kept: 'reputation_counts',
  changes: 'reputation_count_changes',
  by: ['from_domain', 'receiver'],
  counters: REPUTATION_COUNTERS,
} as const satisfies HourlyCounts<keyof ReputationCounts>;

/** By what mails are counted, and in which column it stands. */
const COLUMNS = { domain: 'from_domain', receiver: 'receiver' } as const;

/** The sending domain or the receiver. */
export type ReputationBy = keyof typeof COLUMNS;
export const REPUTATION_BY = Object.keys(COLUMNS) as [ReputationBy, ...ReputationBy[]];

/** The `most` domains or receivers with the most mails of a time, and the others together, those of people who were erased among them. */
export async function countReputation(
  em: EntityManager,
  projectId: string,
  { by, most, ...times }: CountedTimes & { readonly by: ReputationBy; readonly most: number },
): Promise<GroupCounts<keyof ReputationCounts>[]> {
  return countGroups(em, projectId, REPUTATION, { by: COLUMNS[by], names: REPUTATION_COUNTERS, most }, times);
}

/** Adds what changed to the numbers that are kept, so that reading them stays quick. */
export async function sumUpReputation(em: EntityManager): Promise<void> {
  await sumUpHours(em, REPUTATION);
}

/** What the mails of all projects say, over the time that alerts look at. */
export interface ReputationReading {
  /** How many sending domains stand how; those with few mails are left out. */
  readonly domains: Readonly<Record<ReputationState, number>>;
  /** By receivers that have an entry (domain/sends/receiver-group.ts); of all others together `receiver` is `other`. */
  readonly receivers: readonly ({ readonly receiver: string } & ReputationCounts)[];
}

/** The others are always told of: a number that is not there is none. */
const NO_OTHERS = {
  receiver: 'other',
  ...{ sent: 0, rejected: 0, delivered: 0, deferred: 0, hard_bounced: 0, soft_bounced: 0, complained: 0 },
};

/** For metrics: what is summed up by now, without the changes of the last minute. */
export async function readReputations(em: EntityManager): Promise<ReputationReading> {
  const shown = sql.join(REPUTATION_COUNTERS.map((name) => sql.ref(name)));
  const sums = sql.join(REPUTATION_COUNTERS.map((name) => sql`sum(${sql.ref(name)})::bigint as ${sql.ref(name)}`));
  const found = await rows(
    em,
    sql<{ readonly receiver: string | null } & ReputationCounts>`
      with counted as materialized (
        select project_id, from_domain, case when receiver = any(${[...KNOWN_RECEIVERS]}) then receiver else 'other' end as receiver, ${sums}
        from reputation_counts where hour >= date_trunc('hour', now(), 'UTC') - make_interval(hours => ${sql.lit(ALERT_HOURS - 1)}) group by 1, 2, 3
      )
      select receiver, ${sums} from counted group by receiver
      union all
      select null, ${shown} from (
        select ${sums} from counted group by project_id, from_domain having sum(sent) + sum(rejected) >= ${sql.lit(FEWEST_MAILS)}) d`,
  );
  const domains = Object.fromEntries(REPUTATION_STATES.map((state) => [state, 0])) as Record<ReputationState, number>;
  const receivers = found.flatMap(({ receiver, ...counts }) => (receiver === null ? [] : [{ receiver, ...counts }]));
  for (const { receiver, ...counts } of found) {
    const { state } = reputationOf(counts);
    if (receiver === null && state !== null) domains[state] += 1;
  }
  return { domains, receivers: receivers.some(({ receiver }) => receiver === 'other') ? receivers : [...receivers, NO_OTHERS] };
}
