import type { Browser, Locator, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { revokeApiKey } from '../../db/queries/projects/api-keys.ts';
import { chain } from '../domain/sequences/graphs.ts';
import { startBrowser } from '../support/browser.ts';
import { axeProblems, narrowNames, showIn, type Tabs, tabsOf, told } from '../support/console.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { newFlow } from '../support/flow.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, enrollmentEnds, must, newContact } from '../support/sequences.ts';
import { createEndpoint } from '../support/webhook-endpoints.ts';

let browser: Browser;
let tabs: Tabs;
let project: TestProject;
/** Ada is subscribed and got a mail, Grace is pending, Linus is one of 60 more. */
let ada: string;

// Many steps, each with its own patience.

beforeAll(async () => {
  browser = await startBrowser();
  tabs = tabsOf(browser);
  project = await newProject();
  await enableTemplates(project, 'receipt');
  const people = [
    { email: project.address('ada'), firstName: 'Ada', lastName: 'Lovelace', tags: ['vip'], attributes: { plan: 'pro', seats: 3 } },
    { email: project.address('grace'), firstName: 'Grace', status: 'pending', attributes: { plan: 'free' } },
    ...Array.from({ length: 60 }, (_, index) => ({ email: project.address(`linus${index}`), firstName: 'Linus' })),
  ];
  ada = must(await project.api.post('/contacts', people), 200).contacts[0].id;
  must(await project.api.post('/send', { template: 'receipt', contactId: ada, data: { name: 'Ada' } }), 200);
  must(await project.api.post('/events', { type: 'signed_up', contactId: ada, data: { plan: 'pro' } }), 200);
});

afterEach(() => tabs.close());

afterAll(async () => {
  await browser?.close();
});

const NOBODY = '0196f0c4-1d7c-7e2a-8b1e-3f5a6c7d8e9f';
const LINUS = { field: 'contact.first_name', op: 'eq', value: 'Linus' };
const row = (page: Page, text: string | RegExp) => page.getByRole('row').filter({ hasText: text });
const lastOfPath = (page: Page) => new URL(page.url()).pathname.split('/').at(-1);
/** Of the form that adds a suppression. */
const addressIn = (page: Page) => page.getByRole('dialog').getByRole('textbox', { name: 'Email' });
const title = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });

const hasFocus = (input: Locator) => eventually(() => input.evaluate((one) => one === one.ownerDocument.activeElement));
const accessibleDescription = (input: Locator) =>
  input.evaluate((one) =>
    (one.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => one.ownerDocument.getElementById(id)?.textContent)
      .join(' '),
  );

