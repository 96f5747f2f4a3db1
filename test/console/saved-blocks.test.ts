import { beforeAll, expect, test } from 'vitest';
import { consoleTabs, told } from '../support/console.ts';
import { axeProblems, showIn } from '../support/console-looks.ts';
import { dialog, title } from '../support/console-page.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { must } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;
const button = { type: 'button', label: 'Open your account', url: 'https://example.com/account', align: 'center' };

beforeAll(async () => {
  project = await newProject();
});

test('a block is saved under a name, inserted into another template as a copy, renamed and deleted', async () => {
  const put = async (key: string, blocks: readonly object[]) =>
    must(await project.api.put(`/templates/${key}/content`, { content: { blocks } }), 200);
  await put('announcement', [button]);
  await put('newsletter', [{ type: 'text', text: 'A word' }]);
  const { page } = await tabs.open('/templates/announcement', { key: project.key });
  await title(page, /./).waitFor();
  await page.getByRole('button', { name: 'More for Button' }).click();
  await page.getByRole('menuitem', { name: 'Save this block…' }).click();
  await dialog(page).getByRole('button', { name: 'Save block' }).click();
  await dialog(page).getByText('Enter a name').waitFor();
  await dialog(page).getByRole('textbox', { name: 'Name' }).fill('To the account');
  for (const scheme of ['light', 'dark'] as const) {
    await showIn(page, scheme);
    expect(await axeProblems(page)).toEqual([]);
  }
  await dialog(page).getByRole('button', { name: 'Save block' }).click();
  await told(page, /^To the account saved/);
  await page.getByRole('button', { name: 'More for Button' }).click();
  await page.getByRole('menuitem', { name: 'Save this block…' }).click();
  await dialog(page).getByRole('textbox', { name: 'Name' }).fill('to the ACCOUNT');
  await dialog(page).getByRole('button', { name: 'Save block' }).click();
  await dialog(page).getByText('Another saved block has this name').waitFor();

  const other = (await tabs.open('/templates/newsletter', { key: project.key })).page;
  await other.frameLocator('iframe').getByText('A word').waitFor();
  await other.getByRole('button', { name: 'Add block' }).last().click();
  await other.getByRole('menuitem', { name: 'Saved blocks…' }).click();
  await dialog(other).getByRole('button', { name: 'Insert To the account' }).waitFor();
  for (const scheme of ['light', 'dark'] as const) {
    await showIn(other, scheme);
    expect(await axeProblems(other)).toEqual([]);
  }
  await dialog(other).getByRole('button', { name: 'Insert To the account' }).click();
  await other
    .frameLocator('iframe')
    .getByRole('link', { name: 'Open your account' })
    .or(other.frameLocator('iframe').getByText('Open your account'))
    .first()
    .waitFor();
  await other.getByRole('button', { name: 'Add block' }).last().click();
  await other.getByRole('menuitem', { name: 'Saved blocks…' }).click();
  await dialog(other).getByRole('button', { name: 'Rename To the account' }).click();
  await dialog(other).getByRole('textbox', { name: 'New name of To the account' }).fill('Account');
  await dialog(other).getByRole('button', { name: 'Rename' }).click();
  await dialog(other).getByRole('button', { name: 'Delete Account' }).click();
  await dialog(other).getByRole('button', { name: 'Delete', exact: true }).click();
  await dialog(other).getByText('None yet.', { exact: false }).waitFor();
  await other.keyboard.press('Escape');
  await other.getByRole('button', { name: 'Save draft' }).click();
  await told(other, 'Draft saved');
  const { draft } = must(await project.api.get('/templates/newsletter/content'), 200);
  expect(draft.content.blocks).toEqual([{ type: 'text', text: 'A word' }, button]);
});
