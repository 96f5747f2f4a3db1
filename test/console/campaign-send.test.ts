import { beforeAll, expect, test } from 'vitest';
import { campaignEnds, newAudience, newCampaign } from '../support/campaigns.ts';
import { consoleTabs } from '../support/console.ts';
import { choose, dialog, hasFocus, title, writeCampaign } from '../support/console-page.ts';
import { eventually } from '../support/eventually.ts';
import { png } from '../support/images.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'announcement');
});

test('a draft is sent by keyboard: Enter in a field asks nothing, and the question takes the focus where it changes nothing', async () => {
  await newAudience(project, 2);
  const { page } = await tabs.open('/campaigns/new', { key: project.key });
  await writeCampaign(page, 'By keyboard');
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  await name.press('Enter');
  const send = page.getByRole('button', { name: 'Send now…' });
  await send.focus();
  expect(await dialog(page).count()).toBe(0);
  await page.keyboard.press('Enter');
  await hasFocus(dialog(page).getByRole('button', { name: 'Cancel' }));
  await dialog(page).getByText('2 recipients').waitFor();
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'hidden' });
  await hasFocus(send);
  await page.keyboard.press('Enter');
  await hasFocus(dialog(page).getByRole('button', { name: 'Cancel' }));
  // The number of the first time stands there while it is counted again, and nothing can be sent before.
  await dialog(page).getByRole('button', { name: 'Send now', disabled: false }).waitFor();
  await dialog(page).getByText('2 recipients').waitFor();
  await page.keyboard.press('Tab');
  await hasFocus(dialog(page).getByRole('button', { name: 'Send now' }));
  await page.keyboard.press('Enter');
  await title(page, 'By keyboard').waitFor();
  await page.getByText('2 of 2 recipients').waitFor();
  // No mail server of the tests reports deliveries.
  await page.getByText('None reported').first().waitFor();
});

test('what a campaign is for is counted for each variant, and one without a name is not called by its code', async () => {
  const { tag, emails } = await newAudience(project, 4);
  const variants = ['One', 'Two'].map((subject, index) => ({ key: 'ab'[index], subject }));
  const audience = { mode: 'tag', tag };
  const goal = { event: 'order_paid', withinHours: 24, sum: 'total' };
  const id = await newCampaign(project, { name: 'Which one', template: 'announcement', audience, variants, goal });
  await campaignEnds(project, id);
  for (const email of emails) must(await project.api.post('/events', { type: 'order_paid', email, data: { total: 10 } }), 200);
  const { byVariant } = must(await project.api.get(`/campaigns/${id}/results`), 200);
  const { page, open } = await tabs.open(`/campaigns/${id}`, { key: project.key });
  for (const { key, sent, conversions } of byVariant) {
    expect(conversions).toMatchObject({ people: sent, sum: 10 * sent });
    const arm = page.getByRole('table', { name: 'Results by variant' }).getByRole('row', { name: new RegExp(`^${key} `) });
    const words = new RegExp(`^${sent}\\s+${sent === 0 ? '–' : '100 %'}\\s+Sum ${10 * sent}$`);
    await eventually(async () => words.test(await arm.getByRole('cell').last().innerText()));
  }
  // How the variants compare comes before all that they have in common, and is told once.
  const heads = await page.getByRole('heading', { level: 2 }).allInnerTexts();
  expect(heads.indexOf('Results by variant')).toBe(heads.indexOf('Progress') + 1);
  expect(heads.indexOf('Funnel')).toBe(heads.indexOf('Progress') + 2);
  expect(await page.getByText(/^Variant [ab]$/).count()).toBe(0);
  const unnamed = await newCampaign(project, { template: 'announcement', subject: '{{ headline }}', audience, data: { headline: 'News' } });
  await campaignEnds(project, unnamed);
  await open(`/campaigns/${unnamed}`);
  await title(page, 'announcement').waitFor();
  const about = page.getByText('Subject', { exact: true }).locator('xpath=..');
  await about.getByText('News', { exact: true }).waitFor();
  expect(await page.getByText('{{').count()).toBe(0);
});

test("a campaign with its template's subject is asked about with the subject that goes", async () => {
  const { tag } = await newAudience(project, 1);
  const body = { name: 'Plain', template: 'announcement', audience: { mode: 'tag', tag }, data: { headline: 'Leaves fall' } };
  const { campaignId } = must(await project.api.post('/campaigns?draft=1', body), 201);
  const { page } = await tabs.open(`/campaigns/${campaignId}/edit`, { key: project.key });
  await page.getByRole('button', { name: 'Send now…' }).click();
  const subject = dialog(page).getByText('Subject', { exact: true }).locator('xpath=..');
  await subject.getByText('Leaves fall', { exact: true }).waitFor();
});

