import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { consoleTabs } from '../support/console.ts';
import { axeProblemsInBoth, narrowNames } from '../support/console-looks.ts';
import { choose, dialog, lastOfPath, row, title } from '../support/console-page.ts';
import { beginImport, endOfImport } from '../support/imports.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { must } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  project = await newProject();
  must(await project.api.post('/topics', { key: 'news', name: 'News' }), 201);
});

const CSV =
  'E-mail;First Name;Age;Newsletter;Tags\nada@example.com;Ada;36;yes;a,b\nno address;Nobody;1;yes;\ngrace@example.com;Grace;old;no;\n';

const chooseFile = (page: Page, csv: string, name = 'people.csv') =>
  page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(csv) });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const count = (page: Page, label: string) =>
  page
    .locator('dl > div')
    .filter({ has: page.locator('dt', { hasText: label }) })
    .locator('dd')
    .innerText();

test('a file is mapped as the API reads it, tried without writing, and imported, with its refused rows to save', async () => {
  const { page, open } = await tabs.open('/contacts', { key: project.key });
  await page.getByRole('link', { name: 'Import', exact: true }).click();
  await button(page, 'Import').click();
  await page.getByText('Choose a file', { exact: true }).waitFor();
  await chooseFile(page, CSV);
  const field = (of: string) => page.getByRole('combobox', { name: `Field of ${of}`, exact: true });
  // What the server makes of the columns by itself, a name that it does not know among them.
  await expect.poll(() => field('First Name').inputValue()).toBe('First name');
  expect([await field('E-mail').inputValue(), await field('Tags').inputValue()]).toEqual(['', 'Tags']);
  await page.getByRole('group', { name: 'Age' }).getByText('36 · 1 · old').waitFor();
  await button(page, 'Dry run').click();
  await page.getByText('Choose which column is the email').waitFor();
  await choose(page, 'Field of E-mail', 'Email');
  await choose(page, 'Field of Age', 'Attribute');
  await choose(page, 'Type of Age', 'Number');
  await choose(page, 'Field of Newsletter', 'Email');
  await page.getByText('Another column is this already').waitFor();
  await choose(page, 'Field of Newsletter', 'Topic: News');
  await page.getByRole('combobox', { name: 'Tags for everyone in the file' }).fill('spring');
  await page.keyboard.press('Enter');
  expect(await axeProblemsInBoth(page)).toEqual([]);
  await button(page, 'Dry run').click();
  await page.getByText('Checked. Nothing was written').waitFor();
  expect(await Promise.all(['Rows', 'New contacts', 'Refused'].map((label) => count(page, label)))).toEqual(['3', '1', '2']);
  await row(page, '"no address" is not a valid address').getByText('2', { exact: true }).waitFor();
  await row(page, 'Age').getByText('3', { exact: true }).waitFor();
  expect(must(await project.api.get('/contacts'), 200).contacts).toEqual([]);
  await page.getByRole('radio', { name: /only add new contacts/ }).check();
  await page.getByText('This dry run was with other settings').waitFor();
  await page.getByRole('radio', { name: /Update them/ }).check();
  await button(page, 'Import').click();
  await title(page, 'people.csv').waitFor();
  const id = lastOfPath(page);
  await endOfImport(project, id);
  await page.getByText('Imported', { exact: true }).waitFor();
  const [ada] = must(await project.api.get('/contacts?email=ada%40example.com'), 200).contacts;
  expect(ada).toMatchObject({ first_name: 'Ada', attributes: { age: 36 }, topics: { news: true }, tags: ['spring', 'a', 'b'] });
  await page.setViewportSize({ width: 390, height: 900 });
  expect(await axeProblemsInBoth(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  const [saved] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Refused rows (CSV)' }).click()]);
  expect(saved.suggestedFilename()).toBe('refused.csv');
  await page.getByRole('link', { name: 'Imports' }).click();
  await expect.poll(() => row(page, 'people.csv').count()).toBe(2);
  await row(page, 'Dry run').waitFor();
  expect(await axeProblemsInBoth(page)).toEqual([]);
  expect(await narrowNames(page, ['/contacts/imports'], open)).toEqual([]);
});

test('an import that runs is paused, resumed and cancelled on its page, and one whose file breaks off says why', async () => {
  const { id } = await beginImport(project, 'email\none@example.com\n', { paused: true });
  const { page, open } = await tabs.open(`/contacts/imports/${id}`, { key: project.key });
  await page.getByText('Paused. It goes on with the next row').waitFor();
  await button(page, 'Resume').click();
  await page.getByText('Imported', { exact: true }).waitFor();
  expect(await button(page, 'Pause').count()).toBe(0);
  const { id: other } = await beginImport(project, 'email\ntwo@example.com\n', { paused: true });
  await open(`/contacts/imports/${other}`);
  await button(page, 'Cancel import…').click();
  await dialog(page).getByRole('button', { name: 'Cancel import' }).click();
  await page.getByText('Cancelled. What was imported stays').waitFor();
  const broken = await beginImport(project, `email,name\nthree@example.com,x\nfour@example.com,"${'x'.repeat(70_000)}`);
  await endOfImport(project, broken.id);
  await open(`/contacts/imports/${broken.id}`);
  await page.getByText('The rest of the file could not be read').waitFor();
  await page.getByText('A row is too long').waitFor();
});

test('while a file is uploaded the page says how far it is and that it must stay, and nothing chosen is lost by a refusal', async () => {
  const { page } = await tabs.open('/contacts/imports/new', { key: project.key });
  await page.getByText('Drop a CSV file here').waitFor();
  // Dropped, as by hand.
  const dropped = await page.evaluateHandle(
    `(() => { const given = new DataTransfer(); given.items.add(new File(['email\\nfive@example.com\\n'], 'dropped.csv')); return given; })()`,
  );
  await page.getByText('Drop a CSV file here').dispatchEvent('drop', { dataTransfer: dropped });
  await page.getByRole('group', { name: 'email' }).waitFor();
  const uploads = /\/console\/api\/v1\/imports$/;
  const held = Promise.withResolvers<void>();
  await page.route(uploads, async (route) => {
    await held.promise;
    await route.fulfill({
      status: 422,
      json: { ok: false, error: 'no', code: 'too_many_imports' },
    });
  });
  await button(page, 'Import').click();
  await page.getByText('Keep this page open until the file is uploaded').waitFor();
  expect(await page.getByRole('progressbar', { name: 'Upload' }).count()).toBe(1);
  await page.getByRole('link', { name: 'Imports' }).click();
  await dialog(page).waitFor();
  await page.keyboard.press('Escape');
  held.resolve();
  await page.getByRole('alert').getByText('Not accepted').waitFor();
  await page.getByText('dropped.csv').waitFor();
  await page.unroute(uploads);
  await button(page, 'Import').click();
  await title(page, 'dropped.csv').waitFor();
  await page.getByText('Imported', { exact: true }).waitFor();
});

test('a file that is none is refused where it is chosen, and a key that only reads sees imports and starts none', async () => {
  const { page } = await tabs.open('/contacts/imports/new', { key: project.key });
  await chooseFile(page, '', 'empty.csv');
  await page.getByText('File: it is empty').waitFor();
  await chooseFile(page, 'name,name\nx,y\n');
  await page.getByText('Another column has this name').first().waitFor();
  const reader = await tabs.open('/contacts/imports', { key: (await project.newKey(['contacts:read'])).key });
  await row(reader.page, 'people.csv').first().waitFor();
  await reader.page.getByText('This key can read imports').waitFor();
  await reader.open('/contacts/imports/new');
  await reader.page.getByText('This key cannot import contacts').waitFor();
});
