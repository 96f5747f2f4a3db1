import { beforeAll, expect, test } from 'vitest';
import { campaignEnds, newCampaign } from '../support/campaigns.ts';
import { consoleTabs } from '../support/console.ts';
import { axeProblems, showIn } from '../support/console-looks.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;
let campaign: string;
let ada: string;
let mary: string;

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'newsletter');
  ada = project.address('ada');
  mary = project.address('mary');
  const people = [
    { email: ada, tags: ['news'] },
    { email: mary, tags: ['news'], status: 'unsubscribed' },
    { email: project.address('ben'), tags: ['news'], status: 'bounced' },
    { email: project.address('eve'), tags: ['news'] },
  ];
  must(await project.api.post('/contacts', people), 200);
  must(await project.api.post('/suppressions', { email: people[3]?.email, reason: 'complaint' }), 201);
  campaign = await newCampaign(project, { audience: { mode: 'tag', tag: 'news' }, name: 'Spring news' });
  await campaignEnds(project, campaign);
});

test('why somebody did not get a campaign is found from its page and from their own', async () => {
  const { page } = await tabs.open(`/campaigns/${campaign}`, { key: project.key });
  await page.getByText('4 matched, 1 sent').waitFor();
  await page.getByRole('link', { name: '3 left out ›' }).click();
  const list = page.getByRole('table', { name: 'Left out' });
  await list.getByText('Unsubscribed', { exact: true }).waitFor();
  await list.getByText('Suppressed: complaint').waitFor();
  await page.getByText('3 in total').waitFor();
  const answer = Promise.withResolvers<void>();
  await page.route('**/people?*reason=bounced*', async (route) => {
    await answer.promise;
    await route.continue();
  });
  await page.getByRole('combobox', { name: 'Reason' }).click();
  await page.getByRole('option', { name: 'Bounced (1)' }).click();
  await page.getByText('3 in total').waitFor({ state: 'detached' });
  expect(await page.getByText('1 in total').count(), 'counted beside the rows of before').toBe(0);
  answer.resolve();
  await page.getByText('1 in total').waitFor();
  await expect.poll(() => list.getByRole('link').allTextContents()).toEqual([expect.stringContaining('ben')]);
  for (const scheme of ['light', 'dark'] as const) {
    await showIn(page, scheme);
    expect(await axeProblems(page)).toEqual([]);
    if (process.env.SCREENSHOTS_DIR) await page.screenshot({ path: `${process.env.SCREENSHOTS_DIR}/left-out-${scheme}.png` });
  }
  await page.getByRole('button', { name: 'Clear' }).click();
  await list.getByRole('link', { name: /mary/ }).click();
  await page.getByText('Left out of the campaign Spring news').waitFor();
  await page.getByRole('link', { name: 'Left out of the campaign Spring news' }).click();
  await page.getByText('4 matched, 1 sent').waitFor();
});

test('a search for the address of somebody who was left out says so, since the log has no row of it', async () => {
  const { page } = await tabs.open('/sends', { key: project.key });
  const search = page.getByRole('textbox', { name: 'Search sends' });
  await search.fill(mary);
  await page.getByText(`${mary} was left out of 1 campaign. Emails left out are not listed here.`).waitFor();
  await page.getByText('No matching send').waitFor();
  await search.fill(ada);
  await page.getByRole('link', { name: `View contact ${ada}` }).waitFor();
  await search.fill(mary);
  await page.getByRole('link', { name: 'See why' }).click();
  await page.getByText('Left out of the campaign Spring news').waitFor();
});

test('a search for a part of an address that finds no email says where to look for emails that were left out', async () => {
  const { page } = await tabs.open('/sends', { key: project.key });
  await page.getByRole('textbox', { name: 'Search sends' }).fill('mary');
  await page.getByText('No matching send').waitFor();
  await page.getByText('Emails that somebody was left out of are not listed here').waitFor();
  await page.getByRole('link', { name: 'Find the contact' }).click();
  await page.getByRole('link', { name: mary }).waitFor();
});

test('links to the send log filter it by names, not by ids, and each filter is taken out by itself', async () => {
  const { contacts } = must(await project.api.get(`/contacts?email=${encodeURIComponent(ada)}`), 200);
  const { page, open } = await tabs.open(`/contacts/${contacts[0].id}`, { key: project.key });
  await page.getByRole('link', { name: 'All sends' }).click();
  const ofContact = page.getByRole('button', { name: `Remove the filter Contact: ${ada}` });
  await ofContact.waitFor();
  await open(`/sends?sourceType=campaign&sourceId=${campaign}&contactId=${contacts[0].id}`);
  await page.getByRole('button', { name: 'Remove the filter Campaign: Spring news' }).waitFor();
  await ofContact.click();
  await ofContact.waitFor({ state: 'detached' });
  expect(new URL(page.url()).search).toBe(`?sourceType=campaign&sourceId=${campaign}`);
});

test('the page of a campaign says how many it left out for each reason, and leads to those', async () => {
  const { page } = await tabs.open(`/campaigns/${campaign}`, { key: project.key });
  const reasons = page.getByRole('list', { name: 'Left out by reason' });
  await reasons.waitFor();
  await expect.poll(() => reasons.getByRole('listitem').allTextContents()).toEqual(['Suppressed1', 'Unsubscribed1', 'Bounced1']);
  await reasons.getByRole('link', { name: 'Suppressed' }).click();
  await page.getByText('1 in total').waitFor();
  await page.getByRole('table', { name: 'Left out' }).getByText('Suppressed: complaint').waitFor();
});
