import type { EntityManager } from '../../db/orm.ts';
import { countMatched, keepProviderEvents } from '../../db/queries/inbound/provider-events.ts';
import type { ReportedEvent } from '../../domain/inbound/event.ts';
import { recordProviderEvent } from './record-provider-event.ts';

/** Whoever reports waits a few seconds for an answer before they tell everything again. */
const APPLY_WITHIN_MS = 2_000;

export interface TakingReports {
  readonly em: EntityManager;
  readonly now: () => Date;
  readonly newId: () => string;
  /** So many soft bounces in a row suppress an address. */
  readonly softBounceLimit: number;
}

export interface TakenReports {
  /** Events that are about deliveries. */
  readonly received: number;
  /** Those of them that are about a mail of the project, as far as it is known by now. */
  readonly matched: number;
}

/** Keeps what was reported of mails of a project, each event once, and applies it. What a large report leaves over is applied by a worker. */
export async function takeReports(
  { em, now, newId, softBounceLimit }: TakingReports,
  { projectId, provider, events }: { readonly projectId: string; readonly provider: string; readonly events: readonly ReportedEvent[] },
): Promise<TakenReports> {
  const ids = await keepProviderEvents(em, { projectId, provider, events, now: now(), newId });
  const deadline = now().getTime() + APPLY_WITHIN_MS;
  for (const id of ids) {
    if (now().getTime() > deadline) break;
    await recordProviderEvent(em, id, { softBounceLimit, now: now() });
  }
  return { received: events.length, matched: await countMatched(em, projectId, events) };
}
