import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleTabs } from '../support/console.ts';
import { axeProblems } from '../support/console-looks.ts';
import { title } from '../support/console-page.ts';
import { eventually } from '../support/eventually.ts';
import { newProject } from '../support/project.ts';
import { must } from '../support/sequences.ts';

const tabs = consoleTabs();

/** Does by Ctrl+K what is found by some words. */
const chooserOn = (page: Page) => async (words: string, option: string) => {
  const goTo = page.getByRole('dialog', { name: 'Go to' });
  await page.keyboard.press('Control+k');
  await goTo.getByRole('combobox').fill(words);
  await page.getByRole('option', { name: option }).waitFor();
  await page.keyboard.press('Enter');
  await goTo.waitFor({ state: 'hidden' });
};

test('Ctrl+K does things: it makes, pauses and copies, and "?" tells of all shortcuts', async () => {
  const own = await newProject();
  must(await own.api.put('/templates/receipt', { enabled: true }), 200);
  must(await own.api.post('/contacts', { email: own.address(), tags: ['a'] }), 200);
  const campaign = { name: 'Spring', template: 'receipt', audience: { mode: 'tag', tag: 'a' } };
  const scheduleAt = new Date(Date.now() + 86_400_000).toISOString();
  const { campaignId } = must(await own.api.post('/campaigns', { ...campaign, scheduleAt }), 201);
  const { page } = await tabs.open(`/campaigns/${campaignId}`, { key: own.key });
  await title(page, 'Spring').waitFor();
  const choose = chooserOn(page);
  await choose('pause spring', 'Pause Spring');
  await page.getByText('Spring paused').waitFor();
  expect(must(await own.api.get(`/campaigns/${campaignId}`), 200).campaign.paused).toBe(true);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await choose('copy id', 'Copy ID');
  await page.getByText('ID copied').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(campaignId);
  await page.keyboard.press('?');
  const shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await shortcuts.getByText('Search the list').waitFor();
  await expect
    .poll(() => shortcuts.getByRole('heading', { level: 3 }).allInnerTexts())
    .toEqual(['Everywhere', 'Sequence graph', 'Template editor']);
  for (const keys of ['Delete', '{{', '↑', 'B']) await shortcuts.getByText(keys, { exact: true }).waitFor();
  expect(await axeProblems(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await choose('new campaign', 'New campaign');
  await title(page, 'New campaign').waitFor();
  const { key } = await own.newKey(['campaigns:read']);
  const { page: viewer } = await tabs.open('/home', { key });
  await title(viewer, 'Home').waitFor();
  await viewer.keyboard.press('Control+k');
  await viewer.getByRole('dialog', { name: 'Go to' }).getByRole('combobox').fill('campaign');
  await viewer.getByRole('option', { name: /^Campaigns/ }).waitFor();
  expect(await viewer.getByRole('option', { name: 'New campaign' }).count()).toBe(0);
});

test('the mailbox of a trial and Temporal Web are found in the menu and by Ctrl+K, and so are first steps that were hidden', async () => {
  const own = await newProject();
  const { page, open } = await tabs.open('/contacts', { key: own.key });
  await page.route('**/api/v1/me', async (route) => {
    const answer = await route.fetch();
    const more = { mailbox: 'http://localhost:1080/', temporal_web: 'http://localhost:8233/' };
    await route.fulfill({ response: answer, json: { ...(await answer.json()), ...more } });
  });
  await open('/home');
  await page.getByRole('button', { name: 'Hide first steps' }).click();
  const heading = page.getByRole('heading', { name: 'First steps' });
  await heading.waitFor({ state: 'hidden' });
  const menu = page.getByRole('button', { name: own.slug });
  await menu.click();
  for (const [name, href] of [
    ['Temporal Web', 'http://localhost:8233/'],
    ['Local mailbox', 'http://localhost:1080/'],
  ] as const)
    expect(await page.getByRole('menuitem', { name }).getAttribute('href')).toBe(href);
  await page.getByRole('menuitem', { name: 'Show first steps' }).click();
  await heading.waitFor();
  await page.getByRole('button', { name: 'Hide first steps' }).click();
  await heading.waitFor({ state: 'hidden' });
  await page.evaluate('window.open = (href) => { document.title = href; }');
  const choose = chooserOn(page);
  await choose('mailbox', 'Local mailbox');
  await eventually(async () => (await page.title()) === 'http://localhost:1080/');
  await choose('temporal', 'Temporal Web');
  await eventually(async () => (await page.title()) === 'http://localhost:8233/');
  await choose('first steps', 'Show first steps');
  await heading.waitFor();
});
