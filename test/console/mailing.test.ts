import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startBrowser } from '../support/browser.ts';
import { campaignEnds } from '../support/campaigns.ts';
import { axeProblems, keepsInputWhenRefused, LOST, showIn, type Tabs, tabsOf, told } from '../support/console.ts';
import { eventually } from '../support/eventually.ts';
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts';
import { mailCount, mailTo } from '../support/mail.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must, newContact } from '../support/sequences.ts';
import { createEndpoint, deliveriesSettle } from '../support/webhook-endpoints.ts';

let browser: Browser;
let tabs: Tabs;
let project: TestProject;
let receiver: HttpReceiver;

// Many steps, each with its own patience.

beforeAll(async () => {
  [browser, receiver] = await Promise.all([startBrowser(), startHttpReceiver()]);
  tabs = tabsOf(browser);
  project = await newProject();
  await enableTemplates(project, 'announcement');
  const people = [
    ...['ada', 'grace', 'linus'].map((name) => ({ email: project.address(name), tags: ['news'] })),
    { email: project.address('gone'), tags: ['news'], status: 'unsubscribed' },
  ];
  must(await project.api.post('/contacts', people), 200);
});

afterEach(() => tabs.close());

afterAll(async () => {
  await Promise.all([browser?.close(), receiver?.close()]);
});

const title = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });
const dialog = (page: Page) => page.getByRole('dialog');
const lastOfPath = (page: Page) => new URL(page.url()).pathname.split('/').at(-1) as string;

interface Arm {
  readonly key: string;
  readonly sent_count: number;
}

