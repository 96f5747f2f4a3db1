import type { CampaignRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { type AudienceOf, type ResolvedCounts, resolveAudience, zonesOfAudience } from '../../db/queries/campaigns/campaign-audience.ts';
import { windowOfProject } from '../../db/queries/projects/projects.ts';
import { type LocalSchedule, zoneTimes } from '../../domain/campaigns/local-schedule.ts';
import { type WindowChoice, windowOf } from '../../domain/send-window.ts';
import type { SendType } from '../../domain/sends/send.ts';

/** By which clocks a campaign goes, and since when it does. */
export interface InTime {
  readonly type: SendType;
  readonly local: LocalSchedule | null;
  readonly choice: WindowChoice;
  /** When it was launched, or last changed. */
  readonly settledAt: Date;
  readonly now: Date;
}

/** `window`: what it goes by from now on. */
export type ResolvedInTime = ResolvedCounts & { readonly window: CampaignRow['window_in_force'] };

/**
 * Makes batches of the audience as it is now: of one that goes by the clocks of its recipients, or within a window, each of one zone, which waits for that
 * zone's time. Who is late was so when it was settled. Undefined when the segment is gone.
 */
export async function resolveInTime(
  tx: EntityManager,
  of: AudienceOf,
  { type, local, choice, settledAt, now }: InTime,
): Promise<ResolvedInTime | undefined> {
  const chosen = windowOf(choice, choice === null ? await windowOfProject(tx, of.projectId) : null);
  const window = chosen && (type === 'marketing' || chosen.transactional) ? chosen : null;
  const isByZones = local !== null || window?.timezone === 'contact';
  const timezones = isByZones ? await zonesOfAudience(tx, of) : [];
  if (!timezones) return undefined;
  const zones = local || window ? zoneTimes(timezones, { local, window, settledAt, now }) : null;
  const counts = await resolveAudience(tx, { ...of, zones, skipsLate: local?.late === 'skip' });
  return counts && { ...counts, window };
}

/** The zones whose time had passed when a campaign was settled, where its schedule leaves their people out; null: of contacts without one. */
export async function lateZones(
  em: EntityManager,
  of: Pick<AudienceOf, 'projectId' | 'audience'>,
  { local, settledAt, now }: Pick<InTime, 'local' | 'settledAt' | 'now'>,
): Promise<(string | null)[]> {
  if (local?.late !== 'skip') return [];
  const timezones = (await zonesOfAudience(em, of)) ?? [];
  return zoneTimes(timezones, { local, window: null, settledAt, now }).flatMap(({ timezone, isLate }) => (isLate ? [timezone] : []));
}

/** When a campaign that is not a draft was launched, or last changed. */
export function settledAtOf({ launched_at, created_at, changed_at }: Pick<CampaignRow, 'launched_at' | 'created_at' | 'changed_at'>): Date {
  return new Date(Math.max((launched_at ?? created_at).getTime(), changed_at?.getTime() ?? 0));
}