describe('the key', () => {
  test('comes in by the fragment of a link, and leaves the address at once', async () => {
    const { page } = await tabs.open('/contacts', { key: project.key });
    await title(page, 'Contacts').waitFor();
    expect(page.url()).toBe(`${testEnvironment().apiUrl}/console/contacts`);
    await page.reload();
    await title(page, 'Contacts').waitFor();
    expect(await page.context().cookies()).toEqual([]);
    expect(await page.evaluate('Object.values(localStorage).join()')).not.toContain('ep_live');
  });

  test('is pasted once; a wrong one is told and stays to be mended', async () => {
    const { page } = await tabs.open('/contacts?tag=vip');
    const input = page.getByLabel('API key', { exact: true });
    await input.fill('ep_live_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('No project has this key').waitFor();
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

  test('without scopes is offered nothing that it may not do', async () => {
    const { key } = await project.newKey([]);
    const { page, open } = await tabs.open('', { key });
    const navigation = page.getByRole('navigation', { name: 'Main' });
    await navigation.getByRole('link', { name: 'Suppressions' }).click();
    await title(page, 'Suppressions').waitFor();
    expect(await navigation.getByRole('link').allInnerTexts()).toEqual([
      'Home',
      'Templates',
      'Campaigns',
      'Segments',
      'Suppressions',
      'Webhooks',
      'API docs',
    ]);
    expect(await page.getByRole('button', { name: 'Add address' }).count()).toBe(0);
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
        ['/sequences', 'read or write sequences', 'sequences:write'],
        [`/sequences/onboarding/runs/${NOBODY}`, 'read or write sequences', 'sequences:write'],
        ['/sequences/onboarding/edit', 'read or write sequences', 'sequences:write'],
        ['/sequences/onboarding/simulate', 'read or write sequences', 'sequences:write'],
        ['/keys', 'read API keys', 'keys:read'],
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
      await page.getByText(`This key may not ${deed}`).waitFor();
      await page.getByText(`It lacks the scope ${scope}.`).waitFor();
      expect([path, await page.getByRole('button', { name: 'Try again' }).count()]).toEqual([path, 0]);
    }
    if (!scopes.includes('contacts:read')) return;
    await open(`/contacts/${ada}/sends/none`);
    await title(page, 'Not found').waitFor();
    const { id } = (await project.api.post('/segments', { label: 'To be read', filter: { tags: ['read'] } })).body.segment;
    await open(`/segments/${id}`);
    await page.getByText('This key may not change the segment: it lacks the scope contacts:write.').waitFor();
    expect(await page.getByRole('textbox', { name: 'Name' }).isDisabled()).toBe(true);
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
    await page.getByText('No contact matches').waitFor();
  });

  test('of another project shows nothing that was read with the one before while that was still being checked', async () => {
    const other = await newProject();
    const { page, open } = await tabs.open('');
    await page.getByLabel('API key', { exact: true }).waitFor();
    await page.evaluate(`sessionStorage.setItem('everpost.key', '${project.key}')`);
    await page.route('**/api/v1/me', async (route) =>
      route.request().headers().authorization === `Bearer ${project.key}` ? undefined : route.continue(),
    );
    const early = page.waitForResponse(/\/api\/v1\/contacts$/, { timeout: 30_000 });
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
    await page.getByRole('dialog', { name: 'The key is no longer accepted' }).waitFor();
    await page.getByLabel('API key', { exact: true }).fill(project.key);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await page.getByLabel('Name').inputValue()).toBe('Typed before the key ended');
    await page.getByRole('button', { name: 'Create segment' }).click();
    await told(page, 'Typed before the key ended is saved');
  });
});

describe('contacts', () => {
  test('are found by search and filter, which the address keeps, page by page', async () => {
    const { page } = await tabs.open('/contacts', { key: project.key });
    await page.getByText('62 in all').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await row(page, 'Ada Lovelace').waitFor();
    await page.getByRole('button', { name: 'Previous' }).click();
    await row(page, 'Ada Lovelace').waitFor({ state: 'hidden' });
    await page.getByLabel('Search contacts').fill('lovelace');
    await page.getByText('1 in all').waitFor();
    expect(new URL(page.url()).search).toBe('?q=lovelace');
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Pending' }).click();
    await row(page, 'Grace').waitFor();
    await page.getByText('1 in all').waitFor();
    // Who thinks for a moment between two words keeps the space.
    await page.getByLabel('Search contacts').pressSequentially('nobody ');
    await eventually(() => new URL(page.url()).searchParams.get('q') === 'nobody');
    await page.getByLabel('Search contacts').pressSequentially('at all');
    await eventually(() => new URL(page.url()).searchParams.get('q') === 'nobody at all');
    await page.getByText('No contact matches').waitFor();
  });

  test('are filtered by a segment, which the address keeps, and by an attribute of somebody as a segment that is not saved', async () => {
    const { body } = await project.api.post('/segments', { label: 'Linuses', filter: { where: LINUS } });
    const { page, open } = await tabs.open('/contacts?q=lovelace', { key: project.key });
    await page.getByText('1 in all').waitFor();
    await page.getByRole('combobox', { name: 'Segment' }).click();
    await page.getByRole('option', { name: 'Linuses' }).click();
    await page.getByText('No contact matches').waitFor();
    expect(new URL(page.url()).searchParams.get('segment')).toBe(body.segment.id);
    await page.getByLabel('Search contacts').fill('');
    await page.getByText('60 in all').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await row(page, /^linus0-/).waitFor();
    await page.getByRole('button', { name: 'Previous' }).click();
    await row(page, /^linus59-/).waitFor();
    await open(`/contacts/${ada}`);
    await page.getByRole('link', { name: 'Find all with this seats' }).click();
    await title(page, 'New segment').waitFor();
    expect(await page.getByRole('textbox', { name: 'Value' }).inputValue()).toBe('3');
    await page.getByText('contact matches now').waitFor();
    await page.getByRole('link', { name: /^ada-/ }).waitFor();
  });

  test('are reached by keyboard, and show all that happened', async () => {
    const { page } = await tabs.open('/contacts?q=lovelace', { key: project.key });
    await page.getByText('1 in all').waitFor();
    await page.getByRole('button', { name: 'Clear' }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await title(page, /^ada-/).waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    for (const text of ['Contact added', 'Event signed_up', 'Sent “']) await page.getByText(text).first().waitFor();
    expect(await page.getByText('seats').count()).toBe(1);
    await page.goBack();
    await hasFocus(row(page, 'Ada Lovelace').getByRole('link'));
  });

  test('are found from everywhere by Ctrl+K, as pages and what else has a name are; "/" is the search of the page', async () => {
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
    await page.keyboard.press('Control+k');
    await page.getByRole('group', { name: 'Recent' }).getByRole('option', { name: 'Ada Lovelace' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });

  test('tell when exactly something was, on hover too, and a click there still opens the row', async () => {
    const { page } = await tabs.open('/contacts?q=lovelace', { key: project.key });
    const time = row(page, 'Ada Lovelace').getByRole('time');
    const exact = /\d{1,2} [A-Z][a-z]{2} \d{4}, \d\d:\d\d:\d\d \S+$/;
    expect(await time.textContent()).toMatch(exact);
    await time.hover();
    expect(await page.getByRole('tooltip').innerText()).toMatch(exact);
    await time.click();
    await title(page, /^ada-/).waitFor();
  });

  test('have a menu in which axe finds nothing, and whose questions give the focus back', async () => {
    const { page } = await tabs.open(`/contacts/${ada}`, { key: project.key });
    const more = page.getByRole('button', { name: 'More actions' });
    await more.click();
    await page.getByRole('menuitem', { name: 'Erase contact' }).waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await showIn(page, colorScheme);
      expect(await axeProblems(page)).toEqual([]);
    }
    for (const item of ['Erase contact', 'Suppress address']) {
      if (!(await page.getByRole('menu').isVisible())) await more.click();
      await page.getByRole('menuitem', { name: item }).click();
      await hasFocus(page.getByRole('dialog').locator('[data-autofocus]'));
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await hasFocus(more);
    }
  });

  test('are unsubscribed, suppressed, taken off the suppression list where they are looked at, and erased, each after a question', async () => {
    const email = project.address('leaving');
    const { body } = await project.api.post('/contacts', { email });
    const { page } = await tabs.open(`/contacts/${body.contacts[0].id}`, { key: project.key });
    await page.getByRole('button', { name: 'Unsubscribe' }).click();
    await page.getByText('Sequences that it is in go on without their marketing mails.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Unsubscribe' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unsubscribe' }).click();
    await page.getByText('Unsubscribed', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Suppress address' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Suppress' }).click();
    const suppressed = page.getByText('Suppressed', { exact: true });
    await suppressed.waitFor();
    const takeOff = page.getByRole('dialog', { name: `Take ${email} off the list?` });
    const takesOff = async () => {
      await takeOff.getByRole('button', { name: 'Remove' }).click();
      await takeOff.waitFor({ state: 'hidden' });
      await suppressed.waitFor({ state: 'hidden' });
      await page.getByText('Address suppressed').waitFor({ state: 'hidden' });
      expect((await project.api.get(`/suppressions?email=${email}`)).body.suppressions).toEqual([]);
    };
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Take off the suppression list' }).click();
    await takesOff();
    for (const from of ['Take off the suppression list…', 'Subscribe…']) {
      await project.api.post('/suppressions', { email });
      await page.reload();
      await page.getByRole('button', { name: from }).click();
      if (from === 'Subscribe…') await page.getByRole('button', { name: 'Take it off…' }).click();
      await takesOff();
    }
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Erase contact' }).click();
    const erase = page.getByRole('button', { name: 'Erase for good' });
    expect(await erase.isDisabled()).toBe(true);
    await page.getByLabel(`Type ${email} to go on`).fill(email);
    await erase.click();
    await title(page, 'Contacts').waitFor();
    expect((await project.api.get(`/contacts/${body.contacts[0].id}`)).status).toBe(404);
  });

  test('are made and edited by hand: what is wrong is said at its field, what others changed meanwhile stays', async () => {
    const email = project.address('made');
    const { page } = await tabs.open('/contacts', { key: project.key });
    await page.getByRole('link', { name: 'New contact' }).click();
    await page.getByRole('textbox', { name: 'Email', exact: true }).fill('made');
    await page.getByRole('textbox', { name: 'Where the person agreed' }).fill('Asked us by phone');
    await page.getByText('Not an address, like ada@example.com').waitFor();
    await page.getByRole('textbox', { name: 'Email', exact: true }).fill('made@two..dots');
    await page.getByRole('textbox', { name: 'First name' }).fill('Mary');
    await page.getByRole('button', { name: 'Add attribute' }).click();
    const attribute = page.getByRole('group', { name: /^Attribute/ });
    await attribute.getByRole('combobox', { name: 'Name' }).fill('seats');
    await page.keyboard.press('Escape');
    await attribute.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'Number' }).click();
    await attribute.getByRole('textbox', { name: 'Value' }).fill('many');
    await attribute.getByText('Not a number').waitFor();
    await page.getByRole('button', { name: 'Add contact' }).click();
    await hasFocus(attribute.getByRole('textbox', { name: 'Value' }));
    await attribute.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'JSON' }).click();
    await attribute.getByRole('textbox', { name: 'Value' }).fill('{\n  "a": }');
    await attribute.getByText('Line 2, column 8: a value is missing').waitFor();
    await attribute.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'Number' }).click();
    await attribute.getByRole('textbox', { name: 'Value' }).fill('12');
    await page.getByRole('button', { name: 'Add contact' }).click();
    await page.getByText('Not a valid address', { exact: true }).waitFor();
    await hasFocus(page.getByRole('textbox', { name: 'Email', exact: true }));
    await page.getByRole('textbox', { name: 'Email', exact: true }).fill(email);
    await page.getByRole('button', { name: 'Add contact' }).click();
    await title(page, email).waitFor();
    const made = async () => (await project.api.get(`/contacts/${lastOfPath(page)}`)).body.contact;
    expect(await made()).toMatchObject({
      ...{ first_name: 'Mary', status: 'subscribed', attributes: { seats: 12 } },
      ...{ consent_source: 'Asked us by phone', consent_ip: '', consent_user_agent: '' },
    });

    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'Last name' }).fill('Shelley');
    await page.getByLabel('Tags').first().fill('author');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove attribute seats' }).click();
    await project.api.post('/contacts', { email, firstName: 'Mary W.', attributes: { plan: 'team' } });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Edit' }).waitFor();
    const { id, ...edited } = await made();
    expect(edited).toMatchObject({ first_name: 'Mary W.', last_name: 'Shelley', tags: ['author'] });
    expect(edited.attributes).toEqual({ plan: 'team' });
    expect(typeof id).toBe('string');
  });

  test('say one after the other what is missing before they can be made, and a new attribute is typed at once', async () => {
    const { page } = await tabs.open('/contacts/new', { key: project.key });
    const address = page.getByRole('textbox', { name: 'Email', exact: true });
    await hasFocus(address);
    await page.keyboard.press('Enter');
    for (const missing of ['Fill in the email', 'Say where the person agreed']) await page.getByText(missing).waitFor();
    await address.fill(project.address('complete'));
    await page.getByText('Fill in the email').waitFor({ state: 'hidden' });
    await page.keyboard.press('Enter');
    await hasFocus(page.getByRole('textbox', { name: 'Where the person agreed' }));
    await page.getByRole('button', { name: 'Add attribute' }).click();
    await page.keyboard.type('plan');
    expect(await page.getByRole('combobox', { name: 'Name' }).inputValue()).toBe('plan');
  });

  test('are not made anew by an edit after they were erased, nor changed by making them again', async () => {
    const email = project.address('erased');
    const { body } = await project.api.post('/contacts', { email, firstName: 'Percy' });
    const { page, open } = await tabs.open(`/contacts/${body.contacts[0].id}/edit`, { key: project.key });
    await page.getByRole('textbox', { name: 'First name' }).fill('Bysshe');
    await project.api.delete(`/contacts/${body.contacts[0].id}`);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('It may have been deleted meanwhile').waitFor();
    expect(await page.getByRole('textbox', { name: 'First name' }).inputValue()).toBe('Bysshe');
    expect((await project.api.get(`/contacts?email=${email}`)).body.contacts).toEqual([]);
    const known = project.address('known');
    await project.api.post('/contacts', { email: known, firstName: 'Percy' });
    page.once('dialog', (dialog) => void dialog.accept());
    await open('/contacts/new');
    await page.getByRole('textbox', { name: 'Email', exact: true }).fill(known);
    await page.getByRole('textbox', { name: 'First name' }).fill('Another');
    await page.getByRole('radio', { name: 'Pending' }).check();
    await page.getByRole('button', { name: 'Add contact' }).click();
    await page.getByRole('alert').getByText('Nothing was changed').waitFor();
    const [there] = (await project.api.get(`/contacts?email=${known}`)).body.contacts;
    expect(there).toMatchObject({ first_name: 'Percy', status: 'subscribed' });
  });

  test('come back only with a word on where they agreed, which replaces the consent before; the timeline has both', async () => {
    const email = project.address('back');
    const consent = { source: 'signup-form', ip: '203.0.113.7', userAgent: 'Mozilla/5.0' };
    const { body } = await project.api.post('/contacts', { email, consent });
    const [{ id }] = body.contacts;
    await project.api.post(`/contacts/${id}/unsubscribe`);
    const { page } = await tabs.open(`/contacts/${id}`, { key: project.key });
    await page.getByRole('button', { name: 'Subscribe' }).click();
    const dialog = page.getByRole('dialog', { name: `Subscribe ${email}?` });
    const subscribe = dialog.getByRole('button', { name: 'Subscribe', exact: true });
    await subscribe.click();
    await dialog.getByText('Say where the person agreed').waitFor();
    await dialog.getByRole('textbox', { name: 'Where the person agreed' }).fill('Wrote to support');
    await subscribe.click();
    await page.getByText('Subscribed', { exact: true }).waitFor();
    const { contact } = (await project.api.get(`/contacts/${id}`)).body;
    expect(contact).toMatchObject({ status: 'subscribed', consent_source: 'Wrote to support', consent_ip: '', consent_user_agent: '' });
    await page.getByText(/^Subscribed again: Wrote to support, \d+ \w+ \d{4}$/).waitFor();
    const publicId = project.key.split('_')[2] as string;
    await page.getByText(`Unsubscribed by the key ${publicId}`, { exact: true }).waitFor();
    await page.getByRole('link', { name: publicId }).last().click();
    await title(page, 'API keys').waitFor();
    const reader = await project.newKey(['contacts:read']);
    const { page: read } = await tabs.open(`/contacts/${id}`, { key: reader.key });
    await read.getByText('Unsubscribed by an API key', { exact: true }).waitFor();
    await page.goBack();
    await page.getByText(/^source: API call · consent: signup-form, \d+ \w+ \d{4} · from 203\.0\.113\.7$/).waitFor();
  });

  test('have the mails of a sequence in their timeline, those that it left out with the reason, and lead from them to the run', async () => {
    await enableTemplates(project, 'welcome');
    const mail = (id: string, template: string) => ({ id, kind: 'send_email', config: { template } });
    const off = { id: 'off', kind: 'update_contact', config: { status: 'unsubscribed' } };
    const { put, enroll } = await newFlow(project, chain());
    await put({ name: 'Trial', ...chain(mail('a', 'receipt'), off, mail('b', 'welcome')) });
    const email = project.address('left-out');
    const id = await newContact(project, email);
    await enrollmentEnds(await database(), await enroll(email));
    const { page } = await tabs.open(`/contacts/${id}`, { key: project.key });
    const entry = (words: string | RegExp) => page.getByRole('listitem').filter({ hasText: words });
    await entry(/^Left out: welcome.*The contact has unsubscribed · by the sequence Trial$/).waitFor();
    const leading = await entry('Left out: welcome').getByRole('link', { name: 'welcome' }).getAttribute('href');
    await entry(/^Sent .*receipt · by the sequence Trial/)
      .getByRole('link', { name: 'the sequence Trial' })
      .click();
    await title(page, `Run of ${email}`).waitFor();
    expect(new URL(page.url()).pathname).toBe(leading);
    await page.getByText('Left out: the contact has unsubscribed').first().waitFor();
  });

  test('show a mail of theirs again, and lead to their sends', async () => {
    const { page } = await tabs.open(`/contacts/${ada}`, { key: project.key });
    await page.getByRole('button', { name: /^Show mail: / }).click();
    await page.frameLocator('iframe').getByText('Thank you for your order').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'All sends' }).click();
    await title(page, 'Sends').waitFor();
    await row(page, /^ada-/).waitFor();
    expect(new URL(page.url()).search).toBe(`?contactId=${ada}`);
  });
});

