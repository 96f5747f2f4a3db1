import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { consoleTabs, told } from '../support/console.ts';
import { dialog, lastOfPath, title } from '../support/console-page.ts';
import { eventually } from '../support/eventually.ts';
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { must } from '../support/sequences.ts';
import { createEndpoint, deliveriesSettle } from '../support/webhook-endpoints.ts';

const tabs = consoleTabs();
let project: TestProject;
let receiver: HttpReceiver;

beforeAll(async () => {
  [project, receiver] = await Promise.all([newProject(), startHttpReceiver()]);
});

afterAll(() => receiver?.close());

describe('a webhook endpoint', () => {
  test('is added with its secret shown once, pinged, changed, rotated, disabled and deleted', async () => {
    const { page } = await tabs.open('/webhooks', { key: project.key });
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await page.getByLabel('URL').fill('ftp://example.com');
    await dialog(page).getByRole('button', { name: 'Add endpoint' }).click();
    const atField = dialog(page).getByText(/^The URL must begin with https/);
    await atField.waitFor();
    expect([await atField.count(), await dialog(page).getByRole('alert').count()]).toEqual([1, 0]);
    // As where addresses inside the network are refused.
    const message = 'the URL must lead to a public address; for development WEBHOOK_ALLOW_PRIVATE=1 allows others';
    const refusal = { ok: false, code: 'invalid_request', error: message, issues: [{ path: 'url', message }] };
    await page.route('**/api/v1/webhooks', (route) => route.fulfill({ status: 422, json: refusal }), { times: 1 });
    await page.getByLabel('URL').fill('http://127.0.0.1/hooks');
    await dialog(page).getByRole('button', { name: 'Add endpoint' }).click();
    await dialog(page).getByText('The URL must lead to a public address', { exact: true }).waitFor();
    await page.getByLabel('URL').fill(`${receiver.url}/made`);
    await page.getByLabel('Selected events').click();
    await page.getByRole('checkbox', { name: 'contact.subscribed' }).check();
    await dialog(page).getByRole('button', { name: 'Add endpoint' }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await title(page, `${receiver.url}/made`).waitFor();
    // So that the answers to the first deliveries that fail are there to be read.
    await page.getByText('Kept with each delivery').waitFor();
    expect(await page.getByText(/whsec_/).count()).toBe(0);

    receiver.answer('/made', 500);
    await page.getByRole('button', { name: 'Ping' }).click();
    await page.getByText('The endpoint responded with 500.').waitFor();
    await page.getByRole('button', { name: 'Ping' }).click();
    await page.getByText('Ping accepted').waitFor();

    await page.getByRole('button', { name: 'Edit…' }).click();
    await page.getByRole('checkbox', { name: 'email.bounced' }).check();
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await told(page, 'Endpoint saved');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Rotate secret' }).click();
    await dialog(page).getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    await dialog(page).getByRole('button', { name: 'Disable' }).click();
    await told(page, 'Endpoint disabled');
    const id = lastOfPath(page);
    const stored = async () => must(await project.api.get('/webhooks'), 200).webhooks.find((one: { id: string }) => one.id === id);
    expect(await stored()).toMatchObject({ enabled: false, events: ['contact.subscribed', 'email.bounced'] });

    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete endpoint' }).click();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await title(page, 'Webhooks').waitFor();
    expect(await stored()).toBeUndefined();
  });

  test('shows every attempt of a delivery that failed, and tries it again', async () => {
    const { id } = await createEndpoint(project, `${receiver.url}/failing`, { events: ['contact.subscribed'] });
    receiver.answer('/failing', 500, 501, 502, 503, 500, 501);
    await project.api.post('/contacts', { email: project.address('told') });
    await deliveriesSettle(project, id, 1);
    const { page } = await tabs.open(`/webhooks/${id}`, { key: project.key });
    await page.getByText('0 of 1 delivered').waitFor();
    await page.getByText('Failing', { exact: true }).waitFor();
    await page.getByText('answers 501', { exact: true }).waitFor();
    await page.getByRole('button', { name: /contact\.subscribed.*Failed/ }).click();
    const attempts = page.getByRole('table', { name: 'Attempts' });
    await attempts.waitFor();
    await expect.poll(() => attempts.getByRole('row').count()).toBe(1 + 6);
    await page.getByRole('button', { name: 'Retry', exact: true }).click();
    await page.getByRole('button', { name: /contact\.subscribed.*Delivered/ }).waitFor();
    await attempts.getByRole('row', { name: /^1 of retry 1 200/ }).waitFor();
    await page.getByText('6 attempts, retried, 1 more, answered 200').waitFor();
    await eventually(() => receiver.calls('/failing').length === 7);
    await page.getByText('Failing', { exact: true }).waitFor({ state: 'hidden' });

    // Mended before the next attempt is due: one by itself, and all at once.
    const inAnHour = { status: 503, headers: { 'retry-after': '3600' } };
    receiver.answer('/failing', inAnHour, inAnHour, inAnHour);
    await project.api.post(
      '/contacts',
      ['one', 'two', 'three'].map((name) => ({ email: project.address(name) })),
    );
    // What has settled is read again seldom.
    await page.reload();
    const waiting = page.getByRole('button', { name: /contact\.subscribed.*answered 503.*Retrying/ });
    await eventually(async () => (await waiting.count()) === 3);
    const delivered = page.getByRole('button', { name: /contact\.subscribed.*Delivered/ });
    await waiting.first().click();
    await page.getByRole('button', { name: 'Try now' }).click();
    await page.getByText('Trying now').waitFor();
    await eventually(async () => (await delivered.count()) === 2);
    await page.getByText('2 deliveries wait for their next attempt.').waitFor();
    await page.getByRole('button', { name: 'Try pending deliveries now…' }).click();
    await dialog(page)
      .getByText(/^2 deliveries get their next attempt now/)
      .waitFor();
    await dialog(page).getByRole('button', { name: 'Try pending deliveries now' }).click();
    await told(page, 'Trying 2 pending deliveries now');
    await eventually(async () => (await delivered.count()) === 4);
    await page.getByRole('group', { name: 'Pending deliveries' }).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Disable' }).waitFor();
    expect(await page.getByText('Try pending deliveries now').count()).toBe(0);
    await page.keyboard.press('Escape');

    // Found by each filter of the API, which is kept in the address; a day is the reader's own, as a whole.
    const [{ id: wanted }] = must(await project.api.get(`/webhooks/${id}/deliveries?limit=1`), 200).deliveries;
    await page.getByRole('textbox', { name: 'Search deliveries' }).fill(wanted);
    await eventually(async () => (await delivered.count()) === 1 && page.url().includes(`q=${wanted}`));
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await eventually(async () => (await delivered.count()) === 4);
    await page.getByRole('combobox', { name: 'Event type' }).click();
    await expect.poll(() => page.getByRole('option').allInnerTexts()).toEqual(['contact.subscribed']);
    await page.getByRole('option', { name: 'contact.subscribed' }).click();
    const { deliveries: made } = must(await project.api.get(`/webhooks/${id}/deliveries`), 200);
    // From the day of the first of them on, which may be yesterday by now.
    const [firstDay, today, begin, end] = await page.evaluate<[string, string, string, string]>(`(() => {
      const first = new Date(${JSON.stringify(made.at(-1).created_at)});
      const now = new Date();
      const days = [first, now].map((day) => day.toLocaleDateString('sv'));
      return [...days, new Date(first.setHours(0, 0, 0, 0)).toISOString(), new Date(now.setHours(24, 0, 0, 0)).toISOString()];
    })()`);
    const askedFor = (name: string, value: string) =>
      page.waitForResponse((response) => new URL(response.url()).searchParams.get(name) === value);
    const [from] = await Promise.all([askedFor('from', begin), page.getByLabel('From', { exact: true }).fill(firstDay)]);
    expect(new URL(from.url()).searchParams.get('eventType')).toBe('contact.subscribed');
    const [to] = await Promise.all([askedFor('to', end), page.getByLabel('To', { exact: true }).fill(today)]);
    expect((await to.json()).deliveries).toHaveLength(4);
    await eventually(async () => /from=.*&to=/.test(page.url()) && (await delivered.count()) === 4);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: 'Filters (3)' }).click();
    for (const name of ['Status', 'Event type']) {
      const field = page.getByRole('combobox', { name });
      await field.waitFor();
      expect(await field.evaluate((input) => input.scrollWidth <= input.clientWidth)).toBe(true);
    }
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Failed' }).click();
    await page.getByText('No deliveries match').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await eventually(async () => (await delivered.count()) === 4 && new URL(page.url()).search === '');
  });
});
