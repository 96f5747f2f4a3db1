import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleTabs } from '../support/console.ts';
import { axeProblems, showIn } from '../support/console-looks.ts';
import { WELCOME } from '../support/console-sequences.ts';
import { eventually } from '../support/eventually.ts';
import { newProject } from '../support/project.ts';

const tabs = consoleTabs();

const DARK = 'matchMedia("(prefers-color-scheme: dark)").matches';

test.each(['light', 'dark'] as const)(
  'a theme that is chosen holds for all of the page, its navigation too, where the system is %s',
  async (system) => {
    const project = await newProject();
    const { page, open } = await tabs.open('/home', { key: project.key, isAlone: true });
    await showIn(page, system);
    const other = system === 'light' ? 'dark' : 'light';
    await choose(page, other);
    await open('/contacts');
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      if (width === 390) await page.getByRole('button', { name: 'Navigation', exact: true }).click();
      await page.getByRole('navigation', { name: 'Main' }).getByText('Campaigns', { exact: true }).waitFor();
      expect(await axeProblems(page)).toEqual([]);
      expect(await page.evaluate('getComputedStyle(document.querySelector("nav")).colorScheme')).toBe(other);
    }
  },
  90_000,
);

test('what a graph is drawn with has a color in either theme', async () => {
  const project = await newProject();
  await project.api.put('/sequences/flow', WELCOME);
  const { page } = await tabs.open('/sequences/flow', { key: project.key });
  await page.locator('.react-flow__edge-path').first().waitFor({ state: 'attached' });
  const strokes: string[] = [];
  for (const scheme of ['light', 'dark'] as const) {
    await showIn(page, scheme);
    strokes.push(await page.evaluate<string>('getComputedStyle(document.querySelector(".react-flow__edge-path")).stroke'));
  }
  expect(strokes).toEqual(['rgb(185, 185, 194)', 'rgb(76, 76, 86)']);
});

test('the preview of an email is dark and light as it is asked for, whatever the theme and the system are', async () => {
  const project = await newProject();
  const { page } = await tabs.open('/templates/announcement', { key: project.key, isAlone: true });
  await page.emulateMedia({ colorScheme: null });
  const mail = page.frameLocator('iframe').first().locator('body');
  for (const theme of ['light', 'dark'] as const) {
    await choose(page, theme);
    for (const asked of ['Dark', 'Light']) {
      await page.getByRole('radiogroup').getByText(asked, { exact: true }).click();
      await eventually(async () => (await mail.evaluate(DARK).catch(() => undefined)) === (asked === 'Dark'));
    }
  }
}, 90_000);

async function choose(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.getByRole('button', { name: /^Theme: / }).click();
  await page.getByRole('menuitem', { name: theme, exact: false }).click();
  await page.locator(`html[data-mantine-color-scheme="${theme}"]`).waitFor();
}
