import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { consoleTabs, told } from '../support/console.ts';
import { axeProblems, showIn } from '../support/console-looks.ts';
import { hasFocus, selectWord, title } from '../support/console-page.ts';
import { eventually } from '../support/eventually.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { must, newContact } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  project = await newProject();
  await newContact(project, project.address(), { attributes: { favorite_color: 'blue' } });
});

const put = async (key: string, blocks: readonly object[]) =>
  must(await project.api.put(`/templates/${key}/content`, { content: { blocks } }), 200);
const stored = async (key: string) => must(await project.api.get(`/templates/${key}/content`), 200).draft.content.blocks;
const text = (says: string) => ({ type: 'text', text: says });
const toolbar = (page: Page) => page.getByRole('toolbar', { name: 'Format in the preview' });
const spot = (page: Page, kind: string) => page.getByRole('button', { name: `Edit ${kind} here` });
const open = async (key: string): Promise<Page> => {
  const { page } = await tabs.open(`/templates/${key}`, { key: project.key });
  await title(page, /./).waitFor();
  await page.frameLocator('iframe').getByText('A word').first().waitFor();
  return page;
};
const saveDraft = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Save draft' }).click();
  await told(page, 'Draft saved');
};

describe('in the preview', () => {
  test('the key Tab leads to its blocks, and not into the frame of the mail', async () => {
    await put('announcement', [{ type: 'heading', text: 'A word' }, text('Other')]);
    const page = await open('announcement');
    await page.getByRole('button', { name: 'Edit Heading here' }).focus();
    await page.keyboard.press('Shift+Tab');
    expect(await page.evaluate('document.activeElement.tagName')).not.toMatch(/IFRAME|BODY/);
    await page.keyboard.press('Tab');
    await hasFocus(page.getByRole('button', { name: 'Edit Heading here' }));
  });

  test('a click on a block edits its text where it is, with bold, italic and a link, and what is stored is its markup', async () => {
    await put('announcement', [{ type: 'heading', text: 'A word' }, text('Some bold and slanted words'), text('Other')]);
    const page = await open('announcement');
    await spot(page, 'Text').first().click();
    const bar = toolbar(page);
    const field = page.getByRole('group', { name: 'Text, in the preview' }).getByRole('textbox', { name: 'Text' });
    await hasFocus(field);
    for (const scheme of ['light', 'dark'] as const) {
      await showIn(page, scheme);
      expect(await axeProblems(page)).toEqual([]);
    }
    await field.focus();
    await selectWord(page, 'bold');
    await bar.getByRole('button', { name: 'Bold' }).click();
    await selectWord(page, 'slanted');
    await page.keyboard.press('Control+i');
    expect(await field.locator('strong').innerText()).toBe('bold');
    const mail = page.frameLocator('iframe');
    await mail.locator('strong', { hasText: 'bold' }).waitFor();
    await mail.locator('em', { hasText: 'slanted' }).waitFor();
    await selectWord(page, 'bold');
    await bar.getByRole('button', { name: 'Bold' }).click();
    await selectWord(page, 'words');
    await bar.getByRole('button', { name: 'Link' }).click();
    await page.keyboard.type('example.com/words');
    // Half an address is none yet, so nothing is refused.
    expect(await page.getByText('not accepted').count()).toBe(0);
    await page.keyboard.press('Enter');
    await field.locator('a', { hasText: 'words' }).waitFor();
    await page.keyboard.press('Control+z');
    await field.locator('a').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+Shift+z');
    expect(await field.locator('a').getAttribute('href')).toBe('https://example.com/words');
    await page.keyboard.press('Escape');
    await hasFocus(spot(page, 'Text').first());
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await hasFocus(field);
    await page.keyboard.type(' one');
    // The form has it as well.
    await eventually(
      async () => (await page.getByRole('group', { name: 'Text', exact: true }).last().getByRole('textbox').innerText()) === 'Other one',
    );
    await saveDraft(page);
    expect(await stored('announcement')).toEqual([
      ...[{ type: 'heading', text: 'A word' }, text('Some bold and *slanted* [words](https://example.com/words)'), text('Other one')],
    ]);
  });

  test('a text becomes a list and a list a text, blocks in columns are found, and one without a text leads to its fields', async () => {
    const columns = [{ blocks: [text('Left')] }, { blocks: [{ type: 'button', label: 'Go', url: 'https://example.com' }] }];
    await put('newsletter', [text('A word\n**Second**'), { type: 'columns', columns }, { type: 'spacer', height: 40 }]);
    const page = await open('newsletter');
    await spot(page, 'Text').first().click();
    await toolbar(page).getByRole('button', { name: 'Turn into list' }).click();
    const list = page.getByRole('group', { name: 'Items (one per line), in the preview' });
    expect(await list.getByRole('textbox').inputValue()).toBe('A word\nSecond');
    await page.frameLocator('iframe').locator('li', { hasText: 'Second' }).waitFor();
    await list.getByRole('textbox').press('End');
    await spot(page, 'Button').click();
    await list.waitFor({ state: 'hidden' });
    await page.getByRole('group', { name: 'Button text, in the preview' }).getByRole('textbox').fill('Go there');
    await spot(page, 'Space').click();
    await hasFocus(page.getByRole('textbox', { name: 'Height in pixels' }));
    await saveDraft(page);
    expect(await stored('newsletter')).toEqual([
      { type: 'list', items: ['A word', 'Second'] },
      { type: 'columns', columns: [columns[0], { blocks: [{ type: 'button', label: 'Go there', url: 'https://example.com' }] }] },
      { type: 'spacer', height: 40 },
    ]);
    await spot(page, 'List').click();
    await toolbar(page).getByRole('button', { name: 'Turn into text' }).click();
    await saveDraft(page);
    expect((await stored('newsletter'))[0]).toEqual(text('A word\nSecond'));
  });
});

