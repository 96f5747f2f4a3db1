import { beforeAll, expect, test } from 'vitest';
import { consoleTabs } from '../support/console.ts';
import { axeProblems, showIn } from '../support/console-looks.ts';
import { dialog, row } from '../support/console-page.ts';
import { mailCount } from '../support/mail.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'newsletter');
});

test('a topic is added, changed and deleted', async () => {
  const { page } = await tabs.open('/topics', { key: project.key });
  await page.getByText('No topics yet').waitFor();
  await page.getByRole('button', { name: 'Add topic' }).click();
  const input = (name: string) => dialog(page).getByRole('textbox', { name, exact: true });
  await input('Name').fill('Offers');
  await input('Key').fill('Offers!');
  await dialog(page).getByRole('button', { name: 'Add topic' }).click();
  await dialog(page).getByText('Use up to 64 letters a to z').waitFor();
  for (const scheme of ['dark', 'light'] as const) {
    await showIn(page, scheme);
    expect(await axeProblems(page)).toEqual([]);
  }
  await input('Key').fill('offers');
  await dialog(page).getByRole('checkbox', { name: 'On for people who have not chosen' }).uncheck();
  await dialog(page).getByRole('button', { name: 'Add topic' }).click();
  await row(page, 'Offers').getByText('Off', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Edit Offers' }).click();
  await input('Name').fill('Special offers');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await row(page, 'Special offers').waitFor();
  expect(must(await project.api.get('/topics/offers'), 200).topic).toMatchObject({ name: 'Special offers', defaultOn: false });
  await page.getByRole('button', { name: 'Delete Special offers' }).click();
  await dialog(page).getByRole('button', { name: 'Delete topic' }).click();
  await page.getByText('No topics yet').waitFor();
});

test('a topic is turned on again for somebody who asked for it', async () => {
  must(await project.api.post('/topics', { key: 'tips', name: 'Tips' }), 201);
  const { contacts } = must(await project.api.post('/contacts', { email: project.address(), topics: { tips: false } }), 200);
  const { page } = await tabs.open(`/contacts/${contacts[0].id}/edit`, { key: project.key });
  const tips = page.getByRole('switch', { name: 'Tips' });
  await tips.waitFor();
  await expect.poll(() => tips.isChecked()).toBe(false);
  await tips.press('Space');
  for (const scheme of ['dark', 'light'] as const) {
    await showIn(page, scheme);
    expect(await axeProblems(page)).toEqual([]);
  }
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Tips: on').waitFor();
  expect(must(await project.api.get(`/contacts/${contacts[0].id}`), 200).contact).toMatchObject({
    topics: { tips: true },
    status: 'subscribed',
  });
  must(await project.api.call('DELETE', '/topics/tips'), 200);
});

test('a campaign is sent to those who want its topic, and its pages and the contact say so', async () => {
  must(await project.api.post('/topics', { key: 'news', name: 'News' }), 201);
  const [wants, wantsNot] = [project.address(), project.address()];
  must(await project.api.post('/contacts', { email: wants, tags: ['reader'] }), 200);
  const { contacts } = must(await project.api.post('/contacts', { email: wantsNot, tags: ['reader'], topics: { news: false } }), 200);
  must(await project.api.post('/contacts', { email: wantsNot, topics: { news: true }, resubscribe: true }), 200);
  must(await project.api.post('/contacts', { email: wantsNot, topics: { news: false } }), 200);
  const audience = { mode: 'tag', tag: 'reader' };
  const { campaignId } = must(await project.api.post('/campaigns?draft=1', { name: 'Spring', template: 'newsletter', audience }), 201);
  const { page, open } = await tabs.open(`/campaigns/${campaignId}`, { key: project.key });
  await page.getByText('recipients', { exact: true }).waitFor();
  await page.getByRole('combobox', { name: 'Topic' }).click();
  await page.getByRole('option', { name: 'News', exact: true }).click();
  await page.getByText('recipient; 1 left out: unsubscribed, bounced, suppressed, unconfirmed or topic off').waitFor();
  await page.getByRole('button', { name: 'Send now…' }).click();
  await dialog(page).getByRole('button', { name: /^Send/ }).click();
  await page.getByRole('link', { name: '1 left out' }).first().waitFor();
  await expect.poll(() => mailCount(wants), { timeout: 20_000 }).toBe(1);
  expect(await mailCount(wantsNot)).toBe(0);
  await page.getByText('News', { exact: true }).first().waitFor();
  await open(`/contacts/${contacts[0].id}`);
  await page.getByText('News: off').waitFor();
  await page
    .getByText(/^Turned off news/)
    .first()
    .waitFor();
  await page.getByText('Topic off').first().waitFor();
  for (const scheme of ['dark', 'light'] as const) {
    await showIn(page, scheme);
    expect(await axeProblems(page)).toEqual([]);
  }
});
