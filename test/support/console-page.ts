import type { Locator, Page, Route } from 'playwright-core';
import { TYPED } from '../../console/src/pages/templates/edit/insertion.ts';
import { eventually } from './eventually.ts';

export const title = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });
export const row = (page: Page, text: string | RegExp) => page.getByRole('row').filter({ hasText: text });
export const dialog = (page: Page) => page.getByRole('dialog');
/** Of the form that adds a suppression. */
export const addressIn = (page: Page) => dialog(page).getByRole('textbox', { name: 'Email' });
export const lastOfPath = (page: Page) => new URL(page.url()).pathname.split('/').at(-1) as string;

/** Waits until the keyboard is there. */
export async function hasFocus(one: Locator): Promise<void> {
  await eventually(() => one.evaluate((element) => element === element.ownerDocument.activeElement));
}

export const accessibleDescription = (input: Locator) =>
  input.evaluate((one) =>
    (one.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => one.ownerDocument.getElementById(id)?.textContent)
      .join(' '),
  );

/** Selects a word of the text that has the keyboard, which is no input and had something else selected. */
export async function selectWord(page: Page, word: string): Promise<void> {
  const isSelected = await page.evaluate<boolean>(`(async () => {
    const texts = document.createTreeWalker(document.activeElement, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const at = texts.currentNode.data.indexOf(${JSON.stringify(word)});
      if (at < 0) continue;
      // The editor is told of it later than the page has it.
      const told = new Promise((done) => document.addEventListener('${TYPED}', () => done(true), { once: true }));
      getSelection().setBaseAndExtent(texts.currentNode, at, texts.currentNode, at + ${word.length});
      return told;
    }
    return false;
  })()`);
  if (!isSelected) throw new Error(`"${word}" is not in the text that is edited`);
}

/** Picks from a list by a part of what it says. */
export async function choose(page: Page, list: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: list, exact: true }).click();
  await page.getByRole('option', { name: option }).first().click();
}

/** On the page of a new campaign: with the template `announcement`. */
export async function writeCampaign(page: Page, name: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Template' }).click();
  await page.getByRole('option', { name: 'announcement' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
}

/** What the page says of a call that got no answer; the latter as soon as any other call, like one for a preview, has got one. */
export const LOST = /^(No connection to Everpost|Connection lost for a moment)$/;

/** Each way in which a call can fail, with what the page has to say then. */
const FAILURES: readonly { readonly told: string | RegExp; readonly answer: (route: Route) => Promise<void> }[] = [
  { told: LOST, answer: (route) => route.abort() },
  {
    told: 'Everpost is not responding',
    answer: (route) => route.fulfill({ status: 503, json: { ok: false, error: 'busy', code: 'unavailable' } }),
  },
  {
    told: 'Not accepted',
    answer: (route) => route.fulfill({ status: 422, json: { ok: false, error: 'no', code: 'invalid_request' } }),
  },
];

/** What a form does when its call fails in each of the ways: `submit` is called for each, and the input has to keep what was typed. */
export async function keepsInputWhenRefused(
  page: Page,
  {
    method,
    url,
    submit,
    input,
  }: { readonly method: string; readonly url: RegExp; readonly submit: () => Promise<void>; readonly input: Locator },
): Promise<void> {
  const typed = await input.inputValue();
  for (const { told, answer } of FAILURES) {
    const failing = (route: Route) => (route.request().method() === method ? answer(route) : route.continue());
    await page.route(url, failing);
    await submit();
    await page.getByRole('alert').getByText(told).first().waitFor();
    await page.unroute(url, failing);
    const kept = await input.inputValue();
    if (kept !== typed) throw new Error(`after "${told}" the input has ${JSON.stringify(kept)}, not ${JSON.stringify(typed)}`);
  }
}
