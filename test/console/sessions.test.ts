import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { startBrowserOn } from '../support/browser.ts';
import { consoleTabs } from '../support/console.ts';
import { axeProblems, showIn } from '../support/console-looks.ts';
import { dialog, row, title } from '../support/console-page.ts';
import { newPeople } from '../support/console-people.ts';
import { testEnvironment } from '../support/environment.ts';
import { newProject, type TestProject } from '../support/project.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  ({ project } = await newPeople());
});

async function openSessions(page: Page): Promise<void> {
  await page.getByRole('button', { name: project.slug }).click();
  await page.getByRole('menuitem', { name: 'Sessions…' }).click();
  await dialog(page).getByText('This one').waitFor();
}

/** In the page: all that it can read of what its browser keeps. */
const KEPT = `(async () => JSON.stringify([
  { ...localStorage }, { ...sessionStorage }, document.cookie, await indexedDB.databases(), await caches.keys(), history.state, location.href,
]))()`;

describe('the key', () => {
  test('and what stands for it are in nothing that a script can read', async () => {
    const { page, context } = await tabs.open('/contacts?q=lovelace', { key: project.key });
    await row(page, /^ada-/).waitFor();
    const [cookie, another] = await context.cookies();
    expect([cookie, another]).toMatchObject([{ httpOnly: true, sameSite: 'Strict', path: '/console', expires: -1 }, undefined]);
    const kept = await page.evaluate<string>(KEPT);
    expect(kept).toContain('/console/contacts');
    expect(kept).not.toContain('ep_live');
    expect(kept).not.toContain(cookie!.value);
  });

  test('is on no disk after it was pasted, nor is what stands for it', async () => {
    const profile = await mkdtemp(join(testEnvironment().scratchDir, 'profile-'));
    const context = await startBrowserOn(profile);
    const page = await context.newPage();
    await page.goto(`${testEnvironment().apiUrl}/console/contacts?q=lovelace`);
    await page.getByLabel('API key', { exact: true }).fill(project.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await row(page, /^ada-/).waitFor();
    // What is known to be kept, so that the search below is seen to find something.
    await page.evaluate(`localStorage.setItem('mark', 'kept-on-the-disk')`);
    const [{ value } = { value: 'no cookie' }] = await context.cookies();
    await context.close();
    expect(await filesWith(profile, 'kept-on-the-disk')).not.toEqual([]);
    expect(await filesWith(profile, project.key)).toEqual([]);
    expect(await filesWith(profile, value)).toEqual([]);
  });
});

/** As bytes, and as texts of two bytes a letter. */
async function filesWith(folder: string, text: string): Promise<string[]> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const found: string[] = [];
  for (const { parentPath, name } of files) {
    const bytes = await readFile(join(parentPath, name));
    if (bytes.includes(text) || bytes.includes(Buffer.from(text, 'utf16le'))) found.push(name);
  }
  return found;
}

/** In a page of somebody else: tries whatever a page can to have the browser act for whoever is signed in. */
const attack = (target: string, email: string) => `(async () => {
  const body = JSON.stringify({ email: ${JSON.stringify(email)} });
  const tries = [
    { method: 'POST', mode: 'no-cors', headers: { 'content-type': 'text/plain' }, body },
    { method: 'POST', headers: { 'content-type': 'application/json' }, body },
    { method: 'POST', headers: { 'content-type': 'application/json', 'everpost-session': 'any' }, body },
    { method: 'GET' },
  ];
  const read = [];
  for (const one of tries) read.push(await fetch('${target}/api/v1/contacts', { credentials: 'include', ...one }).then((answer) => answer.type, () => 'refused'));
  read.push(await fetch('${target}/session', { method: 'DELETE', credentials: 'include', headers: { 'everpost-session': 'any' } }).then(() => 'ended', () => 'refused'));
  const form = Object.assign(document.createElement('form'), { method: 'POST', action: '${target}/api/v1/contacts', enctype: 'text/plain' });
  form.append(Object.assign(document.createElement('input'), { name: body.slice(0, -1) + ',"x":"', value: '"}' }));
  document.body.append(form);
  setTimeout(() => form.submit());
  return read;
})()`;

