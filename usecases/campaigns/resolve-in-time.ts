import type { EntityManager } from '../../db/orm.ts';
import { type AudienceOf, type ResolvedCounts, resolveAudience, zonesOfAudience } from '../../db/queries/campaigns/campaign-audience.ts';
import { type LocalSchedule, zoneTimes } from '../../domain/campaigns/local-schedule.ts';

/**
 * Makes batches of the audience as it is now: of one that goes by the clocks of its recipients each of one zone, which waits for that zone's time. Who is
 * late is so as of its launch. Undefined when the segment is gone.
 */
export async function resolveInTime(
  tx: EntityManager,
  of: AudienceOf,
  local: LocalSchedule | null,
  launchedAt: Date,
): Promise<ResolvedCounts | undefined> {
  if (!local) return resolveAudience(tx, { ...of, zones: null, skipsLate: false });
  const timezones = await zonesOfAudience(tx, of);
  return timezones && resolveAudience(tx, { ...of, zones: zoneTimes(timezones, local, launchedAt), skipsLate: local.late === 'skip' });
}
