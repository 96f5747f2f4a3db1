import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { rows } from '../../db/rows.ts';
import { campaignBecomes, campaignEnds, newCampaign } from '../support/campaigns.ts';
import { eventually } from '../support/eventually.ts';
import { linesOf } from '../support/log-lines.ts';
import { mailCount, mailNow, scriptMail } from '../support/mail.ts';
import { database, type TestProject } from '../support/project.ts';
import { must } from '../support/sequences.ts';
import { withEverpost } from '../support/with-everpost.ts';

const PATIENCE = { timeoutMs: 120_000, everyMs: 100 };

/** Contacts at two receivers, all with one tag. */
async function audience(project: TestProject, slow: number, quick: number): Promise<void> {
  const emails = [
    ...Array.from({ length: slow }, (_, n) => `${n}@slow.${project.domain}`),
    ...Array.from({ length: quick }, (_, n) => `${n}@quick.${project.domain}`),
  ];
  const mixed = emails.map((email, n) => ({ email, at: (n * 7919) % emails.length })).toSorted((a, b) => a.at - b.at);
  must(
    await project.api.post(
      '/contacts',
      mixed.map(({ email }) => ({ email, tags: ['all'] })),
    ),
    200,
  );
}

test('a receiver that gets few mails a second holds none of the others of its campaign, which does not call its provider away', async () => {
  await withEverpost({}, async ({ stack, project }) => {
    // The domain of a project is made with it, so its rule comes by a restart.
    await stack.halt();
    await stack.start({ EMAIL_RECEIVERS: JSON.stringify([{ receiver: `slow.${project.domain}`, ratePerSecond: 1 }]) });
    const [slow, quick] = [30, 300];
    await audience(project, slow, quick);
    const id = await newCampaign(project, { audience: { mode: 'tag', tag: 'all' } });
    await eventually(async () => (await mailCount(`@quick.${project.domain}`)) === quick, PATIENCE);
    expect(await mailCount(`@slow.${project.domain}`)).toBeLessThan(slow);
    const waiting = await campaignBecomes(project, id, ({ reason }) => reason !== null);
    expect(waiting).toMatchObject({
      status: 'sending',
      reason: 'receiver_pace',
      sent_count: expect.toSatisfy((sent: number) => sent >= quick),
    });
    const { items } = must(await project.api.get('/attention'), 200);
    expect(items.filter(({ kind }: { kind: string }) => kind === 'campaign_held')).toEqual([]);
    expect(await campaignEnds(project, id, PATIENCE)).toMatchObject({
      status: 'sent',
      reason: null,
      sent_count: slow + quick,
      failed_count: 0,
    });
    const em = await database(stack.databaseUrl);
    const times = await rows(
      em,
      sql<{ at: number }>`
      select extract(epoch from closed_at)::double precision as at from sends where to_email like ${`%@slow.${project.domain}`} order by 1`,
    );
    // A second's worth may be made up for.
    const seconds = (times.at(-1)?.at ?? 0) - (times[0]?.at ?? 0);
    expect(slow / seconds).toBeLessThan(1.5);
    const addresses = (await mailNow(`@slow.${project.domain}`)).map(({ to: [to] }) => to);
    expect(new Set(addresses).size).toBe(slow);
    expect(addresses).toHaveLength(slow);
  });
}, 200_000);

test('a receiver that defers is slowed down, the others of its campaign are not held, and in the end everybody has the mail once', async () => {
  await withEverpost({}, async ({ stack, project }) => {
    const [slow, quick] = [12, 400];
    await audience(project, slow, quick);
    await scriptMail(`@slow.${project.domain}`, { rejectRecipient: { code: 451, message: '4.7.1 too many mails, come again', times: 10 } });
    const id = await newCampaign(project, { audience: { mode: 'tag', tag: 'all' } });
    await eventually(async () => (await mailCount(`@quick.${project.domain}`)) === quick, PATIENCE);
    expect(await campaignEnds(project, id, PATIENCE)).toMatchObject({ status: 'sent', sent_count: slow + quick, failed_count: 0 });
    expect(await mailCount(`@slow.${project.domain}`)).toBe(slow);
    const slowed = linesOf(stack.worker).filter(({ event }) => event === 'mail.receiver_slowed_down');
    expect(slowed).toContainEqual(expect.objectContaining({ receiver: `slow.${project.domain}` }));
  });
}, 200_000);
