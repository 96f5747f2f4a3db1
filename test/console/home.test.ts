import type { Route } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { consoleTabs } from '../support/console.ts';
import { axeProblems } from '../support/console-looks.ts';
import { row, title } from '../support/console-page.ts';
import { newPeople } from '../support/console-people.ts';
import { eventually } from '../support/eventually.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { sendMail } from '../support/sent-mail.ts';
import { must } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  ({ project } = await newPeople());
});

test('Home shows the numbers of the API in each period, what is on its way, and leads to what needs a look', async () => {
  const later = new Date(Date.now() + 86_400_000).toISOString();
  const campaign = {
    name: 'Spring news',
    template: 'receipt',
    subject: 'Spring',
    audience: { mode: 'tag', tag: 'spring' },
  };
  const addTagged = async (name: string) =>
    must(await project.api.post('/contacts', { email: project.address(name), tags: ['spring'] }), 200);
  await addTagged('early');
  const { campaignId } = (await project.api.post('/campaigns', { ...campaign, scheduleAt: later })).body;
  await addTagged('late');
  await project.api.post(`/campaigns/${campaignId}/pause`);
  const { page, open } = await tabs.open('/home', { key: project.key });
  const table = page.getByRole('table', { name: 'Emails sent' });
  for (const [label, period] of [
    ['24 hours', '24h'],
    ['30 days', '30d'],
    ['7 days', '7d'],
  ]) {
    await page
      .getByRole('radiogroup', { name: 'Period' })
      .getByText(label as string)
      .click();
    const { counts, totals } = must(await project.api.get(`/stats?period=${period}`), 200);
    await eventually(async () => (await table.getByRole('row').count()) === 1 + counts.length);
    const shown = (await table.getByRole('row').allInnerTexts()).slice(1).map((line) => line.split(/\s/).slice(-2).map(Number));
    expect(shown).toEqual(counts.map(({ sent, failed }: Record<string, number>) => [sent, failed]));
    expect(totals.sent).toBeGreaterThan(0);
    expect(await page.getByRole('definition').first().innerText()).toBe(`${totals.sent}`);
  }
  await page.getByRole('link', { name: 'Spring news', exact: true }).waitFor();
  // Whom it goes to is counted when it starts: not those who were there when it was made.
  const begins = `${new Date(later).getDate()} ${new Date(later).toLocaleString('en-GB', { month: 'short' })}`;
  await page.getByText(`To about 2 now, counted when it starts ${begins}`).waitFor();
  const { totals } = (await project.api.get('/stats?period=7d')).body;
  await page.getByRole('link', { name: 'Sent', exact: true }).click();
  await title(page, 'Sends').waitFor();
  await page.getByText(`${totals.sent} shown`).waitFor({ state: 'attached' });
  const item = { kind: 'domain_unverified', message: 'an operator verifies it', about: project.slug, count: null };
  const unverified = (route: Route) => route.fulfill({ json: { ok: true, items: [item] } });
  await page.route('**/attention', unverified);
  await open('/home');
  const way = page.getByRole('link', { name: `The domain of hello@${project.domain}, the sender of the brand` });
  expect(await way.getAttribute('href')).toMatch(new RegExp(`/domains\\?of=${project.domain}$`));
  await page.unroute('**/attention', unverified);
  await open('/home');
  // Nothing needs attention only while mails neither fail nor come back more often than large providers bear.
  const faring = (told: object) => page.route(/\/stats\?period=7d/, (route) => route.fulfill({ json: told }));
  const told = (await project.api.get('/stats?period=7d')).body;
  const nothing = (route: Route) => route.fulfill({ json: { ok: true, items: [] } });
  await page.route('**/attention', nothing);
  const well = { sent: 1_000, failed: 50, bounced: 20, complained: 1 };
  await faring({ ...told, totals: { ...told.totals, ...well } });
  await open('/home');
  await page.getByText('nothing is on hold, and few emails fail or bounce.').waitFor();
  await faring({ ...told, totals: { ...told.totals, ...well, failed: 250, bounced: 30 } });
  await open('/home');
  await page.getByRole('link', { name: '3 % of emails in the last 7 days bounced: 30 of 1,000' }).waitFor();
  await page.getByRole('link', { name: '20 % of emails in the last 7 days failed: 250 of 1,250' }).click();
  await title(page, 'Sends').waitFor();
  expect(new URL(page.url()).searchParams.get('status')).toBe('failed');
  // Of fewer mails than a reputation needs, those that bounced say nothing.
  await page.unroute(/\/stats\?period=7d/);
  await faring({ ...told, totals: { ...told.totals, ...well, sent: 99, failed: 0, bounced: 5, complained: 5 } });
  await open('/home');
  await page.getByText('nothing is on hold, and few emails fail or bounce.').waitFor();
  await page.unroute(/\/stats\?period=7d/);
  await faring({ ...told, totals: { ...told.totals, ...well, sent: 100, failed: 0, bounced: 5, complained: 5 } });
  await open('/home');
  await page.getByRole('link', { name: '5 % of emails in the last 7 days bounced: 5 of 100' }).waitFor();
  await page.getByRole('link', { name: '5 % of emails in the last 7 days were marked as spam: 5 of 100' }).waitFor();
  // What suppressed addresses do not get is no fault of the sending.
  await page.unroute(/\/stats\?period=7d/);
  await faring({ ...told, totals: { ...told.totals, ...well, failed: 250, withheld: 240 } });
  await open('/home');
  await page.getByText('240 to suppressed or unsubscribed addresses').waitFor();
  await page.getByText('nothing is on hold, and few emails fail or bounce.').waitFor();
  await page.unroute(/\/stats\?period=7d/);
  await page.unroute('**/attention', nothing);
  await open('/home');
  await page.getByRole('listitem').filter({ hasText: 'The campaign Spring news is paused' }).getByRole('link').click();
  await title(page, 'Spring news').waitFor();
  await page.getByRole('status').getByText('To about 2 now, counted when it starts').waitFor();
  await open('/campaigns');
  const listed = row(page, /^Spring news/);
  await listed.getByText('Not yet; about 2, counted when it starts').waitFor();
  await listed.getByText(new RegExp(`^${begins}.* \\d\\d:\\d\\d$`)).waitFor();
  expect(await listed.getByRole('progressbar').count()).toBe(0);
  // Without its segment it would find nobody: that is told while there is time.
  const { id: segmentId } = must(await project.api.post('/segments', { label: 'Spring', filter: { tags: ['spring'] } }), 201).segment;
  const variants = ['a', 'b'].map((key) => ({ key, subject: key }));
  const lost = { ...campaign, name: 'Lost news', audience: { mode: 'segment', segmentId }, variants, scheduleAt: later };
  const { campaignId: lostId } = must(await project.api.post('/campaigns', lost), 201);
  must(await project.api.delete(`/segments/${segmentId}`), 200);
  await open('/campaigns');
  await row(page, /^Lost news/)
    .getByText('Nobody (its segment was deleted)')
    .waitFor();
  await open('/home');
  await page.getByText('To nobody (its segment was deleted).').waitFor();
  await page
    .getByRole('listitem')
    .filter({ hasText: 'The segment that the campaign Lost news is scheduled for was deleted' })
    .getByRole('link')
    .click();
  await page.getByRole('alert').getByText('Cancel it, then duplicate it with another audience').waitFor();
  const promise = page.getByText('Results appear with the first open');
  await promise.waitFor();
  must(await project.api.post(`/campaigns/${lostId}/cancel`), 200);
  await page.reload();
  await page.getByText('No emails were sent.').first().waitFor();
  expect(await promise.count()).toBe(0);
});

