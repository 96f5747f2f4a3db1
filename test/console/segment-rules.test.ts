import { isDeepStrictEqual } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { PRESETS } from '../../domain/projects/scopes.ts';
import { consoleTabs } from '../support/console.ts';
import { axeProblems } from '../support/console-looks.ts';
import { choose, lastOfPath, title } from '../support/console-page.ts';
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

test('that an email was not opened and that an event did not happen are rules one chooses, and stay them when they are read back', async () => {
  const { page } = await tabs.open('/segments/new', { key: project.key });
  await page.getByLabel('Name').fill('Asleep');
  const add = async (kind: string): Promise<void> => {
    await page.getByRole('button', { name: 'Add rule' }).click();
    await page.getByRole('menuitem', { name: kind }).click();
  };
  await add('Email activity');
  await page.getByRole('combobox', { name: 'Email activity' }).click();
  await page.getByRole('option', { name: 'bounced', exact: true }).waitFor();
  await page.getByRole('option', { name: 'was not clicked' }).waitFor();
  await page.getByRole('option', { name: 'was not opened' }).click();
  await page.getByText('Also holds for contacts who were not sent it').waitFor();
  await add('Event');
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
  expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
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
  expect(await page.getByRole('radio', { name: 'None' }).isChecked()).toBe(true);
});

test('a source is chosen by the words that contacts have for it, or typed', async () => {
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
  await source.fill('signup-form');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await eventually(async () => isDeepStrictEqual(await filter(), { source: 'signup-form' }));
});

test('who may only read reads the rules of a segment as text, and once which scope changes them', async () => {
  const where = {
    all: [
      { field: 'attributes.plan', op: 'eq', value: 'trial' },
      { field: 'attributes.seats', op: 'gte', value: 4 },
    ],
  };
  const id = await newSegment('Large trials', { status: ['subscribed'], source: 'api', where });
  const { key } = await project.newKey([...PRESETS.viewer]);
  const { page } = await tabs.open(`/segments/${id}`, { key });
  for (const rule of ['status is subscribed', 'source is API call', 'plan is trial', 'seats is at least 4'])
    await page.getByRole('listitem').getByText(rule, { exact: true }).waitFor();
  expect(await page.locator('main').getByRole('textbox').count()).toBe(0);
  expect(await page.getByText('contacts:write').count()).toBe(1);
  expect(await axeProblems(page)).toEqual([]);
});

test('typed addresses are said to become subscribed contacts', async () => {
  const { page } = await tabs.open('/campaigns/new', { key: project.key });
  await page.getByText('People', { exact: true }).click();
  await page.getByText('New addresses become subscribed contacts; send only to people who agreed.').waitFor();
});
