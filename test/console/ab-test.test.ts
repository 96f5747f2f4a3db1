import { beforeAll, expect, test } from 'vitest';
import { campaignBecomes, campaignEnds, campaignOf, newAudience, newCampaign } from '../support/campaigns.ts';
import { consoleTabs } from '../support/console.ts';
import { axeProblemsInBoth } from '../support/console-looks.ts';
import { choose, dialog, lastOfPath, title, writeCampaign } from '../support/console-page.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'announcement');
});

test('a test that decides is written in the form, said before it is sent, and kept as it was written', async () => {
  const { tag } = await newAudience(project, 1);
  const { page } = await tabs.open('/campaigns/new', { key: project.key });
  await writeCampaign(page, 'Two subjects');
  await page.getByText('Tag', { exact: true }).click();
  await page.getByRole('combobox', { name: 'Tag' }).fill(tag);
  await page.getByRole('button', { name: 'Test subjects' }).click();
  await page.getByRole('group', { name: 'Variant 2' }).getByRole('textbox', { name: 'Subject' }).fill('Short');
  await choose(page, 'Winner', 'Most conversions of the goal');
  await page.getByText('Set a goal below first').waitFor();
  await choose(page, 'Winner', 'Most opens');
  expect(await page.getByRole('textbox', { name: 'Weight' }).count()).toBe(0);
  const share = page.getByRole('textbox', { name: 'Share of each variant' });
  await share.fill('50');
  await page.getByText('Enter a whole number from 1 to 49').waitFor();
  await share.fill('20');
  await page.getByText('The other 60 % wait for the winner').waitFor();
  await page.getByRole('textbox', { name: 'Hours until the decision' }).fill('2');
  await choose(page, 'Default', 'b');
  await page.getByText('Later', { exact: true }).click();
  await page.getByLabel('Start date').fill('2030-01-31T09:00');
  await page.getByRole('button', { name: 'Schedule…' }).click();
  await dialog(page).getByText('Each variant to 20 %, then the one with the most opens to the rest, 2 hours after the test').waitFor();
  await dialog(page).getByRole('button', { name: 'Schedule', exact: true }).click();
  await title(page, 'Two subjects').waitFor();
  await page.getByText('The winner is decided 2 hours after the last email of the test.').waitFor();
  const id = lastOfPath(page);
  expect((await campaignOf(project, id)).test).toMatchObject({ share: 20, decideBy: 'opens', afterHours: 2, default: 'b' });
  await page.getByRole('link', { name: 'Change' }).click();
  await expect.poll(() => share.inputValue()).toBe('20 %');
  await choose(page, 'Winner', 'No winner: everybody gets one of them');
  await page.getByRole('button', { name: /^Save/ }).click();
  await expect.poll(async () => (await campaignOf(project, id)).test).toBeNull();
  must(await project.api.post(`/campaigns/${id}/cancel`), 200);
});

test('the page of a campaign says what its test tells, and a winner is chosen there', async () => {
  const { tag } = await newAudience(project, 30);
  const variants = [{ key: 'plain' }, { key: 'short', subject: 'Short' }];
  const body = {
    name: 'By hand',
    template: 'announcement',
    audience: { mode: 'tag', tag },
    variants,
    test: { share: 20, decideBy: 'hand' },
  };
  const id = await newCampaign(project, body);
  await campaignBecomes(
    project,
    id,
    ({ sent_count, variants: [one, other] }) => sent_count > 0 && sent_count === one.recipients + other.recipients,
  );
  const { page } = await tabs.open(`/campaigns/${id}`, { key: project.key });
  await page.getByText('The rest waits until somebody chooses a winner.').waitFor();
  await page.getByRole('table', { name: 'What the variants came to in the test' }).getByRole('row').nth(2).waitFor();
  expect(await axeProblemsInBoth(page)).toEqual([]);
  await page.getByRole('button', { name: 'Choose short' }).click();
  await dialog(page).getByRole('button', { name: 'Choose winner' }).click();
  await page.getByText('The rest gets short: somebody chose it', { exact: false }).waitFor();
  expect(await campaignEnds(project, id)).toMatchObject({ sent_count: 30, test: { decision: { winner: 'short', reason: 'by_hand' } } });
});
