import { beforeAll, describe, expect, test } from 'vitest';
import { consoleTabs, told } from '../support/console.ts';
import { addressIn, row, title } from '../support/console-page.ts';
import { newPeople } from '../support/console-people.ts';
import type { TestProject } from '../support/project.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  ({ project } = await newPeople());
});

describe('what goes wrong', () => {
  test('a lost connection is told, loses no input, and is over by itself', async () => {
    const { page, context } = await tabs.open('/suppressions', { key: project.key, isAlone: true });
    await page.getByRole('button', { name: 'Suppress address' }).click();
    const email = project.address('offline');
    await addressIn(page).fill(email);
    await context.setOffline(true);
    await page.getByRole('dialog').getByRole('button', { name: 'Suppress' }).click();
    await page.getByRole('alert').getByText('No connection to Everpost').waitFor();
    expect(await addressIn(page).inputValue()).toBe(email);
    await context.setOffline(false);
    await page.getByText('Trying again; Nothing you typed is lost').waitFor({ state: 'hidden' });
    await page.getByRole('alert').getByText('Connection lost for a moment').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Suppress' }).click();
    await told(page, `${email} suppressed`);
  });

  test('a call that was too many is made again when it may, unseen', async () => {
    const { page } = await tabs.open('', { key: project.key });
    await title(page, /./).waitFor();
    let refused = 0;
    await page.route(/\/api\/v1\/contacts\?counts=kept$/, async (route) => {
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
    await page.getByRole('button', { name: 'Suppress address' }).click();
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
    await told(page, / suppressed$/);
  });

  test('reading that fails is tried again, which is told before anything is shown, and nothing of what was typed', async () => {
    const { page } = await tabs.open('', { key: project.key });
    await title(page, /./).waitFor();
    let isBroken = true;
    await page.route(/\/api\/v1\/contacts\b/, async (route) =>
      isBroken ? route.fulfill({ status: 500, json: { ok: false, error: 'internal error', code: 'internal' } }) : route.continue(),
    );
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Contacts' }).click();
    await page.getByText('This is taking longer than usual. Retrying.').waitFor();
    const told = page.getByRole('alert').filter({ hasText: 'Everpost is not responding' });
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
    await page.getByRole('button', { name: 'Suppress address' }).click();
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

test('how long a call waits that was too many is told, and it is made again by itself', async () => {
  const { page } = await tabs.open('/templates/~new', { key: project.key });
  for (const field of ['Name', 'Key', 'Subject']) await page.getByRole('textbox', { name: field }).fill('waited-for');
  let calls = 0;
  await page.route(/\/templates$/, (route) => {
    if (route.request().method() !== 'POST' || calls++ > 0) return route.continue();
    return route.fulfill({ status: 429, headers: { 'Retry-After': '8' }, json: { ok: false, error: 'too many', code: 'rate_limited' } });
  });
  await page.getByRole('button', { name: 'Create template' }).click();
  await page.getByText(/Retrying in [1-8] s. Nothing you typed is lost/).waitFor();
  await title(page, 'waited-for').waitFor();
  expect(calls).toBe(2);
});
