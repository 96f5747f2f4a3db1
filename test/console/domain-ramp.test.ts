import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { campaignBecomes, newAudience, newCampaign } from '../support/campaigns.ts';
import { consoleTabs, told } from '../support/console.ts';
import { axeProblems, showIn } from '../support/console-looks.ts';
import { dialog, writeCampaign } from '../support/console-page.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;
let id: string;

beforeEach(async () => {
  project = await newProject();
  await enableTemplates(project, 'newsletter', 'announcement');
  id = must(await project.api.get('/domains'), 200).domains[0].id;
});

const panel = (page: Page) => page.locator('section').filter({ has: page.getByRole('heading', { name: 'Daily ramp' }) });

test('a ramp is set up on the page of its domain, changed and removed; wrong steps are said at the field', async () => {
  const { page } = await tabs.open(`/domains/${id}`, { key: project.key });
  await panel(page).getByText('A new domain should begin with few').waitFor();
  await panel(page).getByRole('button', { name: 'Set up ramp' }).click();
  const steps = dialog(page).getByLabel('Emails a day');
  await steps.fill('50, some');
  await dialog(page).getByRole('button', { name: 'Set up ramp' }).click();
  await dialog(page).getByText('Whole numbers from 1 to 10,000,000, with commas between them').waitFor();
  await steps.fill('20, 40 80');
  await dialog(page).getByRole('button', { name: 'Set up ramp' }).click();
  await told(page, 'Ramp set up');
  await panel(page).getByText('0 of 20 emails').waitFor();
  await panel(page).getByText('1 of 3').waitFor();
  expect(must(await project.api.get(`/domains/${id}`), 200).domain.ramp.steps).toEqual([20, 40, 80]);
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    for (const scheme of ['dark', 'light'] as const) {
      await showIn(page, scheme);
      expect(await axeProblems(page)).toEqual([]);
    }
  }
  await panel(page).getByRole('button', { name: 'Change ramp' }).click();
  await dialog(page).getByRole('button', { name: 'Remove ramp' }).click();
  await told(page, 'Ramp removed');
  await panel(page).getByRole('button', { name: 'Set up ramp' }).waitFor();
}, 60_000);

test('the question before a campaign is sent says how many of it go today', async () => {
  must(await project.api.call('PATCH', `/domains/${id}`, { ramp: { steps: [3] } }), 200);
  await newAudience(project, 5);
  const { page } = await tabs.open('/campaigns/new', { key: project.key });
  await writeCampaign(page, 'Too many for a day');
  await page.getByRole('button', { name: 'Send now…' }).click();
  await dialog(page).getByText(`At most 3 by the daily ramp of ${project.domain}, the rest from`).waitFor();
}, 60_000);

test('a campaign that has used the day says whose allowance it is and when it goes on, and leads to the domain', async () => {
  must(await project.api.call('PATCH', `/domains/${id}`, { ramp: { steps: [3] } }), 200);
  const { tag } = await newAudience(project, 10);
  const campaign = await newCampaign(project, { name: 'Autumn', audience: { mode: 'tag', tag } });
  await campaignBecomes(project, campaign, ({ reason }) => reason === 'allowance_used');
  const { page } = await tabs.open('/', { key: project.key });
  await page.getByText(`Today's allowance of ${project.domain} is used. It goes on`).waitFor();
  await page.getByRole('link', { name: 'Autumn' }).click();
  const notice = page.getByRole('alert').filter({ hasText: "Today's allowance of" });
  await notice.getByText('It goes on by itself at 00:00 UTC').waitFor();
  await notice.getByRole('link', { name: project.domain }).click();
  await panel(page).getByText('3 of 3 emails').waitFor();
}, 60_000);
