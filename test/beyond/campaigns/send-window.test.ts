import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { rows } from '../../../db/rows.ts';
import { campaignWorkflowId, RETRY_NOW_SIGNAL } from '../../../workflows/contracts.ts';
import { campaignBecomes, campaignEnds, campaignOf, newCampaign } from '../../support/campaigns.ts';
import { eventually } from '../../support/eventually.ts';
import { EAST, peopleIn, shownAt } from '../../support/local-time.ts';
import { mailCount, mailTo } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { closedNow, openNow, setWindow, windowOf } from '../../support/send-windows.ts';
import { enableTemplates, must } from '../../support/sequences.ts';
import { readable, tell, temporalClient, workflowHistory } from '../../support/temporal.ts';

let em: EntityManager;
let project: TestProject;
const closed = closedNow();
beforeAll(async () => {
  [em, project] = [await database(), await newProject()];
  await enableTemplates(project, 'newsletter', 'receipt');
  await setWindow(project, windowOf(closed));
});

const UTC = 'Etc/UTC';
/** Open now by the clock of UTC, closed 14 hours east of it. */
const byContact = () => windowOf({ ...openNow(), timezone: 'contact' }, { fallback: UTC });
const campaignTo = (tag: string, fields: object = {}, of = project) =>
  newCampaign(of, { template: 'newsletter', audience: { mode: 'tag', tag }, ...fields });
const zonesOf = async (id: string) => must(await project.api.get(`/campaigns/${id}/zones`), 200).zones;
const cancel = (id: string) => project.api.post(`/campaigns/${id}/cancel`);

/** As if the window of those who wait had opened. The campaign looks then. */
async function opens(id: string): Promise<void> {
  const now = { ...openNow(), timezone: UTC, fallback: UTC, transactional: false };
  await rows(
    em,
    sql`with c as (update campaigns set window_in_force = ${JSON.stringify(now)}::jsonb where id = ${id})
        update campaign_pages set available_at = now(), not_before = now() where campaign_id = ${id}`,
  );
  await tell(await temporalClient(), campaignWorkflowId(id), RETRY_NOW_SIGNAL);
}

