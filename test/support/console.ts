import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContext, Locator, Page, Route } from 'playwright-core';
import { testEnvironment } from './environment.ts';
import { eventually } from './eventually.ts';

/** A busy machine takes its time. */
const WAIT_MS = 30_000;

/** In the page: each violation of its policy goes to its console. */
const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error(['policy:', event.effectiveDirective, event.blockedURI, event.sourceFile, event.lineNumber].join(' ')))`;

/** In the page: what it says in a corner for some seconds is kept, since a busy machine may look too late. */
const KEEP_TOLD = `window.told = [];
new MutationObserver((changes) => {
  for (const { addedNodes } of changes)
    for (const node of addedNodes)
      if (node.matches?.('.mantine-Notification-root')) window.told.push(node.innerText.trim());
}).observe(document, { childList: true, subtree: true });`;

/** Waits until a page says this in a corner, whether it stands there still. What was waited for once has to be said again. */
export async function told(page: Page, message: string | RegExp): Promise<void> {
  const wanted = typeof message === 'string' ? `text === ${JSON.stringify(message)}` : `${message}.test(text)`;
  const taken = `(() => {
    const at = window.told.findIndex((text) => ${wanted});
    return at >= 0 && window.told.splice(at, 1).length > 0;
  })()`;
  await eventually(() => page.evaluate<boolean>(taken)).catch(async () => {
    throw new Error(`the page did not say ${message}, but ${await page.evaluate<string>('JSON.stringify(window.told)')}`);
  });
}

export interface Tab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Opens a page below /console. */
  open(path: string): Promise<void>;
}

export interface TabOptions {
  /** In the address, as in the link that `npm start` prints. */
  readonly key?: string;
  readonly width?: number;
}

/** Tabs of one browser; what none of them may ever do is kept. */
export interface Tabs {
  open(path: string, options?: TabOptions): Promise<Tab>;
  /** Violations of the page's policy, errors that nobody caught, and requests to other hosts. */
  readonly wrongs: readonly string[];
  close(): Promise<void>;
}

export function tabsOf(browser: Browser): Tabs {
  const contexts: BrowserContext[] = [];
  const wrongs: string[] = [];
  const { apiUrl } = testEnvironment();
  return {
    wrongs,
    async open(path, { key, width = 1280 } = {}) {
      const context = await browser.newContext({ viewport: { width, height: 900 }, reducedMotion: 'reduce' });
      contexts.push(context);
      context.setDefaultTimeout(WAIT_MS);
      await context.addInitScript(REPORT_VIOLATIONS);
      await context.addInitScript(KEEP_TOLD);
      const page = await context.newPage();
      page.on('console', (message) => {
        if (/^policy:|Content Security Policy/.test(message.text())) wrongs.push(message.text());
      });
      page.on('pageerror', (error) => wrongs.push(`${page.url()}: ${error.message}`));
      page.on('request', (request) => {
        const url = request.url();
        if (!url.startsWith(`${apiUrl}/`) && !url.startsWith('data:')) wrongs.push(`request to ${url}`);
      });
      const open = async (to: string): Promise<void> => void (await page.goto(`${apiUrl}/console${to}`));
      await open(key === undefined ? path : `${path}#key=${key}`);
      return { page, context, open };
    },
    async close() {
      for (const context of contexts.splice(0)) await context.close();
    },
  };
}

/** What the page says of a call that got no answer; the latter as soon as any other call, like one for a preview, has got one. */
export const LOST = /^(No connection to Everpost|The connection was lost for a moment)$/;

/** Each way in which a call can fail, with what the page has to say then. */
const FAILURES: readonly { readonly told: string | RegExp; readonly answer: (route: Route) => Promise<void> }[] = [
  { told: LOST, answer: (route) => route.abort() },
  {
    told: 'Everpost could not answer',
    answer: (route) => route.fulfill({ status: 503, json: { ok: false, error: 'busy', code: 'unavailable' } }),
  },
  {
    told: 'That was not accepted',
    answer: (route) => route.fulfill({ status: 422, json: { ok: false, error: 'no', code: 'invalid_request' } }),
  },
];

/** What a form does when its call fails in each of the ways: `submit` is called for each, and the input has to keep what was typed. */
export async function keepsInputWhenRefused(
  page: Page,
  {
    method,
    url,
    submit,
    input,
  }: { readonly method: string; readonly url: RegExp; readonly submit: () => Promise<void>; readonly input: Locator },
): Promise<void> {
  const typed = await input.inputValue();
  for (const { told, answer } of FAILURES) {
    const failing = (route: Route) => (route.request().method() === method ? answer(route) : route.continue());
    await page.route(url, failing);
    await submit();
    await page.getByRole('alert').getByText(told).first().waitFor();
    await page.unroute(url, failing);
    const kept = await input.inputValue();
    if (kept !== typed) throw new Error(`after "${told}" the input has ${JSON.stringify(kept)}, not ${JSON.stringify(typed)}`);
  }
}

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
