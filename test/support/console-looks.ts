import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import type { Tab } from './console.ts';

/** Colors on their way from one scheme to the other have any contrast. */
const TRANSITIONS_DONE =
  'Promise.allSettled(document.getAnimations().filter((one) => one instanceof CSSTransition).map(({ finished }) => finished)).then(() => {})';

/** The page that is open changes its scheme, as when that of the system does; resolves when it has all its colors. */
export async function showIn(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
  await page.evaluate(TRANSITIONS_DONE);
}

/** A name of some 30 letters. */
const READABLE_PX = 200;
/** Of a tablet, upright and lying, of a small window, and of one where all columns have room. */
const WIDTHS = [768, 1024, 1180, 1280];

/** Where the first column of a list, which names its rows, is too narrow to be read, or columns lie outside of it: a line each. */
export async function narrowNames(page: Page, paths: readonly string[], open: Tab['open']): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    await open(path);
    await page.getByRole('cell').first().waitFor();
    // What holds their room is replaced by the rows.
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'hidden' });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      const [table, name, last] = await Promise.all([
        page.getByRole('table').boundingBox(),
        page.getByRole('cell').first().boundingBox(),
        page.getByRole('row').nth(1).locator('td:visible').last().boundingBox(),
      ]);
      if (!table || !name || name.width < READABLE_PX) found.push(`${path} at ${width}: the name has ${name?.width} px`);
      if (table && last && last.x + last.width > table.x + table.width + 1) found.push(`${path} at ${width}: the last column is cut off`);
    }
  }
  return found;
}

let axe: Promise<string> | undefined;

/** What axe finds on the page as it is now that is more than minor, a line each. */
export async function axeProblems(page: Page): Promise<string[]> {
  axe ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  if (await page.evaluate('!window.axe')) await page.evaluate(await axe);
  // Of what is as it should be it need not tell every element.
  const { violations } = await page.evaluate<AxeResults>('axe.run({ resultTypes: ["violations"] })');
  return violations
    .filter(({ impact }) => impact !== 'minor')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} (${failureSummary?.split('\n').at(-1)?.trim()})`),
    );
}

/** What axe finds in the page that is open, in the dark and then in the light, in which it stays. */
export async function axeProblemsInBoth(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const scheme of ['dark', 'light'] as const) {
    await showIn(page, scheme);
    found.push(...(await axeProblems(page)));
  }
  return found;
}