describe('a campaign outside of a window', () => {
  test('waits for that of its project, says so, and goes on when it opens; what the project sets meanwhile is for later ones', async () => {
    const { tag, emails } = await peopleIn(project, [null, EAST]);
    const id = await campaignTo(tag);
    const shown = await campaignBecomes(project, id, ({ reason }) => reason === 'send_window');
    const window = { ...windowOf(closed), fallback: 'UTC', transactional: false };
    expect(shown).toMatchObject({ status: 'sending', sent_count: 0, send_window: null, window_in_force: window });
    const opensAt = closed.opensAt.toISOString();
    expect(await zonesOf(id)).toEqual([{ timezone: UTC, at: opensAt, recipients: 2, remaining: 2, resumes_at: opensAt }]);
    const client = await temporalClient();
    await eventually(async () =>
      readable(await workflowHistory(client, campaignWorkflowId(id))).includes(`waits for ${closed.from} in Etc/UTC, at`),
    );
    await setWindow(project, null);
    await setWindow(project, windowOf(closed));
    expect(must(await project.api.get('/attention'), 200).items).toEqual([]);
    expect(await campaignOf(project, id)).toMatchObject({ status: 'sending', sent_count: 0 });
    // Who is paused waits for nothing but to be resumed.
    must(await project.api.post(`/campaigns/${id}/pause`), 200);
    await campaignBecomes(project, id, ({ paused, reason }) => paused && reason === null);
    must(await project.api.post(`/campaigns/${id}/resume`), 200);
    await campaignBecomes(project, id, ({ reason }) => reason === 'send_window');
    await opens(id);
    for (const email of emails) await mailTo(email);
    expect(await campaignEnds(project, id)).toMatchObject({ status: 'sent', sent_count: 2, reason: null });
  });

  test('goes to those whose own window is open, and to the others when theirs opens', async () => {
    const { tag, emails } = await peopleIn(project, [UTC, null, EAST]);
    const id = await campaignTo(tag, { sendWindow: byContact() });
    await campaignBecomes(project, id, ({ sent_count, reason }) => sent_count === 2 && reason === 'send_window');
    const zones = await zonesOf(id);
    expect(zones.map(({ timezone, remaining, resumes_at }: Zone) => [timezone, remaining, resumes_at === null])).toEqual([
      [null, 0, true],
      [UTC, 0, true],
      [EAST, 1, false],
    ]);
    expect(await mailCount(emails[2]!)).toBe(0);
    await opens(id);
    expect(await campaignEnds(project, id)).toMatchObject({ status: 'sent', sent_count: 3, reason: null });
    for (const email of emails) expect(await mailCount(email)).toBe(1);
  });

  test('a window that closes while it is sent holds what is left, batch by batch, until it opens again', async () => {
    const { tag } = await peopleIn(
      project,
      Array.from({ length: 12 }, () => null),
    );
    const id = await campaignTo(tag, { sendWindow: windowOf(openNow()), ratePerSecond: 2 });
    await campaignBecomes(project, id, ({ sent_count }) => sent_count >= 2);
    // As if it had closed just now.
    const over = { ...closedNow(), opensAt: undefined, fallback: UTC, transactional: false };
    await rows(em, sql`update campaigns set window_in_force = ${JSON.stringify(over)}::jsonb where id = ${id}`);
    // Its sender has read the window as it was; the next one finds it as it is.
    must(await project.api.post(`/campaigns/${id}/pause`), 200);
    const client = await temporalClient();
    await eventually(async () => readable(await workflowHistory(client, campaignWorkflowId(id))).includes('paused'));
    must(await project.api.post(`/campaigns/${id}/resume`), 200);
    const held = await campaignBecomes(project, id, ({ reason }) => reason === 'send_window');
    expect(held.sent_count).toBeLessThan(12);
    await opens(id);
    expect(await campaignEnds(project, id)).toMatchObject({ status: 'sent', sent_count: 12, reason: null });
  });

  test('is cancelled, and ends by its time, as any other', async () => {
    const { tag, emails } = await peopleIn(project, [null]);
    const id = await campaignTo(tag);
    await campaignBecomes(project, id, ({ reason }) => reason === 'send_window');
    expect(must(await cancel(id), 200)).toMatchObject({ cancelledJobs: 1 });
    expect(await campaignEnds(project, id)).toMatchObject({ status: 'cancelled', cancelled_count: 1 });
    const ending = await campaignTo(tag, { endsAt: new Date(Date.now() + 3_000).toISOString() });
    expect(await campaignEnds(project, ending)).toMatchObject({ status: 'sent', skipped_count: 1, reason: 'ends_at_reached' });
    expect(await mailCount(emails[0]!)).toBe(0);
  });

  test('in local time waits for the later of both', async () => {
    const { tag } = await peopleIn(project, [UTC]);
    const schedule = { ...shownAt(Date.now() - 60_000, 0), timezone: 'contact' };
    const id = await campaignTo(tag, { schedule, sendWindow: windowOf(closed) });
    await campaignBecomes(project, id, ({ reason }) => reason === 'send_window');
    expect(await zonesOf(id)).toMatchObject([{ timezone: UTC, at: closed.opensAt.toISOString() }]);
    must(await cancel(id), 200);
  });
});

describe('a campaign that waits for none', () => {
  test('says so, is transactional, or is of another project', async () => {
    const { tag } = await peopleIn(project, [null]);
    const issuesOf = async (sendWindow: unknown) => {
      const body = { template: 'newsletter', audience: { mode: 'tag', tag }, sendWindow };
      return (await project.api.post('/campaigns', body)).body.issues;
    };
    expect(await issuesOf({ from: '10:00', to: '12:00' })).toEqual([{ path: 'sendWindow.timezone', message: 'required' }]);
    expect(await issuesOf('None')).toEqual([{ path: 'sendWindow', message: 'a window, "none" or null' }]);
    const none = await campaignTo(tag, { sendWindow: 'none' });
    expect(await campaignEnds(project, none)).toMatchObject({ status: 'sent', sent_count: 1, send_window: 'none', window_in_force: null });
    const receipt = await campaignTo(tag, { template: 'receipt' });
    expect(await campaignEnds(project, receipt)).toMatchObject({ status: 'sent', sent_count: 1, window_in_force: null });
    const other = await newProject();
    await enableTemplates(other, 'newsletter');
    const there = await peopleIn(other, [null]);
    expect(await campaignEnds(other, await campaignTo(there.tag, {}, other))).toMatchObject({ status: 'sent', sent_count: 1 });
  });
});

