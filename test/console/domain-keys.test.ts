import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DkimKey } from '../../db/entities/index.ts';
import { PRESETS } from '../../domain/projects/scopes.ts';
import { txtStrings } from '../../platform/mail/dkim-key.ts';
import { consoleTabs, told } from '../support/console.ts';
import { axeProblems, showIn } from '../support/console-looks.ts';
import { dialog, title } from '../support/console-page.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { type NameServerDouble, nameServer, type ZoneRecords, zones } from '../support/name-server.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { must } from '../support/sequences.ts';

const HOST = 'mail.post.example';
/** Longer than an overlap. */
const LONG_AGO = new Date(Date.now() - 8 * 86_400_000);

let everpost: Everpost;
const tabs = consoleTabs(() => everpost.url);
/** What DNS has, by name. */
const names: Record<string, ZoneRecords> = {};
let dns: NameServerDouble;
let project: TestProject;
/** The domain of the test. */
let name: string;

beforeAll(async () => {
  dns = await nameServer((asked) => zones(names)(asked));
  everpost = await startEverpost({
    env: { DNS_SERVERS: dns.address, TRACKING_HOST: HOST, RETURN_PATH: `bounces@${HOST}` },
  });
});
afterAll(async () => {
  await everpost?.stop();
  dns?.close();
});
beforeEach(async () => {
  project = await newProject({ everpost });
  name = `${project.slug}-keys.example`;
});

interface ShownRecord {
  readonly purpose: string;
  readonly type: string;
  readonly name: string;
  readonly value: string;
  readonly action: string;
  readonly algorithm: string | null;
  readonly signs: boolean | null;
}
interface Shown {
  readonly id: string;
  readonly ed25519: boolean;
  readonly records: readonly ShownRecord[];
}

const publish = (records: readonly ShownRecord[]): void => {
  for (const { name: at, type, value } of records) names[at] = type === 'CNAME' ? { CNAME: value } : { TXT: [txtStrings(value)] };
};
const ask = async (id: string, call: 'verify' | 'rotate'): Promise<Shown> =>
  must(await project.api.post(`/domains/${id}/${call}`), 200).domain;
const current = async (id: string): Promise<Shown> => must(await project.api.get(`/domains/${id}`), 200).domain;
/** All is set but what nobody has to. */
const verified = async (part: object = {}): Promise<Shown> => {
  const shown: Shown = must(await project.api.post('/domains', { domain: name, ...part }), 201).domain;
  publish(shown.records.filter(({ type }) => type === 'TXT'));
  return ask(shown.id, 'verify');
};
const keysOf = ({ records }: Shown): readonly ShownRecord[] => records.filter(({ purpose }) => purpose === 'dkim');
const awaited = (shown: Shown): ShownRecord => keysOf(shown).find(({ action, signs }) => action === 'set' && !signs)!;

const record = (page: Page, label: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { level: 3, name: label, exact: true }) });
const says = (page: Page, label: string, words: string | RegExp) => record(page, label).getByText(words, { exact: true }).waitFor();
const checkNow = (page: Page) => page.getByRole('button', { name: 'Check now' }).click();
const ed25519Switch = (page: Page) => page.getByRole('switch', { name: 'Also sign with Ed25519' });

/** Wide and narrow, light and dark. */
async function looks(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    for (const scheme of ['dark', 'light'] as const) {
      await showIn(page, scheme);
      found.push(...(await axeProblems(page)));
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  }
  return found;
}

test('whoever rotates a key is told what to do, which key signs, which record is to be kept until when, and which can be removed', async () => {
  const { id, records } = await verified();
  const old = records.find(({ purpose }) => purpose === 'dkim')!;
  const { page } = await tabs.open(`/domains/${id}`, { key: project.key });
  await says(page, 'DKIM key', 'Signs now');
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Rotate DKIM key…' }).click();
  await dialog(page).getByText('The old key signs your email until the new record is found.').waitFor();
  await dialog(page).getByText('Keep the old record for 7 more days, then remove it.').waitFor();
  expect(await looks(page)).toEqual([]);
  await dialog(page).getByRole('button', { name: 'Make new key' }).click();
  await told(page, 'New DKIM key made. Set its record');
  await page.getByText('Record to set: New DKIM key').waitFor();
  await says(page, 'New DKIM key', 'Waits for its record');
  await says(page, 'DKIM key', 'Signs now');
  expect(
    await record(page, 'New DKIM key')
      .getByText(/Required|Signs now/)
      .count(),
  ).toBe(0);

  // The one that waits is the new one.
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Rotate DKIM key…' }).click();
  await dialog(page).getByRole('button', { name: 'Make new key' }).click();
  await told(page, 'A new DKIM key waits for its record already, so no other was made');
  await checkNow(page);
  await page.getByRole('status').getByText('Not found yet: New DKIM key. Everpost looks again by itself.', { exact: false }).waitFor();
  expect(await looks(page)).toEqual([]);

  const added = awaited(await current(id));
  publish([added]);
  await checkNow(page);
  await says(page, 'Old DKIM key', /^Keep until \d+ \w+/);
  await says(page, 'Old DKIM key', 'Found');
  await says(page, 'DKIM key', 'Signs now');
  await record(page, 'DKIM key').getByText(added.name, { exact: true }).waitFor();
  await record(page, 'Old DKIM key').getByText(old.name, { exact: true }).waitFor();
  await page.getByText('Record to set').waitFor({ state: 'hidden' });

  const ofOld = { domain_id: id, selector: old.name.split('.', 1)[0]! };
  // A look that is under way writes what it has read before.
  await eventually(async () => {
    await (await database(everpost.databaseUrl)).nativeUpdate(DkimKey, ofOld, { retired_at: LONG_AGO });
    return keysOf(await ask(id, 'verify')).some(({ action }) => action === 'remove');
  });
  await checkNow(page);
  const removable = page.getByRole('heading', { level: 2, name: 'Records that can be removed' });
  await removable.waitFor();
  await says(page, 'Old DKIM key', 'Can be removed');
  const words = await record(page, 'Old DKIM key').innerText();
  expect(words).not.toMatch(/Required|Recommended|Keep|Missing|Wrong|Value/);
  expect(await looks(page)).toEqual([]);
  delete names[old.name];
  await checkNow(page);
  await removable.waitFor({ state: 'hidden' });
});

