import { beforeAll, describe, expect, test } from 'vitest';
import { consoleTabs } from '../support/console.ts';
import { axeProblems, showIn } from '../support/console-looks.ts';
import { hasFocus, lastOfPath, title } from '../support/console-page.ts';
import { newPeople } from '../support/console-people.ts';
import type { TestProject } from '../support/project.ts';
import { must } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;
/** Who is subscribed and got a mail. */
let ada: string;

beforeAll(async () => {
  ({ project, ada } = await newPeople());
});

describe('contacts', () => {
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
    await page.getByText('Sequences that it is in go on without their marketing emails.').waitFor();
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
    const takeOff = page.getByRole('dialog', { name: `Remove ${email} from the list?` });
    const takesOff = async () => {
      await takeOff.getByRole('button', { name: 'Remove' }).click();
      await takeOff.waitFor({ state: 'hidden' });
      await suppressed.waitFor({ state: 'hidden' });
      await page.getByText('Address suppressed').waitFor({ state: 'hidden' });
      expect((await project.api.get(`/suppressions?email=${email}`)).body.suppressions).toEqual([]);
    };
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Remove from suppression list' }).click();
    await takesOff();
    for (const from of ['Remove from suppression list…', 'Subscribe…']) {
      await project.api.post('/suppressions', { email });
      await page.reload();
      await page.getByRole('button', { name: from }).click();
      if (from === 'Subscribe…') await page.getByRole('button', { name: 'Remove it…' }).click();
      await takesOff();
    }
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Erase contact' }).click();
    const erase = page.getByRole('button', { name: 'Erase for good' });
    await expect.poll(() => erase.isDisabled()).toBe(true);
    await page.getByLabel(`Type ${email} to confirm`).fill(email);
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
    await page.getByText('Enter an email address such as ada@example.com').waitFor();
    await page.getByRole('textbox', { name: 'Email', exact: true }).fill('made@two..dots');
    await page.getByRole('textbox', { name: 'First name' }).fill('Mary');
    await page.getByRole('button', { name: 'Add attribute' }).click();
    const attribute = page.getByRole('group', { name: /^Attribute/ });
    await attribute.getByRole('combobox', { name: 'Name' }).fill('seats');
    await page.keyboard.press('Escape');
    await attribute.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'Number' }).click();
    await attribute.getByRole('textbox', { name: 'Value' }).fill('many');
    await attribute.getByText('Enter a number').waitFor();
    await page.getByRole('button', { name: 'Add contact' }).click();
    await hasFocus(attribute.getByRole('textbox', { name: 'Value' }));
    await attribute.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'JSON' }).click();
    await attribute.getByRole('textbox', { name: 'Value' }).fill('{\n  "a": }');
    await attribute.getByText('Line 2, column 8: expected a value').waitFor();
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
    for (const missing of ['Enter an email address', 'Enter where the person agreed']) await page.getByText(missing).waitFor();
    await address.fill(project.address('complete'));
    await page.getByText('Enter an email address').waitFor({ state: 'hidden' });
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
    await page.getByRole('alert').getByText('It may have been deleted').waitFor();
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
    await page.getByRole('alert').getByText('Nothing changed').waitFor();
    const [there] = (await project.api.get(`/contacts?email=${known}`)).body.contacts;
    expect(there).toMatchObject({ first_name: 'Percy', status: 'subscribed' });
  });

  test('that are pending are said to get campaigns, in the form, on their page and where they are subscribed', async () => {
    const email = project.address('pending');
    const { page } = await tabs.open('/contacts/new', { key: project.key });
    await page.getByRole('textbox', { name: 'Email', exact: true }).fill(email);
    await page.getByRole('radio', { name: 'Pending' }).check();
    await page.getByText('Pending contacts get campaigns and sequences like subscribed ones').waitFor();
    await page.getByRole('button', { name: 'Add contact' }).click();
    await page.getByText('It gets campaigns and sequences like subscribed contacts').waitFor();
    await page.getByRole('button', { name: 'Subscribe…' }).click();
    await page.getByRole('dialog').getByText('gets marketing email as before').waitFor();
    // As it is said, so it is.
    must(await project.api.post('/contacts', { email, tags: ['not-asked'] }), 200);
    const audience = { mode: 'tag', tag: 'not-asked' };
    const { campaignId } = must(await project.api.post('/campaigns?draft=1', { template: 'announcement', audience }), 201);
    const counted = must(await project.api.get(`/campaigns/${campaignId}/audience`), 200);
    expect(counted).toMatchObject({ audienceSize: 1, enrolled: 1 });
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
    await dialog.getByText('Enter where the person agreed').waitFor();
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
});
