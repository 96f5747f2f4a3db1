import { beforeAll, expect, test } from 'vitest';
import { Project } from '../../db/entities/index.ts';
import { campaignEnds, newAudience } from '../support/campaigns.ts';
import { consoleTabs, told } from '../support/console.ts';
import { axeProblemsInBoth, narrowNames } from '../support/console-looks.ts';
import { dialog, lastOfPath, row, title } from '../support/console-page.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { campaignsOf, newRecurring, passDays, recurringOf, triggerRun } from '../support/recurring.ts';
import { enableTemplates, must } from '../support/sequences.ts';
import { temporalClient } from '../support/temporal.ts';

const tabs = consoleTabs();
let project: TestProject;
let audience: { mode: 'tag'; tag: string };

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'newsletter');
  audience = { mode: 'tag', tag: (await newAudience(project, 2)).tag };
});

test('a recurring campaign is written with the next runs of its rule beside it, changed, skipped, paused, resumed and ended', async () => {
  const { page } = await tabs.open('/campaigns', { key: project.key });
  await page.getByRole('main').getByRole('link', { name: 'Recurring campaigns' }).click();
  await page.getByText('No recurring campaigns yet').waitFor();
  await page.getByRole('link', { name: 'New recurring campaign' }).click();
  await title(page, 'New recurring campaign').waitFor();
  await page.getByRole('button', { name: 'Create recurring campaign' }).click();
  // What is missing is said at its field, each at once.
  for (const lacks of ['Choose a template', 'Choose at least one day']) await page.getByText(lacks, { exact: true }).waitFor();
  await page.getByRole('combobox', { name: 'Template' }).click();
  await page.getByRole('option', { name: 'newsletter' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Weekly news');
  await page.getByText('Tag', { exact: true }).click();
  await page.getByRole('combobox', { name: 'Tag' }).fill(audience.tag);
  // By the keyboard alone.
  await page.getByRole('checkbox', { name: 'Tue' }).focus();
  await page.keyboard.press('Space');
  // As many as the world has are found by what is typed.
  await page.getByRole('combobox', { name: 'Time zone' }).fill('Berlin');
  await page.getByRole('option', { name: 'Europe/Berlin' }).click();
  const next = page.getByRole('status', { name: 'Next runs' });
  await next.getByText('Every week on Tuesday at 09:00, Europe/Berlin').waitFor();
  await expect.poll(() => next.getByRole('listitem').count()).toBe(5);
  await page.getByRole('textbox', { name: 'Stop sending after' }).fill('12');
  expect(await axeProblemsInBoth(page)).toEqual([]);
  await page.getByRole('button', { name: 'Create recurring campaign' }).click();
  await title(page, 'Weekly news').waitFor();
  const id = lastOfPath(page);
  expect(await recurringOf(project, id)).toMatchObject({
    ...{ name: 'Weekly news', template: 'newsletter', audience, ends_after_minutes: 720, version: 1 },
    recurrence: { every: 'week', interval: 1, on: [2], at: '09:00', timezone: 'Europe/Berlin' },
  });
  expect(await axeProblemsInBoth(page)).toEqual([]);
  await page.getByRole('link', { name: 'Change' }).click();
  await page.getByText('Monthly', { exact: true }).click();
  await page.getByRole('combobox', { name: 'Days of the month' }).click();
  await page.getByRole('option', { name: 'Last day' }).click();
  await page.keyboard.press('Escape');
  await next.getByText('Every month on its last day at 09:00, Europe/Berlin').waitFor();
  await page.keyboard.press('Control+s');
  await title(page, 'Weekly news').waitFor();
  const before = await recurringOf(project, id);
  expect(before).toMatchObject({ recurrence: { every: 'month', on: [-1] }, version: 2, template: 'newsletter', audience });
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Skip next run…' }).click();
  await dialog(page).getByRole('button', { name: 'Skip run' }).click();
  await told(page, 'Skipped');
  expect((await recurringOf(project, id)).next_runs[0]).toBe(before.next_runs[1]);
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByText('Paused: no campaign is created').waitFor();
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await told(page, 'Resumed');
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'End recurring campaign…' }).click();
  await dialog(page).getByRole('button', { name: 'End recurring campaign' }).click();
  await page.getByText('It was ended. No further campaign is created.').waitFor();
  expect((await recurringOf(project, id)).end_reason).toBe('deleted');
  await page.getByRole('link', { name: 'Recurring campaigns' }).first().click();
  await row(page, 'Weekly news').getByText('Ended').waitFor();
});

