import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { PRESETS } from '../../domain/projects/scopes.ts';
import { txtStrings } from '../../platform/mail/dkim-key.ts';
import { consoleTabs, told } from '../support/console.ts';
import { axeProblemsInBoth } from '../support/console-looks.ts';
import { choose, dialog, hasFocus, row, title } from '../support/console-page.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { CODES, type NameServerDouble, nameServer, type ZoneRecords, zones } from '../support/name-server.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';

let everpost: Everpost;
const tabs = consoleTabs(() => everpost.url);
/** What DNS has, by name, unless its servers fail. */
const names: Record<string, ZoneRecords> = {};
let areFailing = false;
let dns: NameServerDouble;
let project: TestProject;
/** The domain of the test, below one that an operator vouches for. */
let name: string;

beforeAll(async () => {
  dns = await nameServer((asked) => (areFailing ? { flags: CODES.SERVFAIL } : zones(names)(asked)));
  everpost = await startEverpost({ env: { DNS_SERVERS: dns.address, SPF_INCLUDE: '_spf.post.example' } });
});
afterAll(async () => {
  await everpost?.stop();
  dns?.close();
});
beforeEach(async () => {
  areFailing = false;
  project = await newProject({ everpost });
  name = `${project.slug}-mail.example`;
});

interface Shown {
  readonly id: string;
  readonly records: readonly { readonly purpose: string; readonly name: string; readonly value: string }[];
}

const added = async (domain = name): Promise<Shown> => must(await project.api.post('/domains', { domain }), 201).domain;
const publish = ({ records }: Shown): void => {
  for (const record of records) names[record.name] = { TXT: [txtStrings(record.value)] };
};
const verified = async (domain = name): Promise<Shown> => {
  const shown = await added(domain);
  publish(shown);
  must(await project.api.post(`/domains/${shown.id}/verify`), 200);
  return shown;
};

const record = (page: Page, label: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { level: 3, name: label, exact: true }) });
const checkNow = (page: Page) => page.getByRole('button', { name: 'Check now' }).click();
const answered = (page: Page, words: string) => page.getByRole('status').getByText(words, { exact: true }).waitFor();

