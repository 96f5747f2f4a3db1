import { isDeepStrictEqual } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { consoleTabs, told } from '../support/console.ts';
import { narrowNames } from '../support/console-looks.ts';
import { hasFocus } from '../support/console-page.ts';
import { drawn, newWelcomeFlow, WELCOME } from '../support/console-sequences.ts';
import { eventually } from '../support/eventually.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must, newContact } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'welcome', 'password-reset');
  for (const key of ['both', 'entered']) must(await project.api.put(`/sequences/${key}`, WELCOME), 200);
  await newWelcomeFlow(project);
});

test('the list tells the trigger, the runs by state and the failed steps; the graph how many stand where and passed which way', async () => {
  const { page, open } = await tabs.open('/sequences', { key: project.key });
  const row = page.getByRole('row').filter({ has: page.locator('a[href$="/sequences/flow"]') });
  await row.waitFor();
  await expect
    .poll(() => row.getByRole('cell').allInnerTexts())
    .toEqual([expect.stringContaining('Welcome flow'), 'Active', 'joined', '1', '1', '0', '1']);
  await row.getByRole('link').click();
  await drawn(page, 'later').getByText('1 here now').waitFor();
  await drawn(page, 'reset').getByText('1 failed').waitFor();
  await page
    .getByRole('listitem')
    .filter({ hasText: /entered.*, 1 failed$/ })
    .waitFor();
  await page.getByRole('link', { name: '1, view run' }).click();
  const filter = page.getByRole('combobox', { name: 'Failed steps' });
  await eventually(async () => (await filter.inputValue()) === 'With failed steps');
  expect(await filter.evaluate((input) => input.scrollWidth <= input.clientWidth)).toBe(true);
  await page.getByRole('row', { name: /^grace-/ }).waitFor();
  expect(await page.getByRole('row', { name: /^ada-/ }).count()).toBe(0);
  await page
    .getByRole('row', { name: /^grace-/ })
    .getByRole('link')
    .click();
  await page.getByRole('link', { name: 'view in sends' }).click();
  await page.getByRole('row', { name: /grace-.*Failed/ }).waitFor();
  for (let steps = 0; steps < 3; steps++) await page.goBack();
  await drawn(page, 'is_pro').getByText('Branch: plan is pro').click();
  const fact = (name: string) => page.getByText(name, { exact: true }).locator('..').getByRole('definition');
  await fact('Entered').getByText('2', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Wait 1 day', exact: true }).click();
  await fact('Here now').getByText('1', { exact: true }).waitFor();

  // On a phone a row has two lines, and still tells how it goes.
  await page.setViewportSize({ width: 390, height: 844 });
  await open('/sequences');
  await row.waitFor();
  expect((await row.innerText()).replaceAll(/\s+/g, ' ').trim()).toBe('Welcome flow Active Active runs 1 Failed steps 1');
  await open('/sequences/flow/runs');
  await page.getByRole('row').filter({ hasText: 'grace-' }).getByText('1 failed', { exact: true }).waitFor();

  // A graph that is edited and wider than the phone can be read: what it begins with and its first column are whole, the second is cut.
  await open('/sequences/flow/edit');
  const shown = async (id: string) => {
    const room = (await page.locator('.react-flow').boundingBox())!;
    const { x, width } = (await drawn(page, id).boundingBox())!;
    return { isWhole: x >= room.x && x + width <= room.x + room.width, isBegun: x < room.x + room.width - 40 };
  };
  await drawn(page, 'later').waitFor();
  const whole = { isWhole: true, isBegun: true };
  const expected = [whole, whole, { isWhole: false, isBegun: true }];
  await eventually(async () => isDeepStrictEqual([await shown('start'), await shown('later'), await shown('reset')], expected));
  const letters = await drawn(page, 'start').evaluate((node) => {
    const scale = node.getBoundingClientRect().width / (node as HTMLElement).offsetWidth;
    return Math.min(...[...node.querySelectorAll('*')].map((one) => Number.parseFloat(getComputedStyle(one).fontSize))) * scale;
  });
  expect(letters).toBeGreaterThanOrEqual(11);

  const tooNarrow = await narrowNames(page, ['/sequences', '/sequences/flow/runs'], open);
  expect(tooNarrow).toEqual([]);
});

test('a new sequence is a draft that only starts and ends, and is edited at once', async () => {
  const { page } = await tabs.open('/sequences', { key: project.key });
  await page.getByRole('button', { name: 'New sequence' }).click();
  await page.getByLabel('Name').fill('Trial, day by day');
  await page.getByLabel('Key').fill('flow');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('Another sequence has this key').waitFor();
  await page.getByLabel('Key').fill('trial');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('button', { name: 'Add a step after Start' }).waitFor();
  expect((await project.api.get('/sequences/trial')).body).toMatchObject({ name: 'Trial, day by day', status: 'draft', version: 1 });
  expect((await project.api.get('/sequences/flow')).body.name).toBe('Welcome flow');

  // One that is made by somebody else, after the list was read, is not replaced either.
  await page.goBack();
  await page.getByRole('button', { name: 'New sequence' }).click();
  await page.getByLabel('Name').fill('Mine');
  await project.api.put('/sequences/mine', { ...WELCOME, name: 'Theirs' });
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('Another sequence has this key').waitFor();
  expect((await project.api.get('/sequences/mine')).body.name).toBe('Theirs');
});

test('a draft is simulated and activated from where it is edited', async () => {
  must(await project.api.put('/sequences/drafted', { ...WELCOME, status: 'draft' }), 200);
  const { page } = await tabs.open('/sequences/drafted/edit', { key: project.key });
  const activate = page.getByRole('button', { name: 'Activate…' });
  await activate.waitFor();
  expect(await page.getByRole('link', { name: 'Simulate' }).getAttribute('href')).toMatch(/\/sequences\/drafted\/simulate$/);
  await drawn(page, 'hello').click();
  await page.getByRole('button', { name: 'Delete hello' }).click();
  await page.locator('[aria-disabled="true"]').getByText('Activate…').waitFor();
  await activate.hover();
  await page.getByText('Save your changes first').waitFor();
  await page.getByRole('button', { name: 'Simulate', exact: true }).click();
  await page.getByText('This simulates your unsaved changes.').waitFor();
  const ran = page.waitForResponse((answer) => answer.url().endsWith('/sequences/drafted/simulate'));
  await page.locator('form').getByRole('button', { name: 'Simulate', exact: true }).click();
  const { path } = await (await ran).json();
  expect(path.map(({ nodeId }: { nodeId: string }) => nodeId)).toEqual(['start', 'is_pro', 'reset', 'end']);
  expect((await project.api.get('/sequences/drafted')).body.version).toBe(1);
  await page.getByRole('button', { name: 'Back to editing' }).click();
  await drawn(page, 'is_pro').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await activate.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Activate' }).click();
  await activate.waitFor({ state: 'hidden' });
  expect((await project.api.get('/sequences/drafted')).body).toMatchObject({ status: 'active', version: 2 });
});

test('contacts are enrolled into an active sequence, one or several, and those that are refused are named with the reason', async () => {
  const email = project.address('new');
  const gone = project.address('gone');
  const nobody = project.address('nobody');
  const muted = project.address('muted');
  await newContact(project, muted);
  must(await project.api.post('/suppressions', { email: muted, reason: 'manual' }), 201);
  // Its run stays at a wait, so that it is in the sequence.
  await newContact(project, email, { attributes: { plan: 'pro' } });
  await newContact(project, gone, { status: 'unsubscribed' });
  const runs = async () => (await project.api.get('/sequences/entered/enrollments')).body.enrollments.length;
  const { page, open } = await tabs.open('/sequences/entered', { key: project.key });
  const enroll = page.getByRole('button', { name: 'Enroll…', exact: true });
  await enroll.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Contact' }).fill('new-');
  await page.getByRole('option', { name: email }).click();
  await dialog.getByRole('button', { name: 'Enroll', exact: true }).click();
  await dialog.getByText('1 enrolled').waitFor();
  await hasFocus(dialog.getByRole('button', { name: 'Close', exact: true }).last());
  expect(await dialog.getByRole('link', { name: 'View run' }).getAttribute('href')).toMatch(/\/runs\/[0-9a-f-]{36}$/);
  expect(await runs()).toBe(1);
  // A whole address is taken by Enter, and a second Enter enrolls.
  const contact = dialog.getByRole('combobox', { name: 'Contact' });
  await contact.fill(nobody);
  await contact.press('Enter');
  await dialog.getByText('No contact has this email').waitFor();
  await contact.fill(muted);
  await contact.press('Enter');
  await dialog.getByText(`${muted} is suppressed (manual)`).waitFor();
  await contact.fill(email);
  await contact.press('Enter');
  await eventually(async () => (await contact.getAttribute('aria-expanded')) === 'false');
  await contact.press('Enter');
  await dialog.getByText('Not enrolled').waitFor();
  await dialog.getByText('Already in the sequence').waitFor();
  await dialog.getByRole('link', { name: 'View run' }).waitFor();
  await dialog.getByText('Several addresses').click();
  await dialog.getByRole('button', { name: 'Enroll', exact: true }).click();
  await dialog.getByText('Enter at least one address').waitFor();
  await dialog.getByRole('textbox', { name: 'Emails' }).fill(`${gone}, "Body, No" <${nobody}>\nnobody at all`);
  await dialog.getByRole('button', { name: 'Enroll 3 contacts' }).click();
  await dialog.getByText('Nobody enrolled, 3 not').waitFor();
  await expect
    .poll(() => dialog.getByRole('listitem').allInnerTexts())
    .toEqual([`${gone}: Unsubscribed`, `${nobody}: Not a contact`, 'nobody at all: Not a valid address']);
  expect(await runs()).toBe(1);

  await project.api.put('/sequences/entered', { ...WELCOME, status: 'paused' });
  await open('/sequences/entered');
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  expect(await enroll.count()).toBe(0);

  // A sequence that is gone is not said of the contact.
  await project.api.put('/sequences/entered', { ...WELCOME, status: 'active' });
  await open('/sequences/entered');
  await enroll.click();
  await dialog.getByRole('combobox', { name: 'Contact' }).fill('new-');
  await page.getByRole('option', { name: email }).click();
  await project.api.delete('/sequences/entered');
  await dialog.getByRole('button', { name: 'Enroll', exact: true }).click();
  await dialog.getByRole('alert').getByText('No such sequence in this project').waitFor();
});

test('a graph that somebody else saved meanwhile is not replaced unasked: theirs is told and shown, mine is kept or discarded', async () => {
  const waiting = (minutes: number) => ({
    ...WELCOME,
    nodes: WELCOME.nodes.map((node) => (node.id === 'later' ? { ...node, config: { minutes } } : node)),
  });
  const { page } = await tabs.open('/sequences/both/edit', { key: project.key });
  const removeHello = async () => {
    await drawn(page, 'hello').click();
    await page.getByRole('button', { name: 'Delete hello' }).click();
  };
  await removeHello();
  await project.api.put('/sequences/both', waiting(2880));
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const theirs = page.getByRole('alert').filter({ hasText: 'Someone else saved version 2' });
  await theirs.getByText('They changed Wait 2 days (later).').waitFor();
  expect((await project.api.get('/sequences/both')).body.version).toBe(2);
  await theirs.getByRole('button', { name: 'View theirs' }).click();
  await page.getByRole('dialog').locator('.react-flow__node').getByText('Wait 2 days').waitFor();
  await page.keyboard.press('Escape');
  await theirs.getByRole('button', { name: 'Overwrite with mine' }).click();
  await told(page, 'Version 3 saved');
  await theirs.waitFor({ state: 'hidden' });
  const ids = async () => (await project.api.get('/sequences/both')).body.nodes.map(({ id }: { id: string }) => id);
  expect(await ids()).not.toContain('hello');

  await drawn(page, 'later').click();
  await page.getByRole('button', { name: 'Delete later' }).click();
  await project.api.put('/sequences/both', waiting(4320));
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Use theirs' }).click();
  await drawn(page, 'later').getByText('Wait 3 days').waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
  expect((await project.api.get('/sequences/both')).body.version).toBe(4);

  await page.getByRole('link', { name: 'Welcome flow' }).click();
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('button', { name: /^Version 4, current/ }).waitFor();
  await page.getByRole('button', { name: /^Version 2/ }).click();
  await page.getByText('changed Wait 2 days (later)', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Edit from this version' }).click();
  await drawn(page, 'later').getByText('Wait 2 days').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await told(page, 'Version 5 saved');
  const { nodes } = (await project.api.get('/sequences/both')).body;
  expect(nodes.find(({ id }: { id: string }) => id === 'later').config).toEqual({ minutes: 2880 });
});

test('a version tells in words which settings it changed', async () => {
  await project.api.put('/sequences/set', { ...WELCOME, status: 'draft' });
  const goal = { event: { type: 'paid' } };
  await project.api.put('/sequences/set', { ...WELCOME, status: 'draft', goal, triggers: [], frequencyCap: { count: 2, windowHours: 24 } });
  const { page, open } = await tabs.open('/sequences/set/versions', { key: project.key });
  await page.getByText('Against version 1:').waitFor();
  await expect
    .poll(() => page.getByRole('listitem').filter({ hasText: 'settings' }).allInnerTexts())
    .toEqual([
      'changed the settings, entered by: was joined, now manual enrollment or API only',
      'changed the settings, goal: was none, now event paid',
      'changed the settings, frequency cap: was none, now 2 marketing emails in 1 day',
    ]);
  // Of the whole sequence, whatever its version is.
  await project.api.put('/sequences/set', {
    ...WELCOME,
    status: 'draft',
    name: 'Another',
    goal,
    triggers: [],
    frequencyCap: { count: 2, windowHours: 24 },
  });
  await open('/sequences/set/versions');
  await page.getByText('Steps and settings are those of version').waitFor();
});
