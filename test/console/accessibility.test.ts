import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { campaignEnds, newAudience, newCampaign } from '../support/campaigns.ts';
import { consoleTabs } from '../support/console.ts';
import { axeProblems, narrowNames, showIn } from '../support/console-looks.ts';
import { title } from '../support/console-page.ts';
import { newPeople } from '../support/console-people.ts';
import { drawn, newWelcomeFlow } from '../support/console-sequences.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts';
import type { TestProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';
import { createEndpoint, deliveriesSettle } from '../support/webhook-endpoints.ts';

const PHONE = 390;
const WIDE = 1280;

const tabs = consoleTabs();
let project: TestProject;
/** Who is subscribed and got a mail. */
let ada: string;
let receiver: HttpReceiver;

beforeAll(async () => {
  [{ project, ada }, receiver] = await Promise.all([newPeople(), startHttpReceiver()]);
  await enableTemplates(project, 'announcement', 'newsletter', 'welcome', 'password-reset');
});

afterAll(() => receiver?.close());

const later = () => new Date(Date.now() + 86_400_000).toISOString();

/** Each look at a page that is open: what axe finds, and whether the page is wider than the screen. */
async function problemsIn(page: Page, path: string, looks: readonly (readonly ['light' | 'dark', number])[]): Promise<string[]> {
  const found: string[] = [];
  for (const [colorScheme, width] of looks) {
    await page.setViewportSize({ width, height: 900 });
    await showIn(page, colorScheme);
    found.push(...(await axeProblems(page)).map((problem) => `${path} ${colorScheme}: ${problem}`));
    if ((await page.evaluate('document.documentElement.scrollWidth')) !== width) found.push(`${path} is wider than ${width}`);
  }
  return found;
}

/** Waits until a page has its title and nothing that holds a place. */
async function settled(page: Page): Promise<void> {
  await title(page, /./).waitFor();
  await eventually(async () => (await page.locator('[aria-busy="true"]').count()) === 0);
}

test('axe finds nothing on any page of people and their emails, on a phone in the light and wide in the dark, and none is wider than the screen', async () => {
  const send = (await project.api.get('/sends?limit=1')).body.sends[0].id;
  const segment = (await project.api.post('/segments', { label: 'Looked at in both schemes', filter: { tags: ['vip'] } })).body.segment.id;
  // One word, as long as it may be.
  const { email } = (await project.api.get(`/contacts/${ada}`)).body.contact;
  must(await project.api.post('/contacts', { email, firstName: 'A'.repeat(200) }), 200);
  const looks = [['light', PHONE] as const, ['dark', WIDE] as const];
  const { page, open } = await tabs.open('');
  await page.getByLabel('API key', { exact: true }).waitFor();
  const found = await problemsIn(page, 'sign-in', looks);
  await open(`/home#key=${project.key}`);
  await page.reload();
  for (const path of [
    '/home',
    '/contacts',
    '/contacts/new',
    `/contacts/${ada}`,
    `/contacts/${ada}/edit`,
    '/keys',
    '/domains',
    '/reputation',
    '/brands',
    '/topics',
    '/sends',
    `/sends/${send}`,
    '/segments',
    '/segments/new',
    `/segments/${segment}`,
    '/suppressions',
  ]) {
    await open(path);
    await settled(page);
    found.push(...(await problemsIn(page, path, looks)));
  }
  expect(found).toEqual([]);
});

/** Campaigns in several states, the first of them sent by variants; and an endpoint with deliveries that it took and that failed. */
async function newCampaigns(): Promise<{ readonly campaign: string; readonly draft: string; readonly endpoint: string }> {
  const { tag } = await newAudience(project, 3);
  const audience = { mode: 'tag', tag };
  const variants = ['Long', 'Short'].map((subject, index) => ({ key: 'ab'[index], subject }));
  const data = { headline: 'Spring is here', highlights: ['Buds', 'Birds'] };
  const campaign = await newCampaign(project, { template: 'announcement', name: 'Spring news', audience, variants, data });
  await campaignEnds(project, campaign);
  for (const deed of ['pause', 'cancel']) {
    const id = await newCampaign(project, { name: `To ${deed}`, audience, scheduleAt: later() });
    must(await project.api.post(`/campaigns/${id}/${deed}`), 200);
  }
  await newCampaign(project, { name: 'Scheduled', audience, scheduleAt: later() });
  const { campaignId: draft } = must(
    await project.api.post('/campaigns?draft=1', { name: 'Draft', template: 'announcement', audience }),
    201,
  );
  const { id: endpoint } = await createEndpoint(project, `${receiver.url}/failing`, { events: ['contact.subscribed'] });
  receiver.answer('/failing', 500, 501, 502, 503, 500, 501);
  for (const [count, name] of ['refused', 'taken'].entries()) {
    must(await project.api.post('/contacts', { email: project.address(name) }), 200);
    await deliveriesSettle(project, endpoint, count + 1);
  }
  return { campaign, draft, endpoint };
}

test('axe finds nothing on the pages of templates, campaigns and webhooks in both schemes, and none is wider than a phone', async () => {
  const { campaign, draft, endpoint } = await newCampaigns();
  const { defaultContent: content } = must(await project.api.get('/templates/receipt/content'), 200);
  // One of them is behind then, and one not published.
  for (const version of [{ locale: 'pt-BR' }, { locale: 'de', publish: true }, { publish: true }])
    must(await project.api.put('/templates/receipt/content', { content, ...version }), 200);
  const found: string[] = [];
  const { page, open } = await tabs.open('/campaigns', { key: project.key, width: PHONE });
  await title(page, 'Campaigns').waitFor();
  for (const path of [
    '/templates',
    '/templates/~new',
    '/templates/receipt',
    '/templates/receipt?locale=de',
    '/campaigns',
    '/campaigns/new',
    `/campaigns/${campaign}`,
    `/campaigns/${draft}/edit`,
    '/webhooks',
    `/webhooks/${endpoint}`,
  ]) {
    await open(path);
    await settled(page);
    if (path === '/campaigns/new') {
      await page.getByRole('button', { name: 'Test subjects' }).click();
      await page.getByText('Variants a, b have the same subject').waitFor();
    }
    found.push(...(await problemsIn(page, path, [['light', PHONE] as const, ['dark', PHONE] as const])));
    // Results that are cut at the screen's edge are not seen at all.
    for (const cell of await page.getByRole('cell').all()) {
      const box = await cell.boundingBox();
      if (box && box.x + box.width > PHONE) found.push(`${path}: ${await cell.innerText()} is outside of the screen`);
    }
  }
  expect(found).toEqual([]);
  await open('/campaigns');
  await page
    .getByRole('row', { name: /^Spring news Sent/ })
    .getByText('3 of 3')
    .waitFor();
});

test('axe finds nothing on the pages of sequences in both schemes, and none is wider than a phone', async () => {
  const { run } = await newWelcomeFlow(project);
  must(await project.api.delete(`/enrollments/${run}`), 200);
  const { page, open } = await tabs.open('/sequences', { key: project.key });
  const found: string[] = [];
  for (const path of [
    '?starter=all',
    '?starter=cart',
    '',
    '/flow',
    '/flow/simulate',
    '/flow/runs',
    `/flow/runs/${run}`,
    '/flow/versions',
    '/flow/edit',
  ]) {
    await page.setViewportSize({ width: WIDE, height: 900 });
    await open(`/sequences${path}`);
    await settled(page);
    if (path.startsWith('/flow') && path !== '/flow/runs') await drawn(page, 'start').click();
    found.push(...(await problemsIn(page, path, [['light', WIDE] as const, ['dark', WIDE] as const, ['dark', PHONE] as const])));
  }
  await page.setViewportSize({ width: WIDE, height: 900 });
  await open('/sequences/flow/simulate');
  await page.getByRole('combobox', { name: 'Time zone' }).click();
  await page.getByRole('option').first().waitFor();
  // A list that is longer than its box scrolls by the keys of its field.
  found.push(...(await axeProblems(page)));
  expect(found).toEqual([]);
});

test('the column that names the rows of a list can be read at every width of a screen', async () => {
  must(
    await project.api.post('/campaigns', {
      ...{ name: 'The newest of all the news', template: 'announcement', data: { headline: 'New', body: 'New' } },
      ...{ audience: { mode: 'entire' }, scheduleAt: later() },
    }),
    201,
  );
  const linus = { field: 'contact.first_name', op: 'eq', value: 'Linus' };
  must(await project.api.post('/segments', { label: 'All who are called Linus', filter: { where: linus } }), 201);
  await createEndpoint(project, `${testEnvironment().receiverUrl}/told-of-all-that-happens`);
  const { page, open } = await tabs.open('/home', { key: project.key });
  await title(page, /./).waitFor();
  const lists = ['/contacts', '/sends', '/templates', '/campaigns', '/segments', '/webhooks', '/domains', '/keys'];
  expect(await narrowNames(page, lists, open)).toEqual([]);
});
