import { expect, test } from 'vitest';
import { askingProject, confirmLinkOf, passHours } from '../support/confirmations.ts';
import { consoleTabs } from '../support/console.ts';
import { showIn } from '../support/console-looks.ts';
import { dialog } from '../support/console-page.ts';
import { eventually } from '../support/eventually.ts';
import { database, newProject } from '../support/project.ts';
import { must } from '../support/sequences.ts';
import { temporalClient } from '../support/temporal.ts';
import { ask } from '../support/topics.ts';

const tabs = consoleTabs();
test('shots', async () => {
  const [client, em] = [await temporalClient(), await database()];
  const a = await askingProject({ doubleOptIn: true, confirmReminders: [24, 72] });
  const mailed = (id: string) => eventually(async () => (await a.contactOf(id)).confirmation.mails === 1);
  const w = await a.signUp({ firstName: 'Wanda' }); await mailed(w.id);
  const w2 = await a.signUp({ firstName: 'Wanda' }); await mailed(w2.id); await passHours(em, client, w2.id, 2);
  const c = await a.signUp({ firstName: 'Carl', consent: { source: 'signup-form', ip: '203.0.113.7', userAgent: 'Mozilla/5.0 (Macintosh)' } }); await mailed(c.id);
  await ask('POST', await confirmLinkOf(c.email), { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0' });
  const s = a.project.address(); must(await a.project.api.post('/suppressions', { email: s, reason: 'manual' }), 201);
  const sup = await a.signUp({ email: s }); await mailed(sup.id);
  const { page, open } = await tabs.open('/brands', { key: a.project.key });
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 1000 });
    for (const [n, id] of [['waiting', w.id], ['again', w2.id], ['confirmed', c.id], ['suppressed', sup.id]] as const) {
      await open(`/contacts/${id}`);
      await page.getByText('Consent', { exact: true }).waitFor();
      await page.waitForTimeout(500);
      if (n === 'confirmed') await page.getByText('Text shown').click();
      for (const scheme of ['light', 'dark'] as const) {
        await showIn(page, scheme);
        await page.screenshot({ path: `/tmp/shots/${n}-${width}-${scheme}.png`, fullPage: true });
      }
    }
    await open('/brands');
    await page.getByRole('button', { name: /^Edit/ }).first().waitFor();
    await page.screenshot({ path: `/tmp/shots/brands-${width}.png` });
    await page.getByRole('button', { name: /^Edit/ }).first().click();
    await dialog(page).getByText('Ask new contacts to confirm').waitFor();
    await page.setViewportSize({ width, height: 1900 });
    await page.waitForTimeout(500);
    for (const scheme of ['light', 'dark'] as const) {
      await showIn(page, scheme);
      await page.screenshot({ path: `/tmp/shots/form-${width}-${scheme}.png`, fullPage: true });
    }
  }
  const p = await newProject();
  const t = await tabs.open('/brands', { key: p.key });
  await t.page.setViewportSize({ width: 1280, height: 1700 });
  await t.page.getByRole('button', { name: /^Edit/ }).first().click();
  await dialog(t.page).getByRole('switch', { name: 'Ask new contacts to confirm' }).press('Space');
  await dialog(t.page).getByRole('button', { name: 'Save' }).click();
  await dialog(t.page).getByRole('alert').waitFor();
  await t.page.screenshot({ path: '/tmp/shots/refused.png' });
  await t.open('/contacts/new');
  await t.page.getByText('Pending').waitFor();
  await t.page.setViewportSize({ width: 1280, height: 1300 });
  await t.page.screenshot({ path: '/tmp/shots/new.png' });
  expect(1).toBe(1);
}, 200_000);
