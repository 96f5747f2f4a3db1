import type { Page } from 'playwright-core';
import { percentile } from './report.ts';

/** Samples of many things by their names, in the order in which they came. */
export class Samples {
  readonly #of = new Map<string, number[]>();

  add(name: string, milliseconds: number): void {
    this.#of.set(name, [...(this.#of.get(name) ?? []), milliseconds]);
  }

  /** Those above the bar first. */
  report(): Readonly<Record<string, object>> {
    const all = [...this.#of].map(([name, samples]) => ({ name, samples, p95Ms: percentile(samples, 0.95) }));
    return Object.fromEntries(
      all
        .toSorted((a, b) => b.p95Ms - a.p95Ms)
        .map(({ name, samples, p95Ms }) => [
          name,
          { count: samples.length, p50Ms: percentile(samples, 0.5), p95Ms, maxMs: percentile(samples, 1) },
        ]),
    );
  }

  worstP95Ms(): number {
    return Math.max(...[...this.#of.values()].map((samples) => percentile(samples, 0.95)));
  }
}

const PATIENCE_MS = 30_000;

/** From what `begin` does in the page until `shown` is there, or a list is empty, and nothing is being read any more, painted, by the clock of the page. */
function until(page: Page, begin: string, shown: string): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve, reject) => {
    const shown = ${JSON.stringify(shown)};
    const started = performance.now();
    ${begin};
    const isEmpty = () => [...document.querySelectorAll('main [role="status"]')].some(({ textContent }) => textContent === 'Nothing found');
    const look = () => {
      const isThere = (document.querySelector(shown) || isEmpty()) && !document.querySelector('main [aria-busy="true"]');
      if (isThere) requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - started)));
      else if (performance.now() - started > ${PATIENCE_MS}) reject(new Error(shown + ' did not show at ' + location.href));
      else requestAnimationFrame(look);
    };
    // What the click changes is rendered by then.
    requestAnimationFrame(() => setTimeout(look));
  })`);
}

/** Clicks a link of the navigation. */
export function clickUntil(page: Page, link: string, shown: string): Promise<number> {
  return until(page, `document.querySelector(${JSON.stringify(link)}).click()`, shown);
}

/** Goes to an address of the console as a filter does that was chosen, or a row that was clicked, without loading the page anew. */
export function goUntil(page: Page, address: string, shown: string): Promise<number> {
  return until(page, `history.pushState(null, '', ${JSON.stringify(address)})`, shown);
}

/** What is dragged in one movement, and how many of them. */
const DRAG_PX = 6;
const MOVES = 120;
const WHEEL_PX = 40;

export interface Frames {
  readonly nodesDrawn: number;
  readonly framesPerSecond: number;
  readonly p95FrameMs: number;
  readonly longestFrameMs: number;
}

/** Drags the graph about. */
export async function pan(page: Page): Promise<Frames> {
  const box = (await page.locator('.react-flow__pane').boundingBox())!;
  return counted(page, async () => {
    await page.mouse.move(box.x + 20, box.y + box.height / 2);
    await page.mouse.down();
    for (let i = 1; i <= MOVES; i++) {
      const forth = i <= MOVES / 2 ? i : MOVES - i;
      await page.mouse.move(box.x + 20 + forth * DRAG_PX, box.y + box.height / 2 - forth * 2);
    }
    await page.mouse.up();
  });
}

/** Zooms in and out again, as by two fingers. */
export async function zoom(page: Page): Promise<Frames> {
  const box = (await page.locator('.react-flow__pane').boundingBox())!;
  return counted(page, async () => {
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.keyboard.down('Control');
    for (let i = 0; i < MOVES; i++) await page.mouse.wheel(0, i < MOVES / 2 ? -WHEEL_PX : WHEEL_PX);
    await page.keyboard.up('Control');
  });
}

/** Every frame that the page paints meanwhile is counted. */
async function counted(page: Page, move: () => Promise<void>): Promise<Frames> {
  const nodesDrawn = await page.locator('.react-flow__node').count();
  await page.evaluate(`(() => {
    const own = (globalThis.paints = []);
    const count = (at) => {
      own.push(at);
      if (own === paints) requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
  })()`);
  await move();
  const frames = await page.evaluate<number[]>('paints.splice(0)');
  const gaps = frames.slice(1).map((at, index) => at - frames[index]!);
  const seconds = (frames.at(-1)! - frames[0]!) / 1000;
  return {
    nodesDrawn,
    framesPerSecond: Number((gaps.length / seconds).toFixed(1)),
    p95FrameMs: percentile(gaps, 0.95),
    longestFrameMs: percentile(gaps, 1),
  };
}

/** By kind, in kB, compressed by gzip. */
export type Bundle = Readonly<Record<'js' | 'css' | 'all', number>>;

/** What has to be there before the first page stands, which asks for a key: what the document itself names. */
export async function namedBundle(page: Page, address: string): Promise<Bundle> {
  const html = await (await page.request.get(`${address}/`)).text();
  const named = [...html.matchAll(/"\.\/(assets\/[^"]+\.(?:js|css))"/g)].map(([, path]) => new URL(path as string, `${address}/`).href);
  if (named.length === 0) throw new Error(`the document at ${address}/ names no script`);
  return sizeOf(page, named);
}

/** All that was loaded until now. */
export async function loadedBundle(page: Page): Promise<Bundle> {
  return sizeOf(
    page,
    await page.evaluate<string[]>(
      `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => /\\/assets\\/.*\\.(js|css)$/.test(name))`,
    ),
  );
}

async function sizeOf(page: Page, urls: readonly string[]): Promise<Bundle> {
  const sizes = await Promise.all(
    [...new Set(urls)].map(async (url) => {
      const answer = await page.request.get(url, { headers: { 'accept-encoding': 'gzip' } });
      return { url, bytes: Number(answer.headers()['content-length']) };
    }),
  );
  const kB = (kind: RegExp): number =>
    Number((sizes.filter(({ url }) => kind.test(url)).reduce((sum, { bytes }) => sum + bytes, 0) / 1000).toFixed(1));
  return { js: kB(/\.js$/), css: kB(/\.css$/), all: kB(/./) };
}
