import { beforeAll, expect, test } from 'vitest';
import { consoleTabs } from '../support/console.ts';
import { drawn, wayBecomes } from '../support/console-sequences.ts';
import { eventually } from '../support/eventually.ts';
import { newProject, type TestProject } from '../support/project.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  project = await newProject();
});

test('a ready sequence is picked, seen with its way, and made a draft that is edited at once, with the templates that it lacks', async () => {
  const { page } = await tabs.open('/sequences', { key: project.key });
  const isInPage = () => page.evaluate<boolean>(`document.activeElement.id === 'content'`);
  await page.getByRole('link', { name: 'Sequence templates' }).click();
  await page.getByRole('heading', { name: 'Abandoned cart' }).waitFor();
  await eventually(isInPage);
  await expect.poll(() => page.getByRole('main').getByRole('listitem').count()).toBe(6);
  await page.getByRole('heading', { name: 'Abandoned cart' }).click();
  await drawn(page, 'worth_it').waitFor();
  await eventually(isInPage);
  await wayBecomes(page, 'day>worth_it', 'hour>reminder', 'offer>end', 'reminder>day', 'start>hour', 'worth_it>offer');
  await page.getByText('a contact, by the event cart_abandoned: 2 emails').waitFor();
  await drawn(page, 'reminder').getByText('First reminder').waitFor();
  await drawn(page, 'last').getByText('Send cart-reminder').waitFor();
  await page.getByRole('button', { name: '6. Offer of help' }).waitFor();
  await page.getByText('Cart reminder: template added with it, off until you turn it on').waitFor();
  await page.getByRole('button', { name: 'Use this sequence…' }).click();
  await page.getByLabel('Name').fill('Carts of the shop');
  await page.getByRole('button', { name: 'Create sequence' }).click();
  await page.getByRole('button', { name: 'Add a step after Start: cart_abandoned' }).waitFor();
  expect(new URL(page.url()).pathname).toMatch(/\/sequences\/carts-of-the-shop\/edit$/);
  const made = (await project.api.get('/sequences/carts-of-the-shop')).body;
  expect(made).toMatchObject({ name: 'Carts of the shop', status: 'draft', version: 1 });
  expect(made.nodes.length).toBe(8);
  await drawn(page, 'last').click();
  await page.getByLabel('Label', { exact: true }).fill('Before it is gone');
  await drawn(page, 'last').getByText('Before it is gone').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await eventually(async () => (await project.api.get('/sequences/carts-of-the-shop')).body.version === 2);
  const { nodes } = (await project.api.get('/sequences/carts-of-the-shop')).body;
  expect(nodes.find(({ id }: { id: string }) => id === 'last').label).toBe('Before it is gone');
  const own = async () =>
    (await project.api.get('/templates')).body.templates
      .filter(({ own }: { own: boolean }) => own)
      .map(({ key, enabled }: { key: string; enabled: boolean }) => [key, enabled]);
  expect(await own()).toEqual([['cart-reminder', false]]);

  // Once more, under a key that is taken at first: the template stays as it is.
  await page.goto(page.url().replace(/\/sequences\/.*/, '/sequences?starter=cart'));
  await page.getByRole('button', { name: 'Use this sequence…' }).click();
  await page.getByLabel('Key').fill('carts-of-the-shop');
  await page.getByText('Another sequence has this key').waitFor();
  await page.getByLabel('Key').fill('second');
  await page.getByRole('button', { name: 'Create sequence' }).click();
  await eventually(async () => (await project.api.get('/sequences/second')).status === 200);
  expect(await own()).toEqual([['cart-reminder', false]]);
});
