import { afterAll, beforeAll, expect, test } from 'vitest';
import { consoleTabs, told } from '../support/console.ts';
import { axeProblems, showIn } from '../support/console-looks.ts';
import { dialog } from '../support/console-page.ts';
import { eventually } from '../support/eventually.ts';
import { failedDeliveries } from '../support/failed-deliveries.ts';
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

test('all that failed is retried after a question that says how many, and the page says how far it is', async () => {
  const { id, project: own, path, latest } = await failedDeliveries(receiver, '/console-all', 1_300);
  const gate = Promise.withResolvers<void>();
  receiver.holdUp(path, gate.promise);
  const { page } = await tabs.open(`/webhooks/${id}`, { key: own.key });
  await page.getByText('1,300 deliveries have failed for good.').waitFor();
  await page.getByRole('button', { name: 'Retry all failed…' }).click();
  await dialog(page)
    .getByText(/^1,300 deliveries have failed/)
    .waitFor();
  const news = Promise.withResolvers<void>();
  await page.route(`**/webhooks/${id}/retries{,/**}`, async (route) => {
    if (route.request().method() === 'GET') await news.promise;
    await route.continue();
  });
  await dialog(page).getByRole('button', { name: 'Retry all failed' }).click();
  await dialog(page).waitFor({ state: 'hidden' });
  const focused = (words: string) => eventually(() => page.evaluate<boolean>(`document.activeElement.textContent.includes('${words}')`));
  await focused('Retry all failed…');
  // The button that asked for it is gone once the page knows that it runs.
  news.resolve();
  await focused('/console-all');
  expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
  await told(page, 'Retrying 1,300 deliveries');
  const running = page.getByRole('status', { name: 'Retry of all failed deliveries' });
  await running.getByText(/^1,[0-2]00 of 1,300 retried/).waitFor();
  expect(await running.getByRole('progressbar').getAttribute('aria-valuenow')).toMatch(/^[789]/);
  for (const colorScheme of ['dark', 'light'] as const) {
    await showIn(page, colorScheme);
    await page.setViewportSize({ width: colorScheme === 'light' ? 1440 : 390, height: 844 });
    expect(await axeProblems(page)).toEqual([]);
  }
  gate.resolve();
  await running.getByText(/^1,300 of 1,300 retried: 1,300 delivered\. The list below/).waitFor({ timeout: 60_000 });
  await eventually(async () => (await latest()).failed === 0);
  // The page says the same everywhere, without waiting for its next turn.
  await page.getByText(/^100 of 100 delivered$/).waitFor({ timeout: 10_000 });
  expect(await page.getByRole('list', { name: 'Deliveries' }).getByText('Failed').count()).toBe(0);
  await page.reload();
  await running.getByRole('button', { name: 'Dismiss' }).click();
  await running.waitFor({ state: 'hidden' });
  await page.reload();
  await page.getByText(/^100 of 100 delivered$/).waitFor();
  expect(await running.count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Retry all failed…' }).count()).toBe(0);
});

test('a delivery shows what was answered to each attempt, once the endpoint keeps it', async () => {
  const { id } = await createEndpoint(project, `${receiver.url}/answers`, { events: ['contact.subscribed'] });
  const { page } = await tabs.open(`/webhooks/${id}`, { key: project.key });
  await page.getByRole('button', { name: 'Edit…' }).click();
  await dialog(page).getByRole('checkbox', { name: 'Keep response bodies' }).check();
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await page.getByText('Kept with each delivery').waitFor();
  receiver.answer('/answers', { status: 500, headers: { 'x-request-id': 'r-17' }, body: 'no <b>disk</b>\0' });
  await project.api.post('/contacts', { email: project.address('answers') });
  await deliveriesSettle(project, id, 1, { timeoutMs: 60_000 });
  await page.reload();
  await page.getByRole('button', { name: /contact\.subscribed.*Delivered/ }).click();
  await page.getByText('Response to attempt 1').click();
  await page.getByRole('table', { name: 'Headers, attempt 1' }).getByRole('row', { name: 'x-request-id r-17' }).waitFor();
  expect(await page.getByRole('region', { name: 'Body, attempt 1' }).innerText()).toBe('no <b>disk</b>\u2400');
  for (const colorScheme of ['light', 'dark'] as const) {
    await showIn(page, colorScheme);
    await page.setViewportSize({ width: colorScheme === 'light' ? 1440 : 390, height: 1200 });
    expect(await axeProblems(page)).toEqual([]);
  }
});

test('the event of a delivery is edited and sent as a test, whose answer stands there at once', async () => {
  const { id } = await createEndpoint(project, `${receiver.url}/trial`, { events: ['contact.subscribed'] });
  const email = project.address('trial');
  await project.api.post('/contacts', { email });
  await deliveriesSettle(project, id, 1);
  const { page } = await tabs.open(`/webhooks/${id}`, { key: project.key });
  await page.getByRole('button', { name: /contact\.subscribed.*Delivered/ }).click();
  await page.getByRole('button', { name: 'Send as a test…' }).click();
  const data = dialog(page).getByRole('textbox', { name: 'Data' });
  expect(JSON.parse(await data.inputValue()).email).toBe(email);
  await data.fill('{"a": }');
  await dialog(page).getByRole('button', { name: 'Send test' }).click();
  await dialog(page)
    .getByText(/^Line 1, column 7/)
    .waitFor();
  expect(receiver.calls('/trial')).toHaveLength(1);
  receiver.answer('/trial', { status: 422, headers: {}, body: 'a is missing' });
  await data.fill('{"b": 1}');
  await dialog(page).getByRole('button', { name: 'Send test' }).click();
  const came = dialog(page).getByRole('status');
  await came.getByText(/^Response 422 after \d+ ms\.$/).waitFor();
  await came.getByText('a is missing').waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await showIn(page, colorScheme);
    await page.setViewportSize({ width: colorScheme === 'light' ? 1440 : 390, height: 844 });
    expect(await axeProblems(page)).toEqual([]);
  }
  const { headers, body } = receiver.calls('/trial')[1]!;
  expect([headers['everpost-test'], JSON.parse(body).data]).toEqual(['true', { b: 1 }]);
  const { deliveries } = must(await project.api.get(`/webhooks/${id}/deliveries`), 200);
  expect(deliveries).toHaveLength(1);
});
