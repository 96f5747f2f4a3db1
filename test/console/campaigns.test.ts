import { beforeAll, describe, expect, test } from 'vitest';
import { campaignEnds } from '../support/campaigns.ts';
import { consoleTabs, told } from '../support/console.ts';
import { dialog, hasFocus, LOST, lastOfPath, title, writeCampaign } from '../support/console-page.ts';
import { eventually } from '../support/eventually.ts';
import { mailTo } from '../support/mail.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'announcement');
  const people = [
    ...['ada', 'grace', 'linus'].map((name) => ({ email: project.address(name), tags: ['news'] })),
    { email: project.address('gone'), tags: ['news'], status: 'unsubscribed' },
  ];
  must(await project.api.post('/contacts', people), 200);
});

interface Arm {
  readonly key: string;
  readonly sent_count: number;
}

describe('a campaign', () => {
  test('is written for a counted audience with variants, sent once though the first answer is lost, and followed to its end', async () => {
    const { page, open } = await tabs.open('/campaigns', { key: project.key });
    await page.getByRole('link', { name: 'New campaign' }).click();
    await writeCampaign(page, 'Spring news');
    await page.getByText('Tag', { exact: true }).click();
    await page.getByRole('button', { name: 'Send now…' }).click();
    await page.getByText('Enter a tag').waitFor();
    expect(await dialog(page).count()).toBe(0);
    await page.getByRole('combobox', { name: 'Tag' }).fill('news');
    await page.getByText('recipients; 1 left out: unsubscribed, bounced, suppressed or unconfirmed').waitFor();
    await page.getByRole('textbox', { name: 'Headline' }).fill('Spring is here');
    await page.frameLocator('iframe').getByText('Spring is here').waitFor();
    // A list has a row for each item.
    const highlights = page.getByRole('group', { name: 'Highlights', exact: true });
    const row = (number: number) => highlights.getByRole('textbox', { name: `Highlights, row ${number}` });
    for (const [index, words] of ['Bees', 'Birds', 'Buds'].entries()) {
      await highlights.getByRole('button', { name: 'Add row' }).click();
      await hasFocus(row(index + 1));
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
    await page.getByRole('button', { name: 'Send test email…' }).click();
    await dialog(page).getByRole('combobox', { name: 'Variant' }).click();
    await page.getByRole('option', { name: 'b: Short' }).click();
    const tester = project.address('tester-of-campaign');
    await dialog(page).getByRole('textbox', { name: 'To' }).fill(tester);
    const asked = page.waitForRequest(/\/test$/);
    await dialog(page).getByRole('button', { name: 'Send test email' }).click();
    expect((await asked).postDataJSON()).toMatchObject({ version: 'published' });
    await told(page, `Test email sent to ${tester}`);
    const [tested] = await mailTo(tester, (messages) => messages.length === 1);
    expect([/^Subject: (.*)\r$/m.exec(tested!.raw)?.[1], tested!.raw.includes('Spring is here')]).toEqual(['Short', true]);
    // A begin that is past is said at its field, and nothing is asked.
    await page.getByText('Later', { exact: true }).click();
    await page.getByLabel('Start date').fill('2020-01-31T09:00');
    await page.getByRole('button', { name: 'Schedule…' }).click();
    await page.getByText('This is in the past').waitFor();
    expect(await dialog(page).count()).toBe(0);
    await page.getByText('Now', { exact: true }).click();

    let lost = 0;
    await page.route('**/launch?*', async (route) => {
      if (route.request().method() !== 'POST' || lost > 0) return route.continue();
      lost += 1;
      await route.fetch();
      return route.abort();
    });
    await page.getByRole('button', { name: 'Send now…' }).click();
    await dialog(page).getByRole('button', { name: 'Send now' }).click();
    await dialog(page).getByText(LOST).waitFor();
    await dialog(page).getByRole('button', { name: 'Send now' }).click();
    await told(page, 'Sending to 3 of 4 contacts');
    await title(page, 'Spring news').waitFor();
    await page.getByText('3 of 3 recipients').waitFor();
    await page.getByText('Completed', { exact: true }).first().waitFor();
    await page.getByRole('row', { name: /^b Short/ }).waitFor();
    // As it came out rather than as it was written.
    await page.getByRole('definition').getByText('By variant, else: News: Spring is here', { exact: true }).waitFor();
    await page.getByText('News: Spring is here', { exact: true }).first().waitFor();
    await page.getByRole('heading', { name: 'Data' }).waitFor();
    await page.getByRole('button', { name: /^Show email: .*, to ada-/ }).click();
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
    await page.frameLocator('iframe[title="The email for a sample contact"]').getByText('Spring is here').waitFor();
    await page.getByRole('combobox', { name: 'Variant' }).click();
    await page.getByRole('option', { name: 'b: Short' }).click();
    await page.getByRole('heading', { name: 'Email', exact: true }).locator('xpath=../..').getByText('Short', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Duplicate' }).click();
    await title(page, 'Spring news (copy)').waitFor();
    await page.getByText('recipients; 1 left out: unsubscribed, bounced, suppressed or unconfirmed').waitFor();
    const typed = (name: string) => page.getByRole('textbox', { name, exact: true }).first().inputValue();
    expect([await typed('Name'), await typed('Subject'), await typed('Headline')]).toEqual([
      'Spring news (copy)',
      'News: {{ headline }}',
      'Spring is here',
    ]);
    expect(await page.getByRole('combobox', { name: 'Tag' }).inputValue()).toBe('news');
    expect(await page.getByRole('group', { name: 'Variant 2' }).getByLabel('Subject').inputValue()).toBe('Short');
    expect(await page.getByRole('combobox', { name: 'Template' }).inputValue()).toBe('Announcement');

    // Of a list the addresses are there too, for keys that may read them; the others are told why not.
    const { contacts } = must(await project.api.get('/contacts?tag=news&status=subscribed'), 200);
    await open(`/contacts/${contacts[0].id}`);
    await page.getByRole('link', { name: 'the campaign Spring news' }).waitFor();
    const emails = contacts.map(({ email }: { email: string }) => email).sort();
    const scheduleAt = new Date(Date.now() + 86_400_000).toISOString();
    const people = { template: 'announcement', audience: { mode: 'people', emails }, scheduleAt };
    const { campaignId } = must(await project.api.post('/campaigns', people), 201);
    await open(`/campaigns/${campaignId}`);
    await page.getByRole('button', { name: 'Duplicate' }).click();
    await title(page, 'Draft').waitFor();
    expect(await page.getByRole('textbox', { name: 'Emails' }).inputValue()).toBe(emails.join('\n'));
    const writer = await project.newKey(['campaigns:write']);
    const other = await tabs.open(`/campaigns/${campaignId}`, { key: writer.key });
    await other.page.getByRole('button', { name: 'Duplicate' }).click();
    await other.page.getByRole('status').getByText('this key lacks the scope contacts:read').waitFor();
    expect(await other.page.getByRole('textbox', { name: 'Emails' }).inputValue()).toBe('');
    must(await project.api.post(`/campaigns/${campaignId}/cancel`), 200);
  });

  test('counts a segment by what the segment says, and tells what is refused at its field', async () => {
    const filter = { tags: ['news'], status: ['unsubscribed', 'subscribed'] };
    must(await project.api.post('/segments', { label: 'Readers', filter }), 201);
    must(await project.api.post('/contacts', { email: project.address('no-reader') }), 200);
    const muted = project.address('muted');
    must(await project.api.post('/contacts', { email: muted }), 200);
    must(await project.api.post('/suppressions', { email: muted, reason: 'manual' }), 201);
    const { page } = await tabs.open('/campaigns/new', { key: project.key });
    await page.getByRole('status').getByText('4', { exact: true }).waitFor();
    await page.getByText('recipients; 2 left out: unsubscribed, bounced, suppressed or unconfirmed').waitFor();
    await writeCampaign(page, 'Refused');
    await page.getByText('Segment', { exact: true }).click();
    await page.getByRole('combobox', { name: 'Segment' }).click();
    await page.getByRole('option', { name: 'Readers' }).click();
    await page.getByRole('status').getByText('3', { exact: true }).waitFor();
    await page.getByText('recipients; 1 left out: unsubscribed, bounced, suppressed or unconfirmed').waitFor();
    const subject = page.getByRole('textbox', { name: 'Subject', exact: true });
    await subject.fill('{% if %}');
    await page.getByRole('button', { name: 'Send now…' }).click();
    await dialog(page).getByText('Segment Readers', { exact: true }).waitFor();
    await dialog(page).getByText('3 recipients; 1 left out: unsubscribed, bounced, suppressed or unconfirmed').waitFor();
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
      // What it was made of while it was written counts no more.
      if (response.url().includes('/launch')) reads.length = 0;
      // One that could not be answered is asked for again.
      else if (response.ok()) reads.push(/\/campaigns\/[-0-9a-f]{36}(.*)$/.exec(response.url())?.[1] ?? 'other');
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
    const rate = page.getByRole('textbox', { name: 'Throttle' });
    await rate.fill('0.5');
    await page.getByText('Enter a whole number from 1 to 10,000').waitFor();
    await page.getByRole('button', { name: 'Send now…' }).click();
    await hasFocus(rate);
    expect([await rate.inputValue(), await dialog(page).count()]).toEqual(['0.5', 0]);
    await rate.fill('1');
    await page.getByRole('button', { name: 'Send now…' }).click();
    await dialog(page).getByRole('button', { name: 'Send now' }).click();
    await title(page, 'Slow news').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused. Nothing is sent until you resume it').waitFor();
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

  test('for people counts addresses, also as email programs copy them, and names what is none before it asks', async () => {
    const { page } = await tabs.open('/campaigns/new', { key: project.key });
    await writeCampaign(page, 'For a few');
    await page.getByText('People', { exact: true }).click();
    const emails = page.getByRole('textbox', { name: 'Emails' });
    const [ada, jo] = [project.address('ada'), project.address('jo')];
    await page.getByRole('status').getByText('Add addresses to see how many get it').waitFor();
    await emails.fill(`${ada}, ${ada} Ada Lovelace <${ada}>; "Doe, Jo" <${jo}>\nnotanaddress`);
    await page.getByRole('status').getByText('addresses; 1 more is not valid').waitFor();
    await page.getByText('Unsubscribed, bounced, suppressed and unconfirmed addresses are left out when it is sent.').waitFor();
    await page.getByRole('button', { name: 'Send now…' }).click();
    await page.getByText('notanaddress: not a valid address').waitFor();
    expect(await dialog(page).count()).toBe(0);
    await emails.fill(`${ada}\n"Doe, Jo" <${jo}>`);
    await page.getByRole('button', { name: 'Send now…' }).click();
    await dialog(page).getByRole('definition').getByText('2 people', { exact: true }).waitFor();
    await dialog(page).getByText('2 recipients', { exact: true }).waitFor();
  });

  test('whose every email failed says that nobody got it, and why, also where such an email is shown', async () => {
    const other = await newProject();
    await enableTemplates(other, 'password-reset');
    const people = { mode: 'people', emails: [other.address('one'), other.address('two')] };
    const campaign = { name: 'Lacks its link', template: 'password-reset', audience: people };
    const { campaignId } = must(await other.api.post('/campaigns', campaign), 201);
    await campaignEnds(other, campaignId);
    const { page } = await tabs.open(`/campaigns/${campaignId}`, { key: other.key });
    await page.getByText('Sent to nobody').waitFor();
    const why = /^Missing data the template needs: .*resetUrl/;
    await eventually(async () => (await page.getByText(why).count()) === 2);
    await page.getByRole('button', { name: /^Show email: .*, to one/ }).click();
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
