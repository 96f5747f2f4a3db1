import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { differencesOf } from '../../console/src/pages/campaigns/variant-difference.ts';
import { rows } from '../../db/rows.ts';
import { campaignEnds, newAudience, newCampaign } from '../support/campaigns.ts';
import { consoleTabs } from '../support/console.ts';
import { axeProblems, showIn } from '../support/console-looks.ts';
import { dialog, row, title, writeCampaign } from '../support/console-page.ts';
import { report } from '../support/inbound.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'announcement', 'newsletter');
});

test('a campaign without a name is headed by the name of its template, and leads to the mailbox that a trial has', async () => {
  const { tag } = await newAudience(project, 1);
  const draft = { template: 'announcement', data: { headline: 'Hello' }, audience: { mode: 'tag', tag } };
  const { campaignId: id } = must(await project.api.post('/campaigns?draft=1', draft), 201);
  must(await project.api.post(`/campaigns/${id}/launch`, {}), 200);
  await campaignEnds(project, id);
  const { page, context, open } = await tabs.open(`/campaigns/${id}`, { key: project.key });
  await title(page, 'Announcement').waitFor();
  await page.getByRole('link', { name: 'All sends' }).waitFor();
  const mailbox = page.getByRole('link', { name: 'Local mailbox' });
  expect(await mailbox.count()).toBe(0);
  await context.route('**/api/v1/me', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), mailbox: 'http://localhost:1080' } });
  });
  await open(`/campaigns/${id}`);
  expect(await mailbox.getAttribute('href')).toBe('http://localhost:1080');
  await context.unroute('**/api/v1/me');
});

test('lists call a campaign without a name by the name of its template', async () => {
  const { tag } = await newAudience(project, 1);
  const audience = { mode: 'tag', tag };
  const draft = { template: 'newsletter', audience };
  must(await project.api.post('/campaigns?draft=1', draft), 201);
  const scheduleAt = new Date(Date.now() + 86_400_000).toISOString();
  must(await project.api.post('/campaigns', { template: 'announcement', data: { headline: 'Later' }, audience, scheduleAt }), 201);
  const { page, open } = await tabs.open('/campaigns', { key: project.key });
  await page.getByRole('link', { name: 'Newsletter', exact: true }).waitFor();
  await row(page, /Announcement.*Scheduled/).waitFor();
  await open('/home');
  await page.getByRole('link', { name: 'Announcement', exact: true }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Go to' }).getByRole('combobox').fill('announcement');
  await page.getByRole('option', { name: 'Pause Announcement' }).waitFor();
});

test('the page of a campaign shows its funnel, links, receivers and conversions, whose goal is chosen there afterwards', async () => {
  const { tag, emails } = await newAudience(project, 4);
  const id = await newCampaign(project, { name: 'Spring', audience: { mode: 'tag', tag } });
  await campaignEnds(project, id);
  const sends = await rows(
    await database(),
    sql<{ provider_id: string }>`select provider_id from sends where source_id = ${id} order by to_email`,
  );
  for (const [index, { provider_id: providerId }] of sends.entries()) {
    await report(project, { type: 'delivered', providerId });
    if (index < 3) await report(project, { type: 'opened', providerId });
    if (index < 2) await report(project, { type: 'clicked', providerId, url: 'https://shop.example/spring' });
  }
  must(await project.api.post('/events', { type: 'order_paid', email: emails[0], data: { total: 19.5 } }), 200);
  const { page, open } = await tabs.open(`/campaigns/${id}`, { key: project.key });
  await title(page, 'Spring').waitFor();
  await page.getByRole('row', { name: 'https://shop.example/spring 2 2' }).waitFor();
  await page.getByRole('row', { name: new RegExp(`^to\\.${project.domain} 4 `) }).waitFor();
  await page.getByRole('button', { name: 'Choose a goal…' }).click();
  await dialog(page).getByRole('combobox', { name: 'Event' }).fill('order_paid');
  await dialog(page).getByLabel('Window in hours').fill('800');
  await dialog(page).getByRole('button', { name: 'Save goal' }).click();
  await dialog(page).getByText('Enter a whole number from 1 to 720').waitFor();
  await dialog(page).getByLabel('Window in hours').fill('24');
  await dialog(page).getByLabel('Sum of').fill('total');
  await dialog(page).getByRole('button', { name: 'Save goal' }).click();
  await page.getByText('1 (25 % of those sent)').waitFor();
  await page.getByText('19.5', { exact: true }).waitFor();
  await page.getByText('Converted', { exact: true }).waitFor();
  for (const [scheme, width] of [
    ['light', 1440],
    ['dark', 390],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await showIn(page, scheme);
    expect(await axeProblems(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth > window.innerWidth')).toBe(false);
    if (width === 390) {
      const counts = page.getByRole('table', { name: 'Receivers' }).getByRole('cell');
      // On a phone each count has its name beside it.
      await expect
        .poll(() => counts.allInnerTexts())
        .toEqual(
          [/^Sent\s+4$/, /^Delivered\s+4/, /^Bounced\s+0/, /^Opened\s+3/, /^Clicked\s+2/].map((words) => expect.stringMatching(words)),
        );
    }
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/results-${scheme}-${width}.png`, fullPage: true });
  }
  await page.setViewportSize({ width: 1440, height: 900 });

  await open('/campaigns/new');
  await writeCampaign(page, 'With a goal');
  await page.getByRole('combobox', { name: 'Event' }).fill('order_paid');
  await page.getByLabel('Sum of').fill('total');
  await page.getByText('Saved', { exact: false }).first().waitFor();
  const goal = { event: 'order_paid', withinHours: 72, sum: 'total' };
  await expect
    .poll(async () => must(await project.api.get('/campaigns?status=draft'), 200).campaigns[0]?.goal, { timeout: 20_000 })
    .toEqual(goal);
});

test('no variant is called better where the difference may be chance', () => {
  const arm = (key: string, sent_count: number, opened_count: number, clicked_count: number) => ({
    key,
    sent_count,
    opened_count,
    clicked_count,
  });
  expect(differencesOf([arm('a', 99, 90, 9), arm('b', 500, 5, 5)])).toEqual([
    'Not enough data to compare: each variant needs at least 100 emails.',
  ]);
  expect(differencesOf([arm('a', 1000, 300, 4), arm('b', 1000, 240, 20)])).toEqual([
    'a is ahead: significantly more opened (30 % of a, 24 % of b).',
    'Not enough data: too few clicked. 2 % of b, 0.4 % of a.',
  ]);
  expect(differencesOf([arm('a', 1000, 260, 20), arm('b', 1000, 240, 20)])[0]).toBe(
    'No significant difference in who opened: 26 % of a, 24 % of b.',
  );
  // Of six pairs one is so far apart by chance more easily than of one.
  const four = [arm('a', 1000, 282, 20), arm('b', 1000, 240, 20), arm('c', 1000, 240, 20), arm('d', 1000, 240, 20)];
  expect(differencesOf(four.slice(0, 2))[0]).toContain('is ahead');
  expect(differencesOf(four)[0]).toContain('No significant difference');
});
