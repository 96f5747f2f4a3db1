import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { campaignEnds, newAudience, newCampaign } from '../support/campaigns.ts';
import { consoleTabs, told } from '../support/console.ts';
import { axeProblems } from '../support/console-looks.ts';
import { dialog, hasFocus, row, title } from '../support/console-page.ts';
import { mailTo } from '../support/mail.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must, newContact } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;

const EDITOR = '/templates/newsletter';
const heading = (text: string) => ({ blocks: [{ type: 'heading', text }] });
const languages = (page: Page) => page.getByRole('navigation', { name: 'Languages' });
const language = (page: Page, name: string | RegExp) => languages(page).getByRole('link', { name });
const text = (page: Page) => page.getByRole('textbox', { name: 'Text' }).first();
const shown = (page: Page, words: string) => page.frameLocator('iframe').getByRole('heading', { name: words }).waitFor();
const save = (page: Page) => page.getByRole('button', { name: 'Save draft' }).click();
const publish = (page: Page) => page.getByRole('button', { name: 'Publish' }).click();

async function put(words: string, locale?: string, more: object = { publish: true }): Promise<void> {
  const body = { content: heading(words), subject: `${words}!`, ...(locale ? { locale } : {}), ...more };
  must(await project.api.put('/templates/newsletter/content', body), 200);
}

async function stored(locale?: string) {
  return must(await project.api.get(`/templates/newsletter/content${locale ? `?locale=${locale}` : ''}`), 200);
}

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'newsletter');
});

beforeEach(async () => {
  const { languages: there } = must(await project.api.get('/templates/newsletter/languages'), 200);
  for (const { locale } of there.slice(1)) must(await project.api.delete(`/templates/newsletter/languages/${locale}`), 200);
  await put('Hello');
});

