import { beforeAll, expect, test } from 'vitest';
import { newCampaign } from '../support/campaigns.ts';
import { consoleTabs, told } from '../support/console.ts';
import { title } from '../support/console-page.ts';
import { WELCOME } from '../support/console-sequences.ts';
import { eventually } from '../support/eventually.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must, newContact } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'announcement', 'welcome', 'password-reset');
  must(await project.api.put('/sequences/saved', { ...WELCOME, status: 'draft' }), 200);
});

test('Ctrl+S saves the draft of a template, from a field and from the text of a block, and asks nothing where nothing was changed', async () => {
  const draft = async () => must(await project.api.get('/templates/announcement/content'), 200).draft;
  const { page } = await tabs.open('/templates/announcement', { key: project.key });
  await title(page, /./).waitFor();
  await page.keyboard.press('Control+s');
  const subject = page.getByRole('textbox', { name: 'Subject', exact: true });
  await subject.fill('By the keyboard');
  await subject.press('Control+s');
  await eventually(async () => (await draft())?.version === 1);
  await page.getByText('Showing the draft').waitFor();
  const text = page.locator('[data-content] [contenteditable="true"]').first();
  await text.click();
  await page.keyboard.type('Typed. ');
  await page.keyboard.press('Control+s');
  await eventually(async () => JSON.stringify((await draft()).content).includes('Typed.'));
  expect((await draft()).published).toBe(false);
});

test('Ctrl+S saves a contact, a segment and a scheduled campaign that are changed', async () => {
  const id = await newContact(project, project.address('ada'));
  const { page, open } = await tabs.open(`/contacts/${id}/edit`, { key: project.key });
  await page.getByRole('textbox', { name: 'First name' }).fill('Ada');
  await page.keyboard.press('Control+s');
  await eventually(async () => must(await project.api.get(`/contacts/${id}`), 200).contact.first_name === 'Ada');

  const { segment } = must(await project.api.post('/segments', { label: 'Before' }), 201);
  await open(`/segments/${segment.id}`);
  await page.getByRole('textbox', { name: 'Name' }).fill('After');
  await page.keyboard.press('Control+s');
  await told(page, 'After saved');

  const scheduleAt = new Date(Date.now() + 86_400_000).toISOString();
  const campaign = await newCampaign(project, { name: 'Before', template: 'announcement', audience: { mode: 'entire' }, scheduleAt });
  await open(`/campaigns/${campaign}/edit`);
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('After');
  await page.keyboard.press('Control+s');
  await title(page, 'After').waitFor();
  expect(must(await project.api.get(`/campaigns/${campaign}`), 200).campaign.name).toBe('After');
});

test('the list of shortcuts says what Ctrl+S does', async () => {
  const { page } = await tabs.open('/home', { key: project.key });
  await title(page, 'Home').waitFor();
  await page.keyboard.press('?');
  for (const words of ['Save what you edit', 'Save the draft']) await page.getByRole('dialog').getByText(words).waitFor();
});

test('on a phone Save and Activate stay within reach at the end of a sequence that is edited', async () => {
  const { page } = await tabs.open('/sequences/saved/edit', { key: project.key, width: 390 });
  await page.setViewportSize({ width: 390, height: 700 });
  await title(page, /^Edit /).waitFor();
  await page.evaluate('scrollTo(0, document.body.scrollHeight)');
  for (const name of ['Save', 'Activate…']) {
    const box = (await page.getByRole('button', { name, exact: true }).boundingBox())!;
    expect([name, box.y >= 0 && box.y + box.height <= 700 && box.x >= 0 && box.x + box.width <= 390]).toEqual([name, true]);
  }
});
