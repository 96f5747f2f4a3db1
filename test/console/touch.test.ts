import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { consoleTabs } from '../support/console.ts';
import { title } from '../support/console-page.ts';
import { newPeople } from '../support/console-people.ts';
import { drawn, WELCOME } from '../support/console-sequences.ts';
import { eventually } from '../support/eventually.ts';
import type { TestProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;
let ada: string;

beforeAll(async () => {
  ({ project, ada } = await newPeople());
  await enableTemplates(project, 'announcement', 'welcome', 'password-reset');
  must(await project.api.put('/sequences/flow', WELCOME), 200);
});

/** The buttons, and the way back, that a fingertip misses; a number may be typed rather than stepped. */
const TOO_SMALL = `[...document.querySelectorAll('#content button, #content header > a')].flatMap((one) => {
  const { width, height } = one.getBoundingClientRect();
  const isSmall = width > 1 && (width < 24 || height < 24);
  return isSmall && !one.closest('.react-flow, .mantine-NumberInput-controls') ? [location.pathname + ' ' + (one.getAttribute('aria-label') || one.textContent || one.className) + ' ' + width + ' × ' + height] : [];
})`;

async function tooSmall(page: Page): Promise<string[]> {
  await title(page, /./).waitFor();
  await eventually(async () => (await page.locator('[aria-busy="true"]').count()) === 0);
  return page.evaluate<string[]>(TOO_SMALL);
}

test('on a phone every button is as large as a fingertip', async () => {
  const { page, open } = await tabs.open(`/contacts/${ada}`, { key: project.key, width: 390 });
  const found = await tooSmall(page);
  const { id: domain } = must(await project.api.post('/domains', { domain: `touched-${project.domain}` }), 201).domain;
  for (const path of [
    `/domains/${domain}`,
    '/suppressions',
    '/keys',
    '/brands',
    '/topics',
    '/segments',
    '/sends',
    '/templates/announcement',
    '/webhooks',
  ]) {
    await open(path);
    found.push(...(await tooSmall(page)));
  }
  expect(found).toEqual([]);
});

test('on a phone all of a graph that is only looked at is seen when its page opens, in the middle', async () => {
  const { page, open } = await tabs.open('/sequences/flow', { key: project.key, width: 390 });
  for (const path of ['/sequences/flow', '/sequences/flow/simulate']) {
    await open(path);
    await drawn(page, 'end').waitFor();
    await eventually(async () => {
      const canvas = (await page.locator('.react-flow').boundingBox())!;
      const boxes = await Promise.all(WELCOME.nodes.map(async ({ id }) => (await drawn(page, id).boundingBox())!));
      const [left, right] = [Math.min(...boxes.map(({ x }) => x)), Math.max(...boxes.map(({ x, width }) => x + width))];
      const isWhole = boxes.every(({ y, height }) => y >= canvas.y && y + height <= canvas.y + canvas.height);
      return isWhole && left >= canvas.x && Math.abs(left - canvas.x - (canvas.x + canvas.width - right)) < 2;
    });
  }
});

test('on a phone a graph that would be too small to read as a whole opens at letters that can be read', async () => {
  const arms = ['one', 'two', 'three', 'four', 'five', 'six'];
  const wide = {
    ...WELCOME,
    nodes: [
      { id: 'start', kind: 'trigger' },
      { id: 'by_plan', kind: 'split', config: { arms: arms.map((key) => ({ key, weight: 1 })) } },
      ...arms.map((id) => ({ id, kind: 'wait_delay', config: { minutes: 60 } })),
      { id: 'end', kind: 'exit' },
    ],
    edges: [
      { from: 'start', to: 'by_plan' },
      ...arms.flatMap((id) => [
        { from: 'by_plan', to: id, branchKey: id },
        { from: id, to: 'end' },
      ]),
    ],
  };
  must(await project.api.put('/sequences/wide', wide), 200);
  const { page } = await tabs.open('/sequences/wide', { key: project.key, width: 390 });
  const begin = drawn(page, 'start');
  await begin.waitFor();
  await eventually(
    async () => (await begin.evaluate((node) => node.getBoundingClientRect().width / (node as HTMLElement).offsetWidth)) > 0.8,
  );
});

test('on a phone a step that is tapped shows its panel, and its graph and menus are reached by a fingertip', async () => {
  const { page } = await tabs.open('/sequences/flow/edit', { key: project.key, width: 390 });
  await page.setViewportSize({ width: 390, height: 700 });
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await drawn(page, 'start').click();
  const panel = page.locator('[data-step]');
  await eventually(async () => ((await panel.boundingBox())?.y ?? 700) < 500);
  await page.evaluate('scrollTo(0, 0)');
  const add = page.getByRole('button', { name: /^Add a step after/ }).first();
  const { x, y, width, height } = (await add.boundingBox())!;
  const [middleX, middleY] = [x + width / 2, y + height / 2];
  for (const [dx, dy] of [
    [-11, 0],
    [11, 0],
    [0, -11],
    [0, 11],
  ] as const) {
    const hit = `document.elementFromPoint(${middleX + dx}, ${middleY + dy})?.closest('button')?.getAttribute('aria-label')`;
    expect(await page.evaluate(hit)).toMatch(/^Add a step after/);
  }
  await page.mouse.click(middleX, middleY + 11);
  const menu = page.getByRole('menu');
  await menu.waitFor();
  await eventually(async () => {
    const box = (await menu.boundingBox())!;
    return box.y >= 0 && box.y + box.height <= 700;
  });
  await menu.getByRole('menuitem').last().scrollIntoViewIfNeeded();
  await menu.getByRole('menuitem').last().click();
});
