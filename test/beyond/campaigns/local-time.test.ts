import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { rows } from '../../../db/rows.ts';
import { campaignWorkflowId, RETRY_NOW_SIGNAL } from '../../../workflows/contracts.ts';
import { campaignBecomes, campaignEnds, campaignOf } from '../../support/campaigns.ts';
import { HOUR_MS } from '../../support/campaigns-under-way.ts';
import { eventually } from '../../support/eventually.ts';
import { campaignAt, EAST, peopleIn, shownAt } from '../../support/local-time.ts';
import { mailCount, mailTo } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must } from '../../support/sequences.ts';
import { readable, tell, temporalClient, workflowHistory } from '../../support/temporal.ts';

let em: EntityManager;
let project: TestProject;
beforeAll(async () => {
  [em, project] = [await database(), await newProject()];
  await enableTemplates(project, 'newsletter');
});

const UTC = 'Etc/UTC';
/** Without summer time, 11 hours west of UTC. */
const WEST = 'Pacific/Pago_Pago';

const zonesOf = async (id: string) => must(await project.api.get(`/campaigns/${id}/zones`), 200).zones;

/** As if the clocks of a zone had come to the time; the campaign looks then. */
async function zoneComes(id: string, zone: string): Promise<void> {
  await rows(em, sql`update campaign_pages set available_at = now(), not_before = now() where campaign_id = ${id} and zone = ${zone}`);
  await tell(await temporalClient(), campaignWorkflowId(id), RETRY_NOW_SIGNAL);
}

