import { beforeAll, describe, expect, test } from 'vitest';
import { chain } from '../domain/sequences/graphs.ts';
import { consoleTabs } from '../support/console.ts';
import { hasFocus, row, title } from '../support/console-page.ts';
import { newPeople } from '../support/console-people.ts';
import { eventually } from '../support/eventually.ts';
import { newFlow } from '../support/flow.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, enrollmentEnds, must, newContact } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;
/** Who is subscribed and got a mail. */
let ada: string;

beforeAll(async () => {
  ({ project, ada } = await newPeople());
});

const LINUS = { field: 'contact.first_name', op: 'eq', value: 'Linus' };

describe('contacts', () => {
  test('are found by search and filter, which the address keeps, page by page', async () => {
    const { page } = await tabs.open('/contacts', { key: project.key });
    await page.getByText('62 in total').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await row(page, 'Ada Lovelace').waitFor();
    await page.getByRole('button', { name: 'Previous' }).click();
    await row(page, 'Ada Lovelace').waitFor({ state: 'hidden' });
    await page.getByLabel('Search contacts').fill('lovelace');
    await page.getByText('1 in total').waitFor();
    expect(new URL(page.url()).search).toBe('?q=lovelace');
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Pending' }).click();
    await row(page, 'Grace').waitFor();
    await page.getByText('1 in total').waitFor();
    // Who thinks for a moment between two words keeps the space.
    await page.getByLabel('Search contacts').pressSequentially('nobody ');
    await eventually(() => new URL(page.url()).searchParams.get('q') === 'nobody');
    await page.getByLabel('Search contacts').pressSequentially('at all');
    await eventually(() => new URL(page.url()).searchParams.get('q') === 'nobody at all');
    await page.getByText('No matching contact').waitFor();
  });

  test('are filtered by a segment, which the address keeps, and by an attribute of somebody as a segment that is not saved', async () => {
    const { body } = await project.api.post('/segments', { label: 'Linuses', filter: { where: LINUS } });
    const { page, open } = await tabs.open('/contacts?q=lovelace', { key: project.key });
    await page.getByText('1 in total').waitFor();
    await page.getByRole('combobox', { name: 'Segment' }).click();
    await page.getByRole('option', { name: 'Linuses' }).click();
    await page.getByText('No matching contact').waitFor();
    expect(new URL(page.url()).searchParams.get('segment')).toBe(body.segment.id);
    await page.getByLabel('Search contacts').fill('');
    await page.getByText('60 in total').waitFor();
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

  test('come in as a list by a file or the API, which the form and the empty list say, with a page that has how', async () => {
    const { key } = await newProject();
    const { page, open } = await tabs.open('/contacts', { key });
    for (const path of ['/contacts', '/contacts/new']) {
      await open(path);
      await page.getByRole('link', { name: 'import a CSV file' }).waitFor();
    }
    const href = (await page.getByRole('link', { name: 'How to add a list' }).getAttribute('href')) as string;
    expect(new URL(href).pathname).toBe('/docs/contacts');
    expect(await (await fetch(href)).text()).toContain(`id="${new URL(href).hash.slice(1)}"`);
  });

  test('are reached by keyboard, and show all that happened', async () => {
    const { page } = await tabs.open('/contacts?q=lovelace', { key: project.key });
    await page.getByText('1 in total').waitFor();
    await page.getByRole('button', { name: 'Clear' }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await title(page, /^ada-/).waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    for (const text of ['Contact added', 'Event signed_up', 'Sent “']) await page.getByText(text).first().waitFor();
    await expect.poll(() => page.getByText('seats').count()).toBe(1);
    expect(await page.getByText('Added as').count()).toBe(0);
    await page.goBack();
    await hasFocus(row(page, 'Ada Lovelace').getByRole('link'));
  });

  test('that were unsubscribed from the first on are said to be added so, without a consent', async () => {
    const body = { email: project.address('never'), status: 'unsubscribed', source: 'import' };
    const { contacts } = must(await project.api.post('/contacts', body), 200);
    must(await project.api.post('/contacts', { email: body.email, status: 'subscribed', resubscribe: true }), 200);
    const { page } = await tabs.open(`/contacts/${contacts[0].id}`, { key: project.key });
    await page.getByText('Added as unsubscribed').waitFor();
    expect(await page.getByText(/consent: /).count()).toBe(0);
  });

  test('say of a consent that a call left without naming one that it is of the call', async () => {
    const email = project.address('by-call');
    const plain = await newContact(project, email);
    const agreed = await newContact(project, project.address('agreed'), { consent: { source: 'signup-form', ip: '203.0.113.7' } });
    const { page, open } = await tabs.open(`/contacts/${plain}`, { key: project.key });
    const ofCall = page.getByText('Recorded from the API call that added this contact');
    await ofCall.waitFor();
    await page.getByText('Program', { exact: true }).waitFor();
    await page.getByText('source: API call', { exact: true }).waitFor();
    await open(`/contacts/${await newContact(project, project.address('imported'), { source: 'webshop' })}`);
    await ofCall.waitFor();
    await page.getByText('source: webshop', { exact: true }).waitFor();
    await open(`/contacts/${agreed}`);
    await page.getByText('Browser', { exact: true }).waitFor();
    await page.getByText('Consent source', { exact: true }).waitFor();
    expect(await ofCall.count()).toBe(0);
    must(await project.api.post('/contacts', { email, consent: { ip: '203.0.113.8' } }), 200);
    await open(`/contacts/${plain}`);
    await page.getByText('203.0.113.8', { exact: true }).waitFor();
    expect(await ofCall.count()).toBe(0);
  });

  test('show an event that was refused since they had unsubscribed, and why it started nothing', async () => {
    const email = project.address('mary');
    const id = await newContact(project, email, { status: 'unsubscribed' });
    must(await project.api.post('/events', { type: 'cart_left', email }), 422);
    const { key } = await newFlow(project, chain());
    must(await project.api.post(`/sequences/${key}/enroll`, { email }), 422);
    const { page } = await tabs.open(`/contacts/${id}`, { key: project.key });
    const entry = (words: RegExp) => page.getByRole('listitem').filter({ hasText: words });
    await entry(/^Event refused: cart_left.*The contact has unsubscribed, so it started nothing$/).waitFor();
    await entry(/^Not enrolled in sequence .*The contact has unsubscribed$/).waitFor();
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

  test('have the emails of a sequence in their timeline, those that it left out with the reason, and lead from them to the run', async () => {
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

  test('show an email of theirs again, and lead to their sends', async () => {
    const { page } = await tabs.open(`/contacts/${ada}`, { key: project.key });
    await page.getByRole('button', { name: /^Show email: / }).click();
    await page.frameLocator('iframe').getByText('Thank you for your order').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'All sends' }).click();
    await title(page, 'Sends').waitFor();
    await row(page, /^ada-/).waitFor();
    expect(new URL(page.url()).search).toBe(`?contactId=${ada}`);
  });
});
