import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from '../support/browser.ts';
import { axeProblems, buildConsole, keepsInputWhenRefused, type Tabs, tabsOf } from '../support/console.ts';
import { eventually } from '../support/eventually.ts';
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must, newContact } from '../support/sequences.ts';
import { createEndpoint, deliveriesSettle } from '../support/webhook-endpoints.ts';

let browser: Browser;
let tabs: Tabs;
let project: TestProject;
let receiver: HttpReceiver;

beforeAll(async () => {
  [browser, receiver] = await Promise.all([startBrowser(), startHttpReceiver(), buildConsole()]);
  tabs = tabsOf(browser);
  project = await newProject();
  await enableTemplates(project, 'announcement');
  await project.api.post('/contacts', [
    ...['ada', 'grace', 'linus'].map((name) => ({ email: project.address(name), tags: ['news'] })),
    { email: project.address('gone'), tags: ['news'], status: 'unsubscribed' },
  ]);
}, 180_000);

afterEach(() => tabs.close());

afterAll(async () => {
  await Promise.all([browser?.close(), receiver?.close()]);
});

const title = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });
const dialog = (page: Page) => page.getByRole('dialog');
const lastOfPath = (page: Page) => new URL(page.url()).pathname.split('/').at(-1) as string;

async function writeCampaign(page: Page, name: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Template' }).click();
  await page.getByRole('option', { name: 'announcement' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
}

describe('a campaign', () => {
  test('is written for a counted audience with variants, sent once though the first answer is lost, and followed to its end', async () => {
    const { page } = await tabs.open('/campaigns', { key: project.key });
    await page.getByRole('link', { name: 'New campaign' }).click();
    expect(await page.getByRole('button', { name: 'Send now…' }).isDisabled()).toBe(true);
    await writeCampaign(page, 'Spring news');
    await page.getByText('Tag', { exact: true }).click();
    await page.getByRole('textbox', { name: 'Tag' }).fill('news');
    await page.getByText('contacts; 1 more unsubscribed or bounced').waitFor();
    await page.getByRole('textbox', { name: 'headline' }).fill('Spring is here');
    await page.frameLocator('iframe').getByText('Spring is here').waitFor();
    await page.getByRole('textbox', { name: 'Subject', exact: true }).fill('News: {{ headline }}');
    await page.getByText('News: Spring is here').waitFor();
    await page.getByRole('button', { name: 'Test subjects' }).click();
    await page.getByRole('group', { name: 'Variant 2' }).getByLabel('Subject').fill('Short');

    let lost = 0;
    await page.route('**/api/v1/campaigns', async (route) => {
      if (route.request().method() !== 'POST' || lost > 0) return route.continue();
      lost += 1;
      await route.fetch();
      return route.abort();
    });
    await page.getByRole('button', { name: 'Send now…' }).click();
    await dialog(page).getByRole('button', { name: 'Send now' }).click();
    await dialog(page).getByText('No connection to Everpost').waitFor();
    await dialog(page).getByRole('button', { name: 'Send now' }).click();
    await page.getByText('On its way to 3 of 4 who match').waitFor();
    await title(page, 'Spring news').waitFor();
    await page.getByText('3 of 3 recipients').waitFor();
    await page.getByRole('row', { name: /^b Short/ }).waitFor();
    await page.getByRole('definition').getByText('News: Spring is here', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Data given' }).waitFor();
    const { campaigns } = (await project.api.get('/campaigns')).body;
    expect(campaigns).toHaveLength(1);
    expect(campaigns[0]).toMatchObject({
      name: 'Spring news',
      status: 'sent',
      sent_count: 3,
      variants: [{ key: 'a' }, { key: 'b', subject: 'Short' }],
    });
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
    await dialog(page).getByText('3 contacts; 1 more unsubscribed or bounced').waitFor();
    await dialog(page).getByRole('button', { name: 'Send now' }).click();
    await dialog(page).getByRole('alert').waitFor();
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await page.locator('[aria-invalid="true"]').waitFor();
    expect(await subject.getAttribute('aria-invalid')).toBe('true');
    await subject.fill('Mended');
    await page.locator('[aria-invalid="true"]').waitFor({ state: 'hidden' });
  });

  test('keeps what was written when it is refused, is paused, resumed, and cancelled with the count of those who never get it', async () => {
    const { page } = await tabs.open('/campaigns/new', { key: project.key });
    await writeCampaign(page, 'Slow news');
    await page.getByText('People', { exact: true }).click();
    await page.getByRole('textbox', { name: 'Addresses' }).fill('nobody@localhost');
    await page.getByRole('button', { name: 'Send now…' }).click();
    await dialog(page).getByRole('button', { name: 'Send now' }).click();
    await dialog(page).getByRole('alert').waitFor();
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByRole('textbox', { name: 'Addresses' }).inputValue()).toBe('nobody@localhost');
    await page
      .getByRole('textbox', { name: 'Addresses' })
      .fill(Array.from({ length: 40 }, (_, at) => project.address(`slow${at}`)).join('\n'));
    const rate = page.getByRole('textbox', { name: 'Mails a second at most' });
    await rate.fill('0.5');
    await page.getByText('A whole number from 1 to 10,000').waitFor();
    expect([await rate.inputValue(), await page.getByRole('button', { name: 'Send now…' }).isDisabled()]).toEqual(['0.5', true]);
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
    expect(campaign.sent_count + campaign.cancelled_count).toBe(40);
    await page.getByRole('status').getByText(`${campaign.sent_count} of 40 sent, ${campaign.cancelled_count} cancelled`).waitFor();
    await page.getByRole('button', { name: 'Pause' }).waitFor({ state: 'hidden' });
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

    await page.getByRole('button', { name: 'Change…' }).click();
    await page.getByRole('checkbox', { name: 'email.bounced' }).check();
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('The endpoint is changed').waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Rotate secret' }).click();
    await dialog(page).getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    await dialog(page).getByRole('button', { name: 'Disable' }).click();
    await page.getByText('The endpoint is disabled').waitFor();
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
    await page.getByText('0 % of the last 1').waitFor();
    await page.getByText('Refusing', { exact: true }).waitFor();
    await page.getByText('answers 501', { exact: true }).waitFor();
    await page.getByRole('button', { name: /contact\.subscribed.*Failed/ }).click();
    const attempts = page.getByRole('table', { name: 'Attempts' });
    await attempts.waitFor();
    expect(await attempts.getByRole('row').count()).toBe(1 + 6);
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('button', { name: /contact\.subscribed.*Delivered/ }).waitFor();
    await attempts.getByRole('row', { name: /^1 of retry 1 200/ }).waitFor();
    await eventually(() => receiver.calls('/failing').length === 7);
    await page.getByText('Refusing', { exact: true }).waitFor({ state: 'hidden' });
  });
});

describe('a template', () => {
  test('is changed beside its preview, told its problems at their blocks, saved as a draft, sent as a test, and published', async () => {
    const { page } = await tabs.open('/templates', { key: project.key });
    await page
      .getByRole('row', { name: /^announcement .*On marketing/ })
      .getByRole('link')
      .click();
    await title(page, 'announcement').waitFor();
    const preview = page.frameLocator('iframe');
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
    await added.getByRole('button', { name: 'Move Text up' }).click();
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByText('The draft is saved').waitFor();
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
    await dialog(page).getByRole('button', { name: 'Send test mail' }).click();
    await page.getByText(`A test mail is on its way to ${tester}`).waitFor();
    await page.getByRole('button', { name: 'Publish' }).click();
    await page
      .getByText(/^Version \d+ is published$/)
      .first()
      .waitFor();
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
    await page
      .getByText(/^Version \d+ is published$/)
      .first()
      .waitFor();
    expect(must(await project.api.get('/templates/welcome/content'), 200).published.content).toEqual(content);
  });

  test('that somebody else published meanwhile is not replaced unasked: theirs is shown, mine is kept or discarded', async () => {
    const put = async (text: string, publish: boolean) =>
      must(
        await project.api.put('/templates/win-back/content', {
          publish,
          content: { preheader: 'Their preheader', blocks: [{ type: 'heading', text }] },
        }),
        200,
      );
    const stored = async () => must(await project.api.get('/templates/win-back/content'), 200);
    await put('First', false);
    const { page } = await tabs.open('/templates/win-back', { key: project.key });
    const heading = page.getByRole('textbox', { name: 'Text' });
    await heading.fill('Mine');
    await put('Theirs', true);
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Version 2 is published now').waitFor();
    expect((await stored()).published.content.blocks[0].text).toBe('Theirs');
    await page.getByRole('button', { name: 'See theirs' }).click();
    await dialog(page).frameLocator('iframe').getByRole('heading', { name: 'Theirs' }).waitFor();
    await dialog(page).getByText('Their preheader').waitFor();
    await page.keyboard.press('Escape');
    expect(await heading.inputValue()).toBe('Mine');
    await page.getByRole('button', { name: 'Publish mine over it' }).click();
    await page
      .getByText(/^Version 3 is published$/)
      .first()
      .waitFor();
    expect((await stored()).published.content.blocks[0].text).toBe('Mine');

    await heading.fill('Mine again');
    await put('Their draft', false);
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByText('There is another draft now, version 4').waitFor();
    await page.getByRole('button', { name: 'Discard mine' }).click();
    await eventually(async () => (await heading.inputValue()) === 'Their draft');
    await heading.fill('On top of theirs');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByText('The draft is saved').waitFor();
    expect((await stored()).draft.content.blocks[0].text).toBe('On top of theirs');

    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Versions' }).click();
    await dialog(page)
      .getByRole('button', { name: /^Version 5.*Draft/ })
      .waitFor();
    await dialog(page)
      .getByRole('button', { name: /^Version 2/ })
      .click();
    await dialog(page).frameLocator('iframe').getByRole('heading', { name: 'Theirs' }).waitFor();
    await dialog(page).getByRole('button', { name: 'Edit from version 2' }).click();
    await eventually(async () => (await heading.inputValue()) === 'Theirs');
    expect((await stored()).draft.content.blocks[0].text).toBe('On top of theirs');
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

  test('of your own is made, enabled, and deleted', async () => {
    const { page } = await tabs.open('/templates/new', { key: project.key });
    await page.getByRole('textbox', { name: 'Name' }).fill('An invitation');
    expect(await page.getByRole('textbox', { name: 'Key' }).inputValue()).toBe('an-invitation');
    await page.getByText('Still missing: subject', { exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'Key' }).fill('receipt');
    await page.getByRole('textbox', { name: 'Subject' }).fill('Come, {{ contact.first_name }}');
    await page.getByRole('button', { name: 'Create template' }).click();
    await page
      .getByRole('alert')
      .getByText(/receipt/)
      .first()
      .waitFor();
    await page.getByRole('textbox', { name: 'Key' }).fill('invitation');
    await page.getByRole('button', { name: 'Add variable' }).click();
    await page.keyboard.type('order total');
    await page.getByRole('button', { name: 'Create template' }).click();
    const path = page.getByRole('group', { name: 'Variable 1' }).getByRole('textbox', { name: 'Path' });
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
    await title(page, 'invitation').waitFor();
    expect(await page.getByRole('textbox', { name: 'order.total' }).inputValue()).toBe('20');
    expect(must(await project.api.get('/templates/invitation/schema'), 200).dataSchema).toEqual([
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
    const declared = async () => must(await project.api.get('/templates/invitation/schema'), 200).declared;
    const sum = { path: 'order.sum', kind: 'number', required: true, sample: 20 };
    expect(await declared()).toEqual([sum, { path: 'guest.name', kind: 'string', sample: 'Grace' }]);
    await page.getByRole('button', { name: 'Edit variables' }).click();
    await page.getByRole('button', { name: 'Remove variable 2' }).click();
    await page.getByRole('button', { name: 'Save variables' }).click();
    await page.getByRole('button', { name: 'Save variables' }).waitFor({ state: 'hidden' });
    expect(await declared()).toEqual([sum]);
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByText('The draft is saved').waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Settings' }).click();
    const subject = dialog(page).getByRole('textbox', { name: 'Subject' });
    expect(await subject.inputValue()).toBe('Come, {{ contact.first_name }}');
    await subject.fill('Do come, {{ contact.first_name }}');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('invitation is saved').waitFor();
    await dialog(page).waitFor({ state: 'hidden' });
    const setting = async () =>
      must(await project.api.get('/templates'), 200).templates.find(({ key }: { key: string }) => key === 'invitation');
    expect(await setting()).toMatchObject({ subject: 'Do come, {{ contact.first_name }}', enabled: false });
    await page.getByRole('textbox', { name: 'Text' }).first().fill('You are invited');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('status').getByText('It is published, but the template is off').waitFor();
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByText('On', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Turn on' }).waitFor({ state: 'hidden' });
    expect(await setting()).toMatchObject({ subject: 'Do come, {{ contact.first_name }}', enabled: true });
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete template' }).click();
    await page.getByLabel('Type invitation to go on').fill('invitation');
    await dialog(page).getByRole('button', { name: 'Delete for good' }).click();
    await title(page, 'Templates').waitFor();
    expect((await project.api.get('/templates/invitation/content')).status).toBe(404);
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
  const preheader = page.getByLabel('Preheader', { exact: true });
  await eventually(() => preheader.evaluate((input) => input.ownerDocument.activeElement === input));

  await press('Send test mail…')();
  const to = dialog(page).getByLabel('To', { exact: true });
  await to.fill(project.address('typed'));
  await keepsInputWhenRefused(page, { method: 'POST', url: /\/test$/, submit: press('Send test mail'), input: to });
  await press('Cancel')();
  await dialog(page).waitFor({ state: 'hidden' });

  await press('More actions')();
  await page.getByRole('menuitem', { name: 'Settings' }).click();
  const subject = dialog(page).getByLabel('Subject', { exact: true });
  await subject.fill('Typed');
  await keepsInputWhenRefused(page, { method: 'PUT', url: /\/receipt$/, submit: press('Save'), input: subject });
  await press('Save')();
  await page.getByText('receipt is saved').waitFor();

  await open('/templates/new');
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
  const { page } = await tabs.open('/templates/new', { key: project.key });
  for (const field of ['Name', 'Key', 'Subject']) await page.getByRole('textbox', { name: field }).fill('waited-for');
  let calls = 0;
  await page.route(/\/templates$/, (route) => {
    if (route.request().method() !== 'POST' || calls++ > 0) return route.continue();
    return route.fulfill({ status: 429, headers: { 'Retry-After': '3' }, json: { ok: false, error: 'too many', code: 'rate_limited' } });
  });
  await page.getByRole('button', { name: 'Create template' }).click();
  await page.getByText(/Trying again in [123] s; nothing that you typed is lost/).waitFor();
  await title(page, 'waited-for').waitFor();
  expect(calls).toBe(2);
});

test.each(['light', 'dark'] as const)(
  'axe finds nothing on these pages in the %s scheme, and none is wider than a phone',
  async (colorScheme) => {
    const campaign = (await project.api.get('/campaigns?status=sent')).body.campaigns[0].id;
    const endpoint = (await project.api.get('/webhooks')).body.webhooks[0].id;
    const found: string[] = [];
    const { page, open } = await tabs.open('/campaigns', { key: project.key, colorScheme, width: 390 });
    await title(page, 'Campaigns').waitFor();
    for (const path of [
      '/templates',
      '/templates/new',
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
      found.push(...(await axeProblems(page)).map((problem) => `${path}: ${problem}`));
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
  },
);

test('in all of this no policy was violated, no error uncaught, and no other host was asked', () => {
  expect(tabs.wrongs).toEqual([]);
});