test('a domain is added by Ctrl+K, its records are copied to DNS, and what stands there is told until it is verified', async () => {
  const { page } = await tabs.open('/home', { key: project.key });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await title(page, 'Home').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Go to' }).getByRole('combobox').fill('add domain');
  await page.getByRole('option', { name: 'Add domain' }).waitFor();
  await page.keyboard.press('Enter');
  const input = dialog(page).getByRole('textbox', { name: 'Domain' });
  await hasFocus(input);
  await page.keyboard.press('Enter');
  await dialog(page).getByText('Enter a domain').waitFor();
  expect(await axeProblemsInBoth(page)).toEqual([]);
  await input.fill('no domain');
  await page.keyboard.press('Enter');
  await dialog(page).getByText('Not a domain like example.com').first().waitFor();
  // As people have it at hand.
  await input.fill(`hello@Mail.${name}`);
  await page.keyboard.press('Enter');
  await title(page, `mail.${name}`).waitFor();
  await page.getByText('Set these records to send from this domain').waitFor();
  const { domains } = must(await project.api.get('/domains'), 200);
  const { id } = domains.find(({ domain }: { domain: string }) => domain === `mail.${name}`);
  const shown: Shown = must(await project.api.get(`/domains/${id}`), 200).domain;

  const copied = async (what: string): Promise<string> => {
    await page.getByRole('button', { name: `Copy ${what}`, exact: true }).click();
    return page.evaluate<string>('navigator.clipboard.readText()');
  };
  expect(await copied('name of Ownership')).toBe('_everpost.mail');
  expect(await copied('full name of Ownership')).toBe(`_everpost.mail.${name}`);
  await choose(page, 'DNS zone', `mail.${name}`);
  await record(page, 'Ownership').getByText('_everpost', { exact: true }).waitFor();
  expect(await copied('name of SPF')).toBe('@');
  expect(await copied('value of DKIM key')).toBe(shown.records.find(({ purpose }) => purpose === 'dkim')?.value);

  const [ownership, ...others] = shown.records;
  names[ownership!.name] = { TXT: ['everpost-verification=of-somebody-else'] };
  names[`mail.${name}`] = { TXT: ['v=spf1 include:_spf.elsewhere.example ~all'] };
  await checkNow(page);
  await answered(page, 'Not found as it should be: Ownership and DKIM key');
  await record(page, 'Ownership').getByText('Wrong', { exact: true }).waitFor();
  await record(page, 'Ownership').getByText('everpost-verification=of-somebody-else').waitFor();
  await record(page, 'DKIM key').getByText('Missing', { exact: true }).waitFor();
  await record(page, 'SPF').getByText('The SPF record lacks include:_spf.post.example; add it before all.').waitFor();
  await page.getByText('Next check').waitFor();
  expect(await axeProblemsInBoth(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 900 });
  expect(await axeProblemsInBoth(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await page.setViewportSize({ width: 1280, height: 900 });

  publish({ id, records: [ownership!, ...others.filter(({ purpose }) => purpose !== 'dmarc')] });
  await checkNow(page);
  await answered(page, 'All required records are there');
  await answered(page, 'Email can be sent from this domain. DMARC would help your email to arrive.');
  await title(page, `mail.${name}`).locator('..').getByText('Verified', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Domains' }).first().click();
  await row(page, `mail.${name}`).getByText('Verified', { exact: true }).waitFor();
  await row(page, project.domain).getByText('by an operator').waitFor();
});

test('a domain that Everpost finds verified by itself is shown so without a click', async () => {
  const shown = await added();
  const { page } = await tabs.open(`/domains/${shown.id}`, { key: project.key });
  await page.getByText('Set these records to send from this domain').waitFor();
  publish(shown);
  must(await project.api.post(`/domains/${shown.id}/verify`), 200);
  await record(page, 'DKIM key').getByText('Found', { exact: true }).waitFor();
  await page.getByText('Set these records to send from this domain').waitFor({ state: 'hidden' });
});

test('an outage of DNS is told as such, and what was found stays', async () => {
  const { id } = await verified();
  const { page } = await tabs.open(`/domains/${id}`, { key: project.key });
  await record(page, 'DKIM key').getByText('Found', { exact: true }).waitFor();
  areFailing = true;
  await checkNow(page);
  await answered(page, 'DNS did not answer for Ownership, DKIM key, SPF and DMARC');
  await record(page, 'DKIM key').getByText('DNS did not answer the last time', { exact: false }).waitFor();
  await record(page, 'DKIM key').getByText('Found', { exact: true }).waitFor();
  await title(page, name).locator('..').getByText('Verified', { exact: true }).waitFor();
});

test('a domain that has lost a record is on Home, and its page says until when email is sent from it', async () => {
  const { id, records } = await verified();
  delete names[records.find(({ purpose }) => purpose === 'dkim')!.name];
  const { failing_since } = must(await project.api.post(`/domains/${id}/verify`), 200).domain;
  const { page } = await tabs.open('/home', { key: project.key });
  await page
    .getByRole('link', { name: `DNS records that verify ${name} are missing or wrong (DKIM); email from it is refused once` })
    .click();
  await title(page, name).waitFor();
  await page.getByRole('alert').getByText('DKIM key was there and is not any more').waitFor();
  const until = await page.evaluate<string>(
    `(() => { const at = new Date(${Date.parse(failing_since) + 72 * 3_600_000}); const pad = (n) => String(n).padStart(2, '0');
      return pad(at.getHours()) + ':' + pad(at.getMinutes()); })()`,
  );
  await page.getByRole('alert').getByText(`${until} and refused afterwards`).waitFor();
  expect(await axeProblemsInBoth(page)).toEqual([]);
});

test('whoever removes a domain is told what is refused then, and types its name', async () => {
  const { id } = await verified();
  must(await project.api.put(`/brands/${project.slug}`, { from: { email: `hello@${name}` } }), 200);
  const { page, open } = await tabs.open(`/domains/${id}`, { key: project.key });
  const ask = async (): Promise<void> => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Remove domain…' }).click();
  };
  await ask();
  await dialog(page).getByText('is refused from then on').waitFor();
  await dialog(page).getByText(`That is the mail of hello@${name}.`).waitFor();
  await dialog(page).getByText('Its DKIM keys are deleted').waitFor();
  const remove = dialog(page).getByRole('button', { name: 'Remove domain' });
  await expect.poll(() => remove.isDisabled()).toBe(true);
  await dialog(page).getByRole('textbox').fill(name);
  await remove.click();
  await told(page, `${name} removed`);
  await row(page, project.domain).waitFor();
  await row(page, name).waitFor({ state: 'hidden' });
  must(await project.api.get(`/domains/${id}`), 404);
  // Below one that is verified nothing is lost.
  const below = await added(`sub.${project.domain}`);
  await open(`/domains/${below.id}`);
  await title(page, `sub.${project.domain}`).waitFor();
  await ask();
  await dialog(page).getByText('is not verified, so nothing is sent from it now').waitFor();
});

test('of a domain that is covered by one above it is said that its addresses go on sending', async () => {
  const { id } = await verified(`sub.${project.domain}`);
  const { page } = await tabs.open(`/domains/${id}`, { key: project.key });
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Remove domain…' }).click();
  await dialog(page).getByText(`go on sending, since ${project.domain} is verified`).waitFor();
  await dialog(page).getByRole('button', { name: 'Remove domain' }).click();
  await told(page, `sub.${project.domain} removed`);
});

test('a domain that an operator vouches for says so, and gets records of its own when somebody asks', async () => {
  const { domains } = must(await project.api.get('/domains'), 200);
  const { page } = await tabs.open(`/domains/${domains[0].id}`, { key: project.key });
  await page.getByText('Verified by whoever runs Everpost').waitFor();
  expect(await page.getByRole('button', { name: 'Check now' }).count()).toBe(0);
  expect(await axeProblemsInBoth(page)).toEqual([]);
  await page.getByRole('button', { name: 'Get DNS records' }).click();
  await record(page, 'DKIM key').waitFor();
  await page.getByText('is sent whatever DNS says. Set the records below as well').waitFor();
  await page.getByRole('button', { name: 'Check now' }).waitFor();
});

test('a key that reads domains sees their records and is told which scope changes them', async () => {
  const { id } = await added();
  const { key } = await project.newKey([...PRESETS.viewer]);
  const { page, open } = await tabs.open(`/domains/${id}`, { key });
  await page.getByText('This key can read domains; changing them needs domains:write.').waitFor();
  await record(page, 'DKIM key').waitFor();
  expect(await page.getByRole('button', { name: /^(Check now|More actions|Get DNS)/ }).count()).toBe(0);
  await open('/domains?add=1');
  await page.getByText('This key can read domains; adding them needs domains:write.').waitFor();
  expect(await dialog(page).count()).toBe(0);
});

test('a sender on a domain that is not verified leads to it from Home, its brand and an email that was refused', async () => {
  await enableTemplates(project, 'receipt');
  const sendAt = new Date(Date.now() + 86_400_000).toISOString();
  const mail = { template: 'receipt', to: project.address(), data: { total: '1' } };
  const { id: sendId } = must(await project.api.post('/send', { ...mail, sendAt }), 202);
  const { domains } = must(await project.api.get('/domains'), 200);
  must(await project.api.delete(`/domains/${domains[0].id}`), 200);
  must(await project.api.call('PATCH', `/sends/${sendId}`, { sendAt: new Date().toISOString() }), 200);
  await eventually(async () => (await project.api.get(`/sends/${sendId}`)).body.send.status === 'failed');

  const { page, open } = await tabs.open(`/sends/${sendId}`, { key: project.key });
  await page.getByText(`The sender cannot send: hello@${project.domain} is not on a verified sending domain`).first().waitFor();
  await page.getByRole('link', { name: `Verify ${project.domain}` }).click();
  const input = dialog(page).getByRole('textbox', { name: 'Domain' });
  await eventually(async () => (await input.inputValue()) === project.domain);
  await open('/home');
  await page
    .getByRole('listitem')
    .filter({ hasText: 'Verify the domain that you send from' })
    .getByRole('img', { name: 'To do' })
    .waitFor();
  await page.getByRole('link', { name: `The domain of hello@${project.domain}, the sender of the brand` }).click();
  await eventually(async () => (await input.inputValue()) === project.domain);
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'hidden' });
  expect(new URL(page.url()).search).toBe('');
  // Added, but not verified: the way leads to what it lacks.
  await added(project.domain);
  await open('/brands');
  await row(page, project.slug).getByRole('link', { name: 'Not verified' }).click();
  await title(page, project.domain).waitFor();
  await record(page, 'Ownership').waitFor();
  await open('/templates/receipt');
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Settings…' }).click();
  await dialog(page).getByRole('textbox', { name: 'From address' }).fill('a@elsewhere.example');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await dialog(page).getByRole('link', { name: 'Verify elsewhere.example' }).waitFor();
});
