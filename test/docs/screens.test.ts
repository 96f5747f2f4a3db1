import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PAGE_NAMES } from '../../api/documentation/contents.ts';
import { startBrowser } from '../support/browser.ts';
import { testEnvironment } from '../support/environment.ts';

let browser: Browser;
/** As wide as a phone. */
let phone: Page;

beforeAll(async () => {
  browser = await startBrowser();
  phone = await browser.newPage({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
});

afterAll(async () => {
  await browser?.close();
});

async function read(name: string): Promise<void> {
  await phone.goto(`${testEnvironment().apiUrl}/docs/${name}`);
}

/** What is true of the places of a page's elements, told of those of which it is not. */
const WRONGS = `(() => {
  const box = (element) => element.getBoundingClientRect();
  const cut = (element) => element.textContent.slice(0, 40);
  const words = [...document.querySelectorAll('td code')].filter((code) => /^\\w+$/.test(code.textContent));
  const copied = [...document.querySelectorAll('figure.code:not([hidden])')];
  return {
    isWiderThanScreen: document.documentElement.scrollWidth > innerWidth,
    brokenWords: words.filter((code) => code.getClientRects().length > 1).map(cut),
    withoutCopy: copied.filter((figure) => !figure.querySelector('.copy')?.checkVisibility({ opacityProperty: true, visibilityProperty: true })).map(cut),
    coveredByCopy: copied.filter((figure) => {
      const [button, code] = [box(figure.querySelector('.copy')), box(figure.querySelector('pre'))];
      return button.left < code.right && button.top < code.bottom && button.bottom > code.top;
    }).map(cut),
    crampedTexts: [...document.querySelectorAll('td')].filter((cell) => cell.textContent.length > 60 && box(cell).width < 110).map(cut),
  };
})()`;

describe.each(PAGE_NAMES)('/docs/%s on a phone', (name) => {
  test('is no wider than the screen, breaks no name in a table, squeezes no text in one, and has copy buttons in sight that cover no code', async () => {
    await read(name);
    expect(await phone.evaluate(WRONGS)).toEqual({
      isWiderThanScreen: false,
      brokenWords: [],
      withoutCopy: [],
      coveredByCopy: [],
      crampedTexts: [],
    });
  });
});

test('what goes on to the right of the screen fades there, until it was scrolled to its end', async () => {
  await read('sequences');
  await phone.locator('article p.more:has(> img)').waitFor();
  await phone.evaluate(`document.querySelector('p:has(> img)').scrollTo(10_000, 0)`);
  await phone.locator('article p:not(.more):has(> img)').waitFor();
});

test('the tables of the limits have their columns at the same places', async () => {
  await read('limits');
  const places = `[...document.querySelectorAll('tr > td:nth-child(2)')].map((cell) => Math.round(cell.getBoundingClientRect().left))`;
  expect(new Set((await phone.evaluate(places)) as number[]).size).toBe(1);
});
