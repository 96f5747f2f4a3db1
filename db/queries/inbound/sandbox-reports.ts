import { sql } from 'kysely';
import type { ProviderEventDetails } from '../../../domain/inbound/event.ts';
import { SANDBOX_PROVIDER, type SandboxReport } from '../../../domain/sends/sandbox.ts';
import type { EntityManager } from '../../orm.ts';
import { rows } from '../../rows.ts';

/** What is to be reported of a send that has not left. */
export interface ReportedSandboxSend {
  readonly sendId: string;
  readonly report: SandboxReport;
}

/** A bounce of an address that plays it. */
const BOUNCED: ProviderEventDetails = { bounce: { kind: 'hard', code: '5.1.1' } };

/** Keeps the reports, as those of a provider are kept, in the transaction that gives the sends their outcomes. Answers with the ids of the events. */
export async function keepSandboxReports(tx: EntityManager, reported: readonly ReportedSandboxSend[]): Promise<string[]> {
  const asked = reported.map(({ sendId, report }) => ({ id: sendId, type: report, details: report === 'bounced' ? BOUNCED : {} }));
  const kept = await rows(
    tx,
    sql<{ id: string }>`
      insert into provider_events (id, project_id, provider, event_key, type, provider_ids, details, occurred_at, received_at, look_at)
      select uuid_v7(), s.project_id, ${sql.lit(SANDBOX_PROVIDER)}, s.id::text, r.type, array[s.provider_id], r.details, now(), now(), now()
      from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) as r(id uuid, type text, details jsonb) join sends s on s.id = r.id
      on conflict (project_id, provider, event_key) do nothing returning id`,
  );
  return kept.map(({ id }) => id);
}
