import { beforeAll, expect, test } from 'vitest';
import { PRESETS } from '../../domain/projects/scopes.ts';
import { consoleTabs } from '../support/console.ts';
import { title } from '../support/console-page.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, newSequence } from '../support/sequences.ts';

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
const DEEDS = /^(New |Add (contact|address|endpoint|segment|brand)|Edit$|Pause…|Activate…|Resume…|Enroll…|Archive|Use this|Import|Make )/;

test("a viewer's key opens every section, and none offers what it may not do", async () => {
  const { page, open } = await tabs.open('/', { key: viewer });
  const paths = ['/contacts', '/sends', '/templates', '/templates/newsletter', '/campaigns', '/sequences', `/sequences/${sequence}`];
  const rest = [`/sequences/${sequence}/versions`, '/sequences?starter=all', '/segments', '/suppressions', '/webhooks', '/brands', '/keys'];
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
    ['/sequences', 'This key can read sequences; creating them needs sequences:write.'],
    ['/suppressions', 'This key can read suppressions; adding them needs suppressions:write.'],
    ['/webhooks', 'This key can read webhooks; adding them needs webhooks:write.'],
    ['/brands', 'This key can read brands; changing them needs brands:write.'],
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
});