test('a draft keeps its window, a change of it and null, and is launched by it; a copy has it', async () => {
  const { tag } = await peopleIn(project, [null]);
  const draft = { template: 'newsletter', audience: { mode: 'tag', tag }, sendWindow: windowOf(openNow()) };
  const { campaignId } = must(await project.api.post('/campaigns?draft=1', draft), 201);
  const change = async (sendWindow: unknown) =>
    must(await project.api.call('PATCH', `/campaigns/${campaignId}`, { sendWindow }), 200).campaign;
  expect((await campaignOf(project, campaignId)).send_window).toMatchObject(draft.sendWindow);
  expect((await change('none')).send_window).toBe('none');
  expect((await change(null)).send_window).toBeNull();
  expect((await change(draft.sendWindow)).send_window).toMatchObject(draft.sendWindow);
  const copy = must(await project.api.post('/campaigns?draft=1', { copyOf: campaignId }), 201);
  expect((await campaignOf(project, copy.campaignId)).send_window).toMatchObject(draft.sendWindow);
  must(await project.api.post(`/campaigns/${campaignId}/launch`), 200);
  expect(await campaignEnds(project, campaignId)).toMatchObject({ status: 'sent', sent_count: 1 });
  // The launch has the last word.
  must(await project.api.call('PATCH', `/campaigns/${copy.campaignId}`, { sendWindow: null }), 200);
  must(await project.api.post(`/campaigns/${copy.campaignId}/launch`, { sendWindow: 'none' }), 200);
  expect(await campaignEnds(project, copy.campaignId)).toMatchObject({ status: 'sent', sent_count: 1, send_window: 'none' });
});

test('a scheduled campaign goes by the window that it has when it begins', async () => {
  const { tag } = await peopleIn(project, [null]);
  const id = await campaignTo(tag, { scheduleAt: '2030-01-01T00:00:00Z' });
  must(
    await project.api.call('PATCH', `/campaigns/${id}`, { sendWindow: 'none', scheduleAt: new Date(Date.now() + 2_000).toISOString() }),
    200,
  );
  expect(await campaignEnds(project, id)).toMatchObject({ status: 'sent', sent_count: 1 });
});

test('a recurring campaign has a window for its campaigns, which is changed and taken out', async () => {
  const body = {
    recurrence: { every: 'day', at: '09:00', timezone: UTC },
    ...{ template: 'newsletter', audience: { mode: 'entire' }, sendWindow: windowOf(closed) },
  };
  const { recurringCampaign } = must(await project.api.post('/recurring-campaigns', body), 201);
  expect(recurringCampaign.send_window).toMatchObject(windowOf(closed));
  const change = async (sendWindow: unknown) =>
    must(await project.api.call('PATCH', `/recurring-campaigns/${recurringCampaign.id}`, { sendWindow }), 200).recurringCampaign
      .send_window;
  expect(await change('none')).toBe('none');
  expect(await change(null)).toBeNull();
  must(await project.api.delete(`/recurring-campaigns/${recurringCampaign.id}`), 200);
});

test('what is no window is refused by its path', async () => {
  const make = (sendWindow: unknown) =>
    project.api.post('/campaigns', { template: 'newsletter', audience: { mode: 'entire' }, sendWindow });
  for (const [wrong, path] of [
    ['always', 'sendWindow'],
    [{ ...windowOf(closed), from: '25:00' }, 'sendWindow.from'],
    [{ ...windowOf(closed), days: [0] }, 'sendWindow.days[0]'],
    [{ ...windowOf(closed), hours: 3 }, 'sendWindow.hours'],
  ] as const)
    expect((await make(wrong)).body.issues).toMatchObject([{ path }]);
});

interface Zone {
  readonly timezone: string | null;
  readonly remaining: number;
  readonly resumes_at: string | null;
}
