import type { Locator, Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { ticksOf } from '../../console/src/show/plot-scale.ts';
import { consoleTabs } from '../support/console.ts';
import { newProject } from '../support/project.ts';
import { must } from '../support/sequences.ts';

const tabs = consoleTabs();

test.each<[string, readonly number[], boolean, readonly number[]]>([
  ['nothing', [0, 0], true, [0, 1]],
  ['one', [0, 1], true, [0, 1]],
  ['a few', [7], true, [0, 2, 4, 6, 8]],
  ['many', [875_000], true, [0, 250_000, 500_000, 750_000, 1_000_000]],
  ['exactly a line', [1_000], true, [0, 250, 500, 750, 1_000]],
  ['what was lost beside what came', [90, -30], true, [-50, 0, 50, 100]],
  ['lost only', [-3], true, [-3, -2, -1, 0, 1]],
  ['shares', [0.5], false, [0, 0.2, 0.4, 0.6]],
  ['all', [100], false, [0, 25, 50, 75, 100]],
])('the lines of a plot reach from the lowest to the highest, evenly and with zero among them: %s', (_, values, isWhole, ticks) => {
  expect(ticksOf(values, isWhole)).toEqual(ticks);
});

const figure = (page: Page, title: string) => page.locator('figure', { has: page.getByText(title, { exact: true }) });

/** In the figure that they are in: what comes above it moves the whole, between two looks as well. */
const edges = (drawn: Locator): Promise<{ top: number; bottom: number; middle: number }[]> =>
  drawn.evaluateAll((all) =>
    all.map((each) => {
      const { top, bottom, left, width } = each.getBoundingClientRect();
      const figure = each.closest('figure')!.getBoundingClientRect();
      return { top: top - figure.top, bottom: bottom - figure.top, middle: left + width / 2 };
    }),
  );

test('Home draws counts as high as they are, what was lost below zero, and tells the numbers of the day that is pointed at', async () => {
  const project = await newProject();
  const [stats, growth] = [must(await project.api.get('/stats'), 200), must(await project.api.get('/stats/contacts'), 200)];
  const at = <T>(counts: readonly T[], changed: Record<number, object>) => counts.map((each, index) => ({ ...each, ...changed[index] }));
  const counts = at(stats.counts, { 2: { sent: 100, failed: 20, opened: 40, clicked: 10 }, 4: { sent: 50, opened: 20 } });
  const grown = at(growth.counts, { 1: { made: 60 }, 3: { made: 30, unsubscribed: 20, erased: 10 } });
  const { page, open } = await tabs.open('/segments', { key: project.key, width: 1440 });
  await page.route(/\/stats\?/, (route: Route) => route.fulfill({ json: { ...stats, counts } }));
  await page.route(/\/stats\/contacts\?/, (route: Route) => route.fulfill({ json: { ...growth, counts: grown } }));
  await open('/home');

  const sent = figure(page, 'Emails sent');
  await sent.locator('[data-series="failed"]').waitFor();
  const [high, low] = await edges(sent.locator('[data-series="sent"]'));
  const [failed] = await edges(sent.locator('[data-series="failed"]'));
  expect((high!.bottom - high!.top) / (low!.bottom - low!.top)).toBeCloseTo(2, 1);
  expect(high!.bottom).toBeCloseTo(low!.bottom, 0);
  expect(failed!.bottom).toBeCloseTo(high!.top, 0);
  expect((failed!.bottom - failed!.top) / (high!.bottom - high!.top)).toBeCloseTo(0.2, 1);
  expect(failed!.middle).toBeCloseTo(high!.middle, 0);

  const opened = await edges(figure(page, 'Opens and clicks').locator('[data-series="opened"]'));
  expect(opened).toHaveLength(7);
  const [zero, forty, twenty] = [opened[0]!.top, opened[2]!.top, opened[4]!.top];
  expect((zero - forty) / (zero - twenty)).toBeCloseTo(2, 1);
  await expect.poll(() => figure(page, 'Opens and clicks').locator('polyline').count()).toBe(2);

  const contacts = figure(page, 'Contacts added and lost');
  const [, came] = await edges(contacts.locator('[data-series="made"]'));
  const [left] = await edges(contacts.locator('[data-series="unsubscribed"]'));
  const [erased] = await edges(contacts.locator('[data-series="erased"]'));
  expect(left!.top).toBeCloseTo(came!.bottom, 0);
  expect(erased!.top).toBeCloseTo(left!.bottom, 0);
  expect((came!.bottom - came!.top) / (left!.bottom - left!.top)).toBeCloseTo(1.5, 1);

  // What lies over the bars tells which one is pointed at.
  await sent.locator('[data-series="sent"]').first().hover({ force: true });
  const day = await sent.getByRole('table').getByRole('row').nth(3).getByRole('rowheader').innerText();
  await sent.getByText(new RegExp(`^${day}Sent100Not sent20$`)).waitFor();
});