async function writeCampaign(page: Page, name: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Template' }).click();
  await page.getByRole('option', { name: 'announcement' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
}

describe('a campaign', () => {
  test('is written for a counted audience with variants, sent once though the first answer is lost, and followed to its end', async () => {
    const { page, open } = await tabs.open('/campaigns', { key: project.key });
    await page.getByRole('link', { name: 'New campaign' }).click();
    await writeCampaign(page, 'Spring news');
    await page.getByText('Tag', { exact: true }).click();
    await page.getByRole('button', { name: 'Send now…' }).click();
    await page.getByText('Fill in the tag').waitFor();
    expect(await dialog(page).count()).toBe(0);
    await page.getByRole('textbox', { name: 'Tag' }).fill('news');
    await page.getByText('contacts; 1 more unsubscribed or bounced').waitFor();
    await page.getByRole('textbox', { name: 'headline' }).fill('Spring is here');
    await page.frameLocator('iframe').getByText('Spring is here').waitFor();
    // A list has a row for each item.
    const highlights = page.getByRole('group', { name: 'highlights', exact: true });
    const row = (number: number) => highlights.getByRole('textbox', { name: `highlights, row ${number}` });
    for (const [index, words] of ['Bees', 'Birds', 'Buds'].entries()) {
      await highlights.getByRole('button', { name: 'Add row' }).click();
      await eventually(() => row(index + 1).evaluate((input) => input.ownerDocument.activeElement === input));
      await page.keyboard.type(words);
    }
    await highlights.getByRole('button', { name: 'Move row 3 up' }).click();
    await highlights.getByRole('button', { name: 'Remove row 1' }).click();
    expect([await row(1).inputValue(), await row(2).inputValue(), await row(3).count()]).toEqual(['Buds', 'Birds', 0]);
    await page.frameLocator('iframe').getByText('Buds').waitFor();
    await page.getByRole('textbox', { name: 'Subject', exact: true }).fill('News: {{ headline }}');
    await page.getByText('News: Spring is here').waitFor();
    await page.getByRole('button', { name: 'Test subjects' }).click();
    const same = page.getByText('Variants a, b have the same subject');
    await same.waitFor();
    await page.getByRole('group', { name: 'Variant 2' }).getByLabel('Subject').fill('Short');
    await same.waitFor({ state: 'hidden' });
    await page.getByRole('combobox', { name: 'Variant' }).click();
    await page.getByRole('option', { name: 'b: Short' }).click();
    await page.getByText('Short', { exact: true }).waitFor();
    // A test mail is the campaign's, whatever draft of the template there is.
    await page.getByRole('button', { name: 'Send test mail…' }).click();
    await dialog(page).getByRole('combobox', { name: 'Variant' }).click();
    await page.getByRole('option', { name: 'b: Short' }).click();
    const tester = project.address('tester-of-campaign');
    await dialog(page).getByRole('textbox', { name: 'To' }).fill(tester);
    const asked = page.waitForRequest(/\/test$/);
    await dialog(page).getByRole('button', { name: 'Send test mail' }).click();
    expect((await asked).postDataJSON()).toMatchObject({ version: 'published' });
    await told(page, `A test mail is on its way to ${tester}`);
    const [tested] = await mailTo(tester, (messages) => messages.length === 1);
    expect([/^Subject: (.*)\r$/m.exec(tested!.raw)?.[1], tested!.raw.includes('Spring is here')]).toEqual(['Short', true]);
    // A begin that is past is said at its field, and nothing is asked.
    await page.getByText('Later', { exact: true }).click();
    await page.getByLabel('Begins').fill('2020-01-31T09:00');
    await page.getByRole('button', { name: 'Schedule…' }).click();
    await page.getByText('This is past').waitFor();
    expect(await dialog(page).count()).toBe(0);
    await page.getByText('Now', { exact: true }).click();

    let lost = 0;
    await page.route('**/api/v1/campaigns', async (route) => {
      if (route.request().method() !== 'POST' || lost > 0) return route.continue();
      lost += 1;
      await route.fetch();
      return route.abort();
    });
    await page.getByRole('button', { name: 'Send now…' }).click();
    await dialog(page).getByRole('button', { name: 'Send now' }).click();
    await dialog(page).getByText(LOST).waitFor();
    await dialog(page).getByRole('button', { name: 'Send now' }).click();
    await told(page, 'On its way to 3 of 4 who match');
    await title(page, 'Spring news').waitFor();
    await page.getByText('3 of 3 recipients').waitFor();
    await page.getByText('Completed', { exact: true }).first().waitFor();
    await page.getByRole('row', { name: /^b Short/ }).waitFor();
    // As it was written: no two people need to get the same.
    await page.getByRole('definition').getByText('By variant, else: News: {{ headline }}', { exact: true }).waitFor();
    await page.getByText('News: Spring is here', { exact: true }).first().waitFor();
    await page.getByRole('heading', { name: 'Data given' }).waitFor();
    await page.getByRole('button', { name: /^Show mail: .*, to ada-/ }).click();
    await dialog(page).frameLocator('iframe').getByText('Spring is here').waitFor();
    await page.keyboard.press('Escape');
    const { campaigns } = (await project.api.get('/campaigns')).body;
    expect(campaigns).toHaveLength(1);
    const { data } = must(await project.api.get(`/campaigns/${campaigns[0].id}`), 200).campaign;
    expect(data).toEqual({ headline: 'Spring is here', highlights: ['Buds', 'Birds'] });
    expect(campaigns[0]).toMatchObject({
      name: 'Spring news',
      status: 'sent',
      sent_count: 3,
      variants: [{ key: 'a' }, { key: 'b', subject: 'Short' }],
    });
    const [, { key, sent_count }] = campaigns[0].variants.toSorted((one: Arm, other: Arm) => one.sent_count - other.sent_count);
    await page.getByRole('link', { name: `Sends of variant ${key}` }).click();
    await title(page, 'Sends').waitFor();
    await page.getByText(`${sent_count} shown`).waitFor({ state: 'attached' });
    await page.goBack();
    await page.getByRole('link', { name: 'Sent', exact: true }).click();
    await page.getByText('3 shown').waitFor({ state: 'attached' });
    await eventually(async () => (await page.getByRole('cell').getByRole('link', { name: 'Spring news', exact: true }).count()) === 3);
    await page.goBack();
    await page.frameLocator('iframe[title="The mail for a sample contact"]').getByText('Spring is here').waitFor();
    await page.getByRole('combobox', { name: 'Variant' }).click();
    await page.getByRole('option', { name: 'b: Short' }).click();
    await page.getByRole('heading', { name: 'Mail', exact: true }).locator('xpath=../..').getByText('Short', { exact: true }).waitFor();

    await page.getByRole('link', { name: 'Duplicate' }).click();
    await page.getByText('contacts; 1 more unsubscribed or bounced').waitFor();
    const typed = (name: string) => page.getByRole('textbox', { name, exact: true }).first().inputValue();
    expect([await typed('Name'), await typed('Subject'), await typed('headline'), await typed('Tag')]).toEqual([
      'Spring news (copy)',
      'News: {{ headline }}',
      'Spring is here',
      'news',
    ]);
    expect(await page.getByRole('group', { name: 'Variant 2' }).getByLabel('Subject').inputValue()).toBe('Short');
    expect(await page.getByRole('combobox', { name: 'Template' }).inputValue()).toContain('announcement');

    // Of a list the addresses are there too, for keys that may read them; the others are told why not.
    const { contacts } = must(await project.api.get('/contacts?tag=news&status=subscribed'), 200);
    await open(`/contacts/${contacts[0].id}`);
    await page.getByRole('link', { name: 'the campaign Spring news' }).waitFor();
    const emails = contacts.map(({ email }: { email: string }) => email).sort();
    const scheduleAt = new Date(Date.now() + 86_400_000).toISOString();
    const people = { template: 'announcement', audience: { mode: 'people', emails }, scheduleAt };
    const { campaignId } = must(await project.api.post('/campaigns', people), 201);
    await open(`/campaigns/new?from=${campaignId}`);
    expect(await page.getByRole('textbox', { name: 'Emails' }).inputValue()).toBe(emails.join('\n'));
    const writer = await project.newKey(['campaigns:write']);
    const other = await tabs.open(`/campaigns/new?from=${campaignId}`, { key: writer.key });
    await other.page.getByRole('status').getByText('this key lacks the scope contacts:read').waitFor();
    expect(await other.page.getByRole('textbox', { name: 'Emails' }).inputValue()).toBe('');
    must(await project.api.post(`/campaigns/${campaignId}/cancel`), 200);
  });

  test('counts a segment by what the segment says, and tells what is refused at its field', async () => {
    const filter = { tags: ['news'], status: ['unsubscribed', 'subscribed'] };
    must(await project.api.post('/segments', { label: 'Readers', filter }), 201);
    must(await project.api.post('/contacts', { email: project.address('no-reader') }), 200);
    const { page } = await tabs.open('/campaigns/new', { key: project.key });
    await page.getByRole('status').getByText('4', { exact: true }).waitFor();
    await writeCampaign(page, 'Refused');
    await page.getByText('Segment', { exact: true }).click();
    await page.getByRole('combobox', { name: 'Segment' }).click();
    await page.getByRole('option', { name: 'Readers' }).click();
    await page.getByRole('status').getByText('3', { exact: true }).waitFor();
    await page.getByText('contacts; 1 more unsubscribed or bounced').waitFor();
    const subject = page.getByRole('textbox', { name: 'Subject', exact: true });
    await subject.fill('{% if %}');
    await page.getByRole('button', { name: 'Send now…' }).click();
    await dialog(page).getByText('Segment Readers', { exact: true }).waitFor();
    await dialog(page).getByText('3 contacts; 1 more unsubscribed or bounced').waitFor();
    await dialog(page).getByRole('button', { name: 'Send now' }).click();
    await dialog(page).getByRole('alert').waitFor();
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await page.locator('[aria-invalid="true"]').waitFor();
    expect(await subject.getAttribute('aria-invalid')).toBe('true');
    await subject.fill('Mended');
    await page.locator('[aria-invalid="true"]').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Send now…' }).click();
    await dialog(page).getByRole('button', { name: 'Send now' }).click();
    await page.getByRole('definition').getByRole('link', { name: 'Segment Readers' }).click();
    await title(page, 'Readers').waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Campaigns' }).first().click();
    await page.getByRole('row', { name: /^Refused announcement · Segment Readers / }).waitFor();
  });

  test('keeps what was written when it is refused, is paused, resumed, and cancelled with the count of those who never get it; its data is read once', async () => {
    const { page } = await tabs.open('/campaigns/new', { key: project.key });
    const reads: string[] = [];
    page.on('response', (response) => {
      // One that could not be answered is asked for again.
      if (response.ok()) reads.push(/\/campaigns\/[-0-9a-f]{36}(.*)$/.exec(response.url())?.[1] ?? 'other');
    });
    await writeCampaign(page, 'Slow news');
    await page.getByText('People', { exact: true }).click();
    await page.getByRole('textbox', { name: 'Emails' }).fill('nobody@localhost');
    await page.getByRole('button', { name: 'Send now…' }).click();
    await dialog(page).getByRole('button', { name: 'Send now' }).click();
    await dialog(page).getByRole('alert').waitFor();
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByRole('textbox', { name: 'Emails' }).inputValue()).toBe('nobody@localhost');
    await page
      .getByRole('textbox', { name: 'Emails' })
      .fill(Array.from({ length: 200 }, (_, at) => project.address(`slow${at}`)).join('\n'));
    const rate = page.getByRole('textbox', { name: 'Mails a second at most' });
    await rate.fill('0.5');
    await page.getByText('A whole number from 1 to 10,000').waitFor();
    await page.getByRole('button', { name: 'Send now…' }).click();
    await eventually(() => rate.evaluate((input) => input === input.ownerDocument.activeElement));
    expect([await rate.inputValue(), await dialog(page).count()]).toEqual(['0.5', 0]);
    await rate.fill('1');
    await page.getByRole('button', { name: 'Send now…' }).click();
    await dialog(page).getByRole('button', { name: 'Send now' }).click();
    await title(page, 'Slow news').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused: nothing goes out until it is resumed').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.getByRole('button', { name: 'Cancel campaign…' }).click();
    const answer = page.waitForResponse('**/cancel', { timeout: 30_000 });
    await dialog(page).getByRole('button', { name: 'Cancel campaign' }).click();
    const { cancelledJobs } = await (await answer).json();
    expect(cancelledJobs).toBeGreaterThan(0);
    await page.getByText(`${cancelledJobs} recipients do not get it`).waitFor();
    const { campaign } = must(await project.api.get(`/campaigns/${lastOfPath(page)}`), 200);
    expect(campaign.sent_count + campaign.cancelled_count).toBe(200);
    await page.getByRole('status').getByText(`${campaign.sent_count} of 200 sent, ${campaign.cancelled_count} cancelled`).waitFor();
    await page.getByRole('button', { name: 'Pause' }).waitFor({ state: 'hidden' });
    await page.getByText('Cancelled just now').waitFor();
    await page.getByRole('definition').getByText('200 people', { exact: true }).waitFor();
    expect(reads.filter((read) => read === '')).toHaveLength(1);
    expect(reads.filter((read) => read === '/progress').length).toBeGreaterThan(1);
    await page.getByRole('link', { name: 'Campaigns' }).first().click();
    const row = page.getByRole('row', { name: /^Slow news/ });
    await row.locator(`time[datetime="${campaign.cancelled_at}"]`).waitFor();
  });

  test('for people counts addresses, also as mail programs copy them, and names what is none before it asks', async () => {
    const { page } = await tabs.open('/campaigns/new', { key: project.key });
    await writeCampaign(page, 'For a few');
    await page.getByText('People', { exact: true }).click();
    const emails = page.getByRole('textbox', { name: 'Emails' });
    const [ada, jo] = [project.address('ada'), project.address('jo')];
    await emails.fill(`${ada}, ${ada} Ada Lovelace <${ada}>; "Doe, Jo" <${jo}>\nnotanaddress`);
    await page.getByRole('status').getByText('addresses; 1 more is none').waitFor();
    await page.getByText('Who has unsubscribed, bounced or is suppressed is left out when it is sent.').waitFor();
    await page.getByRole('button', { name: 'Send now…' }).click();
    await page.getByText('notanaddress: no address').waitFor();
    expect(await dialog(page).count()).toBe(0);
    await emails.fill(`${ada}\n"Doe, Jo" <${jo}>`);
    await page.getByRole('button', { name: 'Send now…' }).click();
    await dialog(page).getByRole('definition').getByText('2 people', { exact: true }).waitFor();
    await dialog(page).getByText('who has unsubscribed, bounced or is suppressed').waitFor();
  });

  test('whose every mail failed says that nobody got it, and why, also where such a mail is shown', async () => {
    const other = await newProject();
    await enableTemplates(other, 'password-reset');
    const people = { mode: 'people', emails: [other.address('one'), other.address('two')] };
    const campaign = { name: 'Lacks its link', template: 'password-reset', audience: people };
    const { campaignId } = must(await other.api.post('/campaigns', campaign), 201);
    await campaignEnds(other, campaignId);
    const { page } = await tabs.open(`/campaigns/${campaignId}`, { key: other.key });
    await page.getByText('Sent to nobody').waitFor();
    const why = /^The template needs data that was not given: .*resetUrl/;
    await eventually(async () => (await page.getByText(why).count()) === 2);
    await page.getByRole('button', { name: /^Show mail: .*, to one/ }).click();
    await dialog(page).getByRole('alert').getByText(why).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Campaigns' }).first().click();
    await page.getByRole('row', { name: /^Lacks its link.*Sent to nobody/ }).waitFor();
  });

  test('is not offered to be written by a key that may not', async () => {
    const { key } = await project.newKey([]);
    const { page } = await tabs.open('/campaigns', { key });
    await page.getByRole('row', { name: /Spring news/ }).waitFor();
    expect(await page.getByRole('link', { name: 'New campaign' }).count()).toBe(0);
  });
});

describe('a webhook endpoint', () => {
  test('is added with its secret shown once, pinged, changed, rotated, disabled and deleted', async () => {
    const { page } = await tabs.open('/webhooks', { key: project.key });
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await page.getByLabel('URL').fill('ftp://example.com');
    await dialog(page).getByRole('button', { name: 'Add endpoint' }).click();
    await dialog(page).getByRole('alert').waitFor();
    await page.getByLabel('URL').fill(`${receiver.url}/made`);
    await page.getByLabel('Only some').click();
    await page.getByRole('checkbox', { name: 'contact.subscribed' }).check();
    await dialog(page).getByRole('button', { name: 'Add endpoint' }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await title(page, `${receiver.url}/made`).waitFor();
    expect(await page.getByText(/whsec_/).count()).toBe(0);

    receiver.answer('/made', 500);
    await page.getByRole('button', { name: 'Ping' }).click();
    await page.getByText('The endpoint answered 500.').waitFor();
    await page.getByRole('button', { name: 'Ping' }).click();
    await page.getByText('The ping was taken').waitFor();

    await page.getByRole('button', { name: 'Edit…' }).click();
    await page.getByRole('checkbox', { name: 'email.bounced' }).check();
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await told(page, 'The endpoint is changed');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Rotate secret' }).click();
    await dialog(page).getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    await dialog(page).getByRole('button', { name: 'Disable' }).click();
    await told(page, 'The endpoint is disabled');
    const id = lastOfPath(page);
    const stored = async () => must(await project.api.get('/webhooks'), 200).webhooks.find((one: { id: string }) => one.id === id);
    expect(await stored()).toMatchObject({ enabled: false, events: ['contact.subscribed', 'email.bounced'] });

    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete endpoint' }).click();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await title(page, 'Webhooks').waitFor();
    expect(await stored()).toBeUndefined();
  });

  test('shows every attempt of a delivery that failed, and tries it again', async () => {
    const { id } = await createEndpoint(project, `${receiver.url}/failing`, { events: ['contact.subscribed'] });
    receiver.answer('/failing', 500, 501, 502, 503, 500, 501);
    await project.api.post('/contacts', { email: project.address('told') });
    await deliveriesSettle(project, id, 1);
    const { page } = await tabs.open(`/webhooks/${id}`, { key: project.key });
    await page.getByText('0 of 1 taken').waitFor();
    await page.getByText('Failing', { exact: true }).waitFor();
    await page.getByText('answers 501', { exact: true }).waitFor();
    await page.getByRole('button', { name: /contact\.subscribed.*Failed/ }).click();
    const attempts = page.getByRole('table', { name: 'Attempts' });
    await attempts.waitFor();
    expect(await attempts.getByRole('row').count()).toBe(1 + 6);
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('button', { name: /contact\.subscribed.*Delivered/ }).waitFor();
    await attempts.getByRole('row', { name: /^1 of retry 1 200/ }).waitFor();
    await eventually(() => receiver.calls('/failing').length === 7);
    await page.getByText('Failing', { exact: true }).waitFor({ state: 'hidden' });

    // Mended before the next attempt is due: one by itself, and all at once.
    const inAnHour = { status: 503, headers: { 'retry-after': '3600' } };
    receiver.answer('/failing', inAnHour, inAnHour, inAnHour);
    await project.api.post(
      '/contacts',
      ['one', 'two', 'three'].map((name) => ({ email: project.address(name) })),
    );
    // What has settled is read again seldom.
    await page.reload();
    const waiting = page.getByRole('button', { name: /contact\.subscribed.*answered 503.*Retrying/ });
    await eventually(async () => (await waiting.count()) === 3);
    const delivered = page.getByRole('button', { name: /contact\.subscribed.*Delivered/ });
    await waiting.first().click();
    await page.getByRole('button', { name: 'Try now' }).click();
    await page.getByText('Its next attempt is made now').waitFor();
    await eventually(async () => (await delivered.count()) === 2);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Try waiting deliveries now' }).click();
    await dialog(page).getByRole('button', { name: 'Try now' }).click();
    await told(page, '2 deliveries are tried now');
    await eventually(async () => (await delivered.count()) === 4);

    // Found by each filter of the API, which is kept in the address; a day is the reader's own, as a whole.
    const [{ id: wanted }] = must(await project.api.get(`/webhooks/${id}/deliveries?limit=1`), 200).deliveries;
    await page.getByRole('textbox', { name: 'Search deliveries' }).fill(wanted);
    await eventually(async () => (await delivered.count()) === 1 && page.url().includes(`q=${wanted}`));
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await eventually(async () => (await delivered.count()) === 4);
    await page.getByRole('combobox', { name: 'Event type' }).click();
    expect(await page.getByRole('option').allInnerTexts()).toEqual(['contact.subscribed']);
    await page.getByRole('option', { name: 'contact.subscribed' }).click();
    const { deliveries: made } = must(await project.api.get(`/webhooks/${id}/deliveries`), 200);
    // From the day of the first of them on, which may be yesterday by now.
    const [firstDay, today, begin, end] = await page.evaluate<[string, string, string, string]>(`(() => {
      const first = new Date(${JSON.stringify(made.at(-1).created_at)});
      const now = new Date();
      const days = [first, now].map((day) => day.toLocaleDateString('sv'));
      return [...days, new Date(first.setHours(0, 0, 0, 0)).toISOString(), new Date(now.setHours(24, 0, 0, 0)).toISOString()];
    })()`);
    const askedFor = (name: string, value: string) =>
      page.waitForResponse((response) => new URL(response.url()).searchParams.get(name) === value);
    const [from] = await Promise.all([askedFor('from', begin), page.getByLabel('From', { exact: true }).fill(firstDay)]);
    expect(new URL(from.url()).searchParams.get('eventType')).toBe('contact.subscribed');
    const [to] = await Promise.all([askedFor('to', end), page.getByLabel('To', { exact: true }).fill(today)]);
    expect((await to.json()).deliveries).toHaveLength(4);
    await eventually(async () => /from=.*&to=/.test(page.url()) && (await delivered.count()) === 4);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: 'Filters (3)' }).click();
    for (const name of ['Status', 'Event type']) {
      const field = page.getByRole('combobox', { name });
      await field.waitFor();
      expect(await field.evaluate((input) => input.scrollWidth <= input.clientWidth)).toBe(true);
    }
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Failed' }).click();
    await page.getByText('No delivery matches').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await eventually(async () => (await delivered.count()) === 4 && new URL(page.url()).search === '');
  });
});

