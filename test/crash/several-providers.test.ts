import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { rows } from '../../db/rows.ts';
import { OUTCOME_UNKNOWN_AFTER_MS } from '../../domain/sends/submission-times.ts';
import { every } from '../../platform/every.ts';
import { campaignEnds, checkCampaign, newAudience, newCampaign } from '../support/campaigns.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { scriptMail } from '../support/mail.ts';
import { database } from '../support/project.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';
import { withEverpost } from '../support/with-everpost.ts';

const SIZE = 3_000;
const KILLS = 3;
const PATIENCE = { timeoutMs: 240_000, everyMs: 250 };

test('a campaign over two providers that come and go, cut off mails and put others off, while its worker is killed, gives nobody a mail twice and loses nobody', async () => {
  const providers = await Promise.all(
    ['main', 'spare'].map(async (name) => ({ name, proxy: await tcpProxy(new URL(testEnvironment().smtpUrl).host) })),
  );
  const several = providers.map(({ name, proxy }) => ({ name, url: `smtp://${proxy.address}` }));
  let turn = 0;
  // One is away at a time, and the other one in turn.
  const faults = every(
    700,
    async () => {
      const { proxy } = providers[turn++ % 2]!;
      await proxy.down();
      await sleep(300);
      await proxy.up();
    },
    () => undefined,
  );
  const env = { EMAIL_PROVIDER_URL: '', EMAIL_PROVIDERS: JSON.stringify(several) };
  try {
    await withEverpost({ worker: false, env }, async ({ stack, project, arrived }) => {
      const em = await database(stack.databaseUrl);
      const { tag, emails } = await newAudience(project, SIZE);
      await scriptMail(`@to.${project.domain}`, { delayMs: 20, dropAfterData: { times: 40 }, rejectData: { code: 451, times: 200 } });
      const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
      for (let kill = 1; kill <= KILLS; kill++) {
        const worker = stack.addWorker();
        const before = await arrived();
        // The first mails are those that are put off: each is tried three times, and what is left of its batch seconds later.
        await eventually(async () => (await arrived()) >= before + 300, { ...PATIENCE, everyMs: 20 });
        await worker.process.kill();
        const passed = sql.raw(`interval '${OUTCOME_UNKNOWN_AFTER_MS} ms'`);
        await rows(em, sql`update campaign_pages set opened_at = opened_at - ${passed} where state = 'open'`);
        await rows(em, sql`update campaign_pages set available_at = available_at - ${passed} where state = 'leased'`);
      }
      stack.addWorker();
      await eventually(async () => (await arrived()) >= SIZE / 2, { timeoutMs: 120_000, everyMs: 100 });
      await faults.stop();
      expect(await campaignEnds(project, id, PATIENCE)).toMatchObject({ status: 'sent', total_recipients: SIZE });
      const { outcomeUnknown, sent } = await checkCampaign(em, project, id, emails);
      expect(sent + outcomeUnknown).toBe(SIZE);
      const by = await rows(
        em,
        sql<{ provider: string; count: number }>`
        select provider, count(*)::integer as count from sends where source_id = ${id} and status = 'sent' group by 1 order by 1`,
      );
      expect(by.map(({ provider }) => provider)).toEqual(['main', 'spare']);
      // Whom to ask what became of those that were in flight at a kill.
      const unknown = await rows(
        em,
        sql`select id from sends where source_id = ${id} and error like 'outcome_unknown%' and provider is null`,
      );
      expect(unknown).toEqual([]);
      expect(Math.min(...by.map(({ count }) => count))).toBeGreaterThan(SIZE / 10);
    });
  } finally {
    await faults.stop();
    for (const { proxy } of providers) await proxy.close();
  }
}, 900_000);
