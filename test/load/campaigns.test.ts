import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { rows } from '../../db/rows.ts';
import { startTemporal } from '../../local/temporal.ts';
import { type Campaign, campaignBecomes, campaignEnds, checkCampaign, newAudience, newCampaign } from '../support/campaigns.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { scriptMail } from '../support/mail.ts';
import { database, newProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';
import { readable, temporalClient, workflowHistory } from '../support/temporal.ts';
import { withEverpost } from '../support/with-everpost.ts';

/** A worker with one connection has so many senders at once. */
const SENDERS = 16;

test.concurrent('a campaign begins at once while more slow ones of another project run than a worker has senders', async () => {
  // So long under way that the machine, busy with what else begins, comes to wait for the rates: else no sender leaves its place.
  const SIZE = 120;
  // Long enough to tell a rate of one a second from none.
  const MEASURED = 10;
  await withEverpost({ env: { SEND_CONCURRENCY: '1' } }, async ({ stack, project }) => {
    const { tag } = await newAudience(project, SIZE);
    const slow = await Promise.all(
      Array.from({ length: SENDERS + 4 }, () => newCampaign(project, { audience: { mode: 'tag', tag }, ratePerSecond: 1 })),
    );
    const all = async (): Promise<Campaign[]> => must(await project.api.get('/campaigns?limit=100'), 200).campaigns;
    const haveSent = (least: number) =>
      eventually(async () => (await all()).every(({ sent_count }) => sent_count >= least), { timeoutMs: 60_000 });
    await haveSent(1);
    const other = await newProject({ everpost: stack });
    await enableTemplates(other, 'newsletter');
    const audience = await newAudience(other, 60);
    const id = await newCampaign(other, { audience: { mode: 'tag', tag: audience.tag } });
    expect(await campaignEnds(other, id)).toMatchObject({ status: 'sent', sent_count: 60 });
    const client = await temporalClient(stack.namespace);
    const leftItsPlace = async (one: string) => readable(await workflowHistory(client, `campaign/${one}`)).includes('1 a second at most');
    await eventually(async () => (await Promise.all(slow.map(leftItsPlace))).includes(true), { timeoutMs: 100_000, everyMs: 1_000 });
    const em = await database(stack.databaseUrl);
    await checkCampaign(em, other, id, audience.emails);
    await haveSent(MEASURED);
    const mails = (ids: readonly string[]) =>
      rows(
        em,
        sql<{ count: number; firstAt: Date; lastAt: Date }>`
          select count(*) as count, min(s.opened_at) as "firstAt", max(s.opened_at) as "lastAt"
          from sends s where s.project_id = any(${[project.id, other.id]}) and s.source_id = any(${ids}) group by s.source_id`,
      );
    // None was faster than its rate, whether its sender waited in its place or not; the first and the last second may be shorter by what a claim takes.
    for (const { count, firstAt, lastAt } of await mails(slow))
      expect(lastAt.getTime() - firstAt.getTime()).toBeGreaterThan((count - 3) * 1_000);
    // What had to be slow need not be so to its end.
    await rows(em, sql`update campaigns set rate_per_second = 1000 where id = any(${slow}::uuid[])`);
    for (const one of slow) expect(await campaignEnds(project, one)).toMatchObject({ status: 'sent', sent_count: SIZE });
    // All of the slow ones had begun before any of them ended, and went on after the other: by order, since a busy machine is slow to begin any.
    const [quick] = await mails([id]);
    const slowMails = await mails(slow);
    const firstEnd = Math.min(...slowMails.map(({ lastAt }) => lastAt.getTime()));
    expect(slowMails).toHaveLength(slow.length);
    for (const { firstAt } of slowMails) expect(firstAt.getTime()).toBeLessThan(firstEnd);
    expect(firstEnd).toBeGreaterThan(quick!.lastAt.getTime());
  });
}, 360_000);

test.concurrent('a campaign whose history is long continues as new with what its senders have just met', async () => {
  const { scratchDir, temporalBinary: binary } = testEnvironment();
  const dataDir = await mkdtemp(join(scratchDir, 'temporal-'));
  const settings = { 'limit.historyCount.suggestContinueAsNew': '8' };
  const temporal = await startTemporal({ binary, dataDir, ui: undefined, progress: () => undefined, inMemory: true, settings });
  try {
    const options = { temporalAddress: temporal.address, env: { TEMPORAL_NAMESPACE: 'default' } };
    await withEverpost(options, async ({ stack, project }) => {
      const { tag, emails } = await newAudience(project, 1);
      const [email] = emails as [string];
      await scriptMail(email, { rejectRecipient: { code: 451, message: '4.3.0 later' } });
      const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
      await campaignBecomes(project, id, ({ reason }) => reason === 'provider_unavailable');
      const handle = (await temporalClient('default', temporal.address)).workflow.getHandle(`campaign/${id}`);
      const first = (await handle.describe()).raw.workflowExecutionInfo?.firstRunId;
      expect(first).toBeTruthy();
      expect((await handle.describe()).runId).not.toBe(first);
      await scriptMail(email, {});
      await eventually(async () => {
        await handle.signal('retryNow').catch(() => undefined);
        return (await handle.describe()).status.name === 'COMPLETED';
      });
      expect(await campaignEnds(project, id)).toMatchObject({ status: 'sent', sent_count: 1, reason: null });
      await checkCampaign(await database(stack.databaseUrl), project, id, emails);
    });
  } finally {
    await temporal.process.stop();
  }
});