test('what its runs came to is told with the campaigns that they made and their counts, each leading to the other', async () => {
  const em = await database();
  const client = await temporalClient();
  const { id } = await newRecurring(project, { name: 'Daily news', audience });
  await passDays(em, id, 3);
  await triggerRun(client, id);
  const [campaign] = await campaignsOf(project, id);
  await campaignEnds(project, campaign.id);
  const { page, open } = await tabs.open(`/recurring-campaigns/${id}`, { key: project.key });
  await row(page, campaign.name).getByText('2 of 2').waitFor();
  await page.getByText('Missed: a later run was due as well').first().waitFor();
  expect(await axeProblemsInBoth(page)).toEqual([]);
  await page.getByRole('link', { name: 'Campaign created' }).click();
  await title(page, campaign.name).waitFor();
  await page.getByRole('link', { name: 'Daily news', exact: true }).click();
  await title(page, 'Daily news').waitFor();
  // Nobody is in it any more when the next one is due: that is said on the list, on its page and at home.
  must(await project.api.call('PATCH', `/recurring-campaigns/${id}`, { audience: { mode: 'tag', tag: 'of-nobody' } }), 200);
  await passDays(em, id, 1);
  await triggerRun(client, id);
  await open('/recurring-campaigns');
  await row(page, 'Daily news').getByText('Last run failed').waitFor();
  expect(await axeProblemsInBoth(page)).toEqual([]);
  expect(await narrowNames(page, ['/recurring-campaigns'], open)).toEqual([]);
  await open('/home');
  await page.getByRole('link', { name: /recurring campaign Daily news/ }).click();
  await page.getByText('No campaign: nobody in the audience could get email. The next run goes on.').waitFor();
});

test('what another has saved meanwhile is shown, and neither version is lost unasked', async () => {
  const { id } = await newRecurring(project, { name: 'Ours', audience, data: { title: 'First' } });
  const { page } = await tabs.open(`/recurring-campaigns/${id}/edit`, { key: project.key });
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  await name.fill('Mine');
  must(await project.api.call('PATCH', `/recurring-campaigns/${id}`, { name: 'Theirs' }), 200);
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Someone else changed this recurring campaign').waitFor();
  await page.getByRole('button', { name: 'View theirs' }).click();
  await dialog(page).getByText('Theirs', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  expect((await recurringOf(project, id)).name).toBe('Theirs');
  await page.getByRole('button', { name: 'Overwrite with mine' }).click();
  await title(page, 'Mine').waitFor();
  expect(await recurringOf(project, id)).toMatchObject({ name: 'Mine', version: 3, data: { title: 'First' }, audience });
  // What was typed is not left unasked.
  await page.getByRole('link', { name: 'Change' }).click();
  await name.fill('Lost');
  await page.getByRole('link', { name: 'Recurring campaign', exact: true }).click();
  await dialog(page).waitFor();
});

test('where a project asks for approval another key gives it, and a key that only reads changes nothing', async () => {
  const asking = await newProject();
  await enableTemplates(asking, 'newsletter');
  await (await database()).nativeUpdate(Project, { id: asking.id }, { campaign_approval: true });
  const { id } = await newRecurring(asking, { name: 'Asked', audience: { mode: 'entire' } });
  const writer = (await tabs.open(`/recurring-campaigns/${id}`, { key: asking.key })).page;
  await writer.getByText('You made the last change').waitFor();
  expect(await writer.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  const approver = (await tabs.open(`/recurring-campaigns/${id}`, { key: (await asking.newKey(['*'])).key })).page;
  await approver.getByRole('button', { name: 'Approve' }).click();
  await approver.getByText('It holds for all of its campaigns.').waitFor();
  expect(await recurringOf(asking, id)).toMatchObject({ needs_approval: false, approved_at: expect.any(String) });
  const reader = await tabs.open(`/recurring-campaigns/${id}`, { key: (await asking.newKey(['campaigns:read'])).key });
  await reader.page.getByText('This key can read recurring campaigns').waitFor();
  expect(await reader.page.getByRole('link', { name: 'Change' }).count()).toBe(0);
  await reader.open('/recurring-campaigns/new');
  await reader.page.getByText('This key cannot write campaigns').waitFor();
});
