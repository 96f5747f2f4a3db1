import type { Client } from '@temporalio/client';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { askingProject, confirmLinkOf, passHours } from '../support/confirmations.ts';
import { consoleTabs, told } from '../support/console.ts';
import { axeProblemsInBoth } from '../support/console-looks.ts';
import { choose, dialog, row } from '../support/console-page.ts';
import { eventually } from '../support/eventually.ts';
import { mailCount } from '../support/mail.ts';
import { database, newProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';
import { temporalClient } from '../support/temporal.ts';
import { ask } from '../support/topics.ts';

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';

const tabs = consoleTabs();
let client: Client;
let em: EntityManager;
let asking: Awaited<ReturnType<typeof askingProject>>;

beforeAll(async () => {
  [client, em, asking] = [await temporalClient(), await database(), await askingProject({ doubleOptIn: true, confirmReminders: [24] })];
});

/** Somebody who was asked by the first email. */
async function asked(fields: object = {}): Promise<{ id: string; email: string }> {
  const contact = await asking.signUp(fields);
  await eventually(async () => (await asking.contactOf(contact.id)).confirmation.mails === 1);
  return contact;
}

const again = (page: Page) => page.getByRole('button', { name: 'Send confirmation again…' });

test('a brand asks new contacts once its template is on, and saving changes nothing else of it', async () => {
  const project = await newProject();
  const brand = async () => must(await project.api.get('/brands'), 200).brands[0];
  const before = await brand();
  const { page } = await tabs.open('/brands', { key: project.key });
  await page.getByRole('button', { name: `Edit ${before.name}` }).click();
  await dialog(page).getByText('Ask new contacts to confirm').waitFor();
  const on = dialog(page).getByRole('switch', { name: 'Ask new contacts to confirm' });
  await on.press('Space');
  await expect.poll(() => on.isChecked()).toBe(true);
  const number = (name: string) => dialog(page).getByRole('textbox', { name, exact: true });
  await number('First reminder after').fill('72');
  await number('Second reminder after').fill('24');
  const save = dialog(page).getByRole('button', { name: 'Save' });
  await save.click();
  await dialog(page).getByText('Enter more hours than for the first reminder').waitFor();
  await number('First reminder after').fill('12');
  await save.click();
  const refused = dialog(page).getByRole('alert').filter({ hasText: 'The confirmation email is off' });
  await refused.waitFor();
  const link = await refused.getByRole('link', { name: 'Turn it on' }).getAttribute('href');
  expect(link).toMatch(new RegExp(`/console/templates/confirm-subscription\\?brand=${project.slug}$`));
  expect(await axeProblemsInBoth(page)).toEqual([]);
  await enableTemplates(project, 'confirm-subscription');
  must(await project.api.put(`/brands/${project.slug}`, { name: 'Renamed meanwhile', confirmPruneDays: 90 }), 200);
  await save.click();
  await row(page, 'Renamed meanwhile').getByText('Double opt-in').waitFor();
  expect(await brand()).toEqual({
    ...before,
    ...{ name: 'Renamed meanwhile', double_opt_in: true, confirm_reminders: [12, 24], confirm_prune_days: 90 },
  });
});

test("a brand asks by a template of the project's, deletes nobody, and stops asking", async () => {
  const { project } = await askingProject();
  must(
    await project.api.post('/templates', {
      ...{ key: 'our-confirmation', type: 'transactional', name: 'Our confirmation', subject: 'Was it you?' },
      content: { blocks: [{ type: 'text', text: '{{ confirmUrl }}' }] },
    }),
    201,
  );
  const { page } = await tabs.open('/brands', { key: project.key });
  const edit = page.getByRole('button', { name: /^Edit/ });
  await edit.click();
  await choose(page, 'Confirmation email', 'Our confirmation');
  await dialog(page).getByText('This template is off for the brand').waitFor();
  await enableTemplates(project, 'our-confirmation');
  const days = dialog(page).getByRole('textbox', { name: 'Delete contacts who have not confirmed after' });
  expect(await days.inputValue()).toBe('30 days');
  await days.fill('');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  const brand = async () => must(await project.api.get('/brands'), 200).brands[0];
  expect(await brand()).toMatchObject({ double_opt_in: true, confirm_template: 'our-confirmation', confirm_prune_days: null });
  await edit.click();
  await choose(page, 'Confirmation email', 'Confirm subscription (built in)');
  await days.fill('30');
  const on = dialog(page).getByRole('switch', { name: 'Ask new contacts to confirm' });
  await on.press('Space');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  // It has the same words in its form.
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await page.getByText('Double opt-in').waitFor({ state: 'hidden' });
  expect(await brand()).toMatchObject({ double_opt_in: false, confirm_template: null, confirm_prune_days: 30 });
});

test('who waits is said to get no marketing, and is asked again once an hour', async () => {
  const { id, email } = await asked();
  const { page } = await tabs.open(`/contacts/${id}`, { key: asking.project.key });
  await page.getByText(/^Waiting for confirmation: asked .*, 1 email\. No marketing email goes/).waitFor();
  await page.getByText('The last email went out less than an hour ago. It can be sent again').waitFor();
  await page.getByText('by double opt-in').waitFor();
  expect(await again(page).count()).toBe(0);
  expect(await page.getByText('gets campaigns and sequences').count()).toBe(0);
  await passHours(em, client, id, 2);
  await page.reload();
  await again(page).click();
  await dialog(page).getByRole('button', { name: 'Send again' }).click();
  await told(page, `Confirmation email for ${email} is on its way`);
  await expect.poll(() => mailCount(email), { timeout: 20_000 }).toBe(2);
  await page.getByText('The last email went out less than an hour ago').waitFor();
  await page.getByRole('button', { name: 'Subscribe…' }).click();
  await dialog(page).getByText('the contact has not confirmed the sign-up').waitFor();
});

test('who could not be asked yet is said to wait for what keeps the email', async () => {
  const own = await askingProject();
  must(await own.project.api.put('/templates/confirm-subscription', { enabled: false }), 200);
  const { id } = await own.signUp();
  const { page } = await tabs.open(`/contacts/${id}`, { key: own.project.key });
  await page.getByText(/^Waiting for confirmation: no email has gone out yet\./).waitFor();
  await page.getByText('It goes out as soon as the brand can send it').waitFor();
  expect(await again(page).count()).toBe(0);
});

test('who has not confirmed in time is said to get no marketing, and is asked again only by who may', async () => {
  const { id } = await asked();
  must(await asking.project.api.post('/events', { type: 'seen', contactId: id }), 200);
  await passHours(em, client, id, 31 * 24);
  await eventually(async () => (await asking.contactOf(id)).confirmation.state === 'expired');
  const { key } = await asking.project.newKey(['contacts:read']);
  const reader = (await tabs.open(`/contacts/${id}`, { key })).page;
  await reader.getByText(/^Not confirmed in time: asked /).waitFor();
  expect(await again(reader).count()).toBe(0);
  const { page } = await tabs.open(`/contacts/${id}`, { key: asking.project.key });
  await again(page).waitFor();
  expect(await axeProblemsInBoth(page)).toEqual([]);
});

test('somebody who answers between the look and the click stays subscribed', async () => {
  const { id, email } = await asked();
  await passHours(em, client, id, 2);
  const { page } = await tabs.open(`/contacts/${id}`, { key: asking.project.key });
  await again(page).click();
  await ask('POST', await confirmLinkOf(email));
  await dialog(page).getByRole('button', { name: 'Send again' }).click();
  await page.getByText('Subscribed, confirmed by the person').waitFor();
  expect((await asking.contactOf(id)).status).toBe('subscribed');
  expect(await mailCount(email)).toBe(1);
});

test('who has confirmed is shown with address, browser and the words of the page, as in the timeline', async () => {
  const { id, email } = await asked();
  await ask('POST', await confirmLinkOf(email), { 'user-agent': FIREFOX });
  const { page } = await tabs.open(`/contacts/${id}`, { key: asking.project.key });
  const fact = (name: string) => page.locator('dl > div').filter({ has: page.getByText(name, { exact: true }) });
  await fact('Confirmed with').getByText('Firefox on Windows').waitFor();
  await fact('Confirmed from')
    .getByText(/127\.0\.0\.1|::1/)
    .waitFor();
  await page.getByText('Text shown').click();
  await page.getByText('Confirm your subscription').last().waitFor();
  await page
    .getByRole('listitem')
    .filter({ hasText: /^Subscribed, confirmed by the person/ })
    .getByText(/^from .* · Firefox on Windows$/)
    .waitFor();
  expect(await axeProblemsInBoth(page)).toEqual([]);
});

test('an email that could not ask says why, is not offered to be resent, and leads to its contact', async () => {
  const { project } = asking;
  const email = project.address();
  must(await project.api.post('/suppressions', { email, reason: 'manual' }), 201);
  const { id } = await asked({ email });
  const { page, open } = await tabs.open(`/contacts/${id}`, { key: project.key });
  await page.getByText('The last email was not sent. The address is suppressed').waitFor();
  expect(await again(page).count()).toBe(0);
  await open(`/sends?contactId=${id}`);
  await row(page, email).getByRole('link', { name: 'Confirmation' }).waitFor();
  await row(page, email).getByRole('link').first().click();
  await page.getByText('Requested by double opt-in').waitFor();
  expect(await page.getByRole('button', { name: 'Resend…' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Confirmation', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: email }).waitFor();
});

test('the form of a new contact says whether who is pending is asked', async () => {
  const { page } = await tabs.open('/contacts/new', { key: asking.project.key });
  await page.getByText('The person is asked to confirm, and gets no marketing email until then').waitFor();
  const plain = await newProject();
  const other = await tabs.open('/contacts/new', { key: plain.key });
  await other.page.getByText('The person was not asked yet, and gets marketing email all the same').waitFor();
});
