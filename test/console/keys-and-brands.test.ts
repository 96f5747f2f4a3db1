import { beforeAll, expect, test } from 'vitest';
import { api } from '../support/api.ts';
import { consoleTabs } from '../support/console.ts';
import { axeProblems, showIn } from '../support/console-looks.ts';
import { dialog, row } from '../support/console-page.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { must } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  project = await newProject();
});

test('a key is made from a preset, shown once, does what it says, and is revoked', async () => {
  const { page } = await tabs.open('/keys', { key: project.key });
  await page.getByRole('button', { name: 'Create key' }).click();
  await dialog(page).getByRole('button', { name: 'Create key' }).click();
  await dialog(page).getByText('Enter a name').waitFor();
  for (const scheme of ['dark', 'light'] as const) {
    await showIn(page, scheme);
    expect(await axeProblems(page)).toEqual([]);
  }
  await dialog(page).getByRole('textbox', { name: 'Name' }).fill('Grace looks');
  await dialog(page).getByRole('radio', { name: 'Viewer' }).check();
  await dialog(page).getByRole('button', { name: 'Create key' }).click();
  await dialog(page).getByText('It is shown this once.').waitFor();
  const secret = await dialog(page)
    .getByText(/^ep_live_/)
    .innerText();
  expect((await api(secret).get('/webhooks')).status).toBe(200);
  expect((await api(secret).post('/segments', { label: 'x' })).status).toBe(403);
  await dialog(page).getByRole('button', { name: 'I have saved it' }).click();
  await row(page, 'Grace looks').getByText('Viewer').waitFor();
  // Its row stands behind the dialog, which takes a moment to close.
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  expect(await page.content()).not.toContain(secret);
  await page.getByRole('button', { name: 'Revoke Grace looks' }).click();
  await dialog(page).getByRole('button', { name: 'Revoke key' }).click();
  await row(page, 'Grace looks').getByText('Revoked').waitFor();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toMatch(/^Revoke /);
  expect((await api(secret).get('/me')).status).toBe(401);
});

test('a key is offered no more than what the one that is signed in with may hand on', async () => {
  const { key } = await project.newKey(['keys:write', 'send', 'templates:read', 'contacts:write', 'sequences:write']);
  const { page } = await tabs.open('/keys', { key });
  await page.getByRole('button', { name: 'Create key' }).click();
  const preset = (name: string) => dialog(page).getByRole('radio', { name });
  await preset('Sender').waitFor();
  const offered = await Promise.all(['Viewer', 'Marketer', 'Sender', 'Everything'].map((name) => preset(name).isEnabled()));
  expect(offered).toEqual([false, false, true, false]);
  await preset('Custom scopes').check();
  await dialog(page).getByRole('checkbox', { name: 'send', exact: true }).waitFor();
  expect(await dialog(page).getByRole('checkbox', { name: 'campaigns:write' }).count()).toBe(0);
});

test("scopes of one's own say what the key reads beyond them, by the rules of the API", async () => {
  const { page } = await tabs.open('/keys', { key: project.key });
  await page.getByRole('button', { name: 'Create key' }).click();
  await dialog(page).getByRole('radio', { name: 'Custom scopes' }).check();
  const scope = (name: string) => dialog(page).getByRole('checkbox', { name, exact: true });
  const also = dialog(page).getByText('This key will also read');
  await scope('sends:read').waitFor();
  expect(await also.count()).toBe(0);
  await scope('sends:read').check();
  expect(await also.innerText()).toBe(
    'This key will also read: segments, templates, campaigns, suppressed addresses, endpoints and deliveries with their payloads. ' +
      'To limit that, choose one of these read scopes.',
  );
  await scope('campaigns:read').check();
  await also.waitFor({ state: 'hidden' });
  await scope('templates:write').check();
  expect(await also.innerText()).toBe('This key will also read: templates.');
  const placeOf = async (name: string) => (await scope(name).boundingBox())!;
  for (const [read, write] of [
    ['contacts:read', 'contacts:write'],
    ['sends:read', 'send'],
    ['webhooks:read', 'webhooks:write'],
  ] as const) {
    const [left, right] = [await placeOf(read), await placeOf(write)];
    expect([read, Math.round(left.y), left.x < right.x]).toEqual([read, Math.round(right.y), true]);
  }
  for (const scheme of ['dark', 'light'] as const) {
    await showIn(page, scheme);
    expect(await axeProblems(page)).toEqual([]);
  }
});

test('keys that may only be read say how an operator makes one', async () => {
  const { key } = await project.newKey(['keys:read']);
  const { page } = await tabs.open('/keys', { key });
  await page.getByText(`key create ${project.slug} `).waitFor();
  expect(await page.getByRole('button', { name: 'Create key' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: /^Revoke/ }).count()).toBe(0);
});

test('a brand is added and changed; a sender outside of the verified domains is refused', async () => {
  const { page } = await tabs.open('/brands', { key: project.key });
  await row(page, project.slug).getByText('Default').waitFor();
  await page.getByRole('button', { name: 'Add brand' }).click();
  const input = (name: string) => dialog(page).getByRole('textbox', { name, exact: true });
  await input('Slug').fill('north');
  await input('Name').fill('North');
  await input('From address').fill('north@elsewhere.example');
  await input('Postal address').fill('1 Harbour Road');
  await dialog(page).getByRole('button', { name: 'Add brand' }).click();
  await dialog(page).getByText('Use an address on a verified domain').waitFor();
  for (const scheme of ['dark', 'light'] as const) {
    await showIn(page, scheme);
    expect(await axeProblems(page)).toEqual([]);
  }
  await input('From address').fill(`north@${project.domain}`);
  await dialog(page).getByRole('button', { name: 'Add brand' }).click();
  await row(page, 'North').getByText(`north@${project.domain}`).waitFor();
  await page.getByRole('button', { name: 'Edit North' }).click();
  await input('Name').fill('Far North');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await row(page, 'Far North').waitFor();
  const { brands } = must(await project.api.get('/brands'), 200);
  expect(brands.find(({ slug }: { slug: string }) => slug === 'north')).toMatchObject({ name: 'Far North', address: '1 Harbour Road' });
});

test('a key without brands:write sees brands and changes none', async () => {
  const { key } = await project.newKey([]);
  const { page } = await tabs.open('/brands', { key });
  await row(page, 'Default').waitFor();
  expect(await page.getByRole('button', { name: /^(Add brand|Edit)/ }).count()).toBe(0);
});
