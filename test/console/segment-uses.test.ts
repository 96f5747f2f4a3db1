import { beforeAll, expect, test } from 'vitest';
import { consoleTabs } from '../support/console.ts';
import { title } from '../support/console-page.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { newRecurring } from '../support/recurring.ts';
import { enableTemplates, must } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'newsletter');
});

test('the page of a segment links to the sequences and the campaigns that it is used in', async () => {
  const segment = must(await project.api.post('/segments', { label: 'VIP' }), 201).segment.id;
  const { page } = await tabs.open(`/segments/${segment}`, { key: project.key });
  const uses = page.locator('section').filter({ hasText: 'Used in' });
  await uses.getByText('No sequence and no draft, scheduled or recurring campaign uses it.').waitFor();
  const graph = {
    name: 'For the best',
    triggers: [{ kind: 'segment', config: { segment: 'VIP' } }],
    nodes: [{ id: 'start', kind: 'trigger' }],
    edges: [],
  };
  must(await project.api.put('/sequences/best', graph), 200);
  const audience = { mode: 'segment', segmentId: segment };
  for (let n = 1; n <= 21; n++) must(await project.api.post('/campaigns?draft=1', { name: `News ${n}`, audience }), 201);
  const { id: recurring } = await newRecurring(project, { name: 'Every day', audience });
  await page.reload();
  await uses.getByText('Sequence, trigger').waitFor();
  await uses.getByText('and 1 more campaign').waitFor();
  await expect.poll(() => uses.getByRole('link').count()).toBe(22);
  await uses.getByRole('link', { name: 'News 21' }).click();
  await page.waitForURL(/\/campaigns\/[0-9a-f-]+\/edit$/);
  await page.goBack();
  await uses.getByRole('link', { name: 'Every day' }).click();
  await page.waitForURL(`**/recurring-campaigns/${recurring}`);
  await page.goBack();
  await uses.getByRole('link', { name: 'For the best' }).click();
  await title(page, 'For the best').waitFor();
});
