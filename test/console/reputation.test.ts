import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { campaignBecomes, newAudience, newCampaign } from '../support/campaigns.ts';
import { consoleTabs, told } from '../support/console.ts';
import { axeProblemsInBoth } from '../support/console-looks.ts';
import { dialog, hasFocus, title } from '../support/console-page.ts';
import { report } from '../support/inbound.ts';
import { writeMails } from '../support/mails-by-sender.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;
beforeEach(async () => {
  project = await newProject();
});

const list = (page: Page, name: string) => page.getByRole('table', { name });
const lineOf = (page: Page, name: string, of: string) => list(page, name).getByRole('row').filter({ hasText: of });

test('what became of emails is told by sending domain and receiver, in words and numbers, for the period that is chosen', async () => {
  await writeMails(project, 1_000, { from: 'news.example', to: 'gmail.com', complained: 3, hard: 10, soft: 4, hoursAgo: 48 });
  await writeMails(project, 2_000, { from: 'shop.example', to: 'outlook.com', complained: 2 });
  await writeMails(project, 20, { from: 'shop.example', to: 'her-own.example', isUnreported: true });
  const { page } = await tabs.open('/home', { key: project.key });
  await page.getByRole('navigation').getByRole('link', { name: 'Reputation' }).click();
  await title(page, 'Reputation').waitFor();
  expect(await lineOf(page, 'Sending domains', 'news.example').innerText()).toMatch(
    /Critical[\s\S]*1,000[\s\S]*1\.4 %[\s\S]*10 hard, 4 soft[\s\S]*0\.3 %/,
  );
  expect(await lineOf(page, 'Sending domains', 'shop.example').innerText()).toMatch(/Good[\s\S]*2,020[\s\S]*0\.1 %/);
  expect(await lineOf(page, 'Receivers', 'outlook.com').innerText()).toMatch(/Warning/);
  expect(await lineOf(page, 'Receivers', 'her-own.example').innerText()).toMatch(/Too few[\s\S]*20[\s\S]*None reported/);
  expect(await axeProblemsInBoth(page)).toEqual([]);
  // By keyboard, and kept in the address.
  await page.getByRole('radio', { name: '7 days' }).focus();
  await page.keyboard.press('ArrowLeft');
  await lineOf(page, 'Sending domains', 'news.example').waitFor({ state: 'detached' });
  expect(new URL(page.url()).search).toBe('?period=24h');
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await axeProblemsInBoth(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
});

test('Home leads to a domain that complains, and the page says what it is while nothing was sent', async () => {
  const { page } = await tabs.open('/reputation', { key: project.key });
  await page.getByText('No emails in this period').first().waitFor();
  await page.getByText('counted here by the domain that they were sent from').waitFor();
  expect(await axeProblemsInBoth(page)).toEqual([]);
  await writeMails(project, 100, { from: project.domain, to: 'gmail.com', complained: 1 });
  await page.getByRole('navigation').getByRole('link', { name: 'Home' }).click();
  const words = new RegExp(`^Of 100 emails from ${project.domain.replaceAll('.', '\\.')} 1 % were reported as spam`);
  await page.getByRole('link', { name: words }).click();
  await title(page, 'Reputation').waitFor();
  await lineOf(page, 'Receivers', 'gmail.com').waitFor();
});

test('the page of a domain has its own numbers', async () => {
  const { domains } = must(await project.api.get('/domains'), 200);
  await writeMails(project, 200, { from: project.domain, to: 'gmail.com', hard: 20 });
  const { page } = await tabs.open(`/domains/${domains[0].id}`, { key: project.key });
  const panel = page
    .getByRole('region')
    .or(page.locator('section'))
    .filter({ has: page.getByRole('heading', { name: 'Reputation' }) });
  await panel.getByText('Critical').waitFor();
  expect(await panel.innerText()).toMatch(/Sent[\s\S]*200[\s\S]*Bounced[\s\S]*10 %/);
  expect(await axeProblemsInBoth(page)).toEqual([]);
});

test('limits are set in percent, told in place, and taken out; a key that may not change them sees them', async () => {
  const { page } = await tabs.open('/reputation', { key: project.key });
  await page.getByRole('button', { name: 'Set limits' }).click();
  const bounces = dialog(page).getByRole('textbox', { name: 'Bounces' });
  await hasFocus(bounces);
  await bounces.fill('0');
  await page.keyboard.press('Enter');
  await dialog(page).getByText('Enter more than 0 and at most 100').waitFor();
  expect(await axeProblemsInBoth(page)).toEqual([]);
  await bounces.fill('5');
  await dialog(page).getByRole('textbox', { name: 'Complaints' }).fill('0.3');
  await page.keyboard.press('Enter');
  await told(page, 'Limits saved');
  await page.getByText('A campaign pauses by itself beyond 5 % bounces or 0.3 % complaints.').waitFor();
  expect(must(await project.api.get('/me'), 200).project.campaign_limits).toEqual({ bounce_rate: 0.05, complaint_rate: 0.003 });
  await page.getByRole('button', { name: 'Change limits' }).click();
  await bounces.fill('');
  await page.keyboard.press('Enter');
  await page.getByText('A campaign pauses by itself beyond 0.3 % complaints.').waitFor();
  const { key } = await project.newKey(['sends:read']);
  const { page: other } = await tabs.open('/reputation', { key });
  await other.getByText('A campaign pauses by itself beyond 0.3 % complaints.').waitFor();
  expect(await other.getByRole('button', { name: 'Change limits' }).count()).toBe(0);
});

test('the page of a campaign that has paused by itself says why', async () => {
  await enableTemplates(project, 'newsletter');
  const { tag } = await newAudience(project, 500);
  const id = await newCampaign(project, { name: 'Spring', audience: { mode: 'tag', tag }, ratePerSecond: 50 });
  await campaignBecomes(project, id, ({ sent_count }) => sent_count >= 100);
  must(await project.api.post(`/campaigns/${id}/pause`), 200);
  const { sends } = must(await project.api.get(`/sends?sourceId=${id}&status=sent&limit=50`), 200);
  for (const { provider_id } of sends.slice(0, 30)) await report(project, { type: 'bounced', providerId: provider_id });
  must(await project.api.call('PATCH', '/project', { campaignLimits: { bounceRate: 0.05 } }), 200);
  must(await project.api.post(`/campaigns/${id}/resume`), 200);
  await campaignBecomes(project, id, ({ paused }) => paused);
  const { page } = await tabs.open(`/campaigns/${id}`, { key: project.key });
  await page.getByText(/^Paused by itself: [\d.]+ % of [\d,]+ emails bounced, limit 5 %\. Nothing is sent until you resume it$/).waitFor();
});
