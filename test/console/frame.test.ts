import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { consoleTabs, told } from '../support/console.ts';
import { axeProblems } from '../support/console-looks.ts';
import { accessibleDescription, hasFocus, row, title } from '../support/console-page.ts';
import { newPeople } from '../support/console-people.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { must, newSequence } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  ({ project } = await newPeople());
});

test('contacts are found from everywhere by Ctrl+K, as pages and what else has a name are; "/" is the search of the page', async () => {
  const { page } = await tabs.open('/contacts', { key: project.key });
  await row(page, 'Linus').first().waitFor();
  await page.keyboard.press('/');
  await hasFocus(page.getByLabel('Search contacts'));
  await page.keyboard.type('a/b');
  expect(await page.getByLabel('Search contacts').inputValue()).toBe('a/b');
  await page.keyboard.press('Control+k');
  const input = page.getByRole('dialog', { name: 'Go to' }).getByRole('combobox');
  await page.getByRole('option', { name: 'Suppressions' }).waitFor();
  await input.fill('receipt');
  await page.getByRole('group', { name: 'Templates' }).getByRole('option', { name: 'receipt' }).waitFor();
  await input.fill('lovelace');
  await page.getByRole('option', { name: 'Ada Lovelace' }).waitFor();
  expect(await axeProblems(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await title(page, /^ada-/).waitFor();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await hasFocus(page.locator('#content'));
  // Also from what is on every page, where the focus could stay.
  const link = page.getByRole('link', { name: 'Suppressions' });
  await link.focus();
  await page.keyboard.press('Control+k');
  await input.fill('webhooks');
  await page.getByRole('option', { name: 'Webhooks' }).waitFor();
  await page.keyboard.press('Enter');
  await title(page, 'Webhooks').waitFor();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await hasFocus(page.locator('#content'));
  await link.focus();
  await page.keyboard.press('Control+k');
  await page.getByRole('group', { name: 'Recent' }).getByRole('option', { name: 'Ada Lovelace' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await hasFocus(link);
});

test('Ctrl+K makes a sequence, and turns one off and on by its name with the question that its page asks', async () => {
  const own = await newProject();
  must(await own.api.put('/templates/receipt', { enabled: true }), 200);
  const { key } = await newSequence(own, { steps: [{ template: 'receipt' }] });
  const { name } = must(await own.api.get(`/sequences/${key}`), 200);
  const statusOf = async () => must(await own.api.get(`/sequences/${key}`), 200).status;
  const { page } = await tabs.open('/home', { key: own.key });
  await title(page, 'Home').waitFor();
  const seek = async (on: Page, words: string) => {
    await on.keyboard.press('Control+k');
    await on.getByRole('dialog', { name: 'Go to' }).getByRole('combobox').fill(words);
  };
  await seek(page, 'turn off');
  await page.getByRole('option', { name: `Pause ${name}…` }).click();
  const question = page.getByRole('dialog', { name: `Pause ${name}?` });
  await question.getByText('No one new enters').waitFor();
  expect(await axeProblems(page)).toEqual([]);
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'hidden' });
  expect(await statusOf()).toBe('active');
  await seek(page, `pause ${name}`);
  await page.getByRole('option', { name: `Pause ${name}…` }).click();
  await question.getByRole('button', { name: 'Pause' }).click();
  await told(page, new RegExp(`${name} paused`));
  expect(await statusOf()).toBe('paused');
  await seek(page, 'resume');
  await page.getByRole('option', { name: `Resume ${name}…` }).click();
  await page
    .getByRole('dialog', { name: `Resume ${name}?` })
    .getByRole('button', { name: 'Resume' })
    .click();
  await told(page, new RegExp(`${name} resumed`));
  expect(await statusOf()).toBe('active');
  await seek(page, 'new sequence');
  await page.getByRole('option', { name: 'New sequence' }).click();
  await page.getByRole('dialog', { name: 'New sequence' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  expect(new URL(page.url()).search).toBe('');
  // Who may only read is offered none of it.
  const reader = await own.newKey(['sequences:read', 'contacts:read']);
  const { page: viewer } = await tabs.open('/home', { key: reader.key });
  await title(viewer, 'Home').waitFor();
  await seek(viewer, 'sequence');
  await viewer.getByRole('option', { name: new RegExp(name) }).waitFor();
  expect(await viewer.getByRole('option', { name: /^(Pause|New)/ }).count()).toBe(0);
});

test('on a phone the navigation is a drawer that nobody meets while it is closed, and a row tells its state and date below its name', async () => {
  const { page } = await tabs.open('/home', { key: project.key, width: 390 });
  await title(page, /./).waitFor();
  const navigation = page.getByRole('navigation', { name: 'Main' });
  expect(await navigation.count()).toBe(0);
  const opener = page.getByRole('button', { name: 'Navigation', exact: true });
  await opener.click();
  await hasFocus(navigation.getByRole('button', { name: 'Close navigation' }));
  await page.keyboard.press('Escape');
  await navigation.waitFor({ state: 'hidden' });
  await hasFocus(opener);
  await opener.click();
  await navigation.getByRole('link', { name: 'Contacts' }).click();
  const last = row(page, /^linus/).first();
  await last.waitFor();
  await navigation.waitFor({ state: 'hidden' });
  const boxOf = async (text: RegExp) => (await last.getByText(text).boundingBox())!;
  const [name, status, added] = await Promise.all([boxOf(/^linus/), boxOf(/^Subscribed$/), boxOf(/ ago$|^just now$/)]);
  for (const below of [status, added]) expect(below.y).toBeGreaterThanOrEqual(name.y + name.height);
  expect(added.x + added.width).toBeLessThan(390);
  // It is still a table to those who do not see it.
  await expect
    .poll(() => page.getByRole('table', { name: 'Contacts' }).getByRole('columnheader').allInnerTexts())
    .toEqual(['Contact', 'Status', 'Added']);
});

test('what is chosen can be told where the system forces its colors', async () => {
  const { page } = await tabs.open('/home', { key: project.key });
  await page.emulateMedia({ forcedColors: 'active' });
  for (const chosen of [page.getByRole('link', { name: 'Home', exact: true }), page.getByText('7 days', { exact: true })]) {
    expect(await chosen.evaluate((one) => getComputedStyle(one.closest('[data-active]')!).outlineStyle)).toBe('solid');
  }
});

test('empty lists lead to the first of their things, for keys that may make it, and a campaign to the templates while none is on', async () => {
  const empty = await newProject();
  const { page, open } = await tabs.open('/contacts', { key: empty.key });
  for (const [path, first, made] of [
    ['/contacts', 'Add your first contact', 'New contact'],
    ['/segments', 'Create your first segment', 'New segment'],
    ['/campaigns', 'Create your first campaign', 'New campaign'],
    ['/contacts/imports', 'Import your first file', 'Import contacts'],
    ['/recurring-campaigns', 'Create your first recurring campaign', 'New recurring campaign'],
  ] as const) {
    await open(path);
    await page.getByRole('link', { name: first }).click();
    await title(page, made).waitFor();
  }
  const template = page.getByRole('combobox', { name: 'Template' });
  await template.click();
  await page.getByRole('listbox').getByText('All templates are off').waitFor();
  expect(await accessibleDescription(template)).toBe('All templates are off. View all templates');
  await page.keyboard.press('Escape');
  expect(await axeProblems(page)).toEqual([]);
  await page.getByRole('link', { name: 'View all templates' }).click();
  await title(page, 'Templates').waitFor();
  for (const [path, first] of [
    ['/suppressions', 'Suppress an address'],
    ['/webhooks', 'Add your first endpoint'],
    ['/sequences', 'Create your first sequence'],
  ] as const) {
    await open(path);
    await page.getByRole('button', { name: first }).click();
    await page.getByRole('dialog').waitFor();
  }
  const { key } = await empty.newKey(['contacts:read', 'sends:read']);
  const { page: reader, open: read } = await tabs.open('/contacts', { key });
  for (const [path, told] of [
    ['/contacts', 'No contacts yet'],
    ['/segments', 'No segments yet'],
    ['/campaigns', 'No campaigns yet'],
    ['/suppressions', 'No suppressed addresses'],
    ['/webhooks', 'No endpoints yet'],
  ] as const) {
    await read(path);
    await reader.getByText(told).waitFor();
    // Nor is there a filter over nothing.
    expect(await reader.getByRole('main').getByRole('button').count()).toBe(0);
    expect(await reader.getByRole('search').count()).toBe(0);
    expect(await reader.getByRole('main').getByRole('link').count()).toBe(0);
  }
});

test('no policy is violated, no error uncaught, and no other host asked in any of these tests: one that does it fails', async () => {
  const { page } = await tabs.open('/home', { key: project.key });
  await title(page, /./).waitFor();
  expect(tabs.wrongs).toEqual([]);
  await page.route('https://another.example/', (route) => route.fulfill({ body: 'not from here' }));
  const caught = (wrong: RegExp) => eventually(() => wrong.test(tabs.wrongs.join('\n')));
  await page.evaluate(`setTimeout(() => { throw new Error('nobody catches this') })`);
  await caught(/: nobody catches this$/m);
  // The page reports it in a task of its own, and none runs once the page is left.
  await page.evaluate(`fetch('https://elsewhere.example/').catch(() => {})`);
  await caught(/^policy: connect-src https:\/\/elsewhere\.example/m);
  await page.goto('https://another.example/');
  await caught(/^request to https:\/\/another\.example/m);
  tabs.wrongs.length = 0;
});

test('is built with React as users get it, also where NODE_ENV says something else', async () => {
  expect(process.env.NODE_ENV).toBe('test');
  const base = `${testEnvironment().apiUrl}/console/`;
  const page = await (await fetch(base)).text();
  const entry = /src="([^"]+\.js)"/.exec(page)?.[1] ?? '';
  const script = await (await fetch(new URL(entry, base))).text();
  // Where React tells its errors by number only; that of development has their texts and checks all that it is given.
  expect(script.includes('Minified React error')).toBe(true);
});

test('an address that no page has says so, also below a section', async () => {
  const { page, open } = await tabs.open('/nothing', { key: project.key });
  for (const path of [
    '/nothing',
    '/templates/welcome/letter',
    '/campaigns/one/two',
    '/sequences/one/two',
    '/segments/one/two',
    '/sends/one/two',
  ]) {
    await open(path);
    await page.getByText('Page not found').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console${path}`);
  }
});
