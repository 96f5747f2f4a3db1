import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { row } from '../../../db/rows.ts';
import { endOfDay } from '../../../domain/sends/allowance.ts';
import { USUAL_STEPS } from '../../../domain/sends/ramp-steps.ts';
import { type Campaign, campaignBecomes, campaignEnds, newAudience, newCampaign } from '../../support/campaigns.ts';
import { eventually } from '../../support/eventually.ts';
import { mailCount, mailTo } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must } from '../../support/sequences.ts';
import { temporalClient } from '../../support/temporal.ts';

interface RampRig {
  readonly project: TestProject;
  readonly id: string;
  change(ramp: unknown): ReturnType<TestProject['api']['call']>;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into it
  shown(): Promise<any>;
}

/** A project whose only domain may have a ramp; nothing has gone from it. */
async function rampRig(): Promise<RampRig> {
  const project = await newProject();
  await enableTemplates(project, 'newsletter', 'receipt');
  const [{ id }] = must(await project.api.get('/domains'), 200).domains;
  return {
    project,
    id,
    change: (ramp) => project.api.call('PATCH', `/domains/${id}`, { ramp }),
    shown: async () => must(await project.api.get(`/domains/${id}`), 200).domain.ramp,
  };
}

function isUsed({ reason }: Campaign): boolean {
  return reason === 'allowance_used';
}

test('a domain has no ramp until it is given one; steps that nobody names double from 50 on', async () => {
  const { project, change, shown } = await rampRig();
  expect(await shown()).toBeNull();
  const { domain } = must(await change({}), 200);
  const resets_at = endOfDay(new Date()).toISOString();
  expect(domain.ramp).toEqual({ steps: USUAL_STEPS, day: 1, allowance: 50, used: 0, resets_at });
  expect(must(await change({ steps: [7, 9] }), 200).domain.ramp).toMatchObject({ steps: [7, 9], day: 1, allowance: 7 });
  expect(must(await project.api.get('/domains'), 200).domains).toEqual([
    expect.objectContaining({ ramp: expect.objectContaining({ steps: [7, 9] }) }),
  ]);
  expect(must(await change(null), 200).domain.ramp).toBeNull();
  const added = must(await project.api.post('/domains', { domain: `new.${project.domain}`, ramp: { steps: [1] } }), 201).domain;
  expect(added.ramp).toMatchObject({ steps: [1], allowance: 1 });
});

test.each([
  [{ steps: [] }, 'ramp.steps: '],
  [{ steps: [0] }, 'ramp.steps[0]: '],
  [{ steps: [1.5] }, 'ramp.steps[0]: not a whole number'],
  [{ steps: Array.from({ length: 61 }, () => 1) }, 'ramp.steps: at most 60 items'],
  [{ steps: [10_000_001] }, 'ramp.steps[0]: at most 10000000'],
])('%j is no ramp', async (ramp, error) => {
  const { change } = await rampRig();
  expect(await change(ramp)).toMatchObject({ status: 422, body: { code: 'invalid_request', error: expect.stringContaining(error) } });
});

