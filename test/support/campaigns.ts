import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { EntityManager } from '../../db/orm.ts';
import { rows } from '../../db/rows.ts';
import { eventually, type Patience } from './eventually.ts';
import { mailNow } from './mail.ts';
import type { TestProject } from './project.ts';
import { must, unlessBusy } from './sequences.ts';

/** The record as the API shows it. */
// biome-ignore lint/suspicious/noExplicitAny: tests reach into it
export type Campaign = any;

/** Contacts with a tag that nobody else has. Answers with the tag and their addresses. */
export async function newAudience(project: Pick<TestProject, 'api' | 'domain'>, size: number): Promise<{ tag: string; emails: string[] }> {
  const tag = `tag-${randomBytes(5).toString('hex')}`;
  const emails = Array.from({ length: size }, (_, index) => `${tag}-${index}@to.${project.domain}`);
  for (let start = 0; start < size; start += 1000) {
    const contacts = emails.slice(start, start + 1000).map((email) => ({ email, tags: [tag], firstName: email.split('@')[0] }));
    must(await unlessBusy(() => project.api.post('/contacts', contacts)), 200);
  }
  return { tag, emails };
}

/** Creates the campaign; `newsletter` to the audience unless told. */
export async function newCampaign(project: Pick<TestProject, 'api'>, body: object): Promise<string> {
  return must(await project.api.post('/campaigns', { template: 'newsletter', ...body }), 201).campaignId;
}

export async function campaignOf(project: Pick<TestProject, 'api'>, id: string): Promise<Campaign> {
  return must(await project.api.get(`/campaigns/${id}`), 200).campaign;
}

/** Waits until the campaign is as wanted, its batches taken a second time if need be; says how it was when the time is over. */
export async function campaignBecomes(
  project: Pick<TestProject, 'api'>,
  id: string,
  wanted: (campaign: Campaign) => boolean,
  patience: Patience = { timeoutMs: 120_000, everyMs: 100 },
): Promise<Campaign> {
  let last: Campaign;
  return eventually(async () => {
    last = await campaignOf(project, id);
    return wanted(last) && last;
  }, patience).catch(() => {
    throw new Error(`the campaign did not become as wanted: ${JSON.stringify(last)}`);
  });
}

export async function campaignEnds(project: Pick<TestProject, 'api'>, id: string, patience?: Patience): Promise<Campaign> {
  return campaignBecomes(project, id, ({ status }) => ['sent', 'cancelled', 'failed'].includes(status), patience);
}

/** What stands about a campaign in the three places that must agree. */
export interface Checked {
  readonly record: Campaign;
  /** Rows of the send log by status. */
  readonly sent: number;
  readonly failed: number;
  readonly outcomeUnknown: number;
  /** Messages that arrived. */
  readonly arrived: number;
}

/**
 * The independent check of an ended campaign: its numbers add up, also of those who were left out, the send log has one row for each contact that it says, every mail that it
 * calls sent has arrived once, and nothing has arrived that it knows nothing of. Throws what does not agree.
 */
export async function checkCampaign(
  em: EntityManager,
  project: Pick<TestProject, 'api'>,
  id: string,
  emails: readonly string[],
): Promise<Checked> {
  const record = await campaignOf(project, id);
  const log = await rows(
    em,
    sql<{ contact_id: string; to_email: string; status: string | null; error: string | null; provider_id: string | null }>`
      select contact_id, to_email, status, error, provider_id from sends where source_type = 'campaign' and source_id = ${id}`,
  );
  const problems: string[] = [];
  const claim = (holds: boolean, problem: string): void => void (holds || problems.push(problem));
  const { total_recipients: total, sent_count, failed_count, skipped_count, cancelled_count } = record;
  const sum = sent_count + failed_count + skipped_count + cancelled_count;
  claim(
    total === sum,
    `total ${total} is not sent ${sent_count} + failed ${failed_count} + skipped ${skipped_count} + cancelled ${cancelled_count}`,
  );
  const leftOut = Object.values<number>(record.left_out).reduce((all, people) => all + people, 0);
  const [resolved] = await rows(em, sql`select 1 from campaigns where id = ${id} and resolved_at is not null`);
  const notGot = resolved ? record.audience_size - total + skipped_count + cancelled_count : 0;
  claim(leftOut === notGot, `left out are ${JSON.stringify(record.left_out)}, and ${notGot} did not get it`);
  claim((record.status === 'cancelled') === (record.cancelled_at !== null), `${record.status}, cancelled at ${record.cancelled_at}`);
  claim(new Set(log.map(({ contact_id }) => contact_id)).size === log.length, 'a contact has two rows');
  const by = (status: string): typeof log => log.filter((one) => one.status === status);
  claim(by('sent').length === sent_count, `sent_count ${sent_count}, ${by('sent').length} rows`);
  claim(by('failed').length === failed_count, `failed_count ${failed_count}, ${by('failed').length} rows`);
  claim(
    log.every(({ status }) => status !== null),
    'a row has no outcome',
  );
  const left = await rows(em, sql`select 1 from campaign_pages where campaign_id = ${id}`);
  claim(left.length === 0, `${left.length} batches are left`);
  const domain = emails[0]?.slice(emails[0].indexOf('@')) ?? '';
  const wanted = new Set(emails);
  const messages = (await mailNow(domain)).filter(({ to }) => wanted.has(to[0] as string));
  const arrivals = new Map<string, number>();
  for (const { to } of messages) arrivals.set(to[0] as string, (arrivals.get(to[0] as string) ?? 0) + 1);
  const twice = [...arrivals].filter(([, count]) => count > 1);
  claim(twice.length === 0, `${twice.length} mails arrived more than once, like that to ${twice[0]?.[0]}`);
  const missing = by('sent').filter(({ to_email }) => !arrivals.has(to_email));
  claim(missing.length === 0, `${missing.length} mails are called sent and did not arrive`);
  const outcomeUnknown = by('failed').filter(({ error }) => error?.startsWith('outcome_unknown'));
  const known = new Set([...by('sent'), ...outcomeUnknown].map(({ to_email }) => to_email));
  const unknown = [...arrivals.keys()].filter((email) => !known.has(email));
  claim(unknown.length === 0, `${unknown.length} mails arrived that are not called sent, like that to ${unknown[0]}`);
  if (problems.length > 0) throw new Error(`${problems.join('; ')}: ${JSON.stringify(record)}`);
  return { record, sent: by('sent').length, failed: by('failed').length, outcomeUnknown: outcomeUnknown.length, arrived: messages.length };
}