const offered = (page: Page) => page.getByRole('listbox', { name: 'Variables' });

test('typing {{ offers the variables, in the preview and in the form, and puts the one that is chosen there', async () => {
  await put('welcome', [{ type: 'heading', text: 'A word' }, text('Dear')]);
  const page = await open('welcome');
  await spot(page, 'Text').click();
  const field = page.getByRole('group', { name: 'Text, in the preview' }).getByRole('textbox');
  await hasFocus(field);
  await field.press('End');
  await page.keyboard.type(' {{');
  await offered(page).waitFor();
  expect(await axeProblems(page)).toEqual([]);
  await page.keyboard.type('first_n');
  await page.keyboard.press('Enter');
  await hasFocus(field);
  const says = () => field.locator('p').textContent();
  expect(await says()).toBe('Dear contact.first_name');
  await page.frameLocator('iframe').getByText('Dear Ada').waitFor();
  await page.keyboard.type(', {{ bra');
  await offered(page).waitFor();
  await page.keyboard.press('Escape');
  await offered(page).waitFor({ state: 'hidden' });
  await hasFocus(field);
  expect(await says()).toBe('Dear contact.first_name, {{ bra');
  for (const _ of '{{ bra') await page.keyboard.press('Backspace');
  await toolbar(page).getByRole('button', { name: 'Insert a variable' }).click();
  const search = page.getByRole('textbox', { name: 'Search for a variable' });
  await hasFocus(search);
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^brand\.name/ })
    .click();
  await toolbar(page).getByRole('button', { name: 'Insert a variable' }).click();
  await hasFocus(search);
  // The braces are not asked for here, and do no harm.
  await page.keyboard.type('{{ plan }}');
  await hasFocus(field);
  await page.keyboard.type('!');
  await saveDraft(page);
  expect((await stored('welcome'))[1]).toEqual(text('Dear {{ contact.first_name }}, {{ brand.name }}{{ plan }}!'));
  const subject = page.getByRole('textbox', { name: 'Subject' });
  await subject.fill('For ');
  await subject.pressSequentially('{{plan.of_mine');
  await page.getByText('No matches. Press Enter to use it as typed.').waitFor();
  await page.keyboard.press('Enter');
  expect(await subject.inputValue()).toBe('For {{ plan.of_mine }}');
  await subject.fill('');
  await subject.pressSequentially('{{favorite');
  await offered(page)
    .getByRole('option', { name: /^contact\.attributes\.favorite_color/ })
    .waitFor();
  await page.keyboard.press('Enter');
  expect(await subject.inputValue()).toBe('{{ contact.attributes.favorite_color }}');
  await subject.pressSequentially(' {{contact.');
  await page.keyboard.press('ArrowDown');
  const active = offered(page).getByRole('option', { selected: true });
  expect(await subject.getAttribute('aria-activedescendant')).toBe(await active.getAttribute('id'));
  await offered(page)
    .getByRole('option', { name: /^contact\.email/ })
    .click();
  await hasFocus(subject);
  expect(await subject.inputValue()).toBe('{{ contact.attributes.favorite_color }} {{ contact.email }}');
  // What is wrong is told with the variable as it is spelt.
  await subject.fill('{{ contact.firstName }} {{ attributes.plan }}');
  const warnings = page.getByRole('status').filter({ hasText: 'Warnings' });
  await warnings.getByText(/^(Subject: )?contact\.firstName is no variable/).waitFor();
  await warnings.getByText(/(^|: )[Uu]se contact\.attributes\.plan: attributes\.plan is empty unless the data has it/).waitFor();
});

