import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { campaignEnds, newCampaign } from '../support/campaigns.ts';
import { consoleTabs } from '../support/console.ts';
import { axeProblemsInBoth } from '../support/console-looks.ts';
import { title } from '../support/console-page.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;
let ada: { readonly id: string; readonly email: string };
let grace: typeof ada;
let segment: string;
let campaign: string;

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'newsletter');
  const people = ['ada', 'grace'].map((name) => ({ email: project.address(name), tags: [name, 'all'] }));
  const { contacts } = must(await project.api.post('/contacts', people), 200);
  [ada, grace] = contacts;
  must(await project.api.post(`/contacts/${grace.id}/unsubscribe`), 200);
  segment = must(await project.api.post('/segments', { label: 'Ada', filter: { tags: ['ada'] } }), 201).segment.id;
  campaign = await newCampaign(project, { template: 'newsletter', name: 'News', audience: { mode: 'tag', tag: 'all' } });
  await campaignEnds(project, campaign);
});

/** What a link has the browser save: the name of the file, and its lines. */
async function saved(page: Page, link: Locator): Promise<{ readonly name: string; readonly lines: readonly string[] }> {
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  const pieces: Buffer[] = [];
  for await (const piece of await download.createReadStream()) pieces.push(piece as Buffer);
  return { name: download.suggestedFilename(), lines: Buffer.concat(pieces).toString().trim().split('\r\n') };
}

test('lists, a segment, the people of a campaign and all that is known of a person are saved as files, as they are filtered', async () => {
  const { page, open } = await tabs.open('/contacts', { key: project.key });
  const csv = page.getByRole('link', { name: 'Export CSV' });
  expect((await saved(page, csv)).lines).toHaveLength(3);
  await open('/contacts?status=unsubscribed');
  const unsubscribed = await saved(page, csv);
  expect([unsubscribed.name, unsubscribed.lines.length]).toEqual(['contacts.csv', 2]);
  expect(unsubscribed.lines[1]).toContain(grace.email);
  await open(`/contacts?segment=${segment}`);
  const members = await saved(page, csv);
  expect([members.name, members.lines.length]).toEqual(['segment.csv', 2]);
  await open('/sends?q=nobody%40example.com');
  expect((await saved(page, csv)).lines).toHaveLength(1);
  await open('/sends?from=2026-01-01');
  const sends = await saved(page, csv);
  expect([sends.name, sends.lines.length]).toEqual(['sends.csv', 2]);
  await open(`/segments/${segment}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  expect((await saved(page, page.getByRole('menuitem', { name: 'Export contacts (CSV)' }))).lines[1]).toContain(ada.email);
  await open(`/campaigns/${campaign}`);
  const people = await saved(page, page.getByRole('link', { name: 'Export people (CSV)' }));
  expect([people.name, people.lines.length]).toEqual(['people.csv', 3]);
  expect(await axeProblemsInBoth(page)).toEqual([]);
  await open(`/campaigns/${campaign}/left-out`);
  expect((await saved(page, page.getByRole('link', { name: 'Export people (CSV)' }))).lines[1]).toContain('left_out,unsubscribed');
  await open(`/contacts/${ada.id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  expect(await axeProblemsInBoth(page)).toEqual([]);
  const person = await saved(page, page.getByRole('menuitem', { name: 'Download all data (JSON)' }));
  expect(person.name).toBe(`contact-${ada.id}.json`);
  expect(JSON.parse(person.lines.join(''))).toMatchObject({ withMails: true, contact: { id: ada.id } });
});

test('what a key may not read it is not offered to save, and a link of another session saves nothing', async () => {
  const reader = await project.newKey(['contacts:read', 'campaigns:read']);
  const { page, open } = await tabs.open(`/campaigns/${campaign}`, { key: reader.key });
  await title(page, 'News').waitFor();
  expect(await page.getByRole('link', { name: 'Export people (CSV)' }).count()).toBe(0);
  await open(`/campaigns/${campaign}/left-out`);
  await page.getByRole('link', { name: 'Export people (CSV)' }).waitFor();
  await open('/contacts');
  const link = page.getByRole('link', { name: 'Export CSV' });
  const href = new URL((await link.getAttribute('href')) as string);
  const answers = async (url: URL, method = 'GET') =>
    page.evaluate<number>(`fetch(${JSON.stringify(url.href)}, { method: '${method}' }).then(({ status }) => status)`);
  expect(await answers(href)).toBe(200);
  // Nothing is changed by an address.
  const unsubscribe = new URL(href.href.replace('/contacts/export', `/contacts/${ada.id}/unsubscribe`));
  expect(await answers(unsubscribe, 'POST')).toBe(401);
  href.searchParams.set('everpost-session', '00000000-0000-4000-8000-000000000000');
  expect(await answers(href)).toBe(401);
  href.searchParams.delete('everpost-session');
  expect(await answers(href)).toBe(401);
  // What stands for the key is the cookie.
  const elsewhere = await fetch((await link.getAttribute('href')) as string);
  expect(elsewhere.status).toBe(401);
});
