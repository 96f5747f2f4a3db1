import { beforeAll, expect, test } from 'vitest';
import { consoleTabs, told } from '../support/console.ts';
import { dialog, title } from '../support/console-page.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { must } from '../support/sequences.ts';

const tabs = consoleTabs();
const saying = (text: string) => ({ blocks: [{ type: 'text', text }] });
const FIELDS = [{ path: 'eta', kind: 'date', required: true }];
let project: TestProject;

beforeAll(async () => {
  project = await newProject();
  const made = { type: 'transactional', subject: 'On its way', description: 'When a parcel leaves', dataSchema: FIELDS };
  must(await project.api.post('/templates', { key: 'parcel', name: 'Parcel', ...made, content: saying('As made') }), 201);
  must(await project.api.put('/templates/parcel/content', { content: saying('Published'), publish: true }), 200);
  must(await project.api.put('/templates/parcel/content', { content: saying('Draft'), publish: false }), 200);
});

const contentOf = async (key: string) => must(await project.api.get(`/templates/${key}/content`), 200);

test('a template is duplicated with its published content, its draft and its variables, and the copy is off', async () => {
  const { page } = await tabs.open('/templates/parcel', { key: project.key });
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Duplicate…' }).click();
  await title(page, 'Duplicate Parcel').waitFor();
  await page.getByText('Its published content and its draft are copied').waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('Copy of Parcel');
  expect(await page.getByLabel('Key').inputValue()).toBe('copy-of-parcel');
  await page.getByRole('button', { name: 'Create template' }).click();
  await title(page, 'Copy of Parcel').waitFor();
  await page.getByText('Not published and off: nothing is sent with it. Publish, then turn it on. Showing the draft').waitFor();
  expect(await contentOf('copy-of-parcel')).toMatchObject({ defaultContent: saying('Published'), draft: { content: saying('Draft') } });
  const schema = must(await project.api.get('/templates/copy-of-parcel/schema'), 200);
  expect(schema).toMatchObject({ subject: 'On its way', declared: FIELDS });
  const { templates } = must(await project.api.get('/templates'), 200);
  expect(templates.find(({ key }: { key: string }) => key === 'copy-of-parcel')).toMatchObject({
    ...{ name: 'Copy of Parcel', description: 'When a parcel leaves', type: 'transactional', enabled: false },
  });
});

test('Ctrl+K duplicates a template, also one of the installation', async () => {
  const { page } = await tabs.open('/segments', { key: project.key });
  await title(page, 'Segments').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByLabel('Page, name or action').fill('duplicate receipt');
  await page.getByRole('option', { name: /^Duplicate .*receipt/i }).click();
  await title(page, /^Duplicate /).waitFor();
  await page.getByText('Its content is copied. Nothing is sent with the copy until you turn it on.').waitFor();
  const key = await page.getByLabel('Key').inputValue();
  await page.getByRole('button', { name: 'Create template' }).click();
  await title(page, /^Copy of /).waitFor();
  expect((await contentOf(key)).defaultContent).toEqual((await contentOf('receipt')).defaultContent);
});

test("a template of one's own is renamed in its settings, one of the installation is not", async () => {
  const { page, open } = await tabs.open('/templates/parcel', { key: project.key });
  const settings = async (): Promise<void> => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Settings…' }).click();
  };
  await settings();
  await dialog(page).getByRole('textbox', { name: 'Name', exact: true }).fill('');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await dialog(page).getByText('Enter a name').waitFor();
  await dialog(page).getByRole('textbox', { name: 'Name', exact: true }).fill('Parcel left');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await told(page, 'Parcel left saved');
  await title(page, 'Parcel left').waitFor();
  await open('/templates/receipt');
  await settings();
  await dialog(page).getByLabel('From address').waitFor();
  expect(await dialog(page).getByRole('textbox', { name: 'Name', exact: true }).count()).toBe(0);
  expect((await project.api.call('PATCH', '/templates/receipt', { name: 'Mine' })).body.code).toBe('template_not_own');
  expect((await project.api.call('PATCH', '/templates/nowhere', { name: 'Mine' })).body.code).toBe('unknown_template');
  expect(must(await project.api.call('PATCH', '/templates/parcel', { description: '' }), 200)).toMatchObject({
    name: 'Parcel left',
    description: '',
  });
});