test('a campaign gets as far as the day allows, says whose allowance is used and until when, and goes on the next day; nobody has it twice', async () => {
  const { project, id, change, shown } = await rampRig();
  must(await change({ steps: [12, 100] }), 200);
  const { tag, emails } = await newAudience(project, 250);
  const campaignId = await newCampaign(project, { audience: { mode: 'tag', tag } });
  const waiting = await campaignBecomes(project, campaignId, isUsed);
  const midnight = endOfDay(new Date());
  expect(waiting).toMatchObject({ status: 'sending', sent_count: 12, allowance: { of: 'domain', name: project.domain } });
  expect(waiting.allowance.resumes_at).toBe(midnight.toISOString());
  expect(await mailCount(`@to.${project.domain}`)).toBe(12);
  const handle = (await temporalClient()).workflow.getHandle(`campaign/${campaignId}`);
  await eventually(async () => {
    const { currentDetails = '' } = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
    return currentDetails.startsWith(`Today's allowance of ${project.domain} is used; goes on ${midnight.toISOString().slice(0, 10)}`);
  });

  // What somebody waits for goes all the same, and counts.
  const to = project.address();
  must(await project.api.post('/send', { template: 'receipt', to, data: { name: 'Ada' } }), 200);
  expect(await mailTo(to)).toHaveLength(1);
  expect(await shown()).toMatchObject({ day: 1, allowance: 12, used: 13 });

  // What was yesterday's.
  const em = await database();
  const isYesterday = async (): Promise<void> => {
    await row(em, sql`update domain_days set day = day - 1 where domain_id = ${id}`);
    await row(em, sql`update sending_domains set ramp = jsonb_set(ramp, '{from}', '"2026-01-01"') where id = ${id}`);
    await handle.signal('retryNow');
  };
  await isYesterday();
  const second = await campaignBecomes(project, campaignId, (campaign) => isUsed(campaign) && campaign.sent_count > 12);
  expect(second).toMatchObject({ sent_count: 112, failed_count: 0 });
  expect(await shown()).toMatchObject({ day: 2, allowance: 100, used: 100 });
  await isYesterday();
  expect(await campaignEnds(project, campaignId)).toMatchObject({ status: 'sent', sent_count: 250, reason: null, allowance: null });
  expect(await shown()).toMatchObject({ day: 3, allowance: null });
  for (const email of [emails[0], emails[249]]) expect(await mailTo(email as string)).toHaveLength(1);
  expect(await mailCount(`@to.${project.domain}`)).toBe(250 + 1);
}, 120_000);

test('a ramp holds from its answer on, whatever was sent just before, and one that is lowered or set anew counts what went', async () => {
  const { project, change, shown } = await rampRig();
  const { tag } = await newAudience(project, 30);
  const send = () => newCampaign(project, { audience: { mode: 'tag', tag } });
  await campaignEnds(project, await send());
  must(await change({ steps: [10] }), 200);
  const held = await send();
  expect(await campaignBecomes(project, held, isUsed)).toMatchObject({ sent_count: 10 });
  must(await change(null), 200);
  await campaignEnds(project, held);
  must(await change({ steps: [50_000] }), 200);
  await campaignEnds(project, await send());
  must(await change({ steps: [55] }), 200);
  expect(await campaignBecomes(project, await send(), isUsed)).toMatchObject({ sent_count: 15 });
  await eventually(async () => (await shown()).used === 55);
}, 120_000);

test('a campaign that waits for the next day of a domain looks again when that is deleted, and mails from it fail', async () => {
  const { project, id, change } = await rampRig();
  must(await change({ steps: [3] }), 200);
  const { tag } = await newAudience(project, 5);
  const campaignId = await newCampaign(project, { audience: { mode: 'tag', tag } });
  await campaignBecomes(project, campaignId, isUsed);
  must(await project.api.delete(`/domains/${id}`), 200);
  const { failed_count, sent_count, allowance } = await campaignEnds(project, campaignId);
  expect({ failed_count, sent_count, allowance }).toEqual({ failed_count: 2, sent_count: 3, allowance: null });
}, 120_000);

test.each([
  ['taken away', null],
  ['raised', { steps: [100] }],
] as const)(
  'a campaign that waits for the next day goes on at once when the ramp is %s',
  async (_, ramp) => {
    const { project, change } = await rampRig();
    must(await change({ steps: [3] }), 200);
    const { tag } = await newAudience(project, 20);
    const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
    await campaignBecomes(project, id, isUsed);
    must(await change(ramp), 200);
    expect(await campaignEnds(project, id)).toMatchObject({ status: 'sent', sent_count: 20, reason: null, allowance: null });
  },
  120_000,
);

test('a campaign that waits for the next day can be paused and cancelled', async () => {
  const { project, change } = await rampRig();
  must(await change({ steps: [3] }), 200);
  const { tag } = await newAudience(project, 20);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
  await campaignBecomes(project, id, isUsed);
  must(await project.api.post(`/campaigns/${id}/pause`), 200);
  must(await project.api.post(`/campaigns/${id}/resume`), 200);
  await campaignBecomes(project, id, isUsed);
  must(await project.api.post(`/campaigns/${id}/cancel`), 200);
  expect(await campaignEnds(project, id)).toMatchObject({ status: 'cancelled', sent_count: 3, reason: null, allowance: null });
}, 120_000);