/** Each form: where it is, what opens its dialog, its button, and its first field. */
const FORMS = [
  { path: '/contacts/new', deed: 'Add contact', field: 'Email', told: 'Fill in the email' },
  { path: '/segments/new', deed: 'Create segment', field: 'Name', told: 'Fill in the name' },
  { path: '/templates/~new', deed: 'Create template', field: 'Name', told: 'Fill in the name' },
  { path: '/campaigns/new', deed: 'Send now…', field: 'Template', told: 'Choose a template' },
  { path: '/sequences', opener: 'New sequence', deed: 'Create sequence', field: 'Name', told: 'Fill in the name' },
  { path: '/suppressions', opener: 'Add address', deed: 'Suppress address', field: 'Email', told: 'Fill in the email' },
  { path: '/webhooks', opener: 'Add endpoint', deed: 'Add endpoint', field: 'URL', told: 'Fill in the URL' },
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
    await page.getByRole('button', { name: 'Add address' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Add address' }).click();
    await addressIn(page).fill('half@');
    await page.keyboard.press('Escape');
    await question(page).getByRole('button', { name: 'Stay' }).click();
    await question(page).waitFor({ state: 'hidden' });
    expect(await addressIn(page).inputValue()).toBe('half@');
    await page.keyboard.press('Escape');
    await question(page).getByRole('button', { name: 'Leave' }).click();
    await addressIn(page).waitFor({ state: 'hidden' });
    await question(page).waitFor({ state: 'hidden' });
    expect(await page.getByRole('button', { name: 'Add address' }).evaluate('document.activeElement.textContent')).toBe('Add address');
  });
});

