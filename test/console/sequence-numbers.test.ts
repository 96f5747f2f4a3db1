import { beforeAll, expect, test } from 'vitest';
import { consoleTabs, told } from '../support/console.ts';
import { choose } from '../support/console-page.ts';
import { drawn, newWelcomeFlow, WELCOME } from '../support/console-sequences.ts';
import { eventually } from '../support/eventually.ts';
import { happens } from '../support/flow.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must, newContact } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;
let ada: string;

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'welcome', 'password-reset');
  ({ ada } = await newWelcomeFlow(project));
});

const versionOf = async (key: string) => (await project.api.get(`/sequences/${key}`)).body.version;

test('of emails whose delivery nobody reports it is not said that none was delivered', async () => {
  const { page } = await tabs.open('/sequences/flow', { key: project.key });
  await drawn(page, 'hello').getByTitle('Delivered: none reported').waitFor();
  await drawn(page, 'hello').click();
  await page.getByText('Delivered', { exact: true }).locator('..').getByText('None reported').waitFor();
});

test("an email's card says what became of its emails and an arm which share reached the goal, of all versions or of one", async () => {
  const flow = { ...WELCOME, goal: { event: { type: 'bought' } } };
  must(await project.api.put('/sequences/counted', flow), 200);
  const enter = async (name: string): Promise<string> => {
    const email = `${name}+${project.slug}@everpost.test`;
    await newContact(project, email, { attributes: { plan: 'pro' } });
    must(await project.api.post('/sequences/counted/enroll', { email }), 200);
    return email;
  };
  const first = await enter('delivered');
  const nodeOf = async (node: string) =>
    (await project.api.get('/sequences/counted/flow')).body.nodes.find(({ id }: { id: string }) => id === node);
  await eventually(async () => (await nodeOf('hello')).mails.delivered === 1 && (await nodeOf('later')).standing === 1);
  await happens(project, { type: 'bought', email: first });
  must(await project.api.put('/sequences/counted', { ...flow, name: 'Second' }), 200);
  await enter('opened');
  await eventually(async () => (await nodeOf('hello')).mails.opened === 1 && (await nodeOf('later')).standing === 1);

  const { page } = await tabs.open('/sequences/counted', { key: project.key });
  const card = async () => (await drawn(page, 'hello').innerText()).replaceAll(/\s+/g, ' ');
  await drawn(page, 'hello').getByTitle('2 sent').waitFor();
  expect(await card()).toContain('2 sent 2 delivered 1 opened 0 clicked 0 unsubscribed');
  await page.getByTitle('1 of 2 reached the goal, 50 %; 1 of them is still active').waitFor();
  await drawn(page, 'hello').click();
  const fact = (name: string) => page.getByText(name, { exact: true }).locator('..').getByRole('definition');
  await fact('Opened').getByText('1 · 50 %').waitFor();

  await choose(page, 'Version', 'Version 1');
  await page.getByTitle('1 of 1 reached the goal, 100 %').waitFor();
  await drawn(page, 'hello').getByTitle('1 sent').waitFor();
  expect(new URL(page.url()).searchParams.get('version')).toBe('1');
  await choose(page, 'Version', 'Version 2, 1 active');
  // Nobody has reached it, and one may still: nothing is said of it.
  await page.getByTitle('1 passed').first().waitFor();
  expect(await page.getByTitle(/reached the goal/).count()).toBe(0);
});

test('who was left out of an email is counted by reason at its step and above the runs, and leads to those runs', async () => {
  must(await project.api.put('/sequences/without', WELCOME), 200);
  const enter = async (email: string, isSuppressed: boolean): Promise<void> => {
    await newContact(project, email, { attributes: { plan: 'pro' } });
    if (isSuppressed) must(await project.api.post('/suppressions', { email, reason: 'manual' }), 201);
    must(await project.api.post('/sequences/without/enroll', { email }), 200);
  };
  const mary = project.address('mary');
  await enter(mary, true);
  await enter(project.address('paul'), false);
  const later = async () =>
    (await project.api.get('/sequences/without/flow')).body.nodes.find(({ id }: { id: string }) => id === 'later').standing;
  await eventually(async () => (await later()) === 2);

  const { page } = await tabs.open('/sequences/without', { key: project.key });
  await drawn(page, 'hello').getByTitle('1 left out').waitFor();
  await drawn(page, 'hello').click();
  await page.getByRole('link', { name: 'Suppressed' }).click();
  const runs = page.getByRole('table', { name: 'Runs' }).getByRole('row');
  await page.getByRole('link', { name: mary }).waitFor();
  await eventually(async () => (await runs.count()) === 2);
  expect(new URL(page.url()).search).toBe('?leftOut=suppressed&leftOutAt=hello');
  expect(await page.getByRole('combobox', { name: 'Left out', exact: true }).inputValue()).toBe('Suppressed');
  await page.getByRole('button', { name: 'Clear' }).click();
  await eventually(async () => (await runs.count()) === 3);
  await page.getByText('Contacts left out of an email').getByRole('link', { name: 'Suppressed' }).click();
  await eventually(async () => (await runs.count()) === 2);
});

test('saving an active sequence says who stays on which version before it is live, and saves nothing until that is answered', async () => {
  const { page } = await tabs.open('/sequences/flow/edit', { key: project.key });
  await drawn(page, 'hello').click();
  await page.getByRole('button', { name: 'Delete hello' }).click();
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await save.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1 stays on version 1, new contacts get version 2.').waitFor();
  await dialog.getByRole('button', { name: 'Keep editing' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(await versionOf('flow')).toBe(1);
  await page.keyboard.press('Control+s');
  await dialog.getByText('1 stays on version 1, new contacts get version 2.').waitFor();
  await page.keyboard.press('Enter');
  await told(page, 'Version 2 saved');
  expect(await versionOf('flow')).toBe(2);

  // Nobody is in it, so nobody stays.
  must(await project.api.put('/sequences/nobody', WELCOME), 200);
  await page.goto(page.url().replace('/flow/', '/nobody/'));
  await drawn(page, 'hello').click();
  await page.getByRole('button', { name: 'Delete hello' }).click();
  await save.click();
  await told(page, 'Version 2 saved');
});

test('a contact that is in the sequence already is simulated as if it were not', async () => {
  const { page } = await tabs.open('/sequences/flow/simulate', { key: project.key });
  await page.getByText('Existing contact').click();
  await page.getByRole('combobox', { name: 'Contact' }).fill('ada-');
  await page.getByRole('option', { name: ada }).click();
  await page.getByRole('button', { name: 'Simulate', exact: true }).click();
  await page.getByText('Already in the sequence').waitFor();
  await page.getByRole('button', { name: 'Simulate ignoring earlier runs' }).click();
  await page.getByText('Completed').waitFor();
  await expect.poll(() => page.getByRole('checkbox', { name: 'Ignore earlier runs' }).isChecked()).toBe(true);
});
