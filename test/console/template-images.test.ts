import type { Frame, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { consoleTabs, told } from '../support/console.ts';
import { axeProblems, showIn } from '../support/console-looks.ts';
import { dialog, hasFocus, title } from '../support/console-page.ts';
import { eventually } from '../support/eventually.ts';
import { png, uploadImage } from '../support/images.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { must } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  project = await newProject();
});

const FOREIGN = 'https://pictures.example/shop.png';
const put = async (key: string, blocks: readonly object[]) =>
  must(await project.api.put(`/templates/${key}/content`, { content: { blocks } }), 200);
const mailIn = async (page: Page): Promise<Frame> => (await (await page.locator('iframe').elementHandle())!.contentFrame())!;
/** Pixels that a picture in the preview really has; 0: it shows none. */
const shownWidth = async (page: Page, index = 0): Promise<number> =>
  (await mailIn(page)).evaluate<number>(`document.images[${index}]?.naturalWidth ?? 0`).catch(() => 0);

describe('an image block', () => {
  test('takes a picture from the disk: it is made smaller, shown in the preview by this host, asked what it shows, and there for other blocks', async () => {
    await put('announcement', [{ type: 'image', src: FOREIGN, alt: 'The old shop' }]);
    const { page } = await tabs.open('/templates/announcement', { key: project.key });
    await title(page, 'Announcement').waitFor();
    const image = page.getByRole('group', { name: 'Image', exact: true });
    await page.frameLocator('iframe').getByText('The old shop').waitFor();
    await image.locator('input[type="file"]').setInputFiles({ name: 'new shop.png', mimeType: 'image/png', buffer: png(2400, 100) });
    const alt = image.getByRole('textbox', { name: 'Alt text' });
    await hasFocus(alt);
    expect(await alt.inputValue()).toBe('');
    await page.keyboard.type('The new shop');
    const [uploaded] = must(await project.api.get('/images'), 200).images;
    expect(uploaded).toMatchObject({ filename: 'new shop.png', width: 1200, height: 50 });
    expect(await image.getByRole('textbox', { name: 'Address of the picture' }).inputValue()).toBe(uploaded.url);
    await eventually(async () => (await shownWidth(page)) === 1200);
    await page.getByRole('button', { name: 'Save draft' }).click();
    await told(page, 'Draft saved');
    expect(must(await project.api.get('/templates/announcement/content'), 200).draft.content.blocks).toEqual([
      { type: 'image', src: uploaded.url, alt: 'The new shop' },
    ]);

    const small = must(await uploadImage(project, png(64, 64), 'logo.png'), 201);
    await page.getByRole('button', { name: 'Add block' }).click();
    await page.getByRole('menuitem', { name: 'Image' }).click();
    const second = image.last();
    await second.getByRole('button', { name: 'Choose an uploaded one…' }).click();
    await dialog(page)
      .getByRole('button', { name: /^logo\.png/ })
      .waitFor();
    for (const scheme of ['light', 'dark'] as const) {
      await showIn(page, scheme);
      expect(await axeProblems(page)).toEqual([]);
    }
    await dialog(page)
      .getByRole('button', { name: /^logo\.png/ })
      .click();
    await hasFocus(second.getByRole('textbox', { name: 'Alt text' }));
    expect(await second.getByRole('textbox', { name: 'Address of the picture' }).inputValue()).toBe(small.url);
    // One that is narrower than the mail is not blown up.
    expect(await second.getByRole('textbox', { name: 'Width in pixels' }).inputValue()).toBe('64');
    await eventually(async () => (await shownWidth(page, 1)) === 64);

    await second.getByRole('button', { name: 'Choose an uploaded one…' }).click();
    await dialog(page).getByRole('button', { name: 'Delete logo.png' }).click();
    await dialog(page).getByText('those that were sent included').waitFor();
    await dialog(page).getByRole('button', { name: 'Delete image' }).click();
    await dialog(page)
      .getByRole('button', { name: /^new shop\.png/ })
      .waitFor();
    expect(
      await dialog(page)
        .getByRole('button', { name: /^logo\.png/ })
        .count(),
    ).toBe(0);
    expect(must(await project.api.get('/images'), 200).images).toHaveLength(1);
  });

  test('that the API does not take is told at the block, and nothing of it is lost', async () => {
    await put('newsletter', [{ type: 'image', src: FOREIGN, alt: 'The shop' }]);
    const { page } = await tabs.open('/templates/newsletter', { key: project.key });
    const image = page.getByRole('group', { name: 'Image', exact: true });
    const svg = { name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>') };
    await image.locator('input[type="file"]').setInputFiles(svg);
    await image
      .getByRole('alert')
      .getByText(/not a picture that emails can show/)
      .waitFor();
    expect(await image.getByRole('textbox', { name: 'Address of the picture' }).inputValue()).toBe(FOREIGN);
    expect(await image.getByRole('textbox', { name: 'Alt text' }).inputValue()).toBe('The shop');
  });
});

test('a preview asks other hosts for nothing until that is asked for, and then for their pictures alone', async () => {
  await put('welcome', [{ type: 'image', src: FOREIGN, alt: 'The shop' }]);
  const { page } = await tabs.open('/templates/welcome', { key: project.key });
  await page.route('https://pictures.example/**', (route) => route.fulfill({ contentType: 'image/png', body: png(30, 30) }));
  await page.frameLocator('iframe').getByText('The shop').waitFor();
  expect([await shownWidth(page), tabs.wrongs]).toEqual([0, []]);
  await page.getByRole('button', { name: 'Load external images' }).click();
  await eventually(async () => (await shownWidth(page)) === 30);
  expect(tabs.wrongs.splice(0)).toEqual([`request to ${FOREIGN}`]);
  await page.getByRole('button', { name: 'Hide external images' }).click();
  await page.frameLocator('iframe').getByText('The shop').waitFor();
  await page.getByText('External images are hidden').waitFor();
  await page.getByRole('textbox', { name: 'Address of the picture' }).fill('');
  await page.getByText('External images are hidden').waitFor({ state: 'hidden' });
  // The block still has its place.
  await page.frameLocator('iframe').getByText('The shop').waitFor();
  expect(await page.getByRole('button', { name: 'Load external images' }).count()).toBe(0);
});
