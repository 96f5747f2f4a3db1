import { beforeAll, expect, test } from 'vitest';
import { PRESETS } from '../../domain/projects/scopes.ts';
import { newCampaign } from '../support/campaigns.ts';
import { consoleTabs } from '../support/console.ts';
import { title } from '../support/console-page.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must, newContact, newSequence } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;
let viewer: string;
let sequence: string;

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'newsletter', 'welcome');
  sequence = (await newSequence(project)).key;
  viewer = (await project.newKey([...PRESETS.viewer])).key;
});

/** Deeds that a page of somebody who may write has. */
const DEEDS =
  /^(New |Add (contact|address|endpoint|segment|domain|brand)|Edit$|Pause…|Activate…|Resume…|Enroll…|Suppress |Archive|Use this|Import(?!s$)|Make )/;

test("a viewer's key opens every section, and none offers what it may not do", async () => {
  const { page, open } = await tabs.open('/', { key: viewer });
  const paths = ['/contacts', '/sends', '/templates', '/templates/newsletter', '/campaigns', '/sequences', `/sequences/${sequence}`];
  const rest = [
    `/sequences/${sequence}/versions`,
    '/sequences?starter=all',
    '/segments',
    '/recurring-campaigns',
    '/contacts/imports',
    '/suppressions',
    '/webhooks',
    '/domains',
    '/brands',
    '/topics',
    '/keys',
  ];
  const offered: string[] = [];
  for (const path of [...paths, ...rest]) {
    await open(path);
    await title(page, /./).waitFor();
    await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'hidden' });
    // The page of a template says why its content cannot be changed.
    if (path !== '/templates/newsletter') expect([path, await page.getByText('lacks the scope').count()]).toEqual([path, 0]);
    const deeds = page.locator('main').getByRole('button').or(page.locator('main').getByRole('link'));
    for (const name of await deeds.allInnerTexts()) if (DEEDS.test(name.trim())) offered.push(`${path}: ${name.trim()}`);
  }
  expect(offered).toEqual([]);
});

test('each section says which scope a key lacks where its button would be', async () => {
  const { page, open } = await tabs.open('/', { key: viewer });
  for (const [path, words] of [
    ['/contacts', 'This key can read contacts; adding them needs contacts:write.'],
    ['/segments', 'This key can read segments; creating them needs contacts:write.'],
    ['/templates', 'This key can read templates; creating them needs templates:write.'],
    ['/campaigns', 'This key can read campaigns; creating them needs campaigns:write.'],
    ['/recurring-campaigns', 'This key can read recurring campaigns; creating them needs campaigns:write.'],
    ['/contacts/imports', 'This key can read imports; starting them needs contacts:write.'],
    ['/sequences', 'This key can read sequences; creating them needs sequences:write.'],
    ['/suppressions', 'This key can read suppressions; adding them needs suppressions:write.'],
    ['/webhooks', 'This key can read webhooks; adding them needs webhooks:write.'],
    ['/domains', 'This key can read domains; adding them needs domains:write.'],
    ['/brands', 'This key can read brands; changing them needs brands:write.'],
    ['/topics', 'This key can read topics; changing them needs topics:write.'],
  ] as const) {
    await open(path);
    await page.getByText(words, { exact: true }).waitFor();
  }
});

test('a link to what a key may not do says which scope it lacks', async () => {
  const { page, open } = await tabs.open(`/sequences/${sequence}/edit`, { key: viewer });
  await page.getByText('sequences:write').first().waitFor();
  await open(`/sequences/${sequence}/simulate`);
  await page.getByText('This key cannot simulate sequences').waitFor();
  await page.getByText('sequences:write').first().waitFor();
  // With another key the page is the one that was asked for.
  await page.locator('main').getByRole('button', { name: 'Use another key…' }).click();
  await page.getByRole('dialog').getByLabel('API key', { exact: true }).fill(project.key);
  await page.getByRole('button', { name: 'Use key' }).click();
  await page.getByRole('button', { name: 'Simulate', exact: true }).waitFor();
});

test('the page of one thing says which scope a key lacks to change it, and Home says it of each first step', async () => {
  const email = project.address('read');
  const id = await newContact(project, email);
  const { segment } = must(await project.api.post('/segments', { label: 'Read' }), 201);
  const endpoint = must(await project.api.post('/webhooks', { url: 'https://hooks.example.com/read' }), 201).endpoint.id;
  const to = project.address('blocked');
  const blocked = await newContact(project, to);
  must(await project.api.post('/suppressions', { email: to }), 201);
  expect((await project.api.post('/send', { template: 'newsletter', to })).status).toBe(422);
  const [failed] = must(await project.api.get(`/sends?contactId=${blocked}`), 200).sends;
  const scheduleAt = new Date(Date.now() + 86_400_000).toISOString();
  const campaign = await newCampaign(project, { template: 'newsletter', audience: { mode: 'people', emails: [email] }, scheduleAt });
  const { page, open } = await tabs.open('/', { key: viewer });
  for (const [path, words] of [
    [`/contacts/${id}`, 'This key can read contacts; changing them needs contacts:write.'],
    [`/segments/${segment.id}`, 'This key can read segments; changing them needs contacts:write.'],
    [`/sequences/${sequence}`, 'This key can read sequences; changing them needs sequences:write.'],
    [`/campaigns/${campaign}`, 'This key can read campaigns; changing them needs campaigns:write.'],
    [`/webhooks/${endpoint}`, 'This key can read webhooks; changing them needs webhooks:write.'],
    [`/sends/${failed.id}`, 'This key can read sends; resending them needs send.'],
    ['/home', 'Send a campaign to yourself, or call POST /send from your app. This key cannot do it: it needs campaigns:write'],
  ] as const) {
    await open(path);
    await page.getByText(words, { exact: true }).waitFor();
  }
  await open(`/contacts/${blocked}`);
  await page.getByText('The address is suppressed, so it gets no email at all').waitFor();
  expect(await page.getByText(/remove it|Remove from/).count()).toBe(0);
});
