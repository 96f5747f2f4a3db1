import { beforeAll, expect, test } from 'vitest';
import { PRESETS } from '../../domain/projects/scopes.ts';
import { consoleTabs } from '../support/console.ts';
import { addressIn, dialog, row, title } from '../support/console-page.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { must, newContact } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  project = await newProject();
});

test('a contact whose address is suppressed looks so in the list and on its page, to a viewer too', async () => {
  const email = project.address('blocked');
  const id = await newContact(project, email);
  await newContact(project, project.address('free'));
  must(await project.api.post('/suppressions', { email, reason: 'bounce' }), 201);
  const viewer = (await project.newKey([...PRESETS.viewer])).key;
  const { page, open } = await tabs.open('/contacts', { key: viewer });
  await row(page, email).getByText('Suppressed').waitFor();
  await row(page, /^free/).getByText('Subscribed').waitFor();
  expect(await row(page, /^free/).getByText('Suppressed').count()).toBe(0);
  expect(await row(page, email).locator('[data-tone="good"]').count()).toBe(0);
  await open(`/contacts/${id}`);
  await title(page, email).waitFor();
  const heading = page.locator('main header, main').first();
  await heading.getByText('Suppressed', { exact: true }).waitFor();
  expect(await page.locator('[data-tone="good"]').count()).toBe(0);
});

test('a reason that unsubscribes says so before an address is suppressed and before it is taken off the list, and the row leads to the contact', async () => {
  const email = project.address('opted-out');
  const id = await newContact(project, email);
  const { page } = await tabs.open('/suppressions', { key: project.key });
  await page.getByRole('button', { name: 'Suppress address' }).click();
  await addressIn(page).fill(email);
  await dialog(page).getByText('Added by hand. A contact with the address keeps its status.').waitFor();
  await dialog(page).getByRole('combobox', { name: 'Reason' }).click();
  await page.getByRole('option', { name: 'Global unsubscribe' }).click();
  await dialog(page).getByText('A contact with the address is also unsubscribed.').waitFor();
  await dialog(page).getByRole('button', { name: 'Suppress' }).click();
  await row(page, email).getByRole('link', { name: email }).click();
  await title(page, email).waitFor();
  expect(new URL(page.url()).pathname).toContain(id);
  expect(must(await project.api.get(`/contacts/${id}`), 200).contact).toMatchObject({
    status: 'unsubscribed',
    suppressed: 'global_unsubscribe',
  });
  await page.goBack();
  await page.getByRole('button', { name: `Remove ${email}` }).click();
  await dialog(page).getByText('stays so').waitFor();
  await dialog(page).getByRole('button', { name: 'Remove' }).click();
  await row(page, email).waitFor({ state: 'hidden' });
  expect(must(await project.api.get(`/contacts/${id}`), 200).contact).toMatchObject({ status: 'unsubscribed', suppressed: null });
});
