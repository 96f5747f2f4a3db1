import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { consoleTabs } from '../support/console.ts';
import { hasFocus, title } from '../support/console-page.ts';
import { eventually } from '../support/eventually.ts';
import { png } from '../support/images.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { must } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  project = await newProject();
});

const card = (page: Page, name: string) => page.getByRole('group', { name, exact: true });
const text = (says: string) => ({ type: 'text', text: says });
const open = async (key: string, blocks: readonly object[], width?: number): Promise<Page> => {
  must(await project.api.put(`/templates/${key}/content`, { content: { blocks } }), 200);
  const { page } = await tabs.open(`/templates/${key}`, { key: project.key, ...(width ? { width } : {}) });
  await title(page, /./).waitFor();
  await page.frameLocator('iframe').locator('td').first().waitFor();
  return page;
};
interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
const isApart = (one: Box, other: Box): boolean => one.y + one.height <= other.y || other.y + other.height <= one.y;

test('fields are called as people call them, an address gains https, and what is refused is named by its block and field', async () => {
  const page = await open('announcement', [text('A word'), { type: 'button', label: 'Go', url: 'https://example.com' }]);
  await page.getByRole('textbox', { name: 'Button text' }).first().waitFor();
  const button = card(page, 'Button');
  const address = button.getByRole('textbox', { name: 'Web address' });
  await address.fill('acme.example/shop?a=b');
  await button.getByRole('textbox', { name: 'Button text' }).fill('{% if %}');
  expect(await address.inputValue()).toBe('https://acme.example/shop?a=b');
  await page.getByRole('button', { name: 'Save draft' }).click();
  await page
    .getByRole('alert')
    .getByText(/^Button 2, button text: line 1/)
    .first()
    .waitFor();
});

test('an image that takes the place of that of a variable is not shown for the variable any more', async () => {
  const page = await open('welcome', [{ type: 'image', src: '{{ photo.url }}', alt: 'The old shop', showIf: 'photo.url' }, text('A word')]);
  const image = card(page, 'Image');
  await image.getByRole('textbox', { name: 'Show only if' }).waitFor();
  await image.locator('input[type="file"]').setInputFiles({ name: 'new shop.png', mimeType: 'image/png', buffer: png(64, 64) });
  await hasFocus(image.getByRole('textbox', { name: 'Alt text' }));
  await image.getByRole('textbox', { name: 'Show only if' }).waitFor({ state: 'hidden' });
  await eventually(async () => (await page.frameLocator('iframe').locator('img[width="64"]').count()) === 1);
});

test.each([1440, 390])('at %i pixels neither the picker of variables nor the bar covers what is typed', async (width) => {
  const page = await open('newsletter', [text('A word'), text('Above'), text('Edited here'), text('Below')], width);
  await page.getByRole('button', { name: 'Edit Text here' }).nth(2).click();
  const typed = page.getByRole('group', { name: 'Text, in the preview' });
  const field = typed.getByRole('textbox');
  await hasFocus(field);
  const bar = (await page.getByRole('toolbar', { name: 'Format in the preview' }).boundingBox())!;
  expect(isApart(bar, (await typed.boundingBox())!)).toBe(true);
  for (const says of ['Above', 'Below']) {
    expect([says, isApart(bar, (await page.frameLocator('iframe').getByText(says).boundingBox())!)]).toEqual([says, true]);
  }
  await field.pressSequentially(' {{');
  const offered = page.getByRole('listbox', { name: 'Variables' });
  await offered.waitFor();
  await eventually(async () => isApart((await offered.boundingBox())!, (await typed.boundingBox())!));
  expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
});