describe('a template', () => {
  test('is changed beside its preview, told its problems at their blocks, saved as a draft, sent as a test, and published', async () => {
    const { page } = await tabs.open('/templates', { key: project.key });
    await page
      .getByRole('row', { name: /^Announcement announcement .*On marketing/ })
      .getByRole('link')
      .click();
    await title(page, 'Announcement').waitFor();
    const preview = page.frameLocator('iframe');
    await preview.getByRole('heading').first().waitFor();
    const slow = { ok: false, error: 'content: too slow', code: 'invalid_content', issues: [{ path: 'content', message: 'too slow' }] };
    const answerSlow = (route: Route) => route.fulfill({ status: 422, json: slow });
    await page.route('**/preview', answerSlow);
    await page.getByRole('textbox', { name: 'Preheader' }).fill('Slow');
    await page.getByRole('status').getByText('The preview took too long').waitFor();
    await page.unroute('**/preview', answerSlow);
    await page.getByRole('status').getByRole('button', { name: 'Try again' }).click();
    await page.getByText('The preview took too long').waitFor({ state: 'hidden' });
    const block = (name: string) => page.getByRole('group', { name, exact: true });
    await block('Heading').first().getByRole('textbox', { name: 'Text' }).fill('Hello {{ name }}, look');
    await preview.getByRole('heading', { name: 'Hello Ada, look' }).waitFor();
    await page.getByText('Phone', { exact: true }).click();
    await page.getByRole('button', { name: 'Add block' }).last().click();
    await page.getByRole('menuitem', { name: 'Text' }).click();
    const added = block('Text').last();
    await added.getByRole('textbox', { name: 'Text' }).fill('{% if %}');
    await added.getByText(/./).filter({ hasText: 'if' }).first().waitFor();
    // What was last rendered stays in sight, dimmed.
    await preview.getByRole('heading', { name: 'Hello Ada, look' }).waitFor();
    const isDimmed = `Number(getComputedStyle(document.querySelector('[data-old]:has(iframe)')).opacity) < 1`;
    await eventually(() => page.evaluate<boolean>(isDimmed));
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByRole('alert').filter({ hasText: 'That was not accepted' }).first().waitFor();
    await page
      .getByRole('alert')
      .getByText(/^Block \d+, Text: line 1/)
      .first()
      .waitFor();
    expect(await added.getByRole('textbox', { name: 'Text' }).inputValue()).toBe('{% if %}');
    await added.getByRole('textbox', { name: 'Text' }).fill('Only for {{ nobody.knows }} {{ contact.last_name }}');
    await preview.getByText(/Only for\s+Lovelace/).waitFor();
    expect(await page.getByRole('status').filter({ hasText: 'Left empty' }).getByText('contact.').count()).toBe(0);
    const reader = await newContact(project, project.address('reader'), { lastName: 'Hopper' });
    const { contact } = must(await project.api.get(`/contacts/${reader}`), 200);
    await page.getByRole('combobox', { name: /^For Ada Lovelace, a sample/ }).fill(contact.email);
    await page.getByRole('option', { name: contact.email }).click();
    await preview.getByText(/Only for\s+Hopper/).waitFor();
    await page.getByRole('status').filter({ hasText: 'Left empty in the mail' }).getByText('nobody.knows').waitFor();
    // What a new block leads to is asked for when it is saved; until then the mail can be looked at.
    await page.getByRole('button', { name: 'Insert a block before Text' }).last().click();
    await page.getByRole('menuitem', { name: 'Image' }).click();
    const kinds = await page.locator('[id^="block-"][role="group"]').evaluateAll((cards) => cards.map((card) => card.ariaLabel));
    expect(kinds.slice(-2)).toEqual(['Image', 'Text']);
    const image = block('Image').last();
    const source = image.getByRole('textbox', { name: 'Address' });
    expect([await source.inputValue(), await source.getAttribute('placeholder')]).toEqual(['', 'https://example.com/picture.png']);
    await image.getByRole('textbox', { name: 'What it shows' }).fill('Our new shop');
    await preview.getByText('Our new shop', { exact: true }).waitFor();
    expect(await page.locator('[aria-invalid="true"]').count()).toBe(0);
    const publish = page.getByRole('button', { name: 'Publish' });
    // However far down the form is.
    const { scrollHeight, y } = await page.evaluate<{ scrollHeight: number; y: number }>(
      `(scrollTo(0, document.body.scrollHeight), { scrollHeight: document.body.scrollHeight, y: scrollY })`,
    );
    const { y: top, height } = (await publish.boundingBox())!;
    expect([y > 100, top >= 0 && top + height <= 100, scrollHeight > 1000]).toEqual([true, true, true]);
    await publish.click();
    await image.getByText('Fill in the address of the image').waitFor();
    await eventually(() => source.evaluate((input) => input === input.ownerDocument.activeElement));
    await image.getByRole('button', { name: 'More for Image' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await added.getByRole('button', { name: 'Move Text up' }).click();
    await page.getByRole('button', { name: 'Save draft' }).click();
    await told(page, 'The draft is saved');
    await page.getByRole('button', { name: 'Send test mail…' }).click();
    const hushed = project.address('hushed');
    await project.api.post('/suppressions', { email: hushed, reason: 'manual' });
    await dialog(page).getByLabel('To').fill(hushed);
    await dialog(page).getByRole('button', { name: 'Send test mail' }).click();
    const refused = dialog(page).getByRole('alert');
    await refused.getByText('The address is suppressed').waitFor();
    expect(await refused.innerText()).not.toMatch(/DELETE|since 20/);
    const tester = project.address('tester');
    await dialog(page).getByLabel('To').fill(tester);
    await dialog(page).getByText(`The fields of the contact are those of ${contact.email}, as in the preview.`).waitFor();
    await dialog(page).getByRole('button', { name: 'Send test mail' }).click();
    await told(page, `A test mail is on its way to ${tester}`);
    const [tested] = await mailTo(tester, (messages) => messages.length === 1);
    expect(tested!.raw).toMatch(/Only for\s+Hopper/);
    await page.getByRole('button', { name: 'Publish' }).click();
    await told(page, /^Version \d+ is published$/);
    const { published, draft } = must(await project.api.get('/templates/announcement/content'), 200);
    expect(draft).toBeUndefined();
    expect(published.content.blocks.at(-2)).toEqual({ type: 'text', text: 'Only for {{ nobody.knows }} {{ contact.last_name }}' });
    expect(JSON.stringify(published.content)).toContain('Hello {{ name }}, look');
  });

  test('that is untouched is saved and published as it is, whatever blocks it holds', async () => {
    const every = [
      ...[
        { type: 'heading', text: 'A', level: 2 },
        { type: 'text', text: 'B', showIf: 'name' },
        { type: 'button', label: 'C', url: 'https://example.com' },
      ],
      ...[{ type: 'image', src: 'https://example.com/a.png', alt: '', width: 40 }, { type: 'divider' }, { type: 'spacer', height: 8 }],
      ...[
        { type: 'list', items: ['D', 'E'], ordered: true },
        { type: 'table', rows: 'items', columns: [{ header: 'F', value: '{{ row.g }}' }] },
      ],
      ...[
        { type: 'quote', text: 'H', author: 'I' },
        { type: 'code', text: '1234' },
      ],
      { type: 'columns', columns: [{ blocks: [{ type: 'text', text: 'J' }] }, { blocks: [{ type: 'divider' }] }] },
    ];
    const content = { preheader: 'K', blocks: every };
    must(await project.api.put('/templates/welcome/content', { content }), 200);
    const { page } = await tabs.open('/templates/welcome', { key: project.key });
    await page.getByText('The draft is shown').waitFor();
    await page.getByRole('button', { name: 'Publish' }).click();
    await told(page, /^Version \d+ is published$/);
    expect(must(await project.api.get('/templates/welcome/content'), 200).published.content).toEqual(content);
  });

  test('that somebody else published meanwhile is not replaced unasked: theirs is shown, mine is kept or discarded', async () => {
    const put = async (text: string, publish: boolean, more: object = {}) =>
      must(
        await project.api.put('/templates/win-back/content', {
          ...{ publish, ...more },
          content: { preheader: 'Their preheader', blocks: [{ type: 'heading', text }] },
        }),
        200,
      );
    const stored = async () => must(await project.api.get('/templates/win-back/content'), 200);
    await put('First', false);
    const { page } = await tabs.open('/templates/win-back', { key: project.key });
    const heading = page.getByRole('textbox', { name: 'Text' });
    await heading.fill('Mine');
    await put('Theirs', true, { subject: 'Their subject' });
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Version 2 is published now').waitFor();
    expect((await stored()).published.content.blocks[0].text).toBe('Theirs');
    await page.getByRole('button', { name: 'See theirs' }).click();
    await dialog(page).frameLocator('iframe').getByRole('heading', { name: 'Theirs' }).waitFor();
    await dialog(page).getByText('Their preheader').waitFor();
    await dialog(page).getByText('Their subject').waitFor();
    await page.keyboard.press('Escape');
    expect(await heading.inputValue()).toBe('Mine');
    await page.getByRole('button', { name: 'Publish mine over it' }).click();
    await told(page, /^Version 3 is published$/);
    const mine = (await stored()).published;
    expect([mine.content.blocks[0].text, mine.subject]).toEqual(['Mine', undefined]);

    await heading.fill('Mine again');
    await put('Their draft', false);
    // A test mail has what is typed, so it saves first, and is none where somebody else has saved.
    const tester = project.address('tester-of-draft');
    const test = async () => {
      await page.getByRole('button', { name: 'Send test mail…' }).click();
      await dialog(page).getByLabel('To').fill(tester);
      await dialog(page).getByRole('button', { name: 'Save draft and send' }).click();
      await dialog(page).waitFor({ state: 'hidden' });
    };
    await test();
    await page.getByText('There is another draft now, version 4').waitFor();
    await page.getByRole('button', { name: 'Discard mine' }).click();
    await eventually(async () => (await heading.inputValue()) === 'Their draft');
    await heading.fill('On top of theirs');
    await test();
    await told(page, 'The draft is saved');
    const [tested] = await mailTo(tester, (messages) => messages.length > 0);
    expect([await mailCount(tester), tested!.raw.includes('On top of theirs')]).toEqual([1, true]);
    expect((await stored()).draft.content.blocks[0].text).toBe('On top of theirs');

    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Versions' }).click();
    await dialog(page)
      .getByRole('button', { name: /^Version 5.*Draft/ })
      .waitFor();
    await dialog(page)
      .getByRole('button', { name: /^Version 4.*Replaced draft/ })
      .waitFor();
    await dialog(page).getByText('changed Heading “On top of theirs”').waitFor();
    await dialog(page).getByText('Saved by the key').waitFor();
    await dialog(page)
      .getByRole('button', { name: /^Version 2/ })
      .click();
    await dialog(page).frameLocator('iframe').getByRole('heading', { name: 'Theirs' }).waitFor();
    await dialog(page).getByText('Against version 1:').waitFor();
    await dialog(page).getByText('changed Heading “Theirs”').waitFor();
    await dialog(page).getByRole('button', { name: 'Edit from version 2' }).click();
    await eventually(async () => (await heading.inputValue()) === 'Theirs');
    const subject = page.getByRole('textbox', { name: 'Subject' });
    expect(await subject.inputValue()).toBe('Their subject');
    expect((await stored()).draft.content.blocks[0].text).toBe('On top of theirs');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await eventually(async () => (await stored()).draft.subject === 'Their subject');

    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Versions' }).click();
    await dialog(page)
      .getByRole('button', { name: /^Version 6/ })
      .waitFor();
    await dialog(page).getByRole('button', { name: 'As it ships' }).click();
    await dialog(page).getByRole('button', { name: 'Edit from the first' }).click();
    const { subject: shipped } = must(await project.api.get('/templates/win-back/schema'), 200);
    await eventually(async () => (await subject.inputValue()) === shipped);
    await page.getByRole('button', { name: 'Publish' }).click();
    await told(page, /^Version 7 is published$/);
    const { published, defaultContent } = await stored();
    expect([published.content, published.subject]).toEqual([defaultContent, undefined]);
  });

  test('is text to be read for a key that may not change it, which is told so', async () => {
    const { key } = await project.newKey(['contacts:read']);
    const { page } = await tabs.open('/templates/receipt', { key });
    await page.getByText('This key may not change the template').waitFor();
    await page.getByText('Thank you for your order', { exact: true }).waitFor();
    await page.frameLocator('iframe').getByText('Thank you for your order').waitFor();
    for (const name of ['Add block', 'Save draft', 'Publish']) expect(await page.getByRole('button', { name }).count()).toBe(0);
    expect(await page.getByRole('textbox', { name: 'Text' }).count()).toBe(0);
  });

  test('is built by keyboard alone: the focus stays with a block that is added, moved and copied, and goes to the next when one is removed', async () => {
    const { page } = await tabs.open('/templates/newsletter', { key: project.key });
    await title(page, 'newsletter').waitFor();
    // Of objects a row has a field for each member that the sample shows; JSON is there for the others.
    const stories = page.getByRole('group', { name: 'stories', exact: true });
    const story = (number: number) => page.getByRole('group', { name: `stories, row ${number}`, exact: true });
    await stories.getByRole('button', { name: 'Add row' }).click();
    await page.keyboard.type('A third story');
    await stories.getByRole('button', { name: 'Move row 3 up' }).focus();
    await page.keyboard.press('Enter');
    await stories.getByText('Row 3 is at place 2 of 3').waitFor({ state: 'attached' });
    await eventually(() =>
      stories.getByRole('button', { name: 'Move row 2 up' }).evaluate((button) => button === button.ownerDocument.activeElement),
    );
    await story(3).getByRole('textbox', { name: 'url' }).fill('https://example.com/third');
    await page.frameLocator('iframe').getByText('A third story').waitFor();
    await stories.getByRole('button', { name: 'Edit as JSON' }).click();
    const json = page.getByRole('textbox', { name: 'stories' });
    const written = JSON.parse(await json.inputValue());
    expect([written.length, written[1], written[2].url]).toEqual([3, { title: 'A third story' }, 'https://example.com/third']);
    await json.fill(JSON.stringify([{ ...written[0], tags: ['x'] }]));
    expect(await page.getByRole('button', { name: 'Edit as rows' }).count()).toBe(0);
    await json.fill('[{ "title": "Pasted" }]');
    await page.getByRole('button', { name: 'Edit as rows' }).click();
    expect(await story(1).getByRole('textbox', { name: 'title' }).inputValue()).toBe('Pasted');
    const active = () =>
      page.evaluate<string>(`(() => {
      const one = document.activeElement;
      return [one.closest('section')?.getAttribute('aria-label') ?? '', one.getAttribute('aria-label') ?? one.tagName].join(': ');
    })()`);
    const focused = (what: string) => eventually(async () => (await active()) === what);
    const menu = async (name: string) => {
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name }).waitFor();
      for (let moves = 0; moves < 30 && !(await page.evaluate(`document.activeElement.textContent === '${name}'`)); moves++) {
        await page.keyboard.press('ArrowDown');
      }
      await page.keyboard.press('Enter');
    };
    await page.getByRole('button', { name: 'Add block' }).last().focus();
    await menu('Quote');
    await focused('Quote: Text');
    await page.keyboard.type('!');
    await page.getByRole('button', { name: 'Move Quote up' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText(/^Quote is at place \d+ of \d+$/).waitFor({ state: 'attached' });
    await focused('Quote: Move Quote up');
    await page.getByRole('button', { name: 'Move Quote down' }).focus();
    await page.keyboard.press('Enter');
    // It is the last again, so it can only go up.
    await focused('Quote: Move Quote up');
    await page.getByRole('button', { name: 'More for Quote' }).focus();
    await menu('Duplicate');
    await eventually(async () => (await page.getByRole('group', { name: 'Quote' }).count()) === 2);
    await focused('Quote: Text');
    await page.getByRole('button', { name: 'More for Quote' }).first().focus();
    await menu('Remove');
    await eventually(async () => (await page.getByRole('group', { name: 'Quote' }).count()) === 1);
    await focused('Quote: More for Quote');
  });

  test('of your own is made, enabled, and deleted, also with the key that is the name of its form', async () => {
    const { page } = await tabs.open('/templates', { key: project.key });
    await page.getByRole('link', { name: 'New template' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Größe & Übung: déjà vu, ﬁn');
    expect(await page.getByRole('textbox', { name: 'Key' }).inputValue()).toBe('groesse-uebung-deja-vu-fin');
    await page.getByRole('textbox', { name: 'Name' }).fill('An invitation');
    expect(await page.getByRole('textbox', { name: 'Key' }).inputValue()).toBe('an-invitation');
    await page.getByRole('button', { name: 'Create template' }).click();
    await page.getByText('Fill in the subject').waitFor();
    await page.getByRole('textbox', { name: 'Key' }).fill('receipt');
    await page.getByRole('textbox', { name: 'Subject' }).fill('Come, {{ contact.first_name }}');
    await page.getByRole('button', { name: 'Create template' }).click();
    await page
      .getByRole('alert')
      .getByText(/receipt/)
      .first()
      .waitFor();
    await page.getByRole('textbox', { name: 'Key' }).fill('new');
    await page.getByRole('button', { name: 'Add variable' }).click();
    const path = page.getByRole('group', { name: 'Variable 1' }).getByRole('textbox', { name: 'Path' });
    await path.waitFor();
    // Nobody could fill it in yet.
    expect(await page.getByText('Fill in the path').count()).toBe(0);
    await page.keyboard.type('order total');
    await page.getByRole('button', { name: 'Create template' }).click();
    await path.and(page.locator('[aria-invalid="true"]')).waitFor();
    await path.fill('order.total');
    await page.getByRole('group', { name: 'Variable 1' }).getByRole('checkbox', { name: 'Required' }).check();
    await page.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'Number' }).click();
    const sample = page.getByRole('textbox', { name: 'Sample' });
    await sample.fill('twenty');
    await page.getByText('Not a valid number').waitFor();
    await sample.fill('20');
    await page.getByRole('button', { name: 'Create template' }).click();
    await title(page, 'An invitation').waitFor();
    expect(lastOfPath(page)).toBe('new');
    expect(await page.getByRole('textbox', { name: 'order.total' }).inputValue()).toBe('20');
    expect(must(await project.api.get('/templates/new/schema'), 200).dataSchema).toEqual([
      { path: 'order.total', kind: 'number', required: true, sample: 20, used: false },
    ]);
    await page.getByRole('group', { name: 'Text', exact: true }).getByRole('textbox', { name: 'Text' }).fill('Dear {{ guest.name }},');
    await page.getByRole('status').filter({ hasText: 'Left empty in the mail' }).getByText('guest.name').waitFor();
    await page.getByRole('button', { name: 'Edit variables' }).click();
    await page.getByRole('button', { name: 'Declare guest.name' }).click();
    const variable = (number: number) => page.getByRole('group', { name: `Variable ${number}` });
    await variable(2).getByRole('textbox', { name: 'Sample' }).fill('Grace');
    await variable(1).getByRole('textbox', { name: 'Path' }).fill('order.sum');
    await page.getByRole('button', { name: 'Save variables' }).click();
    await page.frameLocator('iframe').getByText('Dear Grace,').waitFor();
    const declared = async () => must(await project.api.get('/templates/new/schema'), 200).declared;
    const sum = { path: 'order.sum', kind: 'number', required: true, sample: 20 };
    expect(await declared()).toEqual([sum, { path: 'guest.name', kind: 'string', sample: 'Grace' }]);
    await page.getByRole('button', { name: 'Edit variables' }).click();
    await page.getByRole('button', { name: 'Remove variable 2' }).click();
    await page.getByRole('button', { name: 'Save variables' }).click();
    await page.getByRole('button', { name: 'Save variables' }).waitFor({ state: 'hidden' });
    expect(await declared()).toEqual([sum]);
    await page.getByRole('button', { name: 'Save draft' }).click();
    await told(page, 'The draft is saved');
    const subject = page.getByRole('textbox', { name: 'Subject' });
    expect(await subject.inputValue()).toBe('Come, {{ contact.first_name }}');
    await subject.fill('Do come, {% if %}');
    await page
      .getByText(/^line 1/)
      .first()
      .waitFor();
    await subject.fill('Do come, {{ contact.first_name }}');
    await page.getByText('Do come, Ada', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Save draft' }).click();
    await told(page, 'The draft is saved');
    const setting = async () => must(await project.api.get('/templates'), 200).templates.find(({ key }: { key: string }) => key === 'new');
    await eventually(async () => {
      const { draft } = must(await project.api.get('/templates/new/content'), 200);
      return draft.subject === 'Do come, {{ contact.first_name }}';
    });
    expect(await setting()).toMatchObject({ subject: '', enabled: false });
    await page.getByRole('textbox', { name: 'Text' }).first().fill('You are invited');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('status').getByText('It is published, but the template is off').waitFor();
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByText('On', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Turn on' }).waitFor({ state: 'hidden' });
    expect(await setting()).toMatchObject({ subject: 'Do come, {{ contact.first_name }}', enabled: true });
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete template' }).click();
    await page.getByLabel('Type new to go on').fill('new');
    await dialog(page).getByRole('button', { name: 'Delete for good' }).click();
    await title(page, 'Templates').waitFor();
    expect((await project.api.get('/templates/new/content')).status).toBe(404);
  });
});

test('every form of templates and campaigns says what to do when its call fails, and keeps what was typed', async () => {
  const { page, open } = await tabs.open('/templates/receipt', { key: project.key });
  const press = (name: string) => () => page.getByRole('button', { name, exact: true }).click();
  const text = page.getByRole('textbox', { name: 'Text', exact: true }).first();
  await text.fill('Typed');
  await keepsInputWhenRefused(page, { method: 'PUT', url: /\/receipt\/content\?/, submit: press('Save draft'), input: text });
  await press('Discard changes')();
  await dialog(page).getByRole('button', { name: 'Keep editing' }).click();
  await dialog(page).waitFor({ state: 'hidden' });
  expect(await text.inputValue()).toBe('Typed');
  await press('Discard changes')();
  await dialog(page).getByRole('button', { name: 'Discard changes' }).click();
  await dialog(page).waitFor({ state: 'hidden' });
  expect(await text.inputValue()).not.toBe('Typed');
  // The button is gone: the keyboard goes on where the editor begins.
  const subject = page.getByLabel('Subject', { exact: true });
  await eventually(() => subject.evaluate((input) => input.ownerDocument.activeElement === input));

  await press('Send test mail…')();
  const to = dialog(page).getByRole('textbox', { name: 'To' });
  await to.fill(project.address('typed'));
  await keepsInputWhenRefused(page, { method: 'POST', url: /\/test$/, submit: press('Send test mail'), input: to });
  await press('Cancel')();
  await dialog(page).waitFor({ state: 'hidden' });

  await press('More actions')();
  await page.getByRole('menuitem', { name: 'Settings' }).click();
  const sender = dialog(page).getByLabel("Sender's address", { exact: true });
  await sender.fill(`typed@${project.domain}`);
  await keepsInputWhenRefused(page, { method: 'PUT', url: /\/receipt$/, submit: press('Save'), input: sender });
  await press('Save')();
  await told(page, 'receipt is saved');

  await open('/templates/~new');
  const name = page.getByRole('textbox', { name: 'Name' });
  for (const field of ['Name', 'Key', 'Subject']) await page.getByRole('textbox', { name: field }).fill('typed-once');
  await keepsInputWhenRefused(page, { method: 'POST', url: /\/templates$/, submit: press('Create template'), input: name });
  await press('Create template')();
  await title(page, 'typed-once').waitFor();

  await open('/campaigns/new');
  await writeCampaign(page, 'Typed');
  await press('Send now…')();
  const named = page.getByLabel('Name', { exact: true });
  await keepsInputWhenRefused(page, { method: 'POST', url: /\/campaigns$/, submit: press('Send now'), input: named });
});

test('how long a call waits that was too many is told, and it is made again by itself', async () => {
  const { page } = await tabs.open('/templates/~new', { key: project.key });
  for (const field of ['Name', 'Key', 'Subject']) await page.getByRole('textbox', { name: field }).fill('waited-for');
  let calls = 0;
  await page.route(/\/templates$/, (route) => {
    if (route.request().method() !== 'POST' || calls++ > 0) return route.continue();
    return route.fulfill({ status: 429, headers: { 'Retry-After': '8' }, json: { ok: false, error: 'too many', code: 'rate_limited' } });
  });
  await page.getByRole('button', { name: 'Create template' }).click();
  await page.getByText(/Trying again in [1-8] s; nothing that you typed is lost/).waitFor();
  await title(page, 'waited-for').waitFor();
  expect(calls).toBe(2);
});

test('axe finds nothing on these pages in both schemes, and none is wider than a phone', async () => {
  const campaign = (await project.api.get('/campaigns?status=sent')).body.campaigns[0].id;
  const endpoint = (await project.api.get('/webhooks')).body.webhooks[0].id;
  const found: string[] = [];
  const { page, open } = await tabs.open('/campaigns', { key: project.key, width: 390 });
  await title(page, 'Campaigns').waitFor();
  for (const path of [
    '/templates',
    '/templates/~new',
    '/templates/receipt',
    '/campaigns',
    '/campaigns/new',
    `/campaigns/${campaign}`,
    '/webhooks',
    `/webhooks/${endpoint}`,
  ]) {
    await open(path);
    await title(page, /./).waitFor();
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'hidden' });
    if (path === '/campaigns/new') {
      await page.getByRole('button', { name: 'Test subjects' }).click();
      await page.getByText('Variants a, b have the same subject').waitFor();
    }
    for (const colorScheme of ['light', 'dark'] as const) {
      await showIn(page, colorScheme);
      found.push(...(await axeProblems(page)).map((problem) => `${path} ${colorScheme}: ${problem}`));
    }
    if ((await page.evaluate('document.documentElement.scrollWidth')) !== 390) found.push(`${path} is wider than the screen`);
    // Results that are cut at the screen's edge are not seen at all.
    for (const cell of await page.getByRole('cell').all()) {
      const box = await cell.boundingBox();
      if (box && box.x + box.width > 390) found.push(`${path}: ${await cell.innerText()} is outside of the screen`);
    }
  }
  expect(found).toEqual([]);
  await open('/campaigns');
  await page
    .getByRole('row', { name: /^Spring news Sent/ })
    .getByText('3 of 3')
    .waitFor();
});

test('in all of this no policy was violated, no error uncaught, and no other host was asked', () => {
  expect(tabs.wrongs).toEqual([]);
});
