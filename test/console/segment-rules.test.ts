import { isDeepStrictEqual } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { PRESETS } from '../../domain/projects/scopes.ts';
import { consoleTabs } from '../support/console.ts';
import { axeProblems, axeProblemsInBoth } from '../support/console-looks.ts';
import { accessibleDescription, choose, lastOfPath, title } from '../support/console-page.ts';
import { eventually } from '../support/eventually.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'newsletter');
});

const newSegment = async (label: string, filter: object): Promise<string> =>
  must(await project.api.post('/segments', { label, filter }), 201).segment.id;

async function addRule(page: Page, kind: string): Promise<void> {
  await page.getByRole('button', { name: 'Add rule' }).click();
  await page.getByRole('menuitem', { name: kind }).click();
}

test('that an email was not opened and that an event did not happen are rules one chooses, and stay them when they are read back', async () => {
  const { page } = await tabs.open('/segments/new', { key: project.key });
  await page.getByLabel('Name').fill('Asleep');
  await addRule(page, 'Email activity');
  await page.getByRole('combobox', { name: 'Email activity' }).click();
  await page.getByRole('option', { name: 'bounced', exact: true }).waitFor();
  await page.getByRole('option', { name: 'was not clicked' }).waitFor();
  await page.getByRole('option', { name: 'was not opened' }).click();
  expect(await page.getByRole('combobox', { name: 'Period' }).inputValue()).toBe('in the last 30 days');
  await page.getByText('Also holds for contacts who were not sent it').waitFor();
  await addRule(page, 'Event');
  await page.getByRole('combobox', { name: 'Event type' }).fill('signed_in');
  await choose(page, 'Event outcome', 'did not happen');
  await page.getByRole('button', { name: 'Create segment' }).click();
  await title(page, 'Asleep').waitFor();
  const { segment } = must(await project.api.get(`/segments/${lastOfPath(page)}`), 200);
  expect(segment.filter.where).toEqual({
    all: [{ not: { email: { event: 'opened', withinHours: 720 } } }, { not: { event: { type: 'signed_in' } } }],
  });
  await page.reload();
  await title(page, 'Asleep').waitFor();
  expect(await page.getByRole('combobox', { name: 'Email activity' }).inputValue()).toBe('was not opened');
  expect(await page.getByRole('combobox', { name: 'Event outcome' }).inputValue()).toBe('did not happen');
  await expect.poll(() => page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
  await choose(page, 'Email activity', 'was opened');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved').first().waitFor();
  const changed = must(await project.api.get(`/segments/${segment.id}`), 200).segment.filter.where;
  expect(changed.all[0]).toEqual({ email: { event: 'opened', withinHours: 720 } });
});

test('a group of which none may hold stays a group', async () => {
  const where = { not: { any: [{ email: { event: 'opened' } }, { not: { event: { type: 'signed_in' } } }] } };
  const id = await newSegment('None of these', { where });
  const { page } = await tabs.open(`/segments/${id}`, { key: project.key });
  await page.getByLabel('Name').fill('None of those');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await title(page, 'None of those').waitFor();
  expect(must(await project.api.get(`/segments/${id}`), 200).segment.filter.where).toEqual(where);
  await expect.poll(() => page.getByRole('radio', { name: 'None' }).isChecked()).toBe(true);
});

test('a source is chosen by the words that contacts have for it, those of the project among them, or typed', async () => {
  must(await project.api.post('/contacts', { email: project.address(), source: 'webshop' }), 200);
  const { page } = await tabs.open('/segments/new', { key: project.key });
  await page.getByLabel('Name').fill('By source');
  const source = page.getByRole('combobox', { name: 'Source' });
  await source.click();
  await page.getByRole('option', { name: 'Product event' }).click();
  await page.getByRole('button', { name: 'Create segment' }).click();
  await title(page, 'By source').waitFor();
  const filter = async () => must(await project.api.get(`/segments/${lastOfPath(page)}`), 200).segment.filter;
  expect(await filter()).toEqual({ source: 'event' });
  expect(await source.inputValue()).toBe('Product event');
  expect(await accessibleDescription(source)).toContain('not the source of its consent');
  await source.fill('');
  await page.getByRole('option', { name: 'webshop' }).waitFor();
  await source.pressSequentially('send-form');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await eventually(async () => isDeepStrictEqual(await filter(), { source: 'send-form' }));
});

test('a rule by status or source takes the words that contacts have for it, picked or typed', async () => {
  const own = await newProject();
  const people = [
    { email: own.address('off'), status: 'unsubscribed', source: 'console' },
    { email: own.address('on'), source: 'send-form' },
  ];
  must(await own.api.post('/contacts', people), 200);
  const { page } = await tabs.open('/segments/new', { key: own.key });
  const matches = (count: number): Promise<void> => page.getByRole('status').getByText(String(count), { exact: true }).waitFor();
  await matches(2);
  await page.getByLabel('Name').fill('By words');
  await addRule(page, 'Contact field');
  const field = page.getByRole('combobox', { name: 'Field' });
  const value = page.getByRole('combobox', { name: 'Value', exact: true });
  await field.fill('Status');
  await value.click();
  await expect.poll(() => page.getByRole('option').allInnerTexts()).toEqual(['Subscribed', 'Pending', 'Unsubscribed', 'Bounced']);
  await page.getByRole('option', { name: 'Unsubscribed' }).click();
  await matches(1);
  await value.fill('subscribed');
  await page.getByRole('link', { name: /^on-/ }).waitFor();
  await value.fill('UNSUBSCRIBED');
  await page.keyboard.press('Tab');
  expect(await value.inputValue()).toBe('Unsubscribed');
  await page.getByRole('link', { name: /^off-/ }).waitFor();
  await page.getByRole('combobox', { name: 'Comparison' }).click();
  expect(await page.getByRole('option').allInnerTexts()).not.toContain('contains');
  await page.keyboard.press('Escape');
  await field.fill('Source');
  await value.click();
  await page.getByRole('option', { name: 'Console' }).waitFor();
  // One of the project's own may begin like one that the API has a name for.
  await value.pressSequentially('send-form');
  await page.getByRole('link', { name: /^on-/ }).waitFor();
  await value.fill('console');
  await page.keyboard.press('Tab');
  expect(await value.inputValue()).toBe('Console');
  await page.getByRole('link', { name: /^off-/ }).waitFor();
  await page.getByRole('button', { name: 'Create segment' }).click();
  await title(page, 'By words').waitFor();
  const { filter } = must(await own.api.get(`/segments/${lastOfPath(page)}`), 200).segment;
  expect(filter).toEqual({ where: { field: 'contact.source', op: 'eq', value: 'console' } });
});

test('a rule by several statuses or sources has the same words, and one that is stored by a word that is no status says so', async () => {
  const where = {
    all: [
      { field: 'contact.status', op: 'in', value: ['unsubscribed', 'bounced'] },
      { field: 'contact.source', op: 'not_in', value: ['console', 'crm'] },
      { field: 'contact.status', op: 'ne', value: 'Unsubscribed' },
    ],
  };
  const id = await newSegment('By several', { where });
  const { page } = await tabs.open(`/segments/${id}`, { key: project.key });
  const rules = page.getByRole('group', { name: 'Rules' });
  for (const word of ['Unsubscribed', 'Bounced', 'Console', 'crm']) await rules.getByText(word, { exact: true }).first().waitFor();
  expect(await page.getByRole('combobox', { name: 'Value', exact: true }).inputValue()).toBe('Unsubscribed (no such status)');
  const sources = page.getByRole('combobox', { name: 'Values' }).last();
  await sources.fill('api call');
  await page.keyboard.press('Enter');
  await rules.getByText('API call', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const stored = async () => must(await project.api.get(`/segments/${id}`), 200).segment.filter.where;
  await eventually(async () => isDeepStrictEqual((await stored()).all[1].value, ['console', 'crm', 'api']));
});

test('the field that the keyboard is at in a list can be read, and what an event is to be is no larger than its rule', async () => {
  const { page } = await tabs.open('/segments/new', { key: project.key });
  await addRule(page, 'Contact field');
  await page.getByRole('combobox', { name: 'Field' }).press('ArrowDown');
  await page.locator('[data-combobox-selected]').getByText('contact.status').waitFor();
  expect(await axeProblemsInBoth(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await addRule(page, 'Event');
  const word = page.getByRole('group', { name: 'Rules' }).getByText('Event', { exact: true });
  const type = page.getByRole('combobox', { name: 'Event type' });
  const sizeOf = (one: Locator) => one.evaluate((element) => element.ownerDocument.defaultView!.getComputedStyle(element).fontSize);
  expect(await sizeOf(word)).toBe(await sizeOf(type));
});

test('who may only read reads the rules of a segment as text, and once which scope changes them', async () => {
  const where = {
    all: [
      { field: 'attributes.plan', op: 'eq', value: 'trial' },
      { field: 'attributes.seats', op: 'gte', value: 4 },
      { field: 'contact.source', op: 'ne', value: 'console' },
    ],
  };
  const id = await newSegment('Large trials', { status: ['subscribed'], source: 'api', where });
  const { key } = await project.newKey([...PRESETS.viewer]);
  const { page } = await tabs.open(`/segments/${id}`, { key });
  for (const rule of ['status is subscribed', 'source is API call', 'plan is trial', 'seats is at least 4', 'source is not Console'])
    await page.getByRole('listitem').getByText(rule, { exact: true }).waitFor();
  expect(await page.locator('main').getByRole('textbox').count()).toBe(0);
  await expect.poll(() => page.getByText('contacts:write').count()).toBe(1);
  expect(await axeProblems(page)).toEqual([]);
});

test('typed addresses are said to become subscribed contacts', async () => {
  const { page } = await tabs.open('/campaigns/new', { key: project.key });
  await page.getByText('People', { exact: true }).click();
  await page.getByText('New addresses become subscribed contacts; send only to people who agreed.').waitFor();
});
