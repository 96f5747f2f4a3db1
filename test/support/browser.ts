import { existsSync } from 'node:fs';
import bundled from '@sparticuz/chromium';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';

/** Where systems put it. */
const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
/** The tests run as root in containers, where Chromium's own sandbox does not start. */
const ARGS = ['--no-sandbox', '--disable-dev-shm-usage', '--font-render-hinting=none'];

/** A browser without a window: the one that a package brings (for Linux), else one that is installed. Throws with what is missing. */
export function startBrowser(): Promise<Browser> {
  return started((executablePath) => chromium.launch({ executablePath, args: ARGS, headless: true }));
}

/** The same with what it keeps in this folder, where it stays when the browser ends. */
export function startBrowserOn(profile: string): Promise<BrowserContext> {
  return started((executablePath) => chromium.launchPersistentContext(profile, { executablePath, args: ARGS, headless: true }));
}

async function started<T>(launch: (executablePath: string) => Promise<T>): Promise<T> {
  const problems: string[] = [];
  for (const executable of [bundledBrowser, ...INSTALLED.filter((path) => existsSync(path))]) {
    try {
      const executablePath = typeof executable === 'string' ? executable : await executable();
      return await launch(executablePath);
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  throw new Error(`no Chromium starts here; install one ("apt-get install chromium", or Google Chrome on a Mac):\n${problems.join('\n')}`);
}

/** Unpacks what the package brings, where there is one for this system: once a machine, and before several files might do it at once. */
export async function unpackBrowser(): Promise<void> {
  await bundledBrowser().catch(() => undefined);
}

async function bundledBrowser(): Promise<string> {
  if (process.platform !== 'linux') throw new Error(`the package @sparticuz/chromium has none for ${process.platform}`);
  return bundled.executablePath();
}
