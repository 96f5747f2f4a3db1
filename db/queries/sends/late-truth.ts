import { sql } from 'kysely';
import type { EntityManager } from '../../orm.ts';
import { IS_UNKNOWN, outcomeStatements, writeOutcomes } from './send-outcomes.ts';

/** What a report about a mail of unknown outcome tells: it was sent. A campaign that has counted it as failed counts it as sent, unless another mail followed it. */
const CLOSING = outcomeStatements(sql`
  batch as materialized (
    select * from json_to_recordset($1::json) as r(id uuid, provider_id text)
  ), closed as (
    update sends s set status = 'sent', provider_id = r.provider_id, error = null, closed_at = now()
    from batch r where s.id = r.id and ${IS_UNKNOWN} returning s.*
  ), counted as (
    insert into campaign_counts (campaign_id, variant, counter, delta)
    select source_id::uuid, coalesce(variant, ''), c.counter, c.delta
    from closed cross join (values ('sent', 1), ('failed', -1)) as c(counter, delta)
    where source_type = 'campaign' and retried_as is null
  )`);

/** Calls a mail of unknown outcome sent, since its server says something of it. `providerId`: as the report has it, if it does. */
export async function closeAsReported(tx: EntityManager, id: string, providerId: string | undefined): Promise<void> {
  const outcome = { status: 'sent', providerId } as const;
  await writeOutcomes(tx, CLOSING, [{ outcome, hasWebhooks: true }], [JSON.stringify([{ id, provider_id: providerId }])]);
}
