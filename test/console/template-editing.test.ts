import type { Route } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { consoleTabs, told } from '../support/console.ts';
import { dialog, hasFocus, title } from '../support/console-page.ts';
import { eventually } from '../support/eventually.ts';
import { mailCount, mailTo } from '../support/mail.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must, newContact } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'announcement');
});

describe('a template', () => {
  test('is changed beside its preview, told its problems at their blocks, saved as a draft, sent as a test, and published', async () => {
    const { page } = await tabs.open('/templates', { key: project.key });
    await page
      .getByRole('row', { name: /^Announcement announcement .*On Marketing/ })
      .getByRole('link')
      .click();
    await title(page, 'Announcement').waitFor();
    const preview = page.frameLocator('iframe');
    await preview.getByRole('heading').first().waitFor();
    const slow = { ok: false, error: 'content: too slow', code: 'invalid_content', issues: [{ path: 'content', message: 'too slow' }] };
    const answerSlow = (route: Route) => route.fulfill({ status: 422, json: slow });
    await page.route('**/preview', answerSlow);
    await page.getByRole('textbox', { name: 'Preheader' }).fill('Slow');
    await page.getByRole('status').getByText('The preview took too long').waitFor();
    await page.unroute('**/preview', answerSlow);
    await page.getByRole('status').getByRole('button', { name: 'Try again' }).click();
    await page.getByText('The preview took too long').waitFor({ state: 'hidden' });
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
    await page.getByRole('alert').filter({ hasText: 'Not accepted' }).first().waitFor();
    await page
      .getByRole('alert')
      .getByText(/^Text \d+, text: line 1/)
      .first()
      .waitFor();
    expect(await added.getByRole('textbox', { name: 'Text' }).textContent()).toBe('if');
    await added.getByRole('textbox', { name: 'Text' }).fill('Only for {{ nobody.knows }} {{ contact.last_name }}');
    await preview.getByText(/Only for\s+Lovelace/).waitFor();
    expect(await page.getByRole('status').filter({ hasText: 'Left empty' }).getByText('contact.').count()).toBe(0);
    const reader = await newContact(project, project.address('reader'), { lastName: 'Hopper' });
    const { contact } = must(await project.api.get(`/contacts/${reader}`), 200);
    await page.getByRole('combobox', { name: /^For Ada Lovelace \(sample\)/ }).fill(contact.email);
    await page.getByRole('option', { name: contact.email }).click();
    await preview.getByText(/Only for\s+Hopper/).waitFor();
    await page.getByRole('status').filter({ hasText: 'Empty in the email' }).getByText('nobody.knows').waitFor();
    // What a new block leads to is asked for when it is saved; until then the mail can be looked at.
    await page.getByRole('button', { name: 'Insert a block before Text' }).last().click();
    await page.getByRole('menuitem', { name: 'Image' }).click();
    const kinds = await page.locator('[id^="block-"][role="group"]').evaluateAll((cards) => cards.map((card) => card.ariaLabel));
    expect(kinds.slice(-2)).toEqual(['Image', 'Text']);
    const image = block('Image').last();
    const source = image.getByRole('textbox', { name: 'Address of the picture' });
    expect([await source.inputValue(), await source.getAttribute('placeholder')]).toEqual(['', 'https://example.com/picture.png']);
    await image.getByRole('textbox', { name: 'Alt text' }).fill('Our new shop');
    await preview.getByText('Our new shop', { exact: true }).waitFor();
    expect(await page.locator('[aria-invalid="true"]').count()).toBe(0);
    const publish = page.getByRole('button', { name: 'Publish' });
    // However far down the form is.
    const { scrollHeight, y } = await page.evaluate<{ scrollHeight: number; y: number }>(
      `(scrollTo(0, document.body.scrollHeight), { scrollHeight: document.body.scrollHeight, y: scrollY })`,
    );
    const { y: top, height } = (await publish.boundingBox())!;
    expect([y > 100, top >= 0 && top + height <= 100, scrollHeight > 1000]).toEqual([true, true, true]);
    await publish.click();
    await image.getByText('Enter the image address').waitFor();
    await hasFocus(source);
    await image.getByRole('button', { name: 'More for Image' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await added.getByRole('button', { name: 'Move Text up' }).click();
    const save = page.getByRole('button', { name: 'Save draft' });
    await save.press('Enter');
    await told(page, 'Draft saved');
    // There is nothing more to save, but the keyboard goes on from there.
    await hasFocus(save);
    await expect.poll(() => save.isDisabled()).toBe(true);
    // The draft that is there now is what it publishes.
    await eventually(() => publish.isEnabled());
    await page.keyboard.press('Tab');
    await hasFocus(page.getByRole('button', { name: 'Publish' }));
    expect(await save.getAttribute('disabled')).toBe('');
    await page.getByRole('button', { name: 'Send test email…' }).click();
    const hushed = project.address('hushed');
    await project.api.post('/suppressions', { email: hushed, reason: 'manual' });
    await dialog(page).getByLabel('To').fill(hushed);
    await dialog(page).getByRole('button', { name: 'Send test email' }).click();
    const refused = dialog(page).getByRole('alert');
    await refused.getByText('The address is suppressed').waitFor();
    expect(await refused.innerText()).not.toMatch(/DELETE|since 20/);
    const tester = project.address('tester');
    await dialog(page).getByLabel('To').fill(tester);
    await dialog(page).getByText(`The fields of the contact are those of ${contact.email}, as in the preview.`).waitFor();
    await dialog(page).getByText('it counts toward the frequency caps of sequences').waitFor();
    await dialog(page).getByRole('button', { name: 'Send test email' }).click();
    await told(page, `Test email sent to ${tester}`);
    const [tested] = await mailTo(tester, (messages) => messages.length === 1);
    expect(tested!.raw).toMatch(/Only for\s+Hopper/);
    await page.getByRole('button', { name: 'Publish' }).press('Enter');
    await told(page, /^Version \d+ published$/);
    await hasFocus(page.getByRole('button', { name: 'Publish' }));
    const { published, draft } = must(await project.api.get('/templates/announcement/content'), 200);
    expect(draft).toBeUndefined();
    expect(published.content.blocks.at(-2)).toEqual({ type: 'text', text: 'Only for {{ nobody.knows }} {{ contact.last_name }}' });
    expect(JSON.stringify(published.content)).toContain('Hello {{ name }}, look');
  });

  test('that somebody else published meanwhile is not replaced unasked: theirs is shown, mine is kept or discarded', async () => {
    const put = async (text: string, publish: boolean, more: object = {}) =>
      must(
        await project.api.put('/templates/win-back/content', {
          ...{ publish, ...more },
          content: { preheader: 'Their preheader', blocks: [{ type: 'heading', text }] },
        }),
        200,
      );
    const stored = async () => must(await project.api.get('/templates/win-back/content'), 200);
    await put('First', false);
    const { page } = await tabs.open('/templates/win-back', { key: project.key });
    const heading = page.getByRole('textbox', { name: 'Text' });
    await heading.fill('Mine');
    await put('Theirs', true, { subject: 'Their subject' });
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Version 1 is now published').waitFor();
    expect((await stored()).published.content.blocks[0].text).toBe('Theirs');
    await page.getByRole('button', { name: 'View theirs' }).click();
    await dialog(page).frameLocator('iframe').getByRole('heading', { name: 'Theirs' }).waitFor();
    await dialog(page).getByText('Their preheader').waitFor();
    await dialog(page).getByText('Their subject').waitFor();
    await page.keyboard.press('Escape');
    expect(await heading.inputValue()).toBe('Mine');
    await page.getByRole('button', { name: 'Publish mine instead' }).click();
    await told(page, /^Version 2 published$/);
    const mine = (await stored()).published;
    expect([mine.content.blocks[0].text, mine.subject]).toEqual(['Mine', undefined]);

    await heading.fill('Mine again');
    await put('Their draft', false);
    // A test mail has what is typed, so it saves first, and is none where somebody else has saved.
    const tester = project.address('tester-of-draft');
    const test = async () => {
      await page.getByRole('button', { name: 'Send test email…' }).click();
      await dialog(page).getByLabel('To').fill(tester);
      await dialog(page).getByRole('button', { name: 'Save draft and send' }).click();
      await dialog(page).waitFor({ state: 'hidden' });
    };
    await test();
    await page.getByText('There is now another draft.').waitFor();
    await page.getByRole('button', { name: 'Use theirs' }).click();
    await eventually(async () => (await heading.inputValue()) === 'Their draft');
    await heading.fill('On top of theirs');
    await test();
    await told(page, 'Draft saved');
    const [tested] = await mailTo(tester, (messages) => messages.length > 0);
    expect([await mailCount(tester), tested!.raw.includes('On top of theirs')]).toEqual([1, true]);
    expect((await stored()).draft.content.blocks[0].text).toBe('On top of theirs');

    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Versions' }).click();
    const listed = dialog(page).getByRole('list', { name: 'Versions' }).getByRole('button');
    await listed.first().waitFor();
    const names = (await listed.allInnerTexts()).map((text) => text.match(/^[A-Z].*/gm)?.join(' '));
    expect(names).toEqual(['Draft', 'Draft Replaced', 'Version 2 Published', 'Version 1', 'Draft Replaced', 'Built-in']);
    await dialog(page).getByText('changed Heading “On top of theirs”').waitFor();
    await dialog(page).getByText('Saved by the key').waitFor();
    const replaced = dialog(page).getByRole('button', { name: /^Draft.*Replaced$/ });
    for (const [at, says] of ['Their draft', 'First'].entries()) {
      await replaced.nth(at).click();
      await dialog(page).frameLocator('iframe').getByRole('heading', { name: says }).waitFor();
      await dialog(page).getByRole('button', { name: 'Edit from this draft' }).waitFor();
    }
    await dialog(page)
      .getByRole('button', { name: /^Version 1/ })
      .click();
    await dialog(page).frameLocator('iframe').getByRole('heading', { name: 'Theirs' }).waitFor();
    await dialog(page).getByText('Against the draft before it:').waitFor();
    await dialog(page).getByText('changed Heading “Theirs”').waitFor();
    await dialog(page).getByRole('button', { name: 'Edit from version 1' }).click();
    await eventually(async () => (await heading.inputValue()) === 'Theirs');
    const subject = page.getByRole('textbox', { name: 'Subject' });
    expect(await subject.inputValue()).toBe('Their subject');
    expect((await stored()).draft.content.blocks[0].text).toBe('On top of theirs');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await eventually(async () => (await stored()).draft.subject === 'Their subject');

    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Versions' }).click();
    await replaced.nth(2).waitFor();
    await dialog(page).getByRole('button', { name: 'Built-in' }).click();
    await dialog(page).getByRole('button', { name: 'Edit from the built-in version' }).click();
    const { subject: shipped } = must(await project.api.get('/templates/win-back/schema'), 200);
    await eventually(async () => (await subject.inputValue()) === shipped);
    await page.getByRole('button', { name: 'Publish' }).click();
    await told(page, /^Version 3 published$/);
    const { published, defaultContent } = await stored();
    expect([published.content, published.subject]).toEqual([defaultContent, undefined]);
  });

  test('is built by keyboard alone: the focus stays with a block that is added, moved and copied, and goes to the next when one is removed', async () => {
    const { page } = await tabs.open('/templates/newsletter', { key: project.key });
    await title(page, 'newsletter').waitFor();
    // Of objects a row has a field for each member that the sample shows; JSON is there for the others.
    const stories = page.getByRole('group', { name: 'stories', exact: true });
    const story = (number: number) => page.getByRole('group', { name: `stories, row ${number}`, exact: true });
    await stories.getByRole('button', { name: 'Add row' }).click();
    await page.keyboard.type('A third story');
    await stories.getByRole('button', { name: 'Move row 3 up' }).focus();
    await page.keyboard.press('Enter');
    await stories.getByText('Row 3 moved to position 2 of 3').waitFor({ state: 'attached' });
    await hasFocus(stories.getByRole('button', { name: 'Move row 2 up' }));
    await story(3).getByRole('textbox', { name: 'url' }).fill('https://example.com/third');
    await page.frameLocator('iframe').getByText('A third story').waitFor();
    await stories.getByRole('button', { name: 'Edit as JSON' }).click();
    const json = page.getByRole('textbox', { name: 'stories' });
    const written = JSON.parse(await json.inputValue());
    expect([written.length, written[1], written[2].url]).toEqual([3, { title: 'A third story' }, 'https://example.com/third']);
    await json.fill(JSON.stringify([{ ...written[0], tags: ['x'] }]));
    expect(await page.getByRole('button', { name: 'Edit as rows' }).count()).toBe(0);
    await json.fill('[{ "title": "Pasted" }]');
    await page.getByRole('button', { name: 'Edit as rows' }).click();
    expect(await story(1).getByRole('textbox', { name: 'title' }).inputValue()).toBe('Pasted');
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
    await page.getByText(/^Quote moved to position \d+ of \d+$/).waitFor({ state: 'attached' });
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
});