test('the first steps say what Everpost is, check themselves off, and stay until they are hidden', async () => {
  const own = await newProject();
  const { page, open } = await tabs.open('/home', { key: own.key });
  const step = (label: string) => page.getByRole('listitem').filter({ hasText: label });
  const isDone = (label: string) => step(label).getByRole('img', { name: 'Done' }).waitFor();
  await page.getByText('Everpost sends the emails of your product').waitFor();
  await isDone('Set up a sender on a verified domain');
  await isDone('Verify the domain that you send from');
  await step('Add a contact').getByRole('img', { name: 'To do' }).waitFor();
  await page.getByText('2 of 7 done').waitFor();
  await page.getByText('senders are verified and nothing is on hold.').waitFor();
  expect(await page.getByText('few emails fail').count()).toBe(0);
  expect(await axeProblems(page)).toEqual([]);
  must(await own.api.post('/contacts', { email: own.address() }), 200);
  must(await own.api.put('/templates/receipt', { enabled: true }), 200);
  // In a trial no mail leaves: who looks for it is led to the mailbox.
  await page.route('**/api/v1/me', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), mailbox: 'http://localhost:1080' } });
  });
  await open('/home');
  expect(await page.getByRole('link', { name: 'local mailbox' }).getAttribute('href')).toBe('http://localhost:1080');
  // And its domain is nobody's to verify.
  expect(await step('Verify the domain that you send from').count()).toBe(0);
  await isDone('Add a contact');
  await isDone('Choose a template and turn it on');
  must(await own.api.post('/templates/receipt/test', { to: own.address(), data: { total: 1 } }), 200);
  await open('/home');
  await page.getByText('nothing is on hold, and few emails fail or bounce.').waitFor();
  expect(await page.getByText('endpoints accept').count()).toBe(0);
  // A test is no email that somebody waits for.
  await step('Send your first email').getByRole('img', { name: 'To do' }).waitFor();
  await sendMail(own);
  await open('/home');
  await page.getByText('nothing is on hold, and few emails fail or bounce.').waitFor();
  await isDone('Send your first email');
  await page.getByText('4 of 6 done').waitFor();
  const heading = page.getByRole('heading', { name: 'First steps' });
  await page.getByRole('button', { name: 'Hide first steps' }).click();
  await heading.waitFor({ state: 'hidden' });
  await open('/home');
  await page.getByText('Nothing needs attention').waitFor();
  expect(await heading.count()).toBe(0);
});

test('what the key may not read says which scope it lacks, and offers no other try', async () => {
  const { key } = await project.newKey(['suppressions:read']);
  const { page } = await tabs.open('/home', { key });
  for (const [part, scope] of [
    ['Running and scheduled campaigns', 'campaigns:read'],
    ['Emails', 'sends:read'],
    ['Contacts', 'contacts:read'],
  ] as const) {
    await page
      .locator('section', { has: page.getByRole('heading', { name: part, exact: true }) })
      .getByText(`Not shown: this key lacks the scope ${scope}.`)
      .waitFor();
  }
  expect(await page.getByRole('alert').count()).toBe(0);
  expect(await axeProblems(page)).toEqual([]);
});
