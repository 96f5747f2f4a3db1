import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { revokeApiKey } from '../../db/queries/api-keys.ts';
import { startBrowser } from '../support/browser.ts';
import { axeProblems, buildConsole, type Tabs, tabsOf } from '../support/console.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { enableTemplates } from '../support/sequences.ts';

let browser: Browser;
let tabs: Tabs;
let project: TestProject;
/** Ada is subscribed and got a mail, Grace is pending, Linus is one of 60 more. */
let ada: string;

beforeAll(async () => {
  [browser] = await Promise.all([startBrowser(), buildConsole()]);
  tabs = tabsOf(browser);
  project = await newProject();
  await enableTemplates(project, 'receipt');
  const people = [
    { email: project.address('ada'), firstName: 'Ada', lastName: 'Lovelace', tags: ['vip'], attributes: { plan: 'pro', seats: 3 } },
    { email: project.address('grace'), firstName: 'Grace', status: 'pending', attributes: { plan: 'free' } },
    ...Array.from({ length: 60 }, (_, index) => ({ email: project.address(`linus${index}`), firstName: 'Linus' })),
  ];
  const { body } = await project.api.post('/contacts', people);
  ada = body.contacts[0].id;
  await project.api.post('/send', { template: 'receipt', contactId: ada, data: { name: 'Ada' } });
  await project.api.post('/events', { type: 'signed_up', contactId: ada, data: { plan: 'pro' } });
}, 180_000);

afterEach(() => tabs.close());

afterAll(async () => {
  await browser?.close();
});

