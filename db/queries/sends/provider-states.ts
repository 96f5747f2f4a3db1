import { sql } from 'kysely';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';

/** A provider that a process passes over, since most of its answers were failures. */
export interface ProviderState {
  readonly provider: string;
  readonly processId: string;
  readonly since: Date;
  /** What the provider said, without addresses. */
  readonly reason: string;
}

/** A state that was not told for so long is that of a process that has died. */
const STALE_SECONDS = 60;

export async function keepProviderState(em: EntityManager, { provider, processId, since, reason }: ProviderState): Promise<void> {
  await row(
    em,
    sql`insert into provider_states (provider, process_id, since, reason, told_at) values (${provider}, ${processId}, ${since}, ${reason}, now())
        on conflict (provider, process_id) do update set since = excluded.since, reason = excluded.reason, told_at = now()`,
  );
}

/** Forgets it, and what processes that have died left behind. */
export async function forgetProviderState(
  em: EntityManager,
  { provider, processId }: Pick<ProviderState, 'provider' | 'processId'>,
): Promise<void> {
  await row(
    em,
    sql`delete from provider_states
        where (provider = ${provider} and process_id = ${processId}) or told_at < now() - make_interval(secs => ${sql.lit(STALE_SECONDS)})`,
  );
}

/** Providers that some process passes over now, each since the first of them does. */
export async function openProviders(em: EntityManager): Promise<Pick<ProviderState, 'provider' | 'since' | 'reason'>[]> {
  return rows(
    em,
    sql<Pick<ProviderState, 'provider' | 'since' | 'reason'>>`
      select distinct on (provider) provider, since, reason from provider_states
      where told_at >= now() - make_interval(secs => ${sql.lit(STALE_SECONDS)}) order by provider, since`,
  );
}