test('a field that is shown as a picture is uploaded, by whoever may, and typed by all', async () => {
  const { page } = await tabs.open('/campaigns/new', { key: project.key });
  await writeCampaign(page, 'With a picture');
  const address = page.getByRole('textbox', { name: 'Image URL' });
  await page.locator('input[type="file"]').setInputFiles({ name: 'shop.png', mimeType: 'image/png', buffer: png(64, 64) });
  await page.waitForURL(/\/edit$/);
  const [uploaded] = await eventually(async () => {
    const { images } = must(await project.api.get('/images'), 200);
    return images.length === 1 && images;
  });
  await eventually(async () => (await address.inputValue()) === uploaded.url);
  const id = new URL(page.url()).pathname.split('/').at(-2);
  await eventually(async () => must(await project.api.get(`/campaigns/${id}`), 200).campaign.data.imageUrl === uploaded.url);

  const { key } = await project.newKey(['campaigns:write', 'templates:read', 'contacts:read', 'segments:read']);
  const other = (await tabs.open(`/campaigns/${id}/edit`, { key })).page;
  expect(await other.getByRole('textbox', { name: 'Image URL' }).inputValue()).toBe(uploaded.url);
  expect(await other.getByRole('button', { name: /^Upload a new one/ }).count()).toBe(0);
});

test('the question before a launch says what goes, to whom, what for, and what the page warns of', async () => {
  const { tag } = await newAudience(project, 3);
  const body = {
    ...{ name: 'Spring', template: 'announcement', audience: { mode: 'tag', tag } },
    ...{ data: { ctaUrl: 'nowhere' }, goal: { event: 'order_paid', withinHours: 48, sum: 'total' } },
    variants: [
      { key: 'a', subject: 'One' },
      { key: 'b', subject: '{{ contact.first_nam }} One' },
    ],
  };
  const { campaignId } = must(await project.api.post('/campaigns?draft=1', body), 201);
  const { page } = await tabs.open(`/campaigns/${campaignId}/edit`, { key: project.key });
  await page.getByRole('button', { name: 'Send now…' }).click();
  const question = page.getByRole('dialog', { name: 'Send “Spring” now?' });
  await question.getByText('3 recipients', { exact: true }).waitFor();
  for (const words of [
    `Tag ${tag}`,
    'Announcement',
    'a: One; b: One (for a sample contact)',
    'order_paid within 2 days, sum of total',
    /^Headline; Image URL; Image alt and 5 more$/,
    /^Button address: not an https/,
  ]) {
    await question.getByText(words).waitFor();
  }
  await question.getByText(/^Variant b: contact\.first_nam is no variable/).waitFor();
  await question.getByText('each needs at least 100 emails, and one would get about 1.').waitFor();
});

test('a variable that no email has in the subject of another variant is told beside the preview of the first', async () => {
  const { page } = await tabs.open('/campaigns/new', { key: project.key });
  await writeCampaign(page, 'Misspelt');
  await page.getByRole('button', { name: 'Test subjects' }).click();
  await hasFocus(page.getByRole('group', { name: 'Variant 1' }).getByLabel('Subject'));
  await page.getByRole('group', { name: 'Variant 2' }).getByLabel('Subject').fill('{{ contact.first_nam }} your garden waits');
  await page.getByText(/Variant b: .*contact\.first_nam is no variable/).waitFor();
});

test('whoever launches a campaign is told that its email still has the text that its template was created with', async () => {
  const own = await newProject();
  await newAudience(own, 2);
  const { page, open } = await tabs.open('/templates', { key: own.key });
  await page.getByRole('link', { name: 'New template' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Spring news');
  await page.getByRole('textbox', { name: 'Subject' }).fill('Spring');
  await page.getByRole('button', { name: 'Create template' }).click();
  await title(page, 'Spring news').waitFor();
  must(await own.api.put('/templates/spring-news', { enabled: true }), 200);
  const warning = dialog(page).getByText('The email still says “Write your message here.”');
  const launch = async (text: string): Promise<void> => {
    await open('/campaigns/new');
    await choose(page, 'Template', 'Spring news');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Spring');
    await page.frameLocator('iframe').getByText(text).waitFor();
    await page.getByRole('button', { name: 'Send now…' }).click();
    await dialog(page).getByRole('button', { name: 'Send now', disabled: false }).waitFor();
    await dialog(page).getByText('2 recipients').waitFor();
  };
  await launch('Write your message here.');
  await warning.waitFor();
  const content = { blocks: [{ type: 'text', text: 'Spring is here.' }] };
  must(await own.api.put('/templates/spring-news/content', { content, publish: true }), 200);
  await launch('Spring is here.');
  expect(await warning.count()).toBe(0);
});
