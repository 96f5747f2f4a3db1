import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleTabs } from '../support/console.ts';
import { axeProblems } from '../support/console-looks.ts';
import { title } from '../support/console-page.ts';
import { eventually } from '../support/eventually.ts';
import { newProject } from '../support/project.ts';
import { enableTemplates, must, newContact } from '../support/sequences.ts';

const tabs = consoleTabs();

const countOf = (page: Page, panel: string, label: string) =>
  page
    .locator('section', { has: page.getByRole('heading', { name: panel, exact: true }) })
    .locator('dl > div', { hasText: label })
    .locator('dd');

test('Home shows how the contacts grow, in the days of the viewer', async () => {
  const project = await newProject();
  const people = [1, 2, 3].map((n) => project.address(`person-${n}`));
  const [first] = await Promise.all(people.map((email) => newContact(project, email)));
  must(await project.api.post('/contacts', { email: people[1], status: 'unsubscribed' }), 200);
  must(await project.api.delete(`/contacts/${first}`), 200);
  const { page } = await tabs.open('/home', { key: project.key, timezone: 'Pacific/Auckland', width: 1440 });
  await page.getByText('1 of 2', { exact: true }).waitFor();
  expect(await countOf(page, 'Contacts', 'New').innerText()).toBe('3');
  expect(await countOf(page, 'Contacts', 'Unsubscribed').innerText()).toBe('1');
  expect(await countOf(page, 'Contacts', 'Resubscribed').innerText()).toBe('0');
  expect(await countOf(page, 'Contacts', 'Erased').innerText()).toBe('1');
  await expect.poll(() => page.getByText('Days in Pacific/Auckland').count()).toBe(4);
  await page.getByText('Includes test emails', { exact: true }).waitFor();
  const table = page.getByRole('table', { name: 'Contacts added and lost' });
  const rows = await table.getByRole('row').allInnerTexts();
  const today = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'Pacific/Auckland' }).format(new Date());
  expect(rows.at(-1)?.split('\t')).toEqual([today, '3', '0', '1', '0', '1']);
  expect(await axeProblems(page)).toEqual([]);
});

test('while a campaign goes out Home never shows that it has sent more than there was, nor that all is well beside what is held', async () => {
  const project = await newProject();
  await enableTemplates(project, 'receipt');
  await newContact(project, project.address());
  const later = new Date(Date.now() + 86_400_000).toISOString();
  const campaign = { name: 'Live news', template: 'receipt', audience: { mode: 'entire' }, scheduleAt: later };
  const { campaignId } = must(await project.api.post('/campaigns', campaign), 201);
  const record = must(await project.api.get(`/campaigns/${campaignId}`), 200).campaign;
  const told = must(await project.api.get('/stats'), 200);
  let sent = 0;
  const { page, open } = await tabs.open('/segments', { key: project.key });
  await title(page, 'Segments').waitFor();
  // Each answer is of a moment at which ten more have gone than at the one before.
  await page.route(/\/campaigns\?/, (route: Route) => {
    sent += 10;
    const shown = { ...record, status: 'sending', total_recipients: 1_000, sent_count: sent, paused: sent > 10 };
    return route.fulfill({ json: { ok: true, campaigns: [shown], nextCursor: null } });
  });
  await page.route(/\/stats\?/, (route: Route) => route.fulfill({ json: { ...told, totals: { ...told.totals, sent } } }));
  const held = { kind: 'campaign_held', message: 'the campaign Live news is paused', about: campaignId, count: null };
  await page.route(/\/attention/, (route: Route) => route.fulfill({ json: { ok: true, items: sent > 10 ? [held] : [] } }));
  await page.addInitScript(`window.shown = new Set();
    new MutationObserver(() => {
      const text = document.querySelector('main')?.innerText ?? '';
      const [, sent] = /([\\d,]+) of 1,000 sent/.exec(text) ?? [];
      const [, whole] = /Sent\\n+([\\d,]+)/.exec(text) ?? [];
      if (sent && whole) window.shown.add([sent, whole, text.includes('Nothing needs attention'), text.includes('paused')].join(' '));
    }).observe(document, { childList: true, subtree: true, characterData: true })`);
  await open('/home');
  await page.getByText('10 of 1,000 sent').waitFor();
  await page.getByText('20 of 1,000 sent').waitFor();
  const shown = async () => page.evaluate<string[]>('[...window.shown]');
  await eventually(async () => (await shown()).length >= 2);
  expect(await shown()).toEqual(['10 10 true false', '20 20 false true']);
});

test('emails that were withheld alone have no percentage beside them, which others have of their own', async () => {
  const project = await newProject();
  const told = must(await project.api.get('/stats'), 200);
  const { page, open } = await tabs.open('/segments', { key: project.key });
  const faring = (totals: object) =>
    page.route(/\/stats\?/, (route: Route) => route.fulfill({ json: { ...told, totals: { ...told.totals, ...totals } } }));
  await faring({ sent: 90, failed: 3, withheld: 3 });
  await open('/home');
  const total = countOf(page, 'Emails', 'Not sent');
  await total.getByText('all to suppressed or unsubscribed addresses').waitFor();
  expect(await total.innerText()).not.toContain('%');
  await faring({ sent: 90, failed: 13, withheld: 3 });
  await open('/home');
  await total.getByText('3 to suppressed or unsubscribed addresses, 10 failed').waitFor();
  await total.getByText('10 %').waitFor();
});

test('Home leads from what failed to the runs and emails that did', async () => {
  const project = await newProject();
  await enableTemplates(project, 'password-reset');
  const to = project.address();
  expect((await project.api.post('/send', { to, template: 'password-reset' })).body.reason).toBe('render_failed');
  const { page } = await tabs.open('/home', { key: project.key });
  await page.getByRole('link', { name: /^1 mail by the template password-reset could not be rendered in the last 24 hours/ }).click();
  await title(page, 'Sends').waitFor();
  await page.getByRole('row', { name: new RegExp(to) }).waitFor();
  const { searchParams } = new URL(page.url());
  expect([searchParams.get('status'), searchParams.get('template')]).toEqual(['failed', 'password-reset']);
});