const row = (page: Page, text: string | RegExp) => page.getByRole('row').filter({ hasText: text });
const lastOfPath = (page: Page) => new URL(page.url()).pathname.split('/').at(-1);
/** Of the form that adds a suppression. */
const addressIn = (page: Page) => page.getByRole('dialog').getByRole('textbox', { name: 'Address' });
const title = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });

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
      '',
    ]);
    expect(await page.getByRole('button', { name: 'Add address' }).count()).toBe(0);
    await open('/segments');
    await title(page, 'Segments').waitFor();
    expect(await page.getByRole('link', { name: 'New segment' }).count()).toBe(0);
    await open(`/contacts/${ada}`);
    await title(page, 'Not found').waitFor();
  });

  test('that may only read is told in words where it may not write', async () => {
    const { key } = await (await newProject()).newKey(['contacts:read']);
    const { page, open } = await tabs.open('/contacts/new', { key });
    await page.getByText('This key may not add contacts').waitFor();
    await page.getByText('It lacks the scope contacts:write').waitFor();
    await open('/segments/new');
    await page.getByText('This key may not make segments').waitFor();
    await open(`/contacts/${ada}/sends/none`);
    await title(page, 'Not found').waitFor();
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
    // So that it is the call below which is refused.
    await page.waitForLoadState('networkidle');
    await eventually(async () => revokeApiKey(await database(), id, new Date()));
    await page.getByRole('button', { name: 'Create segment' }).click();
    await page.getByRole('dialog', { name: 'The key is no longer accepted' }).waitFor();
    await page.getByLabel('API key', { exact: true }).fill(project.key);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await page.getByLabel('Name').inputValue()).toBe('Typed before the key ended');
    await page.getByRole('button', { name: 'Create segment' }).click();
    await page.getByText('Typed before the key ended is saved').waitFor();
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
    await page.getByLabel('Search contacts').fill('nobody at all');
    await page.getByText('No contact matches').waitFor();
  });

  test('are reached by keyboard, and show all that happened', async () => {
    const { page } = await tabs.open('/contacts?q=lovelace', { key: project.key });
    await page.getByText('1 in all').waitFor();
    await page.getByRole('combobox', { name: 'Tag' }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await title(page, /^ada-/).waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    for (const text of ['Contact added', 'Event signed_up', 'Sent “']) await page.getByText(text).first().waitFor();
    expect(await page.getByText('seats').count()).toBe(1);
  });

  test('are unsubscribed, suppressed and erased, each after a question', async () => {
    const email = project.address('leaving');
    const { body } = await project.api.post('/contacts', { email });
    const { page } = await tabs.open(`/contacts/${body.contacts[0].id}`, { key: project.key });
    await page.getByRole('button', { name: 'Unsubscribe' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Unsubscribe' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unsubscribe' }).click();
    await page.getByText('Unsubscribed', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Suppress address' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Suppress' }).click();
    await page.getByText('Suppressed', { exact: true }).waitFor();
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
    await page.getByRole('textbox', { name: 'Address', exact: true }).fill('made');
    await page.getByRole('textbox', { name: 'Where the person agreed' }).fill('Asked us by phone');
    await page.getByText('Not an address, like ada@example.com').waitFor();
    await page.getByRole('textbox', { name: 'Address', exact: true }).fill('made@two..dots');
    await page.getByRole('textbox', { name: 'First name' }).fill('Mary');
    await page.getByRole('button', { name: 'Add attribute' }).click();
    const attribute = page.getByRole('group', { name: /^Attribute/ });
    await attribute.getByRole('combobox', { name: 'Name' }).fill('seats');
    await page.keyboard.press('Escape');
    await attribute.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'Number' }).click();
    await attribute.getByRole('textbox', { name: 'Value' }).fill('many');
    await attribute.getByText('Not a number').waitFor();
    expect(await page.getByRole('button', { name: 'Add contact' }).isDisabled()).toBe(true);
    await attribute.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'JSON' }).click();
    await attribute.getByRole('textbox', { name: 'Value' }).fill('{\n  "a": }');
    await attribute.getByText('Line 2, column 8: a value is missing').waitFor();
    await attribute.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'Number' }).click();
    await attribute.getByRole('textbox', { name: 'Value' }).fill('12');
    await page.getByRole('button', { name: 'Add contact' }).click();
    await page.getByText('Not a valid address', { exact: true }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Address', exact: true }).evaluate('document.activeElement.type')).toBe('email');
    await page.getByRole('textbox', { name: 'Address', exact: true }).fill(email);
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

  test('say what is missing before they can be made, and a new attribute is typed at once', async () => {
    const { page } = await tabs.open('/contacts/new', { key: project.key });
    const add = page.getByRole('button', { name: 'Add contact' });
    await page.getByText('Next: fill in the address').waitFor();
    await page.getByRole('textbox', { name: 'Address', exact: true }).fill(project.address('complete'));
    await page.getByText('Next: say where the person agreed').waitFor();
    expect(await add.isDisabled()).toBe(true);
    await page.getByRole('textbox', { name: 'Where the person agreed' }).fill('At the fair');
    await page.getByText('Ready', { exact: true }).waitFor();
    expect(await add.isDisabled()).toBe(false);
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
    await page.getByRole('textbox', { name: 'Address', exact: true }).fill(known);
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
    expect(await subscribe.isDisabled()).toBe(true);
    await dialog.getByRole('textbox', { name: 'Where the person agreed' }).fill('Wrote to support');
    await subscribe.click();
    await page.getByText('Subscribed', { exact: true }).waitFor();
    const { contact } = (await project.api.get(`/contacts/${id}`)).body;
    expect(contact).toMatchObject({ status: 'subscribed', consent_source: 'Wrote to support', consent_ip: '', consent_user_agent: '' });
    await page.getByText(/^Subscribed again: Wrote to support, \w+ \d+, \d+$/).waitFor();
    await page.getByText('Unsubscribed by the API', { exact: true }).waitFor();
    await page.getByText(/^source api · consent: signup-form, \w+ \d+, \d+ · from 203\.0\.113\.7$/).waitFor();
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

test('empty lists lead to the first of their things, for keys that may make it', async () => {
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
  for (const [path, first] of [
    ['/suppressions', 'Suppress an address'],
    ['/webhooks', 'Add the first endpoint'],
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
    expect(await reader.getByRole('main').getByRole('button').count()).toBe(await reader.getByRole('search').getByRole('button').count());
    expect(await reader.getByRole('main').getByRole('link').count()).toBe(0);
  }
});

test('keys are listed with what they may do and their last use, for keys that may read them', async () => {
  const { id } = await project.newKey(['send', 'contacts:read']);
  await eventually(async () => revokeApiKey(await database(), id, new Date()));
  const { page } = await tabs.open('/keys', { key: project.key });
  const revoked = row(page, 'contacts:read');
  await revoked.getByText('Revoked').waitFor();
  await row(page, 'Signed in').getByText('Everything').waitFor();
  await page.getByText(`key create ${project.slug} `).waitFor();
  await page.getByRole('combobox', { name: 'State' }).click();
  await page.getByRole('option', { name: 'Working' }).click();
  await revoked.waitFor({ state: 'hidden' });
});

test('Home shows the numbers of the API in each period, what is on its way, and leads to what needs a look', async () => {
  const later = new Date(Date.now() + 86_400_000).toISOString();
  const campaign = {
    name: 'Spring news',
    template: 'receipt',
    subject: 'Spring',
    audience: { mode: 'people', emails: [project.address()] },
  };
  const { campaignId } = (await project.api.post('/campaigns', { ...campaign, scheduleAt: later })).body;
  await project.api.post(`/campaigns/${campaignId}/pause`);
  const { page } = await tabs.open('/home', { key: project.key });
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
    const { counts, totals } = (await project.api.get(`/stats?period=${period}`)).body;
    await eventually(async () => (await table.getByRole('row').count()) === 1 + counts.length);
    const shown = (await table.getByRole('row').allInnerTexts()).slice(1).map((line) => line.split(/\s/).slice(-2).map(Number));
    expect(shown).toEqual(counts.map(({ sent, failed }: Record<string, number>) => [sent, failed]));
    expect(totals.sent).toBeGreaterThan(0);
    expect(await page.getByRole('definition').first().innerText()).toBe(`${totals.sent}`);
  }
  await page.getByRole('link', { name: 'Spring news' }).waitFor();
  await page
    .getByRole('listitem')
    .filter({ hasText: 'The campaign Spring news is paused' })
    .getByRole('link', { name: 'Campaign' })
    .click();
  await title(page, 'Spring news').waitFor();
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
  await page.getByText('Event signed_up').waitFor();
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

test('a segment is built with a live count, saved as it was meant, changed and deleted', async () => {
  const { page } = await tabs.open('/segments/new', { key: project.key });
  await page.getByRole('status').getByText(/^6\d$/).waitFor();
  const everybody = page.getByText('It has no rules yet, so everybody in the project is in it.');
  await everybody.waitFor();
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
  await page.getByText('On the pro plan is saved').first().waitFor();
  await eventually(async () => (await project.api.get(`/segments/${id}`)).body.segment.count === 0);

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete segment' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await title(page, 'Segments').waitFor();
  expect((await project.api.get(`/segments/${id}`)).status).toBe(404);
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
    await page.getByRole('dialog').getByRole('button', { name: 'Suppress' }).click();
    await page.getByText(`${email} is suppressed`).waitFor();
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
    await page.getByText('is suppressed').waitFor();
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

/** Wide in the dark, on a phone in the light. */
const axeOnEveryPage = async (colorScheme: 'light' | 'dark', width: number): Promise<void> => {
  const send = (await project.api.get('/sends?limit=1')).body.sends[0].id;
  const segment = (await project.api.post('/segments', { label: `Looked at in the ${colorScheme}`, filter: { tags: ['vip'] } })).body
    .segment.id;
  const found: string[] = [];
  const { page, open } = await tabs.open('', { colorScheme, width });
  await page.getByLabel('API key', { exact: true }).waitFor();
  found.push(...(await axeProblems(page)).map((problem) => `sign-in: ${problem}`));
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
    found.push(...(await axeProblems(page)).map((problem) => `${path}: ${problem}`));
    if ((await page.evaluate('document.documentElement.scrollWidth')) !== width) found.push(`${path} is wider than the screen`);
  }
  expect(found).toEqual([]);
};

test.each([
  ['light', 390],
  ['dark', 1280],
] as const)('axe finds nothing on any page in the %s scheme, and none is wider than the screen of %i', axeOnEveryPage, 120_000);

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