test('whoever rotates a key whose record was taken away is asked for the new record, not to put the old one back', async () => {
  const { id, records } = await verified();
  const old = records.find(({ purpose }) => purpose === 'dkim')!;
  delete names[old.name];
  await ask(id, 'verify');
  await ask(id, 'rotate');
  const { page } = await tabs.open(`/domains/${id}`, { key: project.key });
  await page.getByRole('alert').getByText('DKIM key not found yet', { exact: true }).waitFor();
  await page.getByRole('alert').getByText('Set it. Email from', { exact: false }).waitFor();
  await says(page, 'Earlier DKIM key', old.name);
  await says(page, 'DKIM key', 'Required');
  expect(await looks(page)).toEqual([]);
});

test('Ed25519 is switched on, its key signs beside that of RSA once its record is found, and off, whereupon its record is to be kept', async () => {
  const { id } = await verified();
  const { page } = await tabs.open(`/domains/${id}`, { key: project.key });
  await page.getByText('Needs one more DNS record. Email is signed with RSA alone until it is found.').waitFor();
  // The input itself is not to be seen.
  await ed25519Switch(page).focus();
  await page.keyboard.press('Space');
  await told(page, 'Ed25519 is on. Set its record');
  await says(page, 'DKIM key (Ed25519)', 'Waits for its record');
  await eventually(async () => (await current(id)).ed25519);
  expect(await looks(page)).toEqual([]);
  publish([awaited(await current(id))]);
  await checkNow(page);
  await says(page, 'DKIM key (Ed25519)', 'Signs now');
  await says(page, 'DKIM key', 'Signs now');
  await ed25519Switch(page).focus();
  await page.keyboard.press('Space');
  await told(page, 'Ed25519 is off. Keep its record for 7 days');
  await says(page, 'Old DKIM key (Ed25519)', /^Keep until/);
  await expect.poll(() => ed25519Switch(page).isChecked()).toBe(false);
});

test('hosts of the domain are optional records: no warning where they are not set, and one where they lead elsewhere', async () => {
  const { id, records } = await verified();
  const { page } = await tabs.open(`/domains/${id}`, { key: project.key });
  for (const label of ['Tracking host', 'Return path']) {
    await says(page, label, 'Optional');
    await says(page, label, 'Not set');
    await record(page, label).getByText('CNAME', { exact: true }).waitFor();
    expect(await record(page, label).getByText('There is no CNAME yet', { exact: false }).count()).toBe(0);
  }
  await checkNow(page);
  await page.getByRole('status').getByText('Email can be sent from this domain.', { exact: true }).waitFor();
  names[`track.${name}`] = { CNAME: 'elsewhere.example' };
  publish(records.filter(({ purpose }) => purpose === 'return_path'));
  await checkNow(page);
  await says(page, 'Return path', 'Found');
  await says(page, 'Tracking host', `It leads to elsewhere.example; it should lead to ${HOST}.`);
});

test('a new key that waits for its record is on Home, which leads to the record', async () => {
  const { id } = await verified();
  const at = awaited(await ask(id, 'rotate')).name;
  const { page } = await tabs.open('/home', { key: project.key });
  await page.getByRole('link', { name: `A new DKIM key of ${name} waits for its record at ${at}`, exact: true }).click();
  await title(page, name).waitFor();
  await says(page, 'New DKIM key', at);
});

test('a key that reads domains sees how email is signed, and is told which scope changes it', async () => {
  const { id } = await verified({ ed25519: true });
  const { key } = await project.newKey([...PRESETS.viewer]);
  const { page } = await tabs.open(`/domains/${id}`, { key });
  await page.getByText('This key can read domains; changing them needs domains:write.').waitFor();
  await page.getByText('With RSA, and with Ed25519 once its record is found').waitFor();
  expect(await ed25519Switch(page).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'More actions' }).count()).toBe(0);
});
