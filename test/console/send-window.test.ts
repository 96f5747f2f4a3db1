import { beforeAll, expect, test } from 'vitest';
import { campaignBecomes, campaignOf, newAudience, newCampaign } from '../support/campaigns.ts';
import { consoleTabs } from '../support/console.ts';
import { axeProblemsInBoth } from '../support/console-looks.ts';
import { choose, dialog, lastOfPath, title, writeCampaign } from '../support/console-page.ts';
import { peopleIn } from '../support/local-time.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { closedNow, setWindow, windowOf } from '../support/send-windows.ts';
import { enableTemplates, enrollmentBecomes, must, newContact, newSequence } from '../support/sequences.ts';

const tabs = consoleTabs();
const closed = closedNow();
let project: TestProject;

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'announcement', 'welcome');
});

test('the window of a project is set with days as chips, told in words, changed and taken out', async () => {
  const { page } = await tabs.open('/brands', { key: project.key });
  await page.getByText('Email goes at any time of the day.').waitFor();
  await page.getByRole('button', { name: 'Set send window' }).click();
  await dialog(page).getByRole('switch', { name: 'Send only in these hours' }).click();
  await dialog(page).getByLabel('Opens').fill('08:30');
  await dialog(page).getByLabel('Closes').fill('08:30');
  await dialog(page).getByText('Fri', { exact: true }).click();
  await dialog(page).getByRole('combobox', { name: 'If unknown' }).fill('Vienna');
  await page.getByRole('option', { name: 'Europe/Vienna' }).click();
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await dialog(page).getByText('Choose another time than it opens').waitFor();
  await dialog(page).getByLabel('Closes').fill('00:00');
  expect(await axeProblemsInBoth(page)).toEqual([]);
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await page.getByText('Marketing email goes 08:30 to 24:00, Mon, Tue, Wed, Thu, contact time, or Europe/Vienna.').waitFor();
  expect(must(await project.api.get('/me'), 200).project.send_window).toEqual({
    ...{ from: '08:30', to: '24:00', days: [1, 2, 3, 4], timezone: 'contact', fallback: 'Europe/Vienna', transactional: false },
  });
  await page.getByRole('button', { name: 'Change send window' }).click();
  await dialog(page).getByRole('switch', { name: 'Send only in these hours' }).click();
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await page.getByText('Email goes at any time of the day.').waitFor();
  const { page: reader } = await tabs.open('/brands', { key: (await project.newKey(['templates:read'])).key });
  await reader.getByText('Email goes at any time of the day.').waitFor();
  expect(await reader.getByRole('button', { name: 'Set send window' }).count()).toBe(0);
});

test('a sequence is given a window of its own, and a run that waits for it says so', async () => {
  const sequence = await newSequence(project, { steps: [{ template: 'welcome' }] });
  const { page, open } = await tabs.open(`/sequences/${sequence.key}/edit`, { key: project.key });
  await choose(page, 'Send window', 'Its own');
  await page.getByLabel('Opens').fill(closed.from);
  await page.getByLabel('Closes').fill(closed.to);
  for (const day of ['Sat', 'Sun']) await page.getByText(day, { exact: true }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect
    .poll(async () => must(await project.api.get(`/sequences/${sequence.key}`), 200).sendWindow)
    .toEqual({ ...windowOf(closed), timezone: 'contact', fallback: 'UTC', transactional: false });
  const email = project.address();
  await newContact(project, email);
  const id = await sequence.enroll(email);
  await enrollmentBecomes(await database(), id, ({ waiting_for }) => waiting_for === 'held:send_window');
  await open(`/sequences/${sequence.key}/runs/${id}`);
  await page
    .getByText(/^On hold until its send window opens/)
    .first()
    .waitFor();
  await page
    .getByRole('listitem')
    .getByText(new RegExp(`Here now, waits for ${closed.from} in UTC\\. On hold until its send window opens\\. Continues `))
    .waitFor();
});

test('a campaign is given a window by its form, and its page says what it waits for', async () => {
  const { tag } = await newAudience(project, 1);
  await setWindow(project, windowOf(closed));
  const { page, open } = await tabs.open('/campaigns/new', { key: project.key });
  await writeCampaign(page, 'In hours');
  await page.getByText('Tag', { exact: true }).click();
  await page.getByRole('combobox', { name: 'Tag' }).fill(tag);
  await page.getByText(`Marketing email goes ${closed.from} to ${closed.to}`).first().waitFor();
  await choose(page, 'Send window', 'Its own');
  await page.getByLabel('Opens').fill('22:00');
  await page.getByLabel('Closes').fill('06:00');
  await page.getByText('Later', { exact: true }).click();
  await page.getByLabel('Start date').fill('2030-12-03T09:00');
  await page.getByRole('button', { name: 'Schedule…' }).click();
  await dialog(page)
    .getByText(/^22:00 to 06:00 the next day, /)
    .waitFor();
  await dialog(page).getByRole('button', { name: 'Schedule', exact: true }).click();
  await title(page, 'In hours').waitFor();
  await page.getByText(/^22:00 to 06:00 the next day, /).waitFor();
  await page.waitForURL(/\/campaigns\/[0-9a-f-]{36}$/);
  const id = lastOfPath(page);
  expect((await campaignOf(project, id)).send_window).toMatchObject({ from: '22:00', to: '06:00', timezone: 'Etc/UTC' });
  must(await project.api.post(`/campaigns/${id}/cancel`), 200);
  const people = await peopleIn(project, ['Etc/UTC', 'Europe/Vienna']);
  const held = await newCampaign(project, {
    ...{ template: 'announcement', audience: { mode: 'tag', tag: people.tag }, name: 'Waits' },
    sendWindow: windowOf({ ...closed, timezone: 'contact' }),
  });
  await campaignBecomes(project, held, ({ reason }) => reason === 'send_window');
  await open(`/campaigns/${held}`);
  await page.getByText('It waits for its send window.').waitFor();
  await page.getByRole('rowheader', { name: 'Etc/UTC' }).waitFor();
  expect(await axeProblemsInBoth(page)).toEqual([]);
  must(await project.api.post(`/campaigns/${held}/cancel`), 200);
});
