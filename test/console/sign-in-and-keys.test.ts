import { beforeAll, describe, expect, test } from 'vitest';
import { revokeApiKey } from '../../db/queries/projects/api-keys.ts';
import { consoleTabs, told } from '../support/console.ts';
import { row, title } from '../support/console-page.ts';
import { newPeople } from '../support/console-people.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { must } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;
/** Who is subscribed and got a mail. */
let ada: string;

beforeAll(async () => {
  ({ project, ada } = await newPeople());
});

const NOBODY = '0196f0c4-1d7c-7e2a-8b1e-3f5a6c7d8e9f';

describe('the key', () => {
  test('comes in by the fragment of a link, and leaves the address at once', async () => {
    const { page } = await tabs.open('/contacts', { key: project.key });
    await title(page, 'Contacts').waitFor();
    expect(page.url()).toBe(`${testEnvironment().apiUrl}/console/contacts`);
    await page.reload();
    await title(page, 'Contacts').waitFor();
  });

  test('is pasted once; a wrong one is told and stays to be mended', async () => {
    const { page } = await tabs.open('/contacts?tag=vip');
    const input = page.getByLabel('API key', { exact: true });
    await input.fill('ep_live_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This key is not valid').waitFor();
    expect(await input.inputValue()).toBe('ep_live_wrong');
    await input.fill(` ${project.key}\n`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await row(page, /^ada-/).waitFor();
    expect(page.url()).toContain('?tag=vip');
    await page.getByRole('button', { name: project.slug }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await input.waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  test('that is wrong in a link on a first visit is told as one that is pasted, and not as a session that has ended', async () => {
    const { page } = await tabs.open('/contacts', { key: project.key.slice(0, -4) });
    await page.getByRole('alert').getByText('This key is not valid. It may have been revoked, or copied incompletely.').waitFor();
    expect(await page.getByText('session has ended').count()).toBe(0);
  });

  test('without scopes is offered nothing that it may not do', async () => {
    const { key } = await project.newKey([]);
    const { page, open } = await tabs.open('', { key });
    const navigation = page.getByRole('navigation', { name: 'Main' });
    await navigation.getByRole('link', { name: 'Suppressions' }).click();
    await title(page, 'Suppressions').waitFor();
    await expect
      .poll(() => navigation.getByRole('link').allInnerTexts())
      .toEqual([
        'Home',
        'Templates',
        'Campaigns',
        'Recurring campaigns',
        'Segments',
        'Topics',
        'Suppressions',
        'Webhooks',
        'Domains',
        'Brands',
        'API docs',
      ]);
    expect(await page.getByRole('button', { name: 'Suppress address' }).count()).toBe(0);
    await open('/segments');
    await title(page, 'Segments').waitFor();
    expect(await page.getByRole('link', { name: 'New segment' }).count()).toBe(0);
  });

  test.each([
    {
      scopes: [],
      hidden: [
        [`/contacts/${NOBODY}`, 'read contacts', 'contacts:read'],
        [`/contacts/${NOBODY}/edit`, 'read contacts', 'contacts:read'],
        ['/sends', 'read sends', 'sends:read'],
        [`/sends/${NOBODY}`, 'read sends', 'sends:read'],
        ['/sequences', 'read sequences', 'sequences:read'],
        [`/sequences/onboarding/runs/${NOBODY}`, 'read sequences', 'sequences:read'],
        ['/sequences/onboarding/edit', 'read sequences', 'sequences:read'],
        ['/sequences/onboarding/simulate', 'read sequences', 'sequences:read'],
        ['/keys', 'read API keys', 'keys:read'],
      ],
    },
    {
      scopes: ['suppressions:read'],
      hidden: [
        ['/templates', 'read templates', 'templates:read'],
        ['/campaigns', 'read campaigns', 'campaigns:read'],
        ['/segments', 'read segments', 'segments:read'],
        ['/webhooks', 'read webhooks', 'webhooks:read'],
      ],
    },
    {
      scopes: ['contacts:read', 'sends:read'],
      hidden: [
        ['/contacts/new', 'add contacts', 'contacts:write'],
        [`/contacts/${NOBODY}/edit`, 'change contacts', 'contacts:write'],
        ['/segments/new', 'make segments', 'contacts:write'],
        ['/templates/~new', 'make templates', 'templates:write'],
        ['/campaigns/new', 'write campaigns', 'campaigns:write'],
      ],
    },
  ])('that has the scopes $scopes is told which one each page needs that it may not have', async ({ scopes, hidden }) => {
    const { key } = await project.newKey(scopes);
    const { page, open } = await tabs.open('', { key });
    for (const [path = '', deed, scope] of hidden) {
      await open(path);
      await page.getByText(`This key cannot ${deed}`).waitFor();
      await page.getByText(`It lacks the scope ${scope}.`).waitFor();
      expect([path, await page.getByRole('button', { name: 'Try again' }).count()]).toEqual([path, 0]);
    }
    if (!scopes.includes('contacts:read')) return;
    await open(`/contacts/${ada}/sends/none`);
    await title(page, 'Not found').waitFor();
    const { id } = (await project.api.post('/segments', { label: 'To be read', filter: { tags: ['read'] } })).body.segment;
    await open(`/segments/${id}`);
    await page.getByText('This key can read segments; changing them needs contacts:write.').waitFor();
    await page.getByRole('listitem').getByText('tagged read', { exact: true }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Name' }).count()).toBe(0);
    must(await project.api.delete(`/segments/${id}`), 200);
  });

  test('of another project shows nothing of the one before, not even for a moment', async () => {
    const other = await newProject();
    const { page } = await tabs.open('/contacts?q=lovelace', { key: project.key });
    await row(page, /^ada-/).waitFor();
    let answer = (): void => {};
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(/\/api\/v1\/contacts\?/, async (route) => {
      await asked;
      await route.continue();
    });
    await page.evaluate(`location.hash = 'key=${other.key}'`);
    await page.getByRole('button', { name: other.slug }).waitFor();
    expect(await row(page, /^ada-/).count()).toBe(0);
    answer();
    await page.getByText('No matching contact').waitFor();
  });

  test('of another project shows nothing that was read with the one before while that was still being checked', async () => {
    const other = await newProject();
    const { page, open } = await tabs.open('/keys', { key: project.key });
    await title(page, 'API keys').waitFor();
    const { session } = await page.evaluate<{ session: { id: string } }>(`fetch('/console/session').then((answer) => answer.json())`);
    await page.route('**/api/v1/me', async (route) =>
      route.request().headers()['everpost-session'] === session.id ? undefined : route.continue(),
    );
    const early = page.waitForResponse(/\/api\/v1\/contacts\?counts=kept$/, { timeout: 30_000 });
    await open('/contacts');
    expect((await (await early).json()).contacts).not.toEqual([]);
    await page.evaluate(`location.hash = 'key=${other.key}'`);
    await page.getByText('No contacts yet').waitFor();
  });

  test('that is revoked is asked for again over the page, and what was typed is still there', async () => {
    const { id, key } = await project.newKey(['*']);
    const { page } = await tabs.open('/segments/new', { key });
    await page.getByLabel('Name').fill('Typed before the key ended');
    // So that it is the call below which is refused, not the one that counts.
    await page
      .getByText(/contacts? match/)
      .first()
      .waitFor();
    await page.waitForLoadState('networkidle');
    await eventually(async () => revokeApiKey(await database(), id, new Date()));
    await page.getByRole('button', { name: 'Create segment' }).click();
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    // Said once: not on the page below, too.
    await page.getByText('its key was revoked').waitFor();
    expect([await page.getByText('its key was revoked').count(), await page.getByText('o such session').count()]).toEqual([1, 0]);
    await page.getByLabel('API key', { exact: true }).fill(project.key);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await page.getByLabel('Name').inputValue()).toBe('Typed before the key ended');
    await page.getByRole('button', { name: 'Create segment' }).click();
    await told(page, 'Typed before the key ended saved');
  });
});

test('keys are listed with what they may do and their last use, for keys that may read them', async () => {
  const { id } = await project.newKey(['send', 'templates:write']);
  await eventually(async () => revokeApiKey(await database(), id, new Date()));
  const { page } = await tabs.open('/keys', { key: project.key });
  const revoked = row(page, 'templates:write');
  await revoked.getByText('Revoked').waitFor();
  await revoked.getByText('Never').waitFor();
  await row(page, 'Signed in').getByText('Everything').waitFor();
  await page.getByRole('combobox', { name: 'Status' }).click();
  await page.getByRole('option', { name: 'Active' }).click();
  await revoked.waitFor({ state: 'hidden' });
});
