import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, expect } from 'vitest';
import { startBrowser } from './browser.ts';
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
  /** In a context of its own: for what changes the connection or the clock. */
  readonly isAlone?: boolean;
  /** Where its clock stands, in a context of its own. */
  readonly timezone?: string;
}

export interface Tabs {
  /** The first of a test is the page of its file, as if it were new; any other has a context of its own, which ends with the test. */
  open(path: string, options?: TabOptions): Promise<Tab>;
  /** Violations of a page's policy, errors that nobody caught, and requests to other hosts, until the test has ended. */
  readonly wrongs: string[];
}

const LISTENED = ['request', 'response', 'dialog'] as const;

let browser: Promise<Browser> | undefined;

/** One for all files that this process runs; it ends with the process. */
function sharedBrowser(): Promise<Browser> {
  browser ??= startBrowser();
  return browser;
}

/**
 * The console in a browser, for the test file that calls this. Its tests share one page, which takes half the time of a new one to load; what
 * a test leaves in it is taken away. A test in which the page did one of the `wrongs` fails. `urlOf`: of the API that serves it, where the file has
 * one of its own.
 */
export function consoleTabs(urlOf = () => testEnvironment().apiUrl): Tabs {
  const wrongs: string[] = [];
  const others: BrowserContext[] = [];
  let shared: Page | undefined;
  let isTaken = false;

  const ofTest = async (isAlone: boolean, timezone?: string): Promise<Page> => {
    if (isAlone || isTaken || timezone !== undefined) {
      const page = await newPage(wrongs, urlOf(), timezone);
      others.push(page.context());
      return page;
    }
    isTaken = true;
    shared ??= await newPage(wrongs, urlOf());
    return shared;
  };

  afterEach(async ({ task }) => {
    for (const context of others.splice(0)) await context.close();
    if (shared && isTaken) {
      const isReusable = task.result?.state !== 'fail' && (await leave(shared, urlOf()));
      if (!isReusable) await shared.context().close();
      if (!isReusable) shared = undefined;
    }
    isTaken = false;
    expect(wrongs.splice(0)).toEqual([]);
  });
  afterAll(() => shared?.context().close());

  return {
    wrongs,
    async open(path, { key, width = 1280, isAlone = false, timezone } = {}) {
      const page = await ofTest(isAlone, timezone);
      await page.setViewportSize({ width, height: 900 });
      const open = async (to: string): Promise<void> => void (await page.goto(`${urlOf()}/console${to}`));
      if (key === undefined) await open(path);
      else await Promise.all([signInAnswered(page), open(`${path}#key=${key}`)]);
      return { page, context: page.context(), open };
    },
  };
}

/** A test that goes to another address before has a page that asks for the key. */
function signInAnswered(page: Page): Promise<unknown> {
  return page.waitForResponse((answer) => answer.request().method() === 'POST' && answer.url().endsWith('/console/session'));
}

async function newPage(wrongs: string[], url: string, timezoneId?: string): Promise<Page> {
  const context = await (await sharedBrowser()).newContext({ reducedMotion: 'reduce', ...(timezoneId && { timezoneId }) });
  context.setDefaultTimeout(WAIT_MS);
  await context.addInitScript(REPORT_VIOLATIONS);
  await context.addInitScript(KEEP_TOLD);
  context.on('console', (message) => {
    if (/^policy:|Content Security Policy/.test(message.text())) wrongs.push(message.text());
  });
  context.on('weberror', (error) => wrongs.push(`${error.page()?.url()}: ${error.error().message}`));
  context.on('request', (request) => {
    const asked = request.url();
    if (!asked.startsWith(`${url}/`) && !asked.startsWith('data:')) wrongs.push(`request to ${asked}`);
  });
  return context.newPage();
}

/** Makes a page like a new one again; answers whether it is. */
async function leave(page: Page, url: string): Promise<boolean> {
  try {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    for (const event of LISTENED) page.removeAllListeners(event);
    // A page of the same origin that stores nothing, not even when it is left.
    await page.goto(`${url}/api/v1/health`);
    await page.evaluate('sessionStorage.clear(), localStorage.clear()');
    await page.context().clearCookies();
    await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' });
    await page.mouse.move(0, 0);
    return true;
  } catch {
    return false;
  }
}
