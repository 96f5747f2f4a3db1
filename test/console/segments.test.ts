import { beforeAll, expect, test } from 'vitest';
import { consoleTabs, told } from '../support/console.ts';
import { accessibleDescription, hasFocus, row, title } from '../support/console-page.ts';
import { newPeople } from '../support/console-people.ts';
import { eventually } from '../support/eventually.ts';
import type { TestProject } from '../support/project.ts';
import { must } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  ({ project } = await newPeople());
});

test('tags, which are in no order, are not offered to be compared by one', async () => {
  const { page } = await tabs.open('/segments/new', { key: project.key });
  await page.getByRole('button', { name: 'Add rule' }).click();
  await page.getByRole('menuitem', { name: 'Contact field' }).click();
  await page.getByRole('combobox', { name: 'Field' }).fill('tags');
  await page.getByRole('combobox', { name: 'Comparison' }).click();
  await page.getByRole('option', { name: 'contains', exact: true }).waitFor();
  const offered = await page.getByRole('option').allInnerTexts();
  expect(offered.filter((words) => /above|below|at least|at most/.test(words))).toEqual([]);
});

test('a tag that no contact has is said beside the field, where a segment or a campaign asks for it', async () => {
  must(await project.api.post('/contacts', { email: project.address('beta'), tags: ['beta'] }), 200);
  const { page, open } = await tabs.open('/segments/new', { key: project.key });
  const tags = page.getByRole('combobox', { name: 'Tags (all of them)' });
  await tags.fill('bet');
  await page.getByRole('option', { name: 'beta' }).waitFor();
  await page.keyboard.press('Enter');
  await eventually(async () => (await accessibleDescription(tags)) === 'No contact has the tag bet');
  expect(await tags.getAttribute('aria-invalid')).not.toBe('true');
  await page.keyboard.press('Backspace');
  await tags.fill('beta');
  await page.keyboard.press('Enter');
  await eventually(async () => (await accessibleDescription(tags)) === '');
  await open('/campaigns/new');
  await page.getByText('Tag', { exact: true }).click();
  await page.getByRole('combobox', { name: 'Tag' }).fill('bet');
  await page.getByText('No contact has the tag bet').waitFor();
  await page.getByRole('combobox', { name: 'Tag' }).fill('beta');
  await page.getByText('No contact has the tag').waitFor({ state: 'hidden' });
});

test('a tag that came since the names of tags were read is not said to be unused', async () => {
  const { page } = await tabs.open('/segments/new', { key: project.key });
  const tags = page.getByRole('combobox', { name: 'Tags (all of them)' });
  await tags.fill('vi');
  await page.getByRole('option', { name: 'vip' }).waitFor();
  must(await project.api.post('/contacts', { email: project.address('just-tagged'), tags: ['just-now'] }), 200);
  for (const tag of ['just-now', 'nobodys']) {
    await tags.fill(tag);
    await page.keyboard.press('Enter');
  }
  await eventually(async () => (await accessibleDescription(tags)).startsWith('No contact has the tag'));
  expect(await accessibleDescription(tags)).toBe('No contact has the tag nobodys');
});

test('a field is called as people call it, and one that is refused is marked once', async () => {
  const { page } = await tabs.open('/segments/new', { key: project.key });
  await page.getByLabel('Name').fill('By field');
  await page.getByRole('button', { name: 'Add rule' }).click();
  await page.getByRole('menuitem', { name: 'Contact field' }).click();
  const field = page.getByRole('combobox', { name: 'Field' });
  await hasFocus(field);
  await page.getByRole('option', { name: 'First name contact.first_name' }).waitFor();
  // As the API calls it, and as those do who do not know how.
  const value = page.getByRole('textbox', { name: 'Value', exact: true });
  for (const typed of ['contact.email', 'email']) {
    await field.fill(typed);
    await value.fill('ada@example.com');
    await eventually(async () => (await field.inputValue()) === 'Email');
  }
  const create = page.getByRole('button', { name: 'Create segment' });
  await field.fill('emial');
  await value.focus();
  await page.getByText('No such field. Choose one from the list').waitFor();
  await create.click();
  await hasFocus(field);
  await page.getByRole('alert').getByText('Complete or remove each rule').waitFor();

  await field.fill('event.amount');
  await page.getByText('Complete the rules to see who matches.').waitFor();
  await create.click();
  await eventually(async () => (await field.getAttribute('aria-invalid')) === 'true');
  await hasFocus(field);
  expect(await accessibleDescription(field)).toContain('A segment knows no event.<path>');
  expect(await page.getByRole('alert').count()).toBe(0);
  await field.fill('email');
  await eventually(async () => (await field.getAttribute('aria-invalid')) !== 'true');
  await create.click();
  await title(page, 'By field').waitFor();
  const id = new URL(page.url()).pathname.split('/').at(-1);
  const where = { field: 'contact.email', op: 'eq', value: 'ada@example.com' };
  expect((await project.api.get(`/segments/${id}`)).body.segment.filter).toEqual({ where });
  must(await project.api.call('DELETE', `/segments/${id}`), 200);
});

