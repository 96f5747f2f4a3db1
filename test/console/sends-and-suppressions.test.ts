import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { changeProject } from '../../usecases/projects/change-project.ts';
import { newCampaign } from '../support/campaigns.ts';
import { consoleTabs } from '../support/console.ts';
import { addressIn, row } from '../support/console-page.ts';
import { newPeople } from '../support/console-people.ts';
import { eventually } from '../support/eventually.ts';
import { REJECTED } from '../support/failed-mails.ts';
import { png, uploadImage } from '../support/images.ts';
import { scriptMail } from '../support/mail.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;
/** Who is subscribed and got a mail. */
let ada: string;

beforeAll(async () => {
  ({ project, ada } = await newPeople());
});

test('sends are filtered, and one shows its life and leads to its contact', async () => {
  const { page } = await tabs.open('/sends?status=failed', { key: project.key });
  await page.getByText('No matching send').waitFor();
  await page.getByRole('combobox', { name: 'Status' }).click();
  await page.getByRole('option', { name: 'No reports yet' }).click();
  await row(page, /^ada-/).waitFor();
  expect(new URL(page.url()).search).toBe('?deliveryStatus=none');
  await page.getByLabel('To', { exact: true }).fill('2026-01-31');
  await page.getByText('No matching send').waitFor();
  await page.getByLabel('To', { exact: true }).fill('');
  await page.getByLabel('From', { exact: true }).fill('2026-01-31');
  await row(page, /^ada-/).waitFor();
  await page.getByRole('button', { name: 'Clear' }).click();
  await row(page, /^ada-/).getByRole('link').click();
  await page.getByText('Accepted by the provider').waitFor();
  await page.getByRole('button', { name: 'Show email' }).click();
  await page.frameLocator('iframe').getByText('Thank you for your order').waitFor();
  // It runs no script, whatever the mail has.
  expect(await page.locator('iframe').getAttribute('sandbox')).toBe('allow-same-origin');
  // Its links lead nowhere, so that the key Tab does not go through them, and stays in the dialog.
  expect(await page.frameLocator('iframe').locator('a[href]').count()).toBe(0);
  for (let tabs = 0; tabs < 3; tabs++) {
    await page.keyboard.press('Tab');
    expect(await page.evaluate(`document.activeElement.closest('[role="dialog"]') !== null && document.activeElement.tagName`)).toBe(
      'BUTTON',
    );
  }
  await page.keyboard.press('Escape');
  for (const publish of [false, true]) {
    must(await project.api.put('/templates/receipt/content', { content: { blocks: [{ type: 'text', text: 'Thanks' }] }, publish }), 200);
  }
  await page.getByRole('button', { name: 'Show email' }).click();
  await page.getByText('Rendered again with version 1 of the template').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: /^ada-/ }).click();
  await page.getByRole('listitem').filter({ hasText: 'Event signed_up' }).waitFor();
});

test('a stored email shows pictures that were uploaded here, by this host, and asks no other host for one', async () => {
  const own = await newProject();
  const uploaded = must(await uploadImage(own, png(64, 64)), 201);
  const blocks = [
    { type: 'image', src: uploaded.url, alt: 'The shop' },
    { type: 'image', src: 'https://pictures.example/shop.png', alt: 'From elsewhere' },
  ];
  must(await own.api.put('/templates/receipt/content', { content: { blocks }, publish: true }), 200);
  must(await own.api.put('/templates/receipt', { enabled: true }), 200);
  const to = own.address('reader');
  must(await own.api.post('/send', { template: 'receipt', to, data: {} }), 200);
  const { page } = await tabs.open(`/sends?q=${encodeURIComponent(to)}`, { key: own.key });
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).host));
  await row(page, /^reader/)
    .getByRole('link')
    .click();
  await page.getByRole('button', { name: 'Show email' }).click();
  const mail = page.frameLocator('iframe');
  await mail.getByText('From elsewhere').waitFor();
  const picture = mail.getByRole('img', { name: 'The shop' });
  await eventually(() => picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth === 64));
  expect(new Set(asked)).toEqual(new Set([new URL(page.url()).host]));
});

test('an email whose call brought the content says so, and offers neither to show it nor to send it again', async () => {
  const email = project.address('own');
  const call = { to: email, html: '<p>Own</p>', subject: 'Of its own', type: 'transactional' };
  must(await project.api.post('/contacts', { email }), 200);
  must(await project.api.post('/send', call), 200);
  await scriptMail(email, REJECTED);
  expect((await project.api.post('/send', call)).status).toBe(422);
  const { page } = await tabs.open(`/sends?q=${encodeURIComponent(email)}`, { key: project.key });
  for (const [nth, words] of [
    [1, 'Accepted by the provider'],
    [0, 'Not sent'],
  ] as const) {
    const mail = row(page, new RegExp(email)).nth(nth);
    await mail.getByText('content of the call').waitFor();
    await mail.getByRole('link').click();
    await page.getByText(words).first().waitFor();
    await page.getByText('None. The request included its own content').waitFor();
    expect(await page.getByRole('button', { name: /Show email|Resend/ }).count()).toBe(0);
    await page.goBack();
  }
});

