import { expect, test } from 'vitest';
import { consoleTabs } from '../support/console.ts';
import { hasFocus, row } from '../support/console-page.ts';
import { eventually } from '../support/eventually.ts';
import { newProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';

const tabs = consoleTabs();
const DAY_MS = 86_400_000;

test('emails that wait are found by a filter, tell when they go, and are moved, sent now or cancelled', async () => {
  const project = await newProject();
  await enableTemplates(project, 'receipt');
  const [soon, never] = [project.address('soon'), project.address('never')];
  const sendAt = new Date(Date.now() + 2 * DAY_MS).toISOString();
  for (const to of [soon, never]) must(await project.api.post('/send', { template: 'receipt', to, sendAt }), 202);
  must(await project.api.post('/send', { template: 'receipt', to: project.address('gone') }), 200);
  const { page } = await tabs.open('/sends', { key: project.key });
  await page.getByRole('combobox', { name: 'Status' }).click();
  await page.getByRole('option', { name: 'Scheduled' }).click();
  await row(page, never).waitFor();
  const goes = (at: string) => row(page, soon).locator(`time[datetime="${at}"]`).waitFor();
  await page.getByRole('columnheader', { name: 'Scheduled for' }).waitFor();
  expect(await page.getByRole('columnheader', { name: 'Sent' }).count()).toBe(0);
  await goes(sendAt);
  await row(page, soon).getByRole('link').click();
  await page.getByText('Scheduled for').waitFor();
  await page.getByRole('button', { name: 'Move…' }).click();
  const day = new Date(Date.now() + 5 * DAY_MS).toISOString().slice(0, 10);
  await page.getByRole('dialog').getByLabel('Scheduled for').fill(`${day}T09:30`);
  await page.getByRole('dialog').getByRole('button', { name: 'Reschedule' }).click();
  // The browser's zone is this process's.
  const later = new Date(`${day}T09:30`).toISOString();
  await page.locator(`time[datetime="${later}"]`).first().waitFor();
  await page.goBack();
  await goes(later);
  await page.goForward();
  expect(await page.getByRole('button', { name: /Show email|Resend/ }).count()).toBe(0);
  await page.getByRole('button', { name: 'Send now…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Send now' }).click();
  await page.getByText('Accepted by the provider').waitFor();
  await page.goBack();
  await row(page, soon).waitFor({ state: 'hidden' });
  await row(page, never).getByRole('link').click();
  await page.getByRole('button', { name: 'Cancel email…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel email' }).click();
  await page.getByText('Email cancelled').waitFor();
  await page.getByText('No matching send').waitFor();
  expect((await project.api.get('/sends?status=scheduled')).body.sends).toEqual([]);
});

test('a project whose emails all wait says so, and an email shows what its call said of it, which finds those like it, as a filter does that is asked for', async () => {
  const project = await newProject();
  const [to, other] = [project.address('tagged'), project.address('other')];
  const own = { type: 'transactional', subject: 'Order 7', text: 'Thank you.', sendAt: new Date(Date.now() + DAY_MS).toISOString() };
  const said = { tags: ['order'], metadata: { customer: 'c-7' }, replyTo: 'Help <help@acme.example>', headers: { 'X-Order': '7' } };
  must(await project.api.post('/send', { ...own, ...said, to }), 202);
  const plain = must(await project.api.post('/send', { ...own, to: other }), 202).id;
  const { page, open } = await tabs.open('/sends', { key: project.key });
  await page.getByRole('link', { name: 'View scheduled emails' }).click();
  await row(page, other).waitFor();
  await row(page, to).getByRole('link').click();
  for (const text of ['"Help" <help@acme.example>', 'X-Order: 7']) await page.getByText(text).waitFor();
  const { id } = must(await project.api.get('/sends?status=scheduled&tag=order'), 200).sends[0];
  for (const one of [plain, id]) must(await project.api.call('PATCH', `/sends/${one}`, { sendAt: new Date().toISOString() }), 200);
  await page.getByText('Accepted by the provider').waitFor();
  for (const [name, filter] of [
    ['order', 'Tag'],
    ['c-7', 'Metadata'],
  ] as const) {
    await page.getByRole('link', { name, exact: true }).click();
    await row(page, to).waitFor();
    expect(await page.getByRole('textbox', { name: filter }).inputValue()).toContain(name);
    expect(await row(page, other).count()).toBe(0);
    await page.goBack();
  }
  await eventually(async () => (await project.api.get('/sends')).body.sends.length === 2);
  for (const [name, text] of [
    ['Tag', 'order'],
    ['Metadata', 'customer:c-7'],
  ] as const) {
    await open('/sends');
    await page.reload();
    await row(page, other).waitFor();
    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByRole('menuitem', { name }).click();
    const field = page.getByRole('textbox', { name });
    await hasFocus(field);
    await field.fill(text);
    await row(page, other).waitFor({ state: 'hidden' });
    await row(page, to).waitFor();
    await expect.poll(() => field.count()).toBe(1);
  }
});
