import { beforeAll, expect, test } from 'vitest';
import { consoleTabs, told } from '../support/console.ts';
import { axeProblems, showIn } from '../support/console-looks.ts';
import { title } from '../support/console-page.ts';
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
const open = async (key: string) => {
  const { page } = await tabs.open(`/templates/${key}`, { key: project.key });
  await title(page, /./).waitFor();
  await page.frameLocator('iframe').getByText('A word').first().waitFor();
  return page;
};

test('a block is aligned, colored and kept apart in its panel, warned of what cannot be read, and taken back', async () => {
  await put('announcement', [
    { type: 'heading', text: 'A word' },
    { type: 'text', text: 'Below' },
  ]);
  const page = await open('announcement');
  const mail = page.frameLocator('iframe');
  await page.getByRole('button', { name: 'Heading style' }).click();
  const panel = page.getByRole('group', { name: 'Heading style' });
  await panel.getByText('Center', { exact: true }).click();
  await mail.locator('td[align="center"] > h1').waitFor();
  await panel.getByRole('combobox', { name: 'Background' }).click();
  await page.getByRole('option', { name: "The brand's color" }).click();
  await mail.locator('td[bgcolor] > h1').waitFor();
  await panel.getByRole('textbox', { name: 'Space above (px)' }).fill('60');
  await panel.getByRole('combobox', { name: 'Text color' }).click();
  await page.getByRole('option', { name: 'Another color…' }).click();
  await panel.getByRole('textbox', { name: 'Text color, another' }).fill('#2557d6');
  // What offers colors closes.
  await page.keyboard.press('Tab');
  await page.getByRole('group', { name: 'Heading', exact: true }).getByText('Hard to read', { exact: false }).waitFor();
  for (const scheme of ['light', 'dark'] as const) {
    await showIn(page, scheme);
    expect(await axeProblems(page)).toEqual([]);
  }
  await panel.getByRole('textbox', { name: 'Text color, another' }).fill('#fff');
  await page.getByText('Hard to read', { exact: false }).first().waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Save draft' }).click();
  await told(page, 'Draft saved');
  const heading = { type: 'heading', text: 'A word', align: 'center', background: 'primary', spaceAbove: 60, color: '#fff' };
  expect(await stored('announcement')).toEqual([heading, { type: 'text', text: 'Below' }]);
  await panel.getByText('Left', { exact: true }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await eventually(async () => panel.getByRole('radio', { name: 'Center' }).isChecked());
});

test('on a phone columns stand one below the other, the first on top', async () => {
  const column = (says: string) => ({ blocks: [{ type: 'text', text: says, background: 'background' }] });
  await put('newsletter', [
    { type: 'text', text: 'A word' },
    { type: 'columns', columns: [column('First'), column('Second'), column('Third')], spaceAbove: 20 },
  ]);
  const page = await open('newsletter');
  const mail = page.frameLocator('iframe');
  const boxes = () => Promise.all(['First', 'Second', 'Third'].map(async (says) => (await mail.getByText(says).boundingBox())!));
  await eventually(async () => {
    const [first, second, third] = await boxes();
    return first!.y === second!.y && second!.x > first!.x + first!.width && third!.x > second!.x;
  });
  await page.getByText('Phone', { exact: true }).click();
  await eventually(async () => {
    const [first, second, third] = await boxes();
    return first!.x === second!.x && second!.y >= first!.y + first!.height && third!.y > second!.y;
  });
});
