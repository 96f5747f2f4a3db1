import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { TYPED } from '../../console/src/pages/templates/edit/insertion.ts';
import { consoleTabs, told } from '../support/console.ts';
import { axeProblems, showIn } from '../support/console-looks.ts';
import { hasFocus, selectWord, title } from '../support/console-page.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { must } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  project = await newProject();
});

const text = (says: string) => ({ type: 'text', text: says });
const stored = async (key: string) => must(await project.api.get(`/templates/${key}/content`), 200).draft.content.blocks;
const card = (page: Page, name: string) => page.getByRole('group', { name, exact: true });
const field = (page: Page) => card(page, 'Text').first().getByRole('textbox', { name: 'Text' });
const bar = (page: Page) => card(page, 'Text').first().getByRole('toolbar', { name: 'Format' });
const open = async (key: string, blocks: readonly object[]): Promise<Page> => {
  must(await project.api.put(`/templates/${key}/content`, { content: { blocks } }), 200);
  const { page } = await tabs.open(`/templates/${key}`, { key: project.key });
  await title(page, /./).waitFor();
  await page.frameLocator('iframe').locator('td').first().waitFor();
  return page;
};
const saveDraft = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Save draft' }).click();
  await told(page, 'Draft saved');
};
/** As the clipboard has it. */
const paste = (page: Page, what: Readonly<Record<string, string>>) =>
  page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    for (const [type, data] of Object.entries(${JSON.stringify(what)})) clipboardData.setData(type, data);
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  })()`);

describe('a text in the form', () => {
  test('shows bold as bold, takes marks by buttons and keys, and Enter begins a paragraph', async () => {
    const page = await open('announcement', [text('Some **bold** words and *more* to say')]);
    expect(await field(page).locator('strong').innerText()).toBe('bold');
    expect(await field(page).innerText()).toBe('Some bold words and more to say');
    for (const scheme of ['light', 'dark'] as const) {
      await showIn(page, scheme);
      expect(await axeProblems(page)).toEqual([]);
    }
    await field(page).focus();
    await selectWord(page, 'words');
    await page.keyboard.press('Control+b');
    await selectWord(page, 'bold');
    await bar(page).getByRole('button', { name: 'Bold', pressed: true }).click();
    await selectWord(page, 'more');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('acme.example/shop');
    await page.keyboard.press('Enter');
    await hasFocus(field(page));
    await bar(page).getByRole('button', { name: 'Link', pressed: true }).waitFor();
    await page.keyboard.press('End');
    // The editor is told of the caret later than the page has moved it.
    await bar(page).getByRole('button', { name: 'Link', pressed: false }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('2*3 and 4*5');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('a line');
    await page.frameLocator('iframe').locator('p', { hasText: '2*3 and 4*5' }).waitFor();
    await saveDraft(page);
    expect(await stored('announcement')).toEqual([
      text('Some bold **words** and [*more*](https://acme.example/shop) to say\n\n2\\*3 and 4\\*5\na line'),
    ]);
  });

  test('that is not changed stays as it is written, to the byte, and of a changed one the paragraphs that are not', async () => {
    const odd = '_slanted_ and *too*\r\n \r\n__x__ 2*3 [a](https://a.example/b_(c)) {{ a | default: "**" }}\n\n\nLast ';
    const page = await open('newsletter', [text(odd), text('Other')]);
    await card(page, 'Text').last().getByRole('textbox').fill('Another');
    await saveDraft(page);
    expect(await stored('newsletter')).toEqual([text(odd), text('Another')]);
    await field(page).focus();
    await selectWord(page, 'Last');
    await page.keyboard.type('New');
    await saveDraft(page);
    expect((await stored('newsletter'))[0].text.trim()).toBe(odd.replace('Last ', 'New'));
  });

  test('keeps of what is pasted from Word or a web page only what a text can hold', async () => {
    const page = await open('welcome', [text('Before')]);
    await field(page).focus();
    await page.keyboard.press('Control+a');
    await paste(page, {
      'text/plain': 'not this',
      'text/html': `<html><head><style>p{color:red}</style></head><body><!--StartFragment--><h1 style="color:red">Big&nbsp;words</h1>
        <p class=MsoNormal><b style="mso-bidi-font-weight:normal"><span style='font-size:40pt'>Bold</span></b> and <i>slanted</i><o:p></o:p></p>
        <b style="font-weight:normal"><p>Plain, <span style="font-weight:700">heavy</span></p></b>
        <ul><li>One</li><li><a href="javascript:alert(1)">Two</a> <a href="https://a.example/x">three</a></li></ul>
        <table><tr><td>Cell</td></tr></table><img src="https://a.example/y.png"><script>alert(1)</script><!--EndFragment--></body></html>`,
    });
    await saveDraft(page);
    expect(await stored('welcome')).toEqual([
      text('Big words\n\n**Bold** and *slanted*\n\nPlain, **heavy**\n\nOne\n\nTwo [three](https://a.example/x)\n\nCell'),
    ]);
  });

  test('shows a variable as one thing, which no mark breaks and which is taken away as a whole', async () => {
    const page = await open('win-back', [text('Dear {{ contact.first_name | default: "you" }}, hello')]);
    const chip = field(page).locator('[data-liquid]');
    expect(await chip.innerText()).toBe('contact.first_name | default: "you"');
    await field(page).focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Control+i');
    // The editor is told of the caret later than the page has moved it, and would have the letter in the place of all.
    await page.evaluate(
      `globalThis.isTold = new Promise((done) => document.addEventListener('${TYPED}', () => done(true), { once: true })), 0`,
    );
    await page.keyboard.press('End');
    expect(await page.evaluate<boolean>('isTold')).toBe(true);
    await page.keyboard.type(' {{');
    await page.getByRole('listbox', { name: 'Variables' }).waitFor();
    await page.keyboard.type('brand.na');
    await page.keyboard.press('Enter');
    await saveDraft(page);
    expect(await stored('win-back')).toEqual([text('*Dear {{ contact.first_name | default: "you" }}, hello {{ brand.name }}*')]);
    await page.keyboard.press('Backspace');
    await field(page).press('End');
    await field(page).press('Backspace');
    await expect.poll(() => chip.count()).toBe(1);
  });
});

test('Enter in a heading is refused, and lines that are pasted into it become one without joined words', async () => {
  const page = await open('trial-ending', [{ type: 'heading', text: 'A word' }, text('x')]);
  const heading = card(page, 'Heading').getByRole('textbox', { name: 'Text' });
  await heading.focus();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await paste(page, { 'text/plain': 's\r\nand more\n' });
  expect(await heading.inputValue()).toBe('A words and more');
});
