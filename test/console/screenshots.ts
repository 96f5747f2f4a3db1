import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { startBrowser } from '../support/browser.ts';

/**
 * Pictures of every page of a running console, wide and narrow, light and dark, for people to look at:
 * `npm run console:screenshots -- <the link that npm start prints> [folder]`.
 */
const [link = '', folder = '.everpost/screenshots'] = process.argv.slice(2);
const key = new URL(link).hash.replace('#key=', '');
const base = link.replace(/#.*/, '');
const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];
/** Of what is shown only while something is read. */
const SETTLED_MS = 400;

/** The first of a list, so that there is a page of one thing. */
async function first(path: string, list = path, name = 'id'): Promise<string> {
  const response = await fetch(new URL(`../api/v1/${path}`, `${base}/`), { headers: { authorization: `Bearer ${key}` } });
  const body = (await response.json()) as Readonly<Record<string, unknown>>;
  return (body[list] as Readonly<Record<string, string>>[] | undefined)?.[0]?.[name] ?? 'none';
}

/** The first sequence that has a run, with it; else the first. */
async function sequenceWithRun(): Promise<{ readonly sequence: string; readonly run: string }> {
  const response = await fetch(new URL('../api/v1/sequences', `${base}/`), { headers: { authorization: `Bearer ${key}` } });
  const { sequences } = (await response.json()) as { readonly sequences: readonly { readonly key: string }[] };
  for (const { key: sequence } of sequences) {
    const run = await first(`sequences/${sequence}/enrollments`, 'enrollments');
    if (run !== 'none') return { sequence, run };
  }
  return { sequence: sequences[0]?.key ?? 'none', run: 'none' };
}

const { sequence, run } = await sequenceWithRun();

const pages = {
  home: '/home',
  contacts: '/contacts',
  contact: `/contacts/${await first('contacts')}`,
  'edit-contact': `/contacts/${await first('contacts')}/edit`,
  'new-contact': '/contacts/new',
  imports: '/contacts/imports',
  'new-import': '/contacts/imports/new',
  sends: '/sends',
  send: `/sends/${await first('sends')}`,
  templates: '/templates',
  template: `/templates/${await first('templates', 'templates', 'key')}`,
  'new-template': '/templates/~new',
  campaigns: '/campaigns',
  'recurring-campaigns': '/recurring-campaigns',
  'new-recurring-campaign': '/recurring-campaigns/new',
  campaign: `/campaigns/${await first('campaigns')}`,
  'new-campaign': '/campaigns/new',
  segments: '/segments',
  segment: `/segments/${await first('segments')}`,
  'new-segment': '/segments/new',
  suppressions: '/suppressions',
  sequences: '/sequences',
  'ready-sequences': '/sequences?starter=all',
  'ready-sequence': '/sequences?starter=trial',
  sequence: `/sequences/${sequence}`,
  'edit-sequence': `/sequences/${sequence}/edit`,
  simulate: `/sequences/${sequence}/simulate`,
  runs: `/sequences/${sequence}/runs`,
  versions: `/sequences/${sequence}/versions`,
  run: `/sequences/${sequence}/runs/${run}`,
  webhooks: '/webhooks',
  webhook: `/webhooks/${await first('webhooks')}`,
  domains: '/domains',
  domain: `/domains/${await first('domains')}`,
  keys: '/keys',
  brands: '/brands',
};

await mkdir(folder, { recursive: true });
const browser = await startBrowser();
for (const viewport of SIZES) {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' });
    const page = await context.newPage();
    const picture = async (name: string): Promise<void> => {
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      await page.waitForTimeout(SETTLED_MS);
      await page.screenshot({ path: join(folder, `${name}-${viewport.width}-${colorScheme}.png`) });
    };
    const openedDelivery = async (): Promise<void> => {
      const delivery = page.getByRole('list', { name: 'Deliveries' }).getByRole('button').first();
      if ((await delivery.count()) === 0) return;
      await delivery.click();
      await picture('delivery');
    };
    const openedMenu = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Navigation', exact: true }).click();
      await picture('menu');
    };
    await page.goto(base);
    await picture('sign-in');
    await page.goto(`${base}/home#key=${key}`);
    await page.reload();
    for (const [name, path] of Object.entries(pages)) {
      await page.goto(base + path);
      await picture(name);
      if (name === 'webhook') await openedDelivery();
      if (name === 'home' && viewport.width < 768) await openedMenu();
    }
    await context.close();
  }
}
await browser.close();
process.stdout.write(`${resolve(folder)}\n`);