describe('a language of a template', () => {
  test('is added as a draft that says what the default says, and is edited, previewed, tested and published by itself', async () => {
    const { page } = await tabs.open(EDITOR, { key: project.key });
    await page.getByRole('button', { name: 'Add language…' }).click();
    const asked = dialog(page).getByRole('combobox', { name: 'Language' });
    await asked.fill('Nonsense');
    await dialog(page).getByRole('button', { name: 'Add language' }).click();
    await dialog(page).getByText('Enter a language such as German or de-AT').waitFor();
    await asked.fill('de_at');
    await dialog(page).getByText('German (Austria) (de-AT), for contacts with this variant only').waitFor();
    await asked.fill('germ');
    await page.getByRole('option', { name: 'German (de)' }).click();
    await dialog(page).getByRole('button', { name: 'Add language' }).click();
    await told(page, 'German added as a draft');
    await page.waitForURL(/[?&]locale=de$/);
    await hasFocus(language(page, /^German/));
    await expect.poll(() => language(page, /^German/).getAttribute('aria-current')).toBe('page');
    await page.getByText('German is not published: its contacts get the next nearest language, or the default.').waitFor();
    expect((await stored('de')).draft).toMatchObject({ content: heading('Hello'), subject: 'Hello!' });
    await text(page).fill('Hallo');
    await page.getByRole('textbox', { name: 'Subject' }).fill('Hallo, du!');
    await shown(page, 'Hallo');
    await page.getByRole('button', { name: 'Send test email…' }).click();
    const tester = project.address('tester');
    await dialog(page).getByLabel('To').fill(tester);
    await dialog(page).getByRole('button', { name: 'Save draft and send' }).click();
    await told(page, `Test email sent to ${tester}`);
    const [tested] = await mailTo(tester, (messages) => messages.length === 1);
    expect([tested!.raw.includes('Hallo, du!'), (await stored()).published.content]).toEqual([true, heading('Hello')]);
    await publish(page);
    await told(page, 'Version 1 published');
    await language(page, 'German').getByText('Not published').waitFor({ state: 'hidden' });
    await page.getByText('Version 1 is published').waitFor();
    expect([(await stored('de')).published.content, (await stored()).published.content]).toEqual([heading('Hallo'), heading('Hello')]);
    await page.reload();
    await page.getByText('Version 1 is published').waitFor();
    expect(await text(page).inputValue()).toBe('Hallo');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Versions' }).click();
    await dialog(page).getByRole('heading', { name: 'Versions of newsletter, German' }).waitFor();
    const listed = dialog(page).getByRole('list', { name: 'Versions' }).getByRole('button');
    await listed.first().waitFor();
    // Those of German alone, and nothing that the template came with.
    expect((await listed.allInnerTexts()).map((words) => words.split('\n')[0])).toEqual(['Version 1', 'Draft']);
    await page.keyboard.press('Escape');
    await language(page, 'Default').click();
    await hasFocus(language(page, 'Default'));
    await expect.poll(() => text(page).inputValue()).toBe('Hello');
    expect(new URL(page.url()).search).toBe('');
  });

  test('that somebody added meanwhile is opened as it is, and one that is there is not added again', async () => {
    const { page } = await tabs.open(EDITOR, { key: project.key });
    await page.getByRole('button', { name: 'Add language…' }).click();
    await dialog(page).getByRole('combobox', { name: 'Language' }).fill('French');
    await put('Salut', 'fr', {});
    await page.keyboard.press('Enter');
    await told(page, 'Someone else has just added French');
    await expect.poll(() => text(page).inputValue()).toBe('Salut');
    await page.getByRole('button', { name: 'Add language…' }).click();
    await dialog(page).getByRole('combobox', { name: 'Language' }).fill('fr');
    await page.keyboard.press('Enter');
    await dialog(page).getByText('French is already there').waitFor();
  });

  test('that the default has left behind says so with what to do, and no longer once it is published again', async () => {
    await put('Hallo', 'de');
    await put('Salut', 'fr', {});
    const { page } = await tabs.open(EDITOR, { key: project.key });
    await text(page).fill('Good day');
    await publish(page);
    await told(page, /^Version \d+ published$/);
    await language(page, 'German Behind').waitFor();
    await row(page, 'German (de)').getByText('Behind').waitFor();
    await row(page, 'French (fr)').getByText('Not published').waitFor();
    expect(await row(page, 'Default').getByText('Published').count()).toBe(1);
    await row(page, 'German (de)').getByRole('link').click();
    const notice = page.getByRole('status').filter({ hasText: 'German is behind the default' });
    await notice.getByText(/^The default was published on .*; update this language and publish it\.$/).waitFor();
    await notice.getByText('changed Heading “Good day”').waitFor();
    await text(page).fill('Guten Tag');
    await publish(page);
    await told(page, /^Version \d+ published$/);
    await notice.waitFor({ state: 'hidden' });
    await row(page, 'German (de)').getByText('Behind').waitFor({ state: 'hidden' });
  });

  test('that is behind a default with another subject says so, also where it was of the version that the template came with', async () => {
    const own = await newProject();
    await enableTemplates(own, 'newsletter');
    const say = async (body: object) => must(await own.api.put('/templates/newsletter/content', { publish: true, ...body }), 200);
    const { defaultContent: content } = must(await own.api.get('/templates/newsletter/content'), 200);
    const { first } = must(await own.api.get('/templates/newsletter/versions'), 200);
    await say({ content: heading('Hallo'), locale: 'de' });
    await say({ content, subject: 'Another' });
    const { page } = await tabs.open(`${EDITOR}?locale=de`, { key: own.key });
    const notice = page.getByRole('status').filter({ hasText: 'German is behind the default' });
    await notice.getByText(`subject: was “${first.subject}”, now “Another”`).waitFor();
    // Then it had the one that the template came with, as a version of its own.
    await say({ content, subject: '' });
    await say({ content: heading('Hallo'), locale: 'de' });
    await say({ content, subject: 'Another' });
    await page.reload();
    await notice.getByText(`subject: was “${first.subject}”, now “Another”`).waitFor();
    await say({ content: heading('Hallo'), locale: 'de' });
    await say({ content });
    await page.reload();
    await notice.getByText('It says the same as before, so publishing is enough.').waitFor();
  });

  test('is written beside the default where there is room, as it was chosen in the tab', async () => {
    await put('Hallo', 'de');
    const { page } = await tabs.open(`${EDITOR}?locale=de`, { key: project.key });
    const beside = page.getByRole('switch', { name: 'Show default beside' });
    const ofDefault = page.getByRole('region', { name: 'Default' });
    await beside.press('Space');
    await ofDefault.getByText('Hello', { exact: true }).waitFor();
    await ofDefault.getByText('Hello!').waitFor();
    expect(await ofDefault.getByRole('textbox').count()).toBe(0);
    expect(await axeProblems(page)).toEqual([]);
    await page.reload();
    await ofDefault.waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await ofDefault.waitFor({ state: 'hidden' });
    await beside.waitFor({ state: 'hidden' });
    await page.setViewportSize({ width: 1440, height: 900 });
    await beside.press('Space');
    await ofDefault.waitFor({ state: 'detached' });
    await language(page, 'Default').click();
    await expect.poll(() => beside.count()).toBe(0);
  });

  test('is not left with unsaved changes unasked, by its links or by going back', async () => {
    await put('Hallo', 'de');
    const { page } = await tabs.open(EDITOR, { key: project.key });
    await language(page, 'German').click();
    await expect.poll(() => text(page).inputValue()).toBe('Hallo');
    await text(page).fill('Hallo, du');
    const question = dialog(page).filter({ hasText: 'Leave without saving?' });
    for (const leave of [
      () => language(page, 'Default').click(),
      () => row(page, 'Default').getByRole('link').click(),
      () => page.goBack(),
    ]) {
      await leave();
      await question.getByRole('button', { name: 'Stay' }).click();
      await question.waitFor({ state: 'hidden' });
      expect([await text(page).inputValue(), new URL(page.url()).search]).toEqual(['Hallo, du', '?locale=de']);
    }
    await language(page, 'Default').click();
    await question.getByRole('button', { name: 'Leave' }).click();
    await expect.poll(() => text(page).inputValue()).toBe('Hello');
    expect((await stored('de')).draft).toBeUndefined();
  });

  test('is told apart from the others when somebody else saves meanwhile', async () => {
    await put('Hallo', 'de');
    const { page } = await tabs.open(`${EDITOR}?locale=de`, { key: project.key });
    await text(page).fill('Mine');
    await put('Other default', undefined, {});
    await save(page);
    await told(page, 'Draft saved');
    await text(page).fill('Mine again');
    await put('Theirs', 'de', {});
    await save(page);
    await page.getByText('There is now another draft.').waitFor();
    await page.getByRole('button', { name: 'View theirs' }).click();
    await dialog(page).frameLocator('iframe').getByRole('heading', { name: 'Theirs' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Save mine as the draft' }).click();
    await told(page, 'Draft saved');
    expect([(await stored('de')).draft.content, (await stored()).draft.content]).toEqual([heading('Mine again'), heading('Other default')]);
  });

  test('is removed after a question, and its address says then that there is none', async () => {
    await put('Hallo', 'de');
    const { page, open } = await tabs.open(`${EDITOR}?locale=de`, { key: project.key });
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Remove German…' }).click();
    await hasFocus(dialog(page).getByRole('button', { name: 'Cancel' }));
    await dialog(page).getByRole('button', { name: 'Remove language' }).click();
    await told(page, 'German removed');
    await expect.poll(() => text(page).inputValue()).toBe('Hello');
    await languages(page).waitFor({ state: 'detached' });
    expect(must(await project.api.get('/templates/newsletter/languages'), 200).languages).toHaveLength(1);
    await open(`${EDITOR}?locale=de`);
    await page.getByText('This language does not exist').waitFor();
    await page.getByRole('link', { name: /^Back to/ }).click();
    await expect.poll(() => text(page).inputValue()).toBe('Hello');
  });

  test('is text to be read for a key that may not change it', async () => {
    await put('Hallo', 'de');
    await put('Good day');
    const { key } = await project.newKey(['templates:read']);
    const { page } = await tabs.open(EDITOR, { key });
    await language(page, 'German Behind').click();
    await page.getByText('This key cannot change the template').waitFor();
    await page.getByText('Hallo', { exact: true }).first().waitFor();
    await shown(page, 'Hallo');
    const notice = page.getByRole('status').filter({ hasText: 'German is behind the default' });
    await notice.waitFor();
    expect(await notice.innerText()).not.toContain('update');
    expect(await page.getByRole('button', { name: 'Add language…' }).count()).toBe(0);
    expect(await page.getByRole('switch', { name: 'Show default beside' }).count()).toBe(0);
    expect(await page.getByRole('textbox', { name: 'Text' }).count()).toBe(0);
  });

  test('is that of its page in a test email, whatever the language of the contact that it shows', async () => {
    await put('Hallo', 'de');
    const email = project.address('german');
    await newContact(project, email, { locale: 'de' });
    const { page } = await tabs.open(EDITOR, { key: project.key });
    await page.getByRole('combobox', { name: /^For Ada Lovelace \(sample\)/ }).fill(email);
    await page.getByRole('option', { name: email }).click();
    await shown(page, 'Hello');
    const tester = project.address('tester');
    await page.getByRole('button', { name: 'Send test email…' }).click();
    await dialog(page).getByLabel('To').fill(tester);
    await dialog(page).getByRole('button', { name: 'Send test email' }).click();
    await told(page, `Test email sent to ${tester}`);
    const [tested] = await mailTo(tester, (messages) => messages.length === 1);
    expect(tested!.raw).toContain('Hello!');
  });
});

test('a campaign counts its emails by language, and an email says which it was in', async () => {
  await put('Hallo', 'de');
  const { tag, emails } = await newAudience(project, 3);
  for (const [index, email] of emails.entries()) await newContact(project, email, { locale: index === 0 ? 'fr' : 'de-AT' });
  const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
  await campaignEnds(project, id);
  const { page, open } = await tabs.open(`/campaigns/${id}`, { key: project.key });
  await title(page, /./).waitFor();
  const counts = page.getByRole('table', { name: 'Languages' });
  await counts.waitFor();
  await expect.poll(() => counts.getByRole('row').filter({ hasText: 'German (de)' }).getByRole('cell').first().innerText()).toContain('2');
  await expect.poll(() => counts.getByRole('row').filter({ hasText: 'Default' }).getByRole('cell').first().innerText()).toContain('1');
  const sendOf = async (email: string): Promise<string> =>
    must(await project.api.get(`/sends?q=${encodeURIComponent(email)}`), 200).sends[0].id;
  await open(`/sends/${await sendOf(emails[1]!)}`);
  await page.getByText('German (de)').waitFor();
  await open(`/sends/${await sendOf(emails[0]!)}`);
  await page.getByText('Template', { exact: true }).waitFor();
  expect(await page.getByText('Language', { exact: true }).count()).toBe(0);
});

test('a tag with an extension or of private use is its own name where a browser has none, on every page that names it', async () => {
  const tags = ['de-DE-u-co-phonebk', 'en-x-a1', 'jbo'];
  for (const tag of tags) await put(`Words of ${tag}`, tag);
  const { tag, emails } = await newAudience(project, 3);
  for (const [index, email] of emails.entries()) await newContact(project, email, { locale: tags[index] });
  const id = await newCampaign(project, { audience: { mode: 'tag', tag } });
  await campaignEnds(project, id);
  const { page, open } = await tabs.open(EDITOR, { key: project.key });
  for (const each of tags) await row(page, new RegExp(each)).getByText('Published').waitFor();
  await page.getByRole('button', { name: 'Add language…' }).click();
  const asked = dialog(page).getByRole('combobox', { name: 'Language' });
  await asked.fill('de-AT-u-co-phonebk');
  await dialog(page).getByText('de-AT-u-co-phonebk, for contacts with this variant only').waitFor();
  await page.keyboard.press('Escape');
  await open(`/campaigns/${id}`);
  const counts = page.getByRole('table', { name: 'Languages' });
  await counts.waitFor();
  for (const each of tags) await counts.getByRole('row').filter({ hasText: each }).waitFor();
  for (const [index, email] of emails.entries()) {
    await open(`/sends/${must(await project.api.get(`/sends?q=${encodeURIComponent(email)}`), 200).sends[0].id}`);
    await page.getByText(tags[index]!).first().waitFor();
  }
});

test('what ships in several languages has each with its own content, none of which can be removed', async () => {
  const { page } = await tabs.open('/templates/confirm-subscription', { key: project.key });
  await row(page, 'German (de)').getByText('Built-in').waitFor();
  await language(page, 'German').click();
  await page.getByText('German is built in.').waitFor();
  const { defaultContent } = must(await project.api.get('/templates/confirm-subscription/content?locale=de'), 200);
  const first = defaultContent.blocks.find(({ type }: { type: string }) => type === 'heading').text;
  await expect
    .poll(() => page.getByRole('group', { name: 'Heading' }).getByRole('textbox', { name: 'Text' }).first().inputValue())
    .toBe(first);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Versions' }).waitFor();
  expect(await page.getByRole('menuitem', { name: /^Remove/ }).count()).toBe(0);
});

test('a duplicate of a template has its languages, each as published and as drafted as there', async () => {
  await put('Hallo', 'de');
  await put('Entwurf', 'de', {});
  await put('Salut', 'fr', {});
  const { page } = await tabs.open(EDITOR, { key: project.key });
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Duplicate…' }).click();
  await page.getByText('Its content is copied, in all languages. Nothing is sent with the copy until you turn it on.').waitFor();
  await page.getByRole('button', { name: 'Create template' }).click();
  await title(page, 'Copy of Newsletter').waitFor();
  await row(page, 'French (fr)').getByText('Not published').waitFor();
  const copied = async (locale: string) => must(await project.api.get(`/templates/copy-of-newsletter/content?locale=${locale}`), 200);
  expect(await copied('de')).toMatchObject({
    published: { content: heading('Hallo'), subject: 'Hallo!' },
    draft: { content: heading('Entwurf'), subject: 'Entwurf!' },
  });
  expect(await copied('fr')).toMatchObject({ draft: { content: heading('Salut'), subject: 'Salut!' } });
});