test('empty lists lead to the first of their things, for keys that may make it, and a campaign to the templates while none is on', async () => {
  const empty = await newProject();
  const { page, open } = await tabs.open('/contacts', { key: empty.key });
  for (const [path, first, made] of [
    ['/contacts', 'Add the first contact', 'New contact'],
    ['/segments', 'Make the first segment', 'New segment'],
    ['/campaigns', 'Write the first campaign', 'New campaign'],
  ] as const) {
    await open(path);
    await page.getByRole('link', { name: first }).click();
    await title(page, made).waitFor();
  }
  const template = page.getByRole('combobox', { name: 'Template' });
  await template.click();
  await page.getByRole('listbox').getByText('No template is on').waitFor();
  expect(await accessibleDescription(template)).toBe('No template is on. See all templates');
  await page.keyboard.press('Escape');
  expect(await axeProblems(page)).toEqual([]);
  await page.getByRole('link', { name: 'See all templates' }).click();
  await title(page, 'Templates').waitFor();
  for (const [path, first] of [
    ['/suppressions', 'Suppress an address'],
    ['/webhooks', 'Add the first endpoint'],
    ['/sequences', 'Make the first sequence'],
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
    ['/suppressions', 'Nobody is suppressed'],
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

test('keys are listed with what they may do and their last use, for keys that may read them', async () => {
  const { id } = await project.newKey(['send', 'templates:write']);
  await eventually(async () => revokeApiKey(await database(), id, new Date()));
  const { page } = await tabs.open('/keys', { key: project.key });
  const revoked = row(page, 'templates:write');
  await revoked.getByText('Revoked').waitFor();
  await revoked.getByText('Never').waitFor();
  await row(page, 'Signed in').getByText('Everything').waitFor();
  await page.getByText(`key create ${project.slug} `).waitFor();
  await page.getByRole('combobox', { name: 'Status' }).click();
  await page.getByRole('option', { name: 'Working' }).click();
  await revoked.waitFor({ state: 'hidden' });
});

test('what is chosen can be told where the system forces its colors', async () => {
  const { page } = await tabs.open('/home', { key: project.key });
  await page.emulateMedia({ forcedColors: 'active' });
  for (const chosen of [page.getByRole('link', { name: 'Home', exact: true }), page.getByText('7 days', { exact: true })]) {
    expect(await chosen.evaluate((one) => getComputedStyle(one.closest('[data-active]')!).outlineStyle)).toBe('solid');
  }
});

test('Home shows the numbers of the API in each period, what is on its way, and leads to what needs a look', async () => {
  const later = new Date(Date.now() + 86_400_000).toISOString();
  const campaign = {
    name: 'Spring news',
    template: 'receipt',
    subject: 'Spring',
    audience: { mode: 'tag', tag: 'spring' },
  };
  const addTagged = async (name: string) =>
    must(await project.api.post('/contacts', { email: project.address(name), tags: ['spring'] }), 200);
  await addTagged('early');
  const { campaignId } = (await project.api.post('/campaigns', { ...campaign, scheduleAt: later })).body;
  await addTagged('late');
  await project.api.post(`/campaigns/${campaignId}/pause`);
  const { page, open } = await tabs.open('/home', { key: project.key });
  const table = page.getByRole('table', { name: 'Mails, by when they were sent' });
  for (const [label, period] of [
    ['24 hours', '24h'],
    ['30 days', '30d'],
    ['7 days', '7d'],
  ]) {
    await page
      .getByRole('radiogroup', { name: 'Period' })
      .getByText(label as string)
      .click();
    const { counts, totals } = must(await project.api.get(`/stats?period=${period}`), 200);
    await eventually(async () => (await table.getByRole('row').count()) === 1 + counts.length);
    const shown = (await table.getByRole('row').allInnerTexts()).slice(1).map((line) => line.split(/\s/).slice(-2).map(Number));
    expect(shown).toEqual(counts.map(({ sent, failed }: Record<string, number>) => [sent, failed]));
    expect(totals.sent).toBeGreaterThan(0);
    expect(await page.getByRole('definition').first().innerText()).toBe(`${totals.sent}`);
  }
  await page.getByRole('link', { name: 'Spring news', exact: true }).waitFor();
  // Whom it goes to is found when it begins: not those who were there when it was made.
  const begins = `${new Date(later).getDate()} ${new Date(later).toLocaleString('en-GB', { month: 'short' })}`;
  await page.getByText(`To about 2 now, found when it begins ${begins}`).waitFor();
  const { totals } = (await project.api.get('/stats?period=7d')).body;
  await page.getByRole('link', { name: 'Sent', exact: true }).click();
  await title(page, 'Sends').waitFor();
  await page.getByText(`${totals.sent} shown`).waitFor({ state: 'attached' });
  const item = { kind: 'domain_unverified', message: 'an operator verifies it', about: project.slug, count: null };
  const unverified = (route: Route) => route.fulfill({ json: { ok: true, items: [item] } });
  await page.route('**/attention', unverified);
  await open('/home');
  await page.getByText(`npm run -s admin -- domain add ${project.slug} ${project.domain} --verified`).waitFor();
  await page.getByRole('button', { name: 'Copy command that mends it' }).waitFor();
  await page.unroute('**/attention', unverified);
  await open('/home');
  // Nothing needs a look only while mails neither fail nor come back more often than large providers bear.
  const faring = (told: object) => page.route('**/stats?period=7d', (route) => route.fulfill({ json: told }));
  const told = (await project.api.get('/stats?period=7d')).body;
  const nothing = (route: Route) => route.fulfill({ json: { ok: true, items: [] } });
  await page.route('**/attention', nothing);
  const well = { sent: 1_000, failed: 50, bounced: 20, complained: 1 };
  await faring({ ...told, totals: { ...told.totals, ...well } });
  await open('/home');
  await page.getByText('nothing is held, few mails fail or come back.').waitFor();
  await faring({ ...told, totals: { ...told.totals, ...well, failed: 250, bounced: 30 } });
  await open('/home');
  await page.getByRole('link', { name: '3 % of the mails of the last 7 days came back: 30 of 1,000' }).waitFor();
  await page.getByRole('link', { name: '20 % of the mails of the last 7 days failed: 250 of 1,250' }).click();
  await title(page, 'Sends').waitFor();
  expect(new URL(page.url()).searchParams.get('status')).toBe('failed');
  await page.unroute('**/stats?period=7d');
  await page.unroute('**/attention', nothing);
  await open('/home');
  await page.getByRole('listitem').filter({ hasText: 'The campaign Spring news is paused' }).getByRole('link').click();
  await title(page, 'Spring news').waitFor();
  await page.getByRole('status').getByText('To about 2 now, found when it begins').waitFor();
  await open('/campaigns');
  const listed = row(page, /^Spring news/);
  await listed.getByText('Not yet; about 2, found when it begins').waitFor();
  await listed.getByText(new RegExp(`^${begins}.* \\d\\d:\\d\\d$`)).waitFor();
  expect(await listed.getByRole('progressbar').count()).toBe(0);
  // Without its segment it would find nobody: that is told while there is time.
  const { id: segmentId } = must(await project.api.post('/segments', { label: 'Spring', filter: { tags: ['spring'] } }), 201).segment;
  const variants = ['a', 'b'].map((key) => ({ key, subject: key }));
  const lost = { ...campaign, name: 'Lost news', audience: { mode: 'segment', segmentId }, variants, scheduleAt: later };
  const { campaignId: lostId } = must(await project.api.post('/campaigns', lost), 201);
  must(await project.api.delete(`/segments/${segmentId}`), 200);
  await open('/campaigns');
  await row(page, /^Lost news/)
    .getByText('Nobody: its segment was deleted')
    .waitFor();
  await open('/home');
  await page.getByText('To nobody: its segment was deleted.').waitFor();
  await page
    .getByRole('listitem')
    .filter({ hasText: 'The segment that the campaign Lost news is scheduled for was deleted' })
    .getByRole('link')
    .click();
  await page.getByRole('alert').getByText('Cancel it, and duplicate it for another audience').waitFor();
  const promise = page.getByText('Shares are drawn as soon as');
  await promise.waitFor();
  must(await project.api.post(`/campaigns/${lostId}/cancel`), 200);
  await page.reload();
  await page.getByText('No mail went out.').first().waitFor();
  expect(await promise.count()).toBe(0);
});

test('sends are filtered, and one shows its life and leads to its contact', async () => {
  const { page } = await tabs.open('/sends?status=failed', { key: project.key });
  await page.getByText('No send matches').waitFor();
  await page.getByRole('combobox', { name: 'Status' }).click();
  await page.getByRole('option', { name: 'Nothing yet' }).click();
  await row(page, /^ada-/).waitFor();
  expect(new URL(page.url()).search).toBe('?deliveryStatus=none');
  await page.getByLabel('To', { exact: true }).fill('2026-01-31');
  await page.getByText('No send matches').waitFor();
  await page.getByLabel('To', { exact: true }).fill('');
  await page.getByLabel('From', { exact: true }).fill('2026-01-31');
  await row(page, /^ada-/).waitFor();
  await page.getByRole('button', { name: 'Clear' }).click();
  await row(page, /^ada-/).getByRole('link').click();
  await page.getByText('Handed to the provider').waitFor();
  await page.getByRole('button', { name: 'Show mail' }).click();
  await page.frameLocator('iframe').getByText('Thank you for your order').waitFor();
  expect(await page.locator('iframe').evaluate((frame) => (frame as unknown as { contentDocument: unknown }).contentDocument)).toBeNull();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: /^ada-/ }).click();
  await page.getByRole('listitem').filter({ hasText: 'Event signed_up' }).waitFor();
});

test('suppressions are read by pages, found, added, told when they are no address, and removed', async () => {
  const others = Array.from({ length: 55 }, (_, at) => ({ email: project.address(`quiet${at}`), reason: 'manual' }));
  await Promise.all(others.map((one) => project.api.post('/suppressions', one)));
  const { page } = await tabs.open('/suppressions', { key: project.key });
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('button', { name: 'Previous' }).click();
  await eventually(async () => (await page.getByRole('button', { name: /^Remove / }).count()) === 50);
  await page.getByLabel('Search addresses').fill('quiet33');
  await eventually(async () => (await page.getByRole('button', { name: /^Remove / }).count()) === 1);
  await page.getByRole('button', { name: 'Clear' }).click();
  const email = project.address('blocked');
  await page.getByRole('button', { name: 'Add address' }).click();
  await addressIn(page).fill('nobody@localhost');
  await page.getByRole('dialog').getByRole('button', { name: 'Suppress' }).click();
  await page.getByRole('alert').getByText('not a valid address').waitFor();
  await addressIn(page).fill(email);
  await page.getByRole('dialog').getByRole('button', { name: 'Suppress' }).click();
  await row(page, email).waitFor();
  await page.getByRole('button', { name: `Remove ${email}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await row(page, email).waitFor({ state: 'hidden' });
  expect((await project.api.get('/suppressions')).body.suppressions.map((one: { email: string }) => one.email)).not.toContain(email);
});

test('a segment is built with a live count, saved as it was meant, changed, kept as a new one when it was deleted meanwhile, and deleted', async () => {
  const { page } = await tabs.open('/segments/new', { key: project.key });
  await page.getByRole('status').getByText(/^6\d$/).waitFor();
  const everybody = page.getByText('It has no rules yet, so everybody in the project is in it.');
  await everybody.waitFor();
  await page.getByLabel('Name').fill('On the pro plan');
  await page.getByRole('button', { name: 'Add rule' }).click();
  await page.getByRole('menuitem', { name: 'Field or attribute' }).click();
  await page.getByText('Its rules are not filled in yet, so everybody in the project is in it.').waitFor();
  await project.api.post('/segments', { label: 'Taken' });
  await page.getByLabel('Name').fill('taken');
  await page.getByRole('button', { name: 'Remove rule' }).click();
  await page.getByRole('button', { name: 'Create segment' }).click();
  const taken = page.getByRole('alert').filter({ hasText: 'Another segment has this name' });
  await taken.waitFor();
  expect(await taken.innerText()).not.toContain('label');
  await page.getByLabel('Name').fill('On the pro plan');
  await page.getByRole('button', { name: 'Add rule' }).click();
  await page.getByRole('menuitem', { name: 'Field or attribute' }).click();
  await page.getByRole('combobox', { name: 'Field' }).fill('plan');
  await page.getByRole('option', { name: 'attributes.plan' }).click();
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
  await page.getByRole('menuitem', { name: 'Field or attribute' }).click();
  await page.getByRole('combobox', { name: 'Field' }).nth(1).fill('attributes.seats');
  await page.getByRole('combobox', { name: 'Comparison' }).nth(1).click();
  await page.getByRole('option', { name: 'is above' }).click();
  await page.getByRole('combobox', { name: 'Type of value' }).nth(1).click();
  await page.getByRole('option', { name: 'Number' }).click();
  await page.getByRole('textbox', { name: 'Value', exact: true }).nth(1).fill('5');
  await page.getByText('contacts match now').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await told(page, 'On the pro plan is saved');
  await eventually(async () => (await project.api.get(`/segments/${id}`)).body.segment.count === 0);

  // A colleague changes it meanwhile: nothing of theirs is lost that is not chosen to be.
  const stored = async () => (await project.api.get(`/segments/${id}`)).body.segment;
  await page.getByLabel('Source').fill('mine');
  await project.api.call('PATCH', `/segments/${id}`, { label: 'Renamed by a colleague', filter: { source: 'theirs' } });
  const theirs = await stored();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('They named it Renamed by a colleague and changed who is in it.').waitFor();
  expect([await page.getByLabel('Source').inputValue(), await stored()]).toEqual(['mine', theirs]);
  await page.getByRole('button', { name: 'See theirs' }).click();
  await page.getByRole('dialog').getByText('source is theirs').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Save mine over it' }).click();
  await told(page, 'Renamed by a colleague is saved');
  expect(await stored()).toMatchObject({ label: 'Renamed by a colleague', filter: { source: 'mine' } });

  // Deleted meanwhile, it cannot be saved any more: what is typed is, as another.
  const { filter: before } = await stored();
  await page.getByLabel('Source').fill('typed meanwhile');
  must(await project.api.call('DELETE', `/segments/${id}`), 200);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('alert').getByText('The segment was deleted meanwhile').waitFor();
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

describe('what goes wrong', () => {
  test('a lost connection is told, loses no input, and is over by itself', async () => {
    const { page, context } = await tabs.open('/suppressions', { key: project.key });
    await page.getByRole('button', { name: 'Add address' }).click();
    const email = project.address('offline');
    await addressIn(page).fill(email);
    await context.setOffline(true);
    await page.getByRole('dialog').getByRole('button', { name: 'Suppress' }).click();
    await page.getByRole('alert').getByText('No connection to Everpost').waitFor();
    expect(await addressIn(page).inputValue()).toBe(email);
    await context.setOffline(false);
    await page.getByText('Trying again; nothing that you typed is lost').waitFor({ state: 'hidden' });
    await page.getByRole('alert').getByText('The connection was lost for a moment').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Suppress' }).click();
    await told(page, `${email} is suppressed`);
  });

  test('a call that was too many is made again when it may, unseen', async () => {
    const { page } = await tabs.open('', { key: project.key });
    await title(page, /./).waitFor();
    let refused = 0;
    await page.route(/\/api\/v1\/contacts$/, async (route) => {
      refused += 1;
      if (refused > 1) return route.continue();
      return route.fulfill({
        status: 429,
        headers: { 'Retry-After': '1' },
        json: { ok: false, error: 'too many requests', code: 'rate_limited' },
      });
    });
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Contacts' }).click();
    await row(page, /^linus/)
      .first()
      .waitFor();
    expect(refused).toBe(2);
  });

  test('a fault of the server is told with what to look for in its log, and tried again on demand', async () => {
    const { page } = await tabs.open('/suppressions', { key: project.key });
    await page.getByRole('button', { name: 'Add address' }).click();
    await addressIn(page).fill(project.address('fault'));
    let isBroken = true;
    await page.route('**/api/v1/suppressions', async (route) =>
      isBroken && route.request().method() === 'POST'
        ? route.fulfill({
            status: 500,
            headers: { 'X-Request-Id': 'req-4711' },
            json: { ok: false, error: 'internal error', code: 'internal' },
          })
        : route.continue(),
    );
    await page.getByRole('dialog').getByRole('button', { name: 'Suppress' }).click();
    await page.getByRole('alert').getByText('req-4711').waitFor();
    isBroken = false;
    await page.getByRole('dialog').getByRole('button', { name: 'Suppress' }).click();
    await told(page, / is suppressed$/);
  });

  test('reading that fails is tried again, which is told before anything is shown, and nothing of what was typed', async () => {
    const { page } = await tabs.open('', { key: project.key });
    await title(page, /./).waitFor();
    let isBroken = true;
    await page.route(/\/api\/v1\/contacts\b/, async (route) =>
      isBroken ? route.fulfill({ status: 500, json: { ok: false, error: 'internal error', code: 'internal' } }) : route.continue(),
    );
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Contacts' }).click();
    await page.getByText('This takes longer than usual. Trying again.').waitFor();
    const told = page.getByRole('alert').filter({ hasText: 'Everpost could not answer' });
    await told.waitFor();
    expect(await told.innerText()).not.toMatch(/typed|internal/i);
    isBroken = false;
    await told.getByRole('button', { name: 'Try again' }).click();
    await row(page, /^linus/)
      .first()
      .waitFor();
  });

  test('what is not there is told so, with the way back to its list and no other try', async () => {
    const { page, open } = await tabs.open('/home', { key: project.key });
    for (const [path, what, list] of [
      ['/contacts', 'contact', 'contacts'],
      ['/sends', 'send', 'sends'],
      ['/templates', 'template', 'templates'],
      ['/campaigns', 'campaign', 'campaigns'],
      ['/sequences', 'sequence', 'sequences'],
      ['/segments', 'segment', 'segments'],
      ['/webhooks', 'endpoint', 'webhooks'],
    ] as const) {
      await open(`${path}/0199d3a0-5b1c-7c3e-9f52-7d6b1c0a4e11`);
      await page.getByText(`This ${what} does not exist`).waitFor();
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
      await page.getByRole('link', { name: `Back to ${list}` }).click();
      await title(page, new RegExp(`^${list}$`, 'i')).waitFor();
    }
  });

  test('what the key lost the right to is told in words', async () => {
    const { page } = await tabs.open('/suppressions', { key: project.key });
    await page.getByRole('button', { name: 'Add address' }).click();
    await page.route('**/api/v1/suppressions', async (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 403, json: { ok: false, error: 'this key lacks the scope suppressions:write', code: 'forbidden' } })
        : route.continue(),
    );
    await addressIn(page).fill(project.address('forbidden'));
    await page.getByRole('dialog').getByRole('button', { name: 'Suppress' }).click();
    await page.getByRole('alert').getByText('This key lacks the scope suppressions:write').waitFor();
  });
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

test('axe finds nothing on any page, on a phone in the light and wide in the dark, and none is wider than the screen', async () => {
  const send = (await project.api.get('/sends?limit=1')).body.sends[0].id;
  const segment = (await project.api.post('/segments', { label: 'Looked at in both schemes', filter: { tags: ['vip'] } })).body.segment.id;
  // One word, as long as it may be.
  const { email } = (await project.api.get(`/contacts/${ada}`)).body.contact;
  must(await project.api.post('/contacts', { email, firstName: 'A'.repeat(200) }), 200);
  const found: string[] = [];
  const { page, open } = await tabs.open('');
  const lookAt = async (name: string): Promise<void> => {
    for (const [colorScheme, width] of [
      ['light', 390],
      ['dark', 1280],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await showIn(page, colorScheme);
      found.push(...(await axeProblems(page)).map((problem) => `${name} ${colorScheme}: ${problem}`));
      if ((await page.evaluate('document.documentElement.scrollWidth')) !== width) found.push(`${name} is wider than ${width}`);
    }
  };
  await page.getByLabel('API key', { exact: true }).waitFor();
  await lookAt('sign-in');
  await open(`/home#key=${project.key}`);
  await page.reload();
  const pages = [
    '/home',
    '/contacts',
    '/contacts/new',
    `/contacts/${ada}`,
    `/contacts/${ada}/edit`,
    '/keys',
    '/sends',
    `/sends/${send}`,
    '/segments',
    '/segments/new',
    `/segments/${segment}`,
    '/suppressions',
  ];
  for (const path of pages) {
    await open(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await eventually(async () => (await page.locator('[aria-busy="true"]').count()) === 0);
    await lookAt(path);
  }
  expect(found).toEqual([]);
});

test('the column that names the rows of a list can be read at every width of a screen', async () => {
  await enableTemplates(project, 'announcement');
  const scheduleAt = new Date(Date.now() + 86_400_000).toISOString();
  const campaign = { template: 'announcement', data: { headline: 'New', body: 'New' }, audience: { mode: 'entire' }, scheduleAt };
  must(await project.api.post('/campaigns', { name: 'The newest of all the news', ...campaign }), 201);
  must(await project.api.post('/segments', { label: 'All who are called Linus', filter: { where: LINUS } }), 201);
  await createEndpoint(project, `${testEnvironment().receiverUrl}/told-of-all-that-happens`);
  const { page, open } = await tabs.open('/home', { key: project.key });
  await title(page, /./).waitFor();
  const lists = ['/contacts', '/sends', '/templates', '/campaigns', '/segments', '/webhooks', '/keys'];
  expect(await narrowNames(page, lists, open)).toEqual([]);
});

test('on a phone the navigation is a drawer that nobody meets while it is closed, and a row tells its state and date below its name', async () => {
  const { page } = await tabs.open('/home', { key: project.key, width: 390 });
  await title(page, /./).waitFor();
  const navigation = page.getByRole('navigation', { name: 'Main' });
  expect(await navigation.count()).toBe(0);
  await page.getByRole('button', { name: 'Navigation', exact: true }).click();
  await navigation.getByRole('link', { name: 'Contacts' }).click();
  const last = row(page, /^linus/).first();
  await last.waitFor();
  await navigation.waitFor({ state: 'hidden' });
  const boxOf = async (text: RegExp) => (await last.getByText(text).boundingBox())!;
  const [name, status, added] = await Promise.all([boxOf(/^linus/), boxOf(/^Subscribed$/), boxOf(/ ago$|^just now$/)]);
  for (const below of [status, added]) expect(below.y).toBeGreaterThanOrEqual(name.y + name.height);
  expect(added.x + added.width).toBeLessThan(390);
  // It is still a table to those who do not see it.
  expect(await page.getByRole('table', { name: 'Contacts' }).getByRole('columnheader').allInnerTexts()).toEqual([
    'Contact',
    'Status',
    'Added',
  ]);
});

test('in all of this no policy was violated, no error uncaught, and no other host was asked', () => {
  expect(tabs.wrongs).toEqual([]);
});