describe('a variable that is typed to its end', () => {
  const SENTENCE = 'Our picture, {{ contact.first_name }}';
  const FILTERED = ' for {{ nick | default: "you" }} and';

  test('is one thing in a text, in the form and in the preview, and what follows is text', async () => {
    await put('welcome', [{ type: 'heading', text: 'A word' }, text('x')]);
    const page = await open('welcome');
    const inForm = page.getByRole('group', { name: 'Text', exact: true }).getByRole('textbox');
    await inForm.press('Control+a');
    await page.keyboard.type('Our');
    // With pauses in which the list is there and the preview could be asked for.
    await page.keyboard.type(' picture, {{ contact.first_na');
    await offered(page).waitFor();
    await page.waitForTimeout(600);
    expect(await page.getByText(/not accepted|line 1/).count()).toBe(0);
    await page.keyboard.type('me }}');
    await offered(page).waitFor({ state: 'hidden' });
    await page.keyboard.press('Enter');
    await page.keyboard.type(`. Enjoy!${FILTERED}`);
    await expect.poll(() => inForm.locator('[data-liquid]').allInnerTexts()).toEqual(['contact.first_name', 'nick | default: "you"']);
    await page.frameLocator('iframe').getByText('. Enjoy! for you and').waitFor();
    await spot(page, 'Text').click();
    const inPreview = page.getByRole('group', { name: 'Text, in the preview' }).getByRole('textbox');
    await hasFocus(inPreview);
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' {{ brand.name }} and welcome');
    expect(await inPreview.locator('[data-liquid]').count()).toBe(3);
    await saveDraft(page);
    const second = '. Enjoy! for {{ nick | default: "you" }} and {{ brand.name }} and welcome';
    expect((await stored('welcome'))[1]).toEqual(text(`${SENTENCE}\n\n${second}`));
  });

  test('is plain Liquid in the subject, headings and buttons, and Escape keeps what is typed of it', async () => {
    const button = { type: 'button', label: 'Go', url: 'https://example.com' };
    await put('welcome', [{ type: 'heading', text: 'A word' }, button]);
    const page = await open('welcome');
    const whole = `${SENTENCE}${FILTERED} welcome`;
    const subject = page.getByRole('textbox', { name: 'Subject' });
    const previewed: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/preview')) previewed.push(request.postDataJSON().subject);
    });
    await subject.fill('');
    const half = 'Our picture, {{ contact.first_na';
    await subject.pressSequentially(half);
    await offered(page).waitFor();
    // So long that the preview is asked for otherwise, and would say that the Liquid is not closed.
    await page.waitForTimeout(600);
    await subject.pressSequentially(whole.slice(half.length));
    expect(await subject.inputValue()).toBe(whole);
    await eventually(() => previewed.at(-1) === whole);
    expect(previewed.filter((text) => /\{\{[^}]*$/.test(text))).toEqual([]);
    const label = page.getByRole('group', { name: 'Button', exact: true }).getByRole('textbox', { name: 'Button text' });
    await label.fill('');
    await label.pressSequentially(whole);
    await spot(page, 'Heading').click();
    const heading = page.getByRole('group', { name: 'Heading, in the preview' }).getByRole('textbox');
    await hasFocus(heading);
    await heading.press('Control+a');
    await page.keyboard.type('Yo {{ contact.fi');
    await offered(page).waitFor();
    await page.keyboard.press('Escape');
    await offered(page).waitFor({ state: 'hidden' });
    await hasFocus(heading);
    expect(await heading.inputValue()).toBe('Yo {{ contact.fi');
    await page.keyboard.type('rst_name }}, hello');
    await saveDraft(page);
    expect(await stored('welcome')).toEqual([
      { type: 'heading', text: 'Yo {{ contact.first_name }}, hello' },
      { ...button, label: whole },
    ]);
  });
});
