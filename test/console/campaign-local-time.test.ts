import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { campaignBecomes, campaignEnds, campaignOf, newAudience, newCampaign } from '../support/campaigns.ts';
import { HOUR_MS } from '../support/campaigns-under-way.ts';
import { consoleTabs } from '../support/console.ts';
import { axeProblemsInBoth, showIn } from '../support/console-looks.ts';
import { choose, dialog, lastOfPath, title, writeCampaign } from '../support/console-page.ts';
import { campaignAt, EAST, peopleIn, shownAt } from '../support/local-time.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'announcement');
});

const localTime = (page: Page) => page.getByRole('textbox', { name: 'Local time', exact: true });
const LOCAL = "Recipient's local time";

test("a campaign that is scheduled for each recipient's local time by the form has what was chosen, and its page says so", async () => {
  const { tag } = await newAudience(project, 1);
  const { page } = await tabs.open('/campaigns/new', { key: project.key });
  await writeCampaign(page, 'At nine');
  await page.getByText('Tag', { exact: true }).click();
  await page.getByRole('combobox', { name: 'Tag' }).fill(tag);
  await page.getByText(LOCAL, { exact: true }).click();
  await page.getByLabel('Start date').fill('2030-12-03');
  await localTime(page).fill('08:30');
  await page.getByRole('combobox', { name: 'Without a time zone' }).fill('Vienna');
  await page.getByRole('option', { name: 'Europe/Vienna' }).click();
  await choose(page, 'Where that has passed', 'Leave out');
  await page.getByText(/^Begins where the day begins first, .* 2030 .*, and reaches the last time zones .* 2030 /).waitFor();
  await page.getByRole('button', { name: 'Schedule…' }).click();
  const words =
    "08:30 on 3 Dec 2030 in each recipient's time zone; Europe/Vienna where none is known; left out where that had passed at launch";
  await dialog(page).getByText(words, { exact: true }).waitFor();
  await dialog(page).getByRole('button', { name: 'Schedule', exact: true }).click();
  await title(page, 'At nine').waitFor();
  await page.getByText(words, { exact: true }).waitFor();
  await page.getByText(', where the day begins first').waitFor();
  const id = lastOfPath(page);
  expect(await campaignOf(project, id)).toMatchObject({
    status: 'scheduled',
    scheduled_at: '2030-12-02T18:30:00.000Z',
    schedule: { at: '08:30', date: '2030-12-03', timezone: 'contact', fallback: 'Europe/Vienna', late: 'skip' },
  });
  must(await project.api.post(`/campaigns/${id}/cancel`), 200);
});

test('a draft in local time reads back as it was kept, also after its start was another', async () => {
  const schedule = { at: '10:15', date: '2030-06-01', timezone: 'contact', fallback: 'Asia/Tokyo', late: 'skip' };
  const body = { name: 'Kept', template: 'announcement', audience: { mode: 'entire' }, schedule };
  const { campaignId } = must(await project.api.post('/campaigns?draft=1', body), 201);
  const { page } = await tabs.open(`/campaigns/${campaignId}/edit`, { key: project.key });
  const [day, time] = [page.getByLabel('Start date'), localTime(page)];
  const [zone, late] = ['Without a time zone', 'Where that has passed'].map((name) => page.getByRole('combobox', { name }));
  const shown = () => Promise.all([day, time, zone!, late!].map((input) => input.inputValue()));
  await expect.poll(shown).toEqual(['2030-06-01', '10:15', 'Asia/Tokyo', 'Leave out']);
  await time.fill('11:45');
  await choose(page, 'Where that has passed', 'Send at once');
  const kept = async () => (await campaignOf(project, campaignId)).schedule;
  await expect.poll(kept).toEqual({ ...schedule, at: '11:45', late: 'send' });
  await page.reload();
  await expect.poll(shown).toEqual(['2030-06-01', '11:45', 'Asia/Tokyo', 'Send at once']);
  await page.getByText('Later', { exact: true }).click();
  await page.getByLabel('Start date').fill('2030-01-31T09:00');
  await expect.poll(() => campaignOf(project, campaignId)).toMatchObject({ schedule: null, scheduled_at: expect.any(String) });
  await page.getByText(LOCAL, { exact: true }).click();
  await expect.poll(() => campaignOf(project, campaignId)).toMatchObject({ schedule: { at: '11:45' }, scheduled_at: null });
});

test('what is wrong with a local time is said at its field, also by the API, and nothing is asked', async () => {
  const { page } = await tabs.open('/campaigns/new', { key: project.key });
  await writeCampaign(page, 'Wrong');
  await page.getByText(LOCAL, { exact: true }).click();
  await localTime(page).fill('');
  await page.getByRole('button', { name: 'Schedule…' }).click();
  await page.getByText('Choose a start date').waitFor();
  await page.getByText('Choose a time').waitFor();
  await localTime(page).fill('09:00');
  await page.getByLabel('Start date').fill('2020-01-31');
  await page.getByText('This is in the past in every time zone').waitFor();
  await page.getByRole('button', { name: 'Schedule…' }).click();
  expect(await dialog(page).count()).toBe(0);
  await page.getByLabel('Start date').fill('2030-01-31');
  await page.getByRole('status', { name: 'Saving' }).getByText('Saved', { exact: true }).waitFor();
  const issues = [{ path: 'schedule.fallback', message: 'not an IANA time zone' }];
  await page.route('**/campaigns/*?ifVersion=*', (route) =>
    route.fulfill({ status: 422, json: { ok: false, error: 'no', code: 'invalid_request', issues } }),
  );
  const zone = page.getByRole('combobox', { name: 'Without a time zone' });
  await zone.fill('Tokyo');
  await page.getByRole('option', { name: 'Asia/Tokyo' }).click();
  await page.getByText('Not an IANA time zone', { exact: true }).waitFor();
  await expect.poll(() => zone.getAttribute('aria-invalid')).toBe('true');
});