test('an email names its files, and saves one as it was', async () => {
  const to = project.address('files');
  const bytes = Buffer.from('%PDF-1.4\n%%EOF\n');
  const long = `${'Bericht über alles '.repeat(8)}.pdf`;
  const attachments = [
    { filename: long, content: bytes.toString('base64') },
    { filename: 'Rechnung März.pdf', content: bytes.toString('base64') },
    { filename: 'logo.gif', content: 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', contentId: 'logo' },
  ];
  must(await project.api.post('/send', { template: 'receipt', to, attachments }), 200);
  const { page } = await tabs.open(`/sends?q=${encodeURIComponent(to)}`, { key: project.key });
  await row(page, /^files/)
    .getByRole('link')
    .click();
  await page.getByText('application/pdf, 15 bytes').first().waitFor();
  await page.getByText('image/gif, 42 bytes, shown in the email').waitFor();
  // A name of several lines stands beside the first of them.
  const [fact, file] = [page.getByText('Attachments', { exact: true }), page.getByRole('button', { name: `Download ${long}` })];
  const [top, of] = [(await fact.boundingBox())!, (await file.boundingBox())!];
  expect(of.height).toBeGreaterThan(2 * top.height);
  expect(Math.abs(of.y - top.y)).toBeLessThan(top.height / 2);
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download Rechnung März.pdf' }).click();
  const saved = await saving;
  expect(saved.suggestedFilename()).toBe('Rechnung März.pdf');
  expect(await readFile(await saved.path())).toEqual(bytes);
});

test('an email with copies says of each report whom it is about, and who was left out for good', async () => {
  const of = (part: string) => `${part}+${project.slug}-copies@everpost.test`;
  const [to, bounces, never] = [of('delivered'), of('bounced'), of('suppressed')];
  const { id } = must(await project.api.post('/send', { template: 'receipt', to, cc: [bounces], bcc: [never] }), 200);
  await eventually(async () => (await project.api.get(`/sends/${id}`)).body.send.events.length === 2);
  const { page, open } = await tabs.open(`/sends/${id}`, { key: project.key });
  await page.getByText(`to ${to}, whose status this is, with 2 copies`).waitFor();
  for (const [words, whom] of [
    ["Delivered to the recipient's server", to],
    ['Bounced', bounces],
  ] as const) {
    await page.getByRole('listitem').filter({ hasText: words }).getByText(whom).waitFor();
  }
  await page.getByText(`${never}: This test address acts as a suppressed one and never gets email`).waitFor();
  expect((await project.api.post('/send', { template: 'receipt', to: never })).status).toBe(422);
  await open(`/sends?status=failed&q=${encodeURIComponent(never)}`);
  await row(page, never).getByRole('link').click();
  await page.getByRole('alert').getByText('never gets email').waitFor();
  expect(await page.getByRole('link', { name: 'View it there' }).count()).toBe(0);
});

test('what never left is marked, filtered and told; Home says of a sandbox that nothing leaves, and of a test key what it is', async () => {
  const to = `delivered+${project.slug}@everpost.test`;
  must(await project.api.post('/send', { template: 'receipt', to }), 200);
  const { page, open } = await tabs.open('/sends', { key: project.key });
  await row(page, to).getByText('Sandboxed').waitFor();
  await page.getByRole('combobox', { name: 'Sandbox' }).click();
  await page.getByRole('option', { name: 'Not sandboxed' }).click();
  await row(page, to).waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Clear' }).click();
  await row(page, to).getByRole('link').click();
  await page.getByText('Sandboxed: accepted but not delivered').waitFor();
  await page.getByText('Sandboxed', { exact: true }).waitFor();
  const { key, api: tester } = await project.newKey(['*'], true);
  await enableTemplates(project, 'newsletter');
  const scheduleAt = new Date(Date.now() + 86_400_000).toISOString();
  await newCampaign({ api: tester }, { audience: { mode: 'tag', tag: 'vip' }, scheduleAt });
  await open('/campaigns');
  await row(page, 'Scheduled').getByText('Sandboxed').waitFor();
  must(await tester.post('/send', { template: 'receipt', contactId: ada }), 200);
  await open(`/contacts/${ada}`);
  await page.getByRole('listitem').filter({ hasText: 'Sandboxed' }).first().waitFor();
  const tested = await tabs.open('/home', { key });
  await tested.page.getByRole('alert').getByText('Signed in with a test key').waitFor();
  await tested.open('/keys');
  await row(tested.page, 'ep_test_').getByText('Test', { exact: true }).waitFor();
  await changeProject(await database(), project.id, { sandbox: true });
  await open('/home');
  await page.getByRole('alert').getByText('Sandbox: nothing is delivered').waitFor();
  await changeProject(await database(), project.id, { sandbox: false });
});

test('suppressions are read by pages, found, added, told when they are no address, and removed', async () => {
  const others = Array.from({ length: 55 }, (_, at) => ({ email: project.address(`quiet${at}`), reason: 'manual' }));
  await Promise.all(others.map((one) => project.api.post('/suppressions', one)));
  const { page } = await tabs.open('/suppressions', { key: project.key });
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('button', { name: 'Previous' }).click();
  await eventually(async () => (await page.getByRole('button', { name: /^Remove / }).count()) === 50);
  await page.getByLabel('Search addresses').fill('quiet33');
  await eventually(async () => (await page.getByRole('button', { name: /^Remove / }).count()) === 1);
  await page.getByRole('button', { name: 'Clear' }).click();
  const email = project.address('blocked');
  await page.getByRole('button', { name: 'Suppress address' }).click();
  await addressIn(page).fill('nobody@localhost');
  await page.getByRole('dialog').getByRole('button', { name: 'Suppress' }).click();
  await page.getByRole('alert').getByText('not a valid address').waitFor();
  await addressIn(page).fill(email);
  await page.getByRole('dialog').getByRole('button', { name: 'Suppress' }).click();
  await row(page, email).waitFor();
  await page.getByRole('button', { name: `Remove ${email}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await row(page, email).waitFor({ state: 'hidden' });
  expect((await project.api.get('/suppressions')).body.suppressions.map((one: { email: string }) => one.email)).not.toContain(email);
});
