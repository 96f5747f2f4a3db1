import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { openDatabase } from '../db/orm.ts';
import { campaignsToCount } from '../db/queries/campaigns/kept-results.ts';
import { MOST_COUNTED_AT_ONCE } from '../domain/campaigns/results.ts';
import { countAndKeep } from '../usecases/campaigns/campaign-results.ts';
import { callApi } from './support/api-call.ts';
import { type BenchStack, startBenchStack } from './support/bench-stack.ts';
import { LETTER } from './support/letter.ts';
import { addRecipients } from './support/recipients.ts';
import { percentile, progress, report } from './support/report.ts';
import { timed } from './support/timed.ts';

/**
 * How quickly the results of a campaign are read, and how long they are counted for before: of a large one, which a worker does now and then, and
 * of the largest that is counted while somebody waits. Written by SQL: node bench/results.ts [--recipients 1000000]
 */
const { values } = parseArgs({ options: { recipients: { type: 'string', default: '1000000' } } });
const RECIPIENTS = Number(values.recipients);
const READS = 40;
const GOAL = 'results of 1,000,000 recipients answered in 300 ms at p95';
/** Of the recipients: who opened, who clicked, and who did what the campaign's goal says. */
const SHARES = { opened: 0.3, clicked: 0.05, converted: 0.02 };

const stack = await startBenchStack({ template: LETTER, progress });
const database = new Client({ connectionString: stack.databaseUrl });
await database.connect();
const orm = await openDatabase({ url: stack.databaseUrl, poolSize: 2, applicationName: 'everpost-bench' });
try {
  progress(`writing ${RECIPIENTS} recipients`);
  await addRecipients(stack.databaseUrl, stack.projectId, RECIPIENTS);
  // As people have their addresses: half at one receiver, the rest at fewer and fewer of a thousand.
  await database.query(`update contacts set email = 'person-' || substr(md5(id::text), 1, 20) || '@' ||
    case when random() < 0.5 then 'large.example' else 'r' || floor(1000 * random() ^ 3) || '.example' end`);
  const large = await writeCampaign(stack, RECIPIENTS);
  const small = await writeCampaign(stack, MOST_COUNTED_AT_ONCE);
  await database.query('vacuum analyze');
  const counted = [];
  for (let round = 0; round < 3; round++) {
    progress(`counting, round ${round + 1}`);
    const [due] = await campaignsToCount(orm.em.fork(), 1);
    if (due?.id !== large) throw new Error(`due is ${due?.id}, not the large campaign`);
    counted.push(Number((await timed(() => countAndKeep(orm.em.fork(), due))).toFixed(2)));
    await database.query(`update campaign_results set counted_at = counted_at - interval '1 day'`);
  }
  report('results', {
    goal: GOAL,
    recipients: RECIPIENTS,
    countedInSeconds: counted,
    readMs: await reads(large),
    [`readMsOf${MOST_COUNTED_AT_ONCE}`]: await reads(small),
    keptBytes: (await database.query('select pg_column_size(r.*) as size from campaign_results r')).rows[0].size,
  });
} finally {
  await orm.close();
  await database.end();
  await stack.stop();
}

/** A campaign that ended a day ago, to the first so many contacts, with what they did. */
async function writeCampaign({ projectId }: BenchStack, recipients: number): Promise<string> {
  const id = uuidv7();
  await database.query(
    `insert into campaigns (id, project_id, template, type, brand_id, subject, has_own_subject, audience, status, goal, variants,
       audience_size, total_recipients, created_at, resolved_at, started_at, sent_at)
     select $1, p.id, $4, 'marketing', b.slug, 's', true, '{"mode":"entire"}', 'sent', '{"event":"order_paid","withinHours":72,"sum":"total"}',
       '[{"key":"a","subject":null,"weight":1},{"key":"b","subject":"s","weight":1}]',
       $3, $3, now() - interval '25 hours', now() - interval '25 hours', now() - interval '25 hours', now() - interval '24 hours'
     from projects p join brands b on b.project_id = p.id where p.id = $2`,
    [id, projectId, recipients, LETTER],
  );
  // Each line: mails, then what became of them, as the send path writes it.
  await database.query(
    `insert into sends (id, project_id, contact_id, brand_id, to_email, template, type, subject, status, source_type, source_id, variant, provider_id,
       delivery_status, opened_at, created_at, closed_at, open_count, first_opened_at, click_count, first_clicked_at)
     select uuid_v7(), project_id, id, brand_id, email, $4, 'marketing', 's', 'sent', 'campaign', $1::text, variant, id::text,
       case when luck < 0.98 then 'delivered' else 'bounced' end, at, at, at, case when luck < $5 then 1 else 0 end,
       case when luck < $5 then at + later end, case when luck < $6 then 1 else 0 end, case when luck < $6 then at + later end
     from (select *, now() - interval '25 hours' * (1 - random() * 0.04) as at, interval '24 hours' * random() ^ 4 as later, random() as luck,
             case when random() < 0.5 then 'a' else 'b' end as variant
           from contacts where project_id = $2 order by id limit $3) c`,
    [id, projectId, recipients, LETTER, SHARES.opened, SHARES.clicked],
  );
  await database.query(
    `insert into send_hits (send_id, kind, url, link_hash, is_bot, at)
     select id, 'opened', null, sha256(''), false, first_opened_at from sends where source_id = $1 and open_count > 0
     union all
     select id, 'clicked', url, sha256(convert_to(url, 'UTF8')), false, first_clicked_at from (
       select *, 'https://shop.example/p/' || floor(300 * random() ^ 2) as url from sends where source_id = $1 and click_count > 0) s`,
    [id],
  );
  await database.query(
    `insert into events (id, project_id, contact_id, type, data, created_at)
     select uuid_v7(), project_id, contact_id, t.type, jsonb_build_object('total', round((random() * 100)::numeric, 2)), created_at + interval '20 hours' * random()
     from sends cross join (values ('order_paid', $2::float8), ('page_viewed', 0.5)) t(type, share) where source_id = $1 and random() < case when source_id is null then 0 else share end`,
    [id, SHARES.converted],
  );
  await database.query(
    `insert into campaign_counts (campaign_id, variant, counter, delta)
     select $1::uuid, variant, counter, count(*) from sends, unnest(array['sent', case when open_count > 0 then 'opened' end,
       case when click_count > 0 then 'clicked' end, delivery_status]) u(counter) where source_id = $1::text and counter is not null group by 2, 3`,
    [id],
  );
  return id;
}

async function reads(id: string): Promise<object> {
  const took: number[] = [];
  for (let read = 0; read < READS; read++) {
    const startedAt = performance.now();
    await callApi(stack, 'GET', `/campaigns/${id}/results`);
    took.push(performance.now() - startedAt);
  }
  return { p50: percentile(took, 0.5), p95: percentile(took, 0.95), worst: percentile(took, 1) };
}