test('a year of five digits, as it stands in the field while one types, is said to be wrong, and the form stays', async () => {
  const { page } = await tabs.open('/campaigns/new', { key: project.key });
  await writeCampaign(page, 'Far off');
  await page.getByText(LOCAL, { exact: true }).click();
  const day = page.getByLabel('Start date');
  await day.fill('20300-01-31');
  await page.getByText('Enter a year of four digits').waitFor();
  await expect.poll(() => day.getAttribute('aria-invalid')).toBe('true');
  await page.getByRole('button', { name: 'Schedule…' }).click();
  expect(await dialog(page).count()).toBe(0);
  await day.fill('2030-01-31');
  await page.getByText(/^Begins where the day begins first, .* 2030 /).waitFor();
  await page.getByRole('status', { name: 'Saving' }).getByText('Saved', { exact: true }).waitFor();
  // In the last time zones it is the next year then.
  await localTime(page).fill('23:00');
  await day.fill('9999-12-31');
  await page.getByText(/, and reaches the last time zones .* 10000 /).waitFor();
});

test('the page of a campaign in local time says how far each time zone is, and one without has no table of them', async () => {
  const others = Array.from({ length: 11 }, (_, hours) => `Etc/GMT+${hours + 1}`);
  const { tag } = await peopleIn(project, [EAST, EAST, null, 'Etc/UTC', ...others]);
  const id = await campaignAt(project, tag, { ...shownAt(Date.now() - 60_000, 14), fallback: 'Asia/Tokyo' }, 'announcement');
  await campaignBecomes(project, id, ({ sent_count }) => sent_count === 2);
  const { page, open } = await tabs.open(`/campaigns/${id}`, { key: project.key });
  const zones = page.getByRole('table', { name: 'Time zones' });
  const countsOf = async (name: string) => (await zones.getByRole('row', { name }).getByRole('cell').allInnerTexts()).slice(1);
  await expect.poll(() => countsOf('None known (Asia/Tokyo)')).toEqual(['1', '1']);
  await expect.poll(() => countsOf('Etc/UTC')).toEqual(['1', '1']);
  // It begins with the first that is not done.
  await expect.poll(() => zones.getByRole('row').count()).toBe(1 + 12);
  await page.getByRole('button', { name: 'Show all 14 time zones' }).click();
  await expect.poll(() => countsOf(EAST)).toEqual(['2', '0']);
  await expect.poll(() => zones.getByRole('row').count()).toBe(1 + 14);
  expect(await axeProblemsInBoth(page)).toEqual([]);
  must(await project.api.post(`/campaigns/${id}/cancel`), 200);
  const plain = await newCampaign(project, { template: 'announcement', audience: { mode: 'tag', tag } });
  await campaignEnds(project, plain);
  await open(`/campaigns/${plain}`);
  await page.getByRole('heading', { name: 'Funnel' }).waitFor();
  expect(await zones.count()).toBe(0);
});

test('who is left out since it was too late in their time zone is named with that', async () => {
  const { tag } = await peopleIn(project, [EAST, 'Etc/UTC']);
  // In an hour by UTC, so 13 hours ago in the east.
  const id = await campaignAt(project, tag, { ...shownAt(Date.now() + HOUR_MS, 0), late: 'skip' }, 'announcement');
  await campaignBecomes(project, id, ({ left_out }) => left_out.late === 1);
  const { page } = await tabs.open(`/campaigns/${id}`, { key: project.key });
  const reasons = page.getByRole('list', { name: 'Left out by reason' });
  await expect.poll(() => reasons.getByRole('listitem').allTextContents()).toEqual(['Too late in their time zone1']);
  await reasons.getByRole('link', { name: 'Too late in their time zone' }).click();
  await page.getByRole('table', { name: 'Left out' }).getByText('Too late in their time zone', { exact: true }).waitFor();
  await page.getByText('1 in total').waitFor();
  must(await project.api.post(`/campaigns/${id}/cancel`), 200);
});

test('the form of a local time is readable by everybody, in the light and in the dark, on a phone too', async () => {
  const schedule = { ...shownAt(Date.now() + HOUR_MS, 0), timezone: 'contact', fallback: 'Europe/Vienna' };
  const { campaignId } = must(await project.api.post('/campaigns?draft=1', { name: 'Looks', template: 'announcement', schedule }), 201);
  const { page } = await tabs.open(`/campaigns/${campaignId}/edit`, { key: project.key });
  await page.getByText(/^Begins right away, since it is past /).waitFor();
  expect(await axeProblemsInBoth(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await showIn(page, 'light');
  await expect.poll(() => page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
});
