import { sql } from 'kysely';
import type { ProviderEventDetails } from '../../../domain/inbound/event.ts';
import { SANDBOX_PROVIDER, type SandboxReported } from '../../../domain/sends/sandbox.ts';
import type { EntityManager } from '../../orm.ts';
import { rows } from '../../rows.ts';

/** What is to be reported of a recipient whom a send has not left for. */
export interface ReportedSandboxSend extends SandboxReported {
  readonly sendId: string;
  /** Among the reports of the send. */
  readonly nth: number;
}

/** A bounce of an address that plays it. */
const BOUNCED: ProviderEventDetails = { bounce: { kind: 'hard', code: '5.1.1' } };

function detailsOf({ report, url }: SandboxReported): ProviderEventDetails {
  if (report === 'bounced') return BOUNCED;
  return url === undefined ? {} : { url };
}

/** Keeps the reports, as those of a provider are kept, in the transaction that gives the sends their outcomes. Answers with the ids of the events. */
export async function keepSandboxReports(tx: EntityManager, reported: readonly ReportedSandboxSend[]): Promise<string[]> {
  if (reported.length === 0) return [];
  const asked = reported.map((one) => ({
    id: one.sendId,
    nth: one.nth,
    event_key: one.nth === 0 && one.copy === undefined ? one.sendId : `${one.sendId} ${one.nth}`,
    type: one.report,
    email: one.copy ?? null,
    details: detailsOf(one),
  }));
  const kept = await rows(
    tx,
    sql<{ id: string }>`
      insert into provider_events (id, project_id, provider, event_key, type, provider_ids, email, details, occurred_at, received_at, look_at)
      select uuid_v7(), s.project_id, ${sql.lit(SANDBOX_PROVIDER)}, r.event_key, r.type, array[s.provider_id], r.email, r.details, now() + r.nth * interval '1 ms', now(), now()
      from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) as r(id uuid, nth int, event_key text, type text, email text, details jsonb) join sends s on s.id = r.id
      on conflict (project_id, provider, event_key) do nothing returning id`,
  );
  return kept.map(({ id }) => id);
}