describe('another site', () => {
  test.each([
    // To cookies another port is the same site, so this one has nothing against it but the header.
    ['of another port of the same host', 'http://127.0.0.1:9797/'],
    ['of another host', 'http://evil.test/'],
  ])('%s changes and reads nothing', async (_, address) => {
    const { page, context } = await tabs.open('/contacts?q=lovelace', { key: project.key, isAlone: true });
    await row(page, /^ada-/).waitFor();
    const other = await context.newPage();
    await other.route(address, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Other</title><body></body>' }),
    );
    await other.goto(address);
    const email = project.address('forged');
    const target = `${testEnvironment().apiUrl}/console`;
    const answered = other.waitForResponse((response) => response.request().isNavigationRequest());
    const read = await other.evaluate<string[]>(attack(target, email));
    expect(['opaque', 'refused']).toContain(read[0]);
    expect(read.slice(1)).toEqual(['refused', 'refused', 'refused', 'refused']);
    expect((await answered).status()).toBe(401);
    expect((await project.api.get(`/contacts?q=${email}`)).body.contacts).toEqual([]);
    // The session is there as before, and the same call from the page itself is one that works.
    const made = `fetch('/console/session').then((answer) => answer.json()).then(({ session }) => fetch('/console/api/v1/contacts', {
      method: 'POST', headers: { 'content-type': 'application/json', 'everpost-session': session.id }, body: JSON.stringify({ email: '${email}' }),
    })).then((answer) => answer.status)`;
    expect(await page.evaluate(made)).toBeLessThan(300);
    expect((await project.api.get(`/contacts?q=${email}`)).body.contacts.length).toBe(1);
    // Its own address and its attempts.
    tabs.wrongs.splice(0);
  });
});

describe('the sessions of a key', () => {
  test('are listed, and one that is ended asks for a key with its next call, over the page', async () => {
    const { key } = await project.newKey(['*']);
    const { page: far } = await tabs.open('/segments/new', { key, isAlone: true });
    await far.getByLabel('Name').fill('Typed before the end');
    await far
      .getByText(/contacts? match/)
      .first()
      .waitFor();
    await far.waitForLoadState('networkidle');
    const { page } = await tabs.open('/home', { key, isAlone: true });
    await title(page, 'Home').waitFor();
    await openSessions(page);
    await expect.poll(() => dialog(page).getByRole('listitem').count()).toBe(2);
    for (const scheme of ['light', 'dark'] as const) {
      await showIn(page, scheme);
      expect([scheme, await axeProblems(page)]).toEqual([scheme, []]);
    }
    await dialog(page)
      .getByRole('button', { name: /^End the session of Chrome/ })
      .click();
    await dialog(page)
      .getByRole('button', { name: /^End the session of/ })
      .waitFor({ state: 'hidden' });
    await far.getByRole('button', { name: 'Create segment' }).click();
    await far.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    await far.getByLabel('API key', { exact: true }).fill(key);
    await far.getByRole('button', { name: 'Go on' }).click();
    await far.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await far.getByLabel('Name').inputValue()).toBe('Typed before the end');
  });

  test('of another key of the project are not among them', async () => {
    await tabs.open('/home', { key: (await project.newKey(['*'])).key, isAlone: true });
    const own = await newProject();
    const { page } = await tabs.open('/home', { key: own.key, isAlone: true });
    await title(page, 'Home').waitFor();
    await page.getByRole('button', { name: own.slug }).click();
    await page.getByRole('menuitem', { name: 'Sessions…' }).click();
    await dialog(page).getByText('This one').waitFor();
    await expect.poll(() => dialog(page).getByRole('listitem').count()).toBe(1);
  });
});
