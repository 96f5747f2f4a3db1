import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { consoleTabs } from '../support/console.ts';
import { hasFocus, title, writeCampaign } from '../support/console-page.ts';
import { eventually } from '../support/eventually.ts';
import { newProject } from '../support/project.ts';
import { namelessIn, readAloud } from '../support/read-aloud.ts';
import { enableTemplates, must, newContact, newSequence } from '../support/sequences.ts';

const tabs = consoleTabs();

/** Waits until the tree has each of these, and answers with what in it has no name. */
async function expectRead(page: Page, ...wanted: readonly (string | RegExp)[]): Promise<void> {
  let tree = '';
  await eventually(async () => {
    tree = await readAloud(page);
    return wanted.every((one) => (typeof one === 'string' ? tree.includes(one) : one.test(tree)));
  }).catch(() => {
    throw new Error(`not all of ${wanted.join(', ')} are in\n${tree}`);
  });
  expect(namelessIn(tree)).toEqual([]);
}

test('who hears the console and uses the keyboard alone signs in, sends one email and simulates a sequence, and all on the way has a name', async () => {
  const project = await newProject();
  await enableTemplates(project, 'announcement', 'receipt');
  const email = project.address('ada');
  await newContact(project, email);
  const { key } = await newSequence(project, { steps: [{ template: 'receipt' }] });
  const { page } = await tabs.open('/home');
  await expectRead(page, '- main', '- heading "Sign in" [level=1]', '- textbox "API key"', '- button "Sign in" [disabled]');
  await page.keyboard.type(project.key);
  await page.keyboard.press('Enter');
  await title(page, 'Home').waitFor();
  await expectRead(
    page,
    '- link "Skip to content"',
    '- navigation "Main"',
    '- heading "Home" [level=1]',
    /- listitem:\s+- img "To do"\s+- link "Send your first email"/,
    '- table "Emails sent"',
    '- table "Contacts added and lost"',
  );
  const go = async (words: string, option: string) => {
    await page.keyboard.press('Control+k');
    await hasFocus(page.getByRole('combobox', { name: 'Page, name or action' }));
    await page.keyboard.type(words);
    await page.getByRole('option', { name: option }).first().waitFor();
    await expectRead(page, '- dialog "Go to"', '- listbox "Pages and actions"');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Go to' }).waitFor({ state: 'hidden' });
  };
  await go('new campaign', 'New campaign');
  await title(page, 'New campaign').waitFor();
  await writeCampaign(page, 'One email');
  await page.getByRole('radio', { name: 'People' }).press('Space');
  await page.getByRole('textbox', { name: 'Emails' }).fill(email);
  await expectRead(page, '- combobox "Template"', '- radiogroup "Audience"', '- textbox "Emails"');
  await page.getByRole('button', { name: 'Send now…' }).press('Enter');
  // The button waits until it is counted, and that is told.
  await expectRead(page, '- dialog "Send “One email” now?"', '- status: 1 recipient', /- button "Send now"(?! \[disabled\])/);
  await page.getByRole('dialog').getByRole('button', { name: 'Send now' }).press('Enter');
  await title(page, 'One email').waitFor();
  await expectRead(page, '- heading "One email" [level=1]', /- '?progressbar "Sent: \d of 1"/);
  await eventually(async () => must(await project.api.get('/sends'), 200).sends.length === 1);
  await go(`${key}`, key);
  await page.getByRole('tab', { name: 'Simulate' }).press('Enter');
  await page.getByRole('button', { name: 'Simulate', exact: true }).waitFor();
  await expectRead(page, '- tablist "About this sequence"', '- tab "Simulate" [selected]', '- button "Simulate"');
  await page.getByRole('button', { name: 'Simulate', exact: true }).press('Enter');
  await expectRead(page, 'Completed: 3 steps, 1 email: receipt', /- button "View email of [^"]+"/);
  await hasFocus(page.getByRole('button', { name: 'Simulate', exact: true }));
});