test('a segment is built with a live count, saved as it was meant, changed, kept as a new one when it was deleted meanwhile, and deleted', async () => {
  const { page } = await tabs.open('/segments/new', { key: project.key });
  await page.getByRole('status').getByText(/^6\d$/).waitFor();
  const everybody = page.getByText('There are no rules yet, so everyone in the project is in it.');
  await everybody.waitFor();
  await page.getByLabel('Name').fill('On the pro plan');
  await page.getByRole('button', { name: 'Add rule' }).click();
  await page.getByRole('menuitem', { name: 'Contact field' }).click();
  await hasFocus(page.getByRole('combobox', { name: 'Field' }));
  await page.getByText('The rules are not complete yet, so everyone in the project is in it.').waitFor();
  await project.api.post('/segments', { label: 'Taken' });
  await page.getByLabel('Name').fill('taken');
  await page.getByRole('button', { name: 'Remove rule' }).click();
  await page.getByRole('button', { name: 'Create segment' }).click();
  const taken = page.getByRole('alert').filter({ hasText: 'Another segment already has this name' });
  await taken.waitFor();
  expect(await taken.innerText()).not.toContain('label');
  await page.getByLabel('Name').fill('On the pro plan');
  await page.getByRole('button', { name: 'Add rule' }).click();
  await page.getByRole('menuitem', { name: 'Contact field' }).click();
  const field = page.getByRole('combobox', { name: 'Field' });
  await field.fill('pla');
  await page.getByRole('option', { name: 'attributes.plan' }).waitFor();
  // The name alone is enough.
  await field.fill('plan');
  await page.keyboard.press('Tab');
  expect(await field.inputValue()).toBe('attributes.plan');
  await page.getByRole('textbox', { name: 'Value', exact: true }).fill('pro');
  await page.getByText('contact matches now').waitFor();
  expect(await everybody.count()).toBe(0);
  await page.getByRole('link', { name: /^ada-/ }).waitFor();
  await page.getByRole('button', { name: 'Create segment' }).click();
  await title(page, 'On the pro plan').waitFor();
  const id = new URL(page.url()).pathname.split('/').at(-1);
  const saved = await project.api.get(`/segments/${id}`);
  expect(saved.body.segment).toMatchObject({
    label: 'On the pro plan',
    filter: { where: { field: 'attributes.plan', op: 'eq', value: 'pro' } },
    count: 1,
  });
  await page.getByRole('link', { name: 'Segments' }).first().click();
  await row(page, /^On the pro plan/)
    .getByText('1', { exact: true })
    .waitFor();
  await row(page, /^On the pro plan/)
    .getByRole('link')
    .click();
  await title(page, 'On the pro plan').waitFor();

  await page.getByRole('button', { name: 'Add rule' }).click();
  await page.getByRole('menuitem', { name: 'Contact field' }).click();
  await page.getByRole('combobox', { name: 'Field' }).nth(1).fill('attributes.seats');
  await page.getByRole('combobox', { name: 'Comparison' }).nth(1).click();
  await page.getByRole('option', { name: 'is above' }).click();
  await page.getByRole('combobox', { name: 'Type of value' }).nth(1).click();
  await page.getByRole('option', { name: 'Number' }).click();
  await page.getByRole('textbox', { name: 'Value', exact: true }).nth(1).fill('5');
  await page.getByText('contacts match now').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await told(page, 'On the pro plan saved');
  await eventually(async () => (await project.api.get(`/segments/${id}`)).body.segment.count === 0);

  // A colleague changes it meanwhile: nothing of theirs is lost that is not chosen to be.
  const stored = async () => (await project.api.get(`/segments/${id}`)).body.segment;
  await page.getByRole('combobox', { name: 'Source' }).fill('mine');
  await project.api.call('PATCH', `/segments/${id}`, { label: 'Renamed by a colleague', filter: { source: 'theirs' } });
  const theirs = await stored();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('They renamed it to Renamed by a colleague and changed who is in it.').waitFor();
  expect([await page.getByRole('combobox', { name: 'Source' }).inputValue(), await stored()]).toEqual(['mine', theirs]);
  await page.getByRole('button', { name: 'View theirs' }).click();
  await page.getByRole('dialog').getByText('source is theirs').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Overwrite with mine' }).click();
  await told(page, 'Renamed by a colleague saved');
  expect(await stored()).toMatchObject({ label: 'Renamed by a colleague', filter: { source: 'mine' } });

  // Deleted meanwhile, it cannot be saved any more: what is typed is, as another.
  const { filter: before } = await stored();
  await page.getByRole('combobox', { name: 'Source' }).fill('typed meanwhile');
  must(await project.api.call('DELETE', `/segments/${id}`), 200);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('alert').getByText('This segment was deleted').waitFor();
  expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
  await page.getByLabel('Name').fill('taken');
  await page.getByRole('button', { name: 'Save as a new segment' }).click();
  await taken.waitFor();
  await page.getByLabel('Name').fill('Made anew');
  await page.getByRole('button', { name: 'Save as a new segment' }).click();
  await title(page, 'Made anew').waitFor();
  const anew = new URL(page.url()).pathname.split('/').at(-1);
  const { label, filter } = must(await project.api.get(`/segments/${anew}`), 200).segment;
  expect({ label, filter }).toEqual({ label: 'Made anew', filter: { ...before, source: 'typed meanwhile' } });

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete segment' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await title(page, 'Segments').waitFor();
  expect((await project.api.get(`/segments/${anew}`)).status).toBe(404);
});

test('by keyboard the first choice of a list is chosen at once, in a form without saving it and in the filter of a list', async () => {
  const { page, open } = await tabs.open('/segments/new', { key: project.key });
  await page.getByLabel('Name').fill('By keyboard');
  await page.getByRole('combobox', { name: 'Status' }).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('option', { name: 'Subscribed', selected: true }).waitFor();
  expect((await project.api.get('/segments')).body.segments.some(({ label }: { label: string }) => label === 'By keyboard')).toBe(false);
  page.once('dialog', (dialog) => void dialog.accept());
  await open('/sends');
  await page.getByRole('combobox', { name: 'Type' }).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(/type=transactional/);
});
