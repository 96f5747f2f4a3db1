import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { consoleTabs, told } from '../support/console.ts';
import { hasFocus, title } from '../support/console-page.ts';
import { eventually } from '../support/eventually.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { must } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  project = await newProject();
});

const put = async (key: string, blocks: readonly object[]) =>
  must(await project.api.put(`/templates/${key}/content`, { content: { blocks } }), 200);
const stored = async (key: string) => must(await project.api.get(`/templates/${key}/content`), 200).draft.content.blocks;
const text = (says: string) => ({ type: 'text', text: says });
const COLUMNS = { type: 'columns', columns: [{ blocks: [text('Left'), text('Under it')] }, { blocks: [text('Right')] }] };

const card = (page: Page, name: string): Locator => page.getByRole('group', { name, exact: true });
const texts = (page: Page): Promise<string[]> => page.locator('[id^="block-"] [role="textbox"]').allTextContents();
const says = (page: Page, ...wanted: readonly string[]) =>
  eventually(async () => JSON.stringify(await texts(page)) === JSON.stringify(wanted));

describe('undo', () => {
  test('takes back one change after the other, typing as a whole, in text and outside, and redo makes them again', async () => {
    await put('announcement', [text('One'), text('Two')]);
    const { page } = await tabs.open('/templates/announcement', { key: project.key });
    await title(page, 'Announcement').waitFor();
    const [undo, redo] = [page.getByRole('button', { name: 'Undo' }), page.getByRole('button', { name: 'Redo' })];
    expect([await undo.isDisabled(), await redo.isDisabled()]).toEqual([true, true]);
    const first = card(page, 'Text').first().getByRole('textbox');
    await first.press('End');
    // Letter by letter, and without the pauses that a busy machine makes.
    await page.evaluate(`for (const letter of ' more') document.execCommand('insertText', false, letter)`);
    await card(page, 'Text').first().getByRole('button', { name: 'Move Text down' }).click();
    await says(page, 'Two', 'One more');
    await card(page, 'Text').first().getByRole('button', { name: 'More for Text' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await says(page, 'One more');

    await page.getByRole('heading', { name: 'Content' }).click();
    await page.keyboard.press('Control+z');
    await says(page, 'Two', 'One more');
    await undo.click();
    await says(page, 'One more', 'Two');
    await card(page, 'Text').last().getByRole('textbox').press('Control+z');
    await says(page, 'One', 'Two');
    // All of it is as it was saved.
    await page.getByText('You have unsaved changes').waitFor({ state: 'hidden' });
    await expect.poll(() => undo.isDisabled()).toBe(true);
    await page.keyboard.press('Control+Shift+z');
    await says(page, 'One more', 'Two');
    await page.keyboard.press('Control+y');
    await redo.click();
    await says(page, 'One more');
    await expect.poll(() => redo.isDisabled()).toBe(true);
    // Whoever has pressed it stays there, and may go on from it.
    await hasFocus(redo);
    await redo.press('Enter');
    await says(page, 'One more');
    await page.keyboard.press('Control+z');
    await says(page, 'Two', 'One more');
    // What is done now has nothing before it to go to again.
    await card(page, 'Text').last().getByRole('textbox').fill('Other');
    await expect.poll(() => redo.isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Save draft' }).click();
    await told(page, 'Draft saved');
    expect(await stored('announcement')).toEqual([text('Two'), text('Other')]);
    await page.keyboard.press('Control+z');
    await says(page, 'Two', 'One more');
  });

  test('leaves inputs that are no part of the content to the browser, and takes back what was discarded', async () => {
    await put('receipt', [text('One')]);
    const { page } = await tabs.open('/templates/receipt', { key: project.key });
    const field = card(page, 'Text').getByRole('textbox');
    // No time goes by between what is typed and what is discarded.
    await page.clock.setFixedTime(Date.now());
    await field.fill('Changed');
    const sample = page.getByRole('textbox').last();
    await sample.fill('');
    await sample.pressSequentially('abc');
    await page.keyboard.press('Control+z');
    expect([await field.textContent(), (await sample.inputValue()) === 'abc']).toEqual(['Changed', false]);
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard changes' }).click();
    await says(page, 'One');
    await page.getByRole('heading', { name: 'Content' }).click();
    await page.keyboard.press('Control+z');
    await says(page, 'Changed');
  });
});

test('a block is dragged to another place of its list, in columns too, and never out of it', async () => {
  await put('newsletter', [text('One'), text('Two'), text('Three'), COLUMNS]);
  const { page } = await tabs.open('/templates/newsletter', { key: project.key });
  const head = (index: number) => page.locator('[draggable="true"]').nth(index);
  const blocks = page.locator('[id^="block-"][role="group"]');
  await head(0).waitFor();
  // Whatever scrolls after the button is pressed is dragged in its place.
  await page.setViewportSize({ width: 1280, height: 2600 });
  await head(0).dragTo(blocks.nth(2), { targetPosition: { x: 60, y: 130 } });
  await page.getByText('Text moved to position 3 of 4').waitFor({ state: 'attached' });
  await says(page, 'Two', 'Three', 'One', 'Left', 'Under it', 'Right');
  await head(2).dragTo(blocks.nth(0), { targetPosition: { x: 60, y: 4 } });
  await says(page, 'One', 'Two', 'Three', 'Left', 'Under it', 'Right');
  await head(5).dragTo(blocks.nth(4), { targetPosition: { x: 60, y: 4 } });
  await page.getByText('Text moved to position 1 of 2').waitFor({ state: 'attached' });
  await says(page, 'One', 'Two', 'Three', 'Under it', 'Left', 'Right');
  await head(6).dragTo(blocks.nth(0), { targetPosition: { x: 60, y: 4 } });
  await page.getByRole('button', { name: 'Save draft' }).click();
  await told(page, 'Draft saved');
  const inColumns = [{ blocks: [text('Under it'), text('Left')] }, { blocks: [text('Right')] }];
  expect(await stored('newsletter')).toEqual([text('One'), text('Two'), text('Three'), { type: 'columns', columns: inColumns }]);
});

test('"{{" in the subject of a new template, a campaign, its variants and a step of a sequence offers variables', async () => {
  must(await project.api.put('/templates/announcement', { enabled: true }), 200);
  const nodes = [
    { id: 'start', kind: 'trigger' },
    { id: 'hello', kind: 'send_email', config: { template: 'announcement' } },
  ];
  must(await project.api.put('/sequences/subjects', { name: 'Subjects', nodes, edges: [{ from: 'start', to: 'hello' }] }), 200);
  const { page, open } = await tabs.open('/templates/~new', { key: project.key });
  const takes = async (subject: Locator) => {
    await subject.fill('');
    await subject.pressSequentially('Hi {{ first');
    await page.getByRole('option', { name: 'contact.first_name' }).waitFor();
    await subject.press('Enter');
    await eventually(async () => (await subject.inputValue()) === 'Hi {{ contact.first_name }}');
    await page.getByRole('listbox', { name: 'Variables' }).waitFor({ state: 'hidden' });
  };
  page.on('dialog', (dialog) => void dialog.accept());
  const subject = page.getByRole('textbox', { name: 'Subject' });
  await takes(subject);
  await open('/campaigns/new');
  const template = page.getByRole('combobox', { name: 'Template' });
  await template.click();
  await page.getByRole('option', { name: 'announcement' }).click();
  await eventually(async () => (await template.inputValue()) === 'Announcement');
  await takes(subject);
  await page.getByRole('button', { name: 'Test subjects' }).click();
  await takes(page.getByRole('group', { name: 'Variant 2' }).getByRole('textbox', { name: 'Subject' }));
  await open('/sequences/subjects/edit');
  await page.locator('.react-flow__node[data-id="hello"]').click();
  await takes(subject);
});
