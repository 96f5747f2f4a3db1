import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { consoleTabs, told } from '../support/console.ts';
import {
  accessibleDescription,
  addressIn,
  dialog,
  hasFocus,
  keepsInputWhenRefused,
  lastOfPath,
  title,
  writeCampaign,
} from '../support/console-page.ts';
import { WELCOME } from '../support/console-sequences.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'announcement', 'welcome');
  must(await project.api.put('/sequences/refused', WELCOME), 200);
});

/** Each form: where it is, what opens its dialog, its button, and its first field. */
const FORMS = [
  { path: '/contacts/new', deed: 'Add contact', field: 'Email', told: 'Enter an email address' },
  { path: '/segments/new', deed: 'Create segment', field: 'Name', told: 'Enter a name' },
  { path: '/templates/~new', deed: 'Create template', field: 'Name', told: 'Enter a name' },
  { path: '/campaigns/new', deed: 'Send now…', field: 'Template', told: 'Choose a template' },
  { path: '/sequences', opener: 'New sequence', deed: 'Create sequence', field: 'Name', told: 'Enter a name' },
  { path: '/suppressions', opener: 'Suppress address', deed: 'Suppress address', field: 'Email', told: 'Enter an email address' },
  { path: '/webhooks', opener: 'Add endpoint', deed: 'Add endpoint', field: 'URL', told: 'Enter a URL' },
] as const;

test('every form marks what it needs, says what is missing at its field, puts the focus there and calls nothing', async () => {
  const { page, open } = await tabs.open('/home', { key: project.key });
  await title(page, /./).waitFor();
  const calls: string[] = [];
  page.on('request', (request) => {
    const made = `${request.method()} ${new URL(request.url()).pathname}`;
    if (request.method() !== 'GET' && !made.endsWith('/segments/preview')) calls.push(made);
  });
  for (const { deed, field, told, ...where } of FORMS) {
    await open(where.path);
    if ('opener' in where) await page.getByRole('button', { name: where.opener }).click();
    const form = 'opener' in where ? page.getByRole('dialog') : page;
    await form.getByRole('button', { name: deed, exact: true }).click();
    const input = form.getByLabel(field).and(page.locator('input[required]'));
    await hasFocus(input);
    expect([deed, await input.getAttribute('aria-invalid'), await accessibleDescription(input)]).toEqual([
      deed,
      'true',
      expect.stringContaining(told),
    ]);
    if ('opener' in where) {
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    }
  }
  expect(calls).toEqual([]);
});