describe('a campaign in local time', () => {
  test('goes to each zone when its clocks show the time, not before, and says how far each is', async () => {
    const { tag, emails } = await peopleIn(project, [EAST, EAST, UTC, WEST, null]);
    const [first, second, third, fourth, fifth] = emails as [string, string, string, string, string];
    // A minute ago in the east; nowhere else yet.
    const schedule = { ...shownAt(Date.now() - 60_000, 14), fallback: 'Etc/UTC' };
    const id = await campaignAt(project, tag, schedule);
    for (const email of [first, second]) await mailTo(email);
    const shown = await campaignBecomes(project, id, ({ sent_count, reason }) => sent_count === 2 && reason !== null);
    expect(shown).toMatchObject({ status: 'sending', reason: 'local_time', schedule: { ...schedule, timezone: 'contact', late: 'send' } });
    expect((await zonesOf(id)).map(({ timezone, recipients, remaining }: Zone) => [timezone, recipients, remaining])).toEqual([
      [EAST, 2, 0],
      [null, 1, 1],
      [UTC, 1, 1],
      [WEST, 1, 1],
    ]);
    const client = await temporalClient();
    await eventually(async () =>
      readable(await workflowHistory(client, campaignWorkflowId(id))).includes(`waits for ${schedule.at} in Etc/UTC`),
    );
    // An operator's word ends the pause of an outage, and moves no clock.
    await client.workflow.getHandle(campaignWorkflowId(id)).signal(RETRY_NOW_SIGNAL);
    await zoneComes(id, UTC);
    await mailTo(third);
    expect(await mailCount(fourth)).toBe(0);
    expect(await mailCount(fifth)).toBe(0);
    await zoneComes(id, '');
    await zoneComes(id, WEST);
    expect(await campaignEnds(project, id)).toMatchObject({ status: 'sent', sent_count: 5, reason: null });
    for (const email of emails) expect(await mailCount(email)).toBe(1);
  });

  test('is cancelled at any moment: who had it is counted, nobody else gets it', async () => {
    const { tag, emails } = await peopleIn(project, [EAST, WEST, WEST]);
    const id = await campaignAt(project, tag, shownAt(Date.now() - 60_000, 14));
    await campaignBecomes(project, id, ({ sent_count }) => sent_count === 1);
    expect(must(await project.api.post(`/campaigns/${id}/cancel`), 200)).toMatchObject({ cancelledJobs: 2 });
    expect(await campaignEnds(project, id)).toMatchObject({ status: 'cancelled', sent_count: 1, cancelled_count: 2 });
    expect(await mailCount(emails[1]!)).toBe(0);
  });

  test.each([
    ['send', 2, 0],
    ['skip', 1, 1],
  ])('whose hour has passed at its launch: %s', async (late, sent, skipped) => {
    const { tag } = await peopleIn(project, [EAST, UTC]);
    // In an hour by UTC, so 13 hours ago in the east.
    const id = await campaignAt(project, tag, { ...shownAt(Date.now() + HOUR_MS, 0), late });
    await eventually(async () => (await zonesOf(id)).length > 0);
    await zoneComes(id, UTC);
    expect(await campaignEnds(project, id)).toMatchObject({ sent_count: sent, audience_size: 2, left_out: { late: skipped } });
  });

  test('whose hour has passed when its schedule is changed: skip', async () => {
    const { tag, emails } = await peopleIn(project, [EAST, UTC]);
    const id = await campaignAt(project, tag, { date: '2030-06-01', at: '09:00', late: 'skip' });
    const schedule = { ...shownAt(Date.now() + HOUR_MS, 0), timezone: 'contact', late: 'skip' };
    must(await project.api.call('PATCH', `/campaigns/${id}`, { schedule }), 200);
    await eventually(async () => (await zonesOf(id)).length > 0);
    await zoneComes(id, UTC);
    expect(await campaignEnds(project, id)).toMatchObject({ sent_count: 1, left_out: { late: 1 } });
    expect(await mailCount(emails[0]!)).toBe(0);
  });

  test('to nobody who is not late is refused with the reason, and so is a schedule with what it does not know', async () => {
    const { tag } = await peopleIn(project, [EAST]);
    const schedule = { ...shownAt(Date.now() - HOUR_MS, 14), timezone: 'contact', late: 'skip' };
    const body = { template: 'newsletter', audience: { mode: 'tag', tag }, schedule };
    expect((await project.api.post('/campaigns', body)).body).toMatchObject({
      code: 'empty_audience',
      error: expect.stringContaining('late'),
    });
    const refused = await project.api.post('/campaigns', { ...body, schedule: { ...schedule, fallBack: 'Asia/Tokyo' } });
    expect(refused).toMatchObject({ status: 422, body: { issues: [{ path: 'schedule.fallBack' }] } });
  });

  test('waits where the day begins first, and can be changed until then', async () => {
    const { tag } = await peopleIn(project, [EAST]);
    const id = await campaignAt(project, tag, { date: '2030-06-01', at: '09:00' });
    expect(await campaignOf(project, id)).toMatchObject({ status: 'scheduled', scheduled_at: '2030-05-31T19:00:00.000Z' });
    const change = { schedule: { date: '2030-06-02', at: '10:00', timezone: 'contact', fallback: 'Asia/Tokyo', late: 'skip' } };
    const changed = must(await project.api.call('PATCH', `/campaigns/${id}`, change), 200).campaign;
    expect(changed).toMatchObject({ scheduled_at: '2030-06-01T20:00:00.000Z', schedule: { fallback: 'Asia/Tokyo', late: 'skip' } });
    const scheduleAt = '2031-01-01T00:00:00.000Z';
    const plain = must(await project.api.call('PATCH', `/campaigns/${id}`, { scheduleAt }), 200).campaign;
    expect(plain).toMatchObject({ scheduled_at: scheduleAt, schedule: null });
    expect((await project.api.call('PATCH', `/campaigns/${id}`, { scheduleAt: null })).status).toBe(422);
    must(await project.api.post(`/campaigns/${id}/cancel`), 200);
  });

  test('a draft has it, and is launched by it', async () => {
    const { tag, emails } = await peopleIn(project, [EAST]);
    const schedule = { ...shownAt(Date.now() - 60_000, 14), timezone: 'contact' };
    const draft = { template: 'newsletter', audience: { mode: 'tag', tag }, scheduleAt: '2030-01-01T00:00:00Z' };
    const { campaignId } = must(await project.api.post('/campaigns?draft=1', draft), 201);
    const { campaign } = must(await project.api.call('PATCH', `/campaigns/${campaignId}`, { schedule }), 200);
    expect(campaign).toMatchObject({ scheduled_at: null, schedule });
    must(await project.api.post(`/campaigns/${campaignId}/launch`), 200);
    await mailTo(emails[0]!);
    await campaignEnds(project, campaignId);
  });

  test.each(['tag', 'people'])(
    'a draft counts nobody who is late where late ones are skipped, and is launched to those counted: by %s',
    async (mode) => {
      const { tag, emails } = await peopleIn(project, [EAST, UTC, UTC, null]);
      // A contact from its launch on, without a zone.
      const stranger = `stranger-${tag}@to.${project.domain}`;
      const audience = mode === 'tag' ? { mode, tag } : { mode, emails: [...emails, stranger] };
      const schedule = { ...shownAt(Date.now() + HOUR_MS, 0), timezone: 'contact', fallback: EAST, late: 'skip' };
      const { campaignId } = must(await project.api.post('/campaigns?draft=1', { template: 'newsletter', audience, schedule }), 201);
      const counted = must(await project.api.get(`/campaigns/${campaignId}/audience?digest=1`), 200);
      expect(counted).toMatchObject({ audienceSize: mode === 'tag' ? 4 : 5, enrolled: 2 });
      const conditions = { ifEnrolled: counted.enrolled, ifAudience: counted.digest };
      expect(must(await project.api.post(`/campaigns/${campaignId}/launch`, conditions), 200)).toMatchObject({ enrolled: 2 });
      must(await project.api.post(`/campaigns/${campaignId}/cancel`), 200);
    },
  );

  test('is refused for two times, a day that is over everywhere, and what is no time', async () => {
    const { tag } = await peopleIn(project, [EAST]);
    const make = (fields: object) => project.api.post('/campaigns', { template: 'newsletter', audience: { mode: 'tag', tag }, ...fields });
    const schedule = { at: '09:00', date: '2030-12-01', timezone: 'contact' };
    expect((await make({ schedule, scheduleAt: '2030-01-01T00:00:00Z' })).body).toMatchObject({ issues: [{ path: 'schedule' }] });
    expect((await make({ schedule: { ...schedule, date: '2020-01-01' } })).body).toMatchObject({ code: 'schedule_in_past' });
    for (const wrong of [
      { at: '24:00' },
      { at: '9:00' },
      { date: '2030-02-30' },
      { timezone: 'Europe/Berlin' },
      { fallback: 'Mars' },
      { late: 'maybe' },
    ])
      expect((await make({ schedule: { ...schedule, ...wrong } })).body).toMatchObject({
        issues: [{ path: `schedule.${Object.keys(wrong)[0]}` }],
      });
    const other = await newProject();
    const id = await campaignAt(project, tag, schedule);
    expect((await other.api.get(`/campaigns/${id}/zones`)).status).toBe(404);
    expect(await zonesOf(id)).toEqual([]);
    must(await project.api.post(`/campaigns/${id}/cancel`), 200);
  });
});

interface Zone {
  readonly timezone: string | null;
  readonly recipients: number;
  readonly remaining: number;
}
