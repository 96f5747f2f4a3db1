import { parseArgs } from 'node:util';
import { Client } from 'pg';
import type { Browser, Page } from 'playwright-core';
import { buildConsole } from '../local/console-build.ts';
import { startBrowser } from '../test/support/browser.ts';
import { callApi } from './support/api-call.ts';
import { startBenchStack } from './support/bench-stack.ts';
import { clickUntil, goUntil, loadedBundle, namedBundle, pan, Samples, zoom } from './support/console-clicks.ts';
import { fillConsole, LARGE } from './support/console-filling.ts';
import { progress, report } from './support/report.ts';

/**
 * How long the lists of the console take over a large project, in a real browser, from the click to the rows, each with its searches and the filters
 * that it offers; how smoothly a large graph pans and zooms; and what the first page loads:
 * node bench/console.ts [--contacts 1000000] [--sends 5000000] [--templates 500] [--nodes 80] [--runs 100000] [--rounds 20]
 */
const { values } = parseArgs({
  options: {
    contacts: { type: 'string', default: '1000000' },
    sends: { type: 'string', default: '5000000' },
    templates: { type: 'string', default: '500' },
    nodes: { type: 'string', default: '80' },
    runs: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '20' },
  },
});
const { rounds, ...size } = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)])) as Record<
  keyof typeof values,
  number
>;

/** What the sentence "at size" promises. */
const GOALS = { p95Ms: 300, framesPerSecond: 50, firstPageKB: 200 } as const;

interface List {
  readonly section: string;
  /** The part of the page that is there when it has shown what it was opened for. */
  readonly shown: string;
  /** Searches and filters, as they stand in the address; `n` is another number in each round. */
  readonly filters: readonly ((n: number) => string)[];
}

const LISTS: readonly List[] = [
  { section: 'Home', shown: 'main dl dd span', filters: [() => 'period=24h', () => 'period=30d'] },
  {
    section: 'Contacts',
    shown: rowOf('Contacts'),
    filters: [
      (n) => `q=person-${4242 + n}`,
      (n) => `q=First${n}`,
      (n) => `q=person-${4241 + 4 * n}@gmail`,
      () => 'status=unsubscribed',
      (n) => `tag=group-${n}`,
      () => 'tag=few',
      () => 'tag=half',
      (n) => `tag=half&q=Last${n + 1}`,
    ],
  },
  {
    section: 'Sends',
    shown: rowOf('Sends'),
    filters: [
      (n) => `q=person-${4242 + n}`,
      (n) => `q=guest-person-${n}`,
      (n) => `q=id-${4242 + n}`,
      () => 'status=sent',
      () => 'status=failed',
      () => 'deliveryStatus=delivered',
      () => 'deliveryStatus=bounced',
      () => 'deliveryStatus=none',
      () => 'template=welcome',
      (n) => `template=template-${n}`,
      () => 'type=marketing',
      () => 'sourceType=api',
      () => `from=${day(-1)}`,
      () => `to=${day(0)}`,
    ],
  },
  {
    section: 'Templates',
    shown: rowOf('Templates'),
    filters: [(n) => `q=Template ${n + 1}`, () => 'type=transactional', () => 'enabled=yes'],
  },
  { section: 'Campaigns', shown: rowOf('Campaigns'), filters: [() => 'status=sent', () => 'status=cancelled'] },
  { section: 'Sequences', shown: rowOf('Sequences'), filters: [(n) => `q=Sequence ${n}`, () => 'status=draft'] },
  { section: 'Segments', shown: rowOf('Segments'), filters: [] },
  {
    section: 'Suppressions',
    shown: 'table[aria-label="Suppressions"] tbody tr button',
    filters: [(n) => `q=gone-${n + 1}`, () => 'reason=bounce'],
  },
  { section: 'Webhooks', shown: rowOf('Webhook endpoints'), filters: [] },
];

progress('building the console');
await buildConsole();
const stack = await startBenchStack({ progress });
const database = new Client({ connectionString: stack.databaseUrl });
const base = `${stack.apiUrl}/console`;
try {
  await database.connect();
  await fillConsole({ database, project: stack, progress }, stack, size);
  const browser = await startBrowser();
  try {
    const { page, bundle } = await firstPage(browser);
    const { contacts: some } = await callApi(stack, 'GET', '/contacts?q=person-4242');
    const canvas = await measureCanvas(page);
    const samples = new Samples();
    for (let round = 0; round < rounds; round++) {
      progress(`round ${round + 1} of ${rounds}`);
      await measureLists(page, samples, round);
      await measurePages(page, samples, some[0].id);
    }
    const worstFrames = Math.min(...Object.values(canvas).map(({ framesPerSecond }) => framesPerSecond));
    report('console', {
      goals: GOALS,
      reached: {
        p95Ms: samples.worstP95Ms() <= GOALS.p95Ms,
        framesPerSecond: worstFrames >= GOALS.framesPerSecond,
        firstPageKB: bundle.first.all <= GOALS.firstPageKB,
      },
      size,
      fromClickToRows: samples.report(),
      canvas,
      gzippedKB: bundle,
    });
  } finally {
    await browser.close();
  }
} finally {
  await database.end();
  await stack.stop();
}

function rowOf(label: string): string {
  return `table[aria-label="${label}"]:not([data-changing]) tbody tr a`;
}

/** As filters have it, so many days from today. */
function day(later: number): string {
  return new Date(Date.now() + later * 86_400_000).toISOString().slice(0, 10);
}

/** As a browser loads it that has nothing of the console: where somebody signs in, and then Home. */
async function firstPage(browser: Browser) {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })).newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(`${base}/home`);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  const first = await namedBundle(page, base);
  await page.goto('about:blank');
  await page.goto(`${base}/home#key=${stack.key}`);
  await page.getByRole('definition').getByText(/\d/).first().waitFor();
  return { page, bundle: { first, home: await loadedBundle(page) } };
}

/** The page is loaded anew for each round, so that no answer is one that is kept. */
async function measureLists(page: Page, samples: Samples, round: number): Promise<void> {
  await page.goto(`${base}/keys`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  for (const { section, shown, filters } of LISTS) {
    const path = `/${section.toLowerCase()}`;
    samples.add(section, await clickUntil(page, `nav a[href$="${path}"]`, shown));
    for (const filter of filters) {
      await page.waitForTimeout(100);
      const name = filter(0);
      samples.add(`${section}?${name}`, await goUntil(page, `/console${path}?${encodeURI(filter(round))}`, shown));
    }
  }
}

/** What a row of a list leads to. */
async function measurePages(page: Page, samples: Samples, contactId: string): Promise<void> {
  samples.add('a contact with its timeline', await goUntil(page, `/console/contacts/${contactId}`, 'main time'));
  samples.add('runs of a sequence', await goUntil(page, `/console/sequences/${LARGE}/runs`, rowOf('Runs')));
  samples.add('runs with failed steps', await goUntil(page, `/console/sequences/${LARGE}/runs?failedSteps=some`, rowOf('Runs')));
}

async function measureCanvas(page: Page) {
  progress('panning and zooming');
  await page.goto(`${base}/sequences/${LARGE}`);
  await page.locator('.react-flow__node').first().waitFor();
  await page.waitForLoadState('networkidle');
  const readable = { panning: await pan(page), zooming: await zoom(page) };
  await page.getByRole('button', { name: 'Fit to screen' }).click();
  await page.waitForTimeout(500);
  return { panning: readable.panning, zooming: readable.zooming, panningWhole: await pan(page), zoomingWhole: await zoom(page) };
}