describe('input that is not saved', () => {
  const question = (page: Page) => page.getByRole('dialog', { name: 'Leave without saving?' });
  const name = (page: Page) => page.getByLabel('Name');

  test('is asked about before a link, and back, take it away', async () => {
    const { page } = await tabs.open('/segments', { key: project.key });
    await page.getByRole('link', { name: 'New segment' }).click();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Contacts' }).click();
    await title(page, 'Contacts').waitFor();
    await page.goBack();
    await name(page).fill('Half done');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Contacts' }).click();
    await question(page).getByRole('button', { name: 'Stay' }).click();
    await question(page).waitFor({ state: 'hidden' });
    await page.evaluate('history.back()');
    await question(page).getByRole('button', { name: 'Stay' }).click();
    await question(page).waitFor({ state: 'hidden' });
    expect([lastOfPath(page), await name(page).inputValue()]).toEqual(['new', 'Half done']);
    await page.evaluate('history.forward()');
    await question(page).getByRole('button', { name: 'Stay' }).click();
    await question(page).waitFor({ state: 'hidden' });
    expect([lastOfPath(page), await name(page).inputValue()]).toEqual(['new', 'Half done']);
    await page.evaluate('history.back()');
    await question(page).getByRole('button', { name: 'Leave' }).click();
    await title(page, 'Segments').waitFor();
    await page.evaluate('history.forward()');
    await title(page, 'New segment').waitFor();
    await name(page).fill('Half done again');
    await page.getByRole('link', { name: 'Segments' }).first().click();
    await question(page).getByRole('button', { name: 'Leave' }).click();
    await title(page, 'Segments').waitFor();
  });

  test('of a dialog is asked about before the dialog is closed, and nothing is asked when there is none', async () => {
    const { page } = await tabs.open('/suppressions', { key: project.key });
    await page.getByRole('button', { name: 'Suppress address' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Suppress address' }).click();
    await addressIn(page).fill('half@');
    await page.keyboard.press('Escape');
    await question(page).getByRole('button', { name: 'Stay' }).click();
    await question(page).waitFor({ state: 'hidden' });
    expect(await addressIn(page).inputValue()).toBe('half@');
    await page.keyboard.press('Escape');
    await question(page).getByRole('button', { name: 'Leave' }).click();
    await addressIn(page).waitFor({ state: 'hidden' });
    await question(page).waitFor({ state: 'hidden' });
    expect(await page.getByRole('button', { name: 'Suppress address' }).evaluate('document.activeElement.textContent')).toBe(
      'Suppress address',
    );
  });
});

const pressIn = (page: Page) => (name: string) => () => page.getByRole('button', { name, exact: true }).click();

test('every form of templates and campaigns says what to do when its call fails, and keeps what was typed', async () => {
  const { page, open } = await tabs.open('/templates/receipt', { key: project.key });
  const press = pressIn(page);
  const text = page.getByRole('textbox', { name: 'Text', exact: true }).first();
  await text.fill('Typed');
  await keepsInputWhenRefused(page, { method: 'PUT', url: /\/receipt\/content\?/, submit: press('Save draft'), input: text });
  await press('Discard changes')();
  await dialog(page).getByRole('button', { name: 'Keep editing' }).click();
  await dialog(page).waitFor({ state: 'hidden' });
  expect(await text.inputValue()).toBe('Typed');
  await press('Discard changes')();
  await dialog(page).getByRole('button', { name: 'Discard changes' }).click();
  await dialog(page).waitFor({ state: 'hidden' });
  expect(await text.inputValue()).not.toBe('Typed');
  // The button is gone: the keyboard goes on where the editor begins.
  const subject = page.getByLabel('Subject', { exact: true });
  await hasFocus(subject);

  await press('Send test email…')();
  const to = dialog(page).getByRole('textbox', { name: 'To' });
  await to.fill(project.address('typed'));
  await keepsInputWhenRefused(page, { method: 'POST', url: /\/test$/, submit: press('Send test email'), input: to });
  await press('Cancel')();
  await dialog(page).waitFor({ state: 'hidden' });

  await press('More actions')();
  await page.getByRole('menuitem', { name: 'Settings' }).click();
  const sender = dialog(page).getByLabel('From address', { exact: true });
  await sender.fill(`typed@${project.domain}`);
  await keepsInputWhenRefused(page, { method: 'PUT', url: /\/receipt$/, submit: press('Save'), input: sender });
  await press('Save')();
  await told(page, 'Receipt saved');

  await open('/templates/~new');
  const name = page.getByRole('textbox', { name: 'Name' });
  for (const field of ['Name', 'Key', 'Subject']) await page.getByRole('textbox', { name: field }).fill('typed-once');
  await keepsInputWhenRefused(page, { method: 'POST', url: /\/templates$/, submit: press('Create template'), input: name });
  await press('Create template')();
  await title(page, 'typed-once').waitFor();

  await open('/campaigns/new');
  await writeCampaign(page, 'Typed');
  await press('Send now…')();
  const named = page.getByLabel('Name', { exact: true });
  await keepsInputWhenRefused(page, { method: 'POST', url: /\/launch\?/, submit: press('Send now'), input: named });
});

test('every form of sequences says what to do when its call fails, and keeps what was typed', async () => {
  const { page, open } = await tabs.open('/sequences/refused/edit', { key: project.key });
  const press = pressIn(page);
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  await name.fill('Typed');
  await keepsInputWhenRefused(page, { method: 'PUT', url: /\/sequences\/refused\?/, submit: press('Save'), input: name });
  await press('Save')();
  await told(page, 'Version 2 saved');

  await open('/sequences/refused/simulate');
  await press('Add attribute')();
  await page.getByRole('combobox', { name: 'Name' }).fill('plan');
  const value = page.getByRole('textbox', { name: 'Value' });
  await value.fill('pro');
  await keepsInputWhenRefused(page, { method: 'POST', url: /\/simulate$/, submit: press('Simulate'), input: value });
  await press('Simulate')();
  await page.getByRole('status').getByText('Completed').waitFor();

  await open('/sequences');
  await press('New sequence')();
  await name.fill('Typed once');
  await keepsInputWhenRefused(page, { method: 'PUT', url: /\/sequences\/typed-once\?/, submit: press('Create sequence'), input: name });
  await press('Create sequence')();
  await page.getByRole('heading', { name: 'Edit Typed once' }).waitFor();
});
