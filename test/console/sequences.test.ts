import { isDeepStrictEqual } from 'node:util';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { layoutOf } from '../../console/src/pages/sequences/graph/layout.ts';
import { problemsOf } from '../../console/src/pages/sequences/problems.ts';
import { startBrowser } from '../support/browser.ts';
import { axeProblems, keepsInputWhenRefused, narrowNames, showIn, type Tabs, tabsOf, told } from '../support/console.ts';
import { eventually } from '../support/eventually.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must, newContact } from '../support/sequences.ts';

let browser: Browser;
let tabs: Tabs;
let project: TestProject;
/** Has the plan pro and stands at a wait of a day. */
let ada: string;
let run: string;

/** Who has the plan pro waits for a day; everybody else gets a mail, which fails since nothing gives what the template requires. */
const GRAPH = {
  name: 'Welcome flow',
  status: 'active',
  triggers: [{ kind: 'event', config: { type: 'joined' } }],
  nodes: [
    { id: 'start', kind: 'trigger' },
    { id: 'hello', kind: 'send_email', config: { template: 'welcome' } },
    { id: 'is_pro', kind: 'branch', config: { when: { field: 'attributes.plan', op: 'eq', value: 'pro' } } },
    { id: 'later', kind: 'wait_delay', config: { minutes: 1440 } },
    { id: 'reset', kind: 'send_email', config: { template: 'password-reset' } },
    { id: 'end', kind: 'exit' },
  ],
  edges: [
    { from: 'start', to: 'hello' },
    { from: 'hello', to: 'is_pro' },
    { from: 'is_pro', to: 'later', branchKey: 'true' },
    { from: 'is_pro', to: 'reset', branchKey: 'false' },
    { from: 'later', to: 'end' },
    { from: 'reset', to: 'end' },
  ],
};

// Many steps, each with its own patience.

beforeAll(async () => {
  browser = await startBrowser();
  tabs = tabsOf(browser);
  project = await newProject();
  await enableTemplates(project, 'welcome', 'password-reset');
  for (const key of ['flow', 'edited', 'refused', 'json', 'paused', 'both', 'forms', 'ids', 'timed', 'several', 'entered'])
    must(await project.api.put(`/sequences/${key}`, GRAPH), 200);
  const long = Array.from({ length: 191 }, (_, index) => ({ id: `n${index}`, kind: 'wait_delay', config: { minutes: 1 } }));
  const nodes = [{ id: 'start', kind: 'trigger' }, ...long, { id: 'end', kind: 'exit' }];
  await project.api.put('/sequences/long', { nodes, edges: nodes.slice(1).map(({ id }, index) => ({ from: nodes[index]!.id, to: id })) });
  const enroll = async (email: string, plan: string): Promise<string> => {
    await newContact(project, email, { attributes: { plan } });
    return must(await project.api.post('/sequences/flow/enroll', { email }), 200).enrollmentId;
  };
  ada = project.address('ada');
  run = await enroll(ada, 'pro');
  const failed = await enroll(project.address('grace'), 'free');
  await eventually(async () => (await project.api.get(`/enrollments/${failed}`)).body.enrollment.status === 'completed');
  await eventually(async () => (await project.api.get(`/enrollments/${run}`)).body.enrollment.current_node_id === 'later');
});

afterEach(() => tabs.close());

afterAll(async () => {
  await browser?.close();
});

/** A node as it is drawn. */
const drawn = (page: Page, id: string) => page.locator(`.react-flow__node[data-id="${id}"]`);
/** The buttons that add a step on a way out of a node. */
const waysOf = (page: Page, id: string) => page.locator(`[data-ways-of="${id}"]`).getByRole('button');
/** The edges on the way that is drawn, as `from>to`. */
const wayOn = (page: Page): Promise<string[]> =>
  page
    .locator('.react-flow__edge:has([data-way])')
    .evaluateAll((edges) => edges.map((edge) => edge.getAttribute('data-id')!.replace(/ .* | {2}/, '>')).toSorted());
/** Waits until that is the way that is drawn: edges are drawn after their nodes. */
const wayBecomes = (page: Page, ...way: string[]) => eventually(async () => isDeepStrictEqual(await wayOn(page), way));

/** Picks from a list by a part of what it says. */
async function choose(page: Page, list: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: list, exact: true }).click();
  await page.getByRole('option', { name: option }).first().click();
}

/** Waits until the keyboard is there. */
async function focused(one: Locator): Promise<void> {
  await eventually(() => one.evaluate((element) => element.ownerDocument.activeElement === element));
}

test('the list tells the trigger, the runs by state and the failed steps; the graph how many stand where and passed which way', async () => {
  const { page, open } = await tabs.open('/sequences', { key: project.key });
  const row = page.getByRole('row').filter({ has: page.locator('a[href$="/sequences/flow"]') });
  await row.waitFor();
  expect(await row.getByRole('cell').allInnerTexts()).toEqual([
    expect.stringContaining('Welcome flow'),
    'Active',
    'joined',
    '1',
    '1',
    '0',
    '1',
  ]);
  await row.getByRole('link').click();
  await drawn(page, 'later').getByText('1 stand here').waitFor();
  await drawn(page, 'reset').getByText('1 failed').waitFor();
  await page
    .getByRole('listitem')
    .filter({ hasText: /entered.*, 1 failed$/ })
    .waitFor();
  await page.getByRole('link', { name: '1, see its run' }).click();
  const filter = page.getByRole('combobox', { name: 'Failed steps' });
  await eventually(async () => (await filter.inputValue()) === 'With failed steps');
  expect(await filter.evaluate((input) => input.scrollWidth <= input.clientWidth)).toBe(true);
  await page.getByRole('row', { name: /^grace-/ }).waitFor();
  expect(await page.getByRole('row', { name: /^ada-/ }).count()).toBe(0);
  await page
    .getByRole('row', { name: /^grace-/ })
    .getByRole('link')
    .click();
  await page.getByRole('link', { name: 'see it among the sends' }).click();
  await page.getByRole('row', { name: /grace-.*Failed/ }).waitFor();
  for (let steps = 0; steps < 3; steps++) await page.goBack();
  await drawn(page, 'is_pro').getByText('Branch: plan is pro').click();
  const fact = (name: string) => page.getByText(name, { exact: true }).locator('..').getByRole('definition');
  await fact('Entered').getByText('2', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Wait 1 day', exact: true }).click();
  await fact('Stand here').getByText('1', { exact: true }).waitFor();

  // On a phone a row has two lines, and still tells how it goes.
  await page.setViewportSize({ width: 390, height: 844 });
  await open('/sequences');
  await row.waitFor();
  expect((await row.innerText()).replaceAll(/\s+/g, ' ').trim()).toBe('Welcome flow Active In it now 1 Failed steps 1');
  await open('/sequences/flow/runs');
  await page.getByRole('row').filter({ hasText: 'grace-' }).getByText('1 failed', { exact: true }).waitFor();

  // A graph that is wider than the phone: what it begins with and its first column are whole, the second is cut.
  await open('/sequences/flow');
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

test('a run shows its way with outcomes, leads to Temporal Web, and is cancelled after a question', async () => {
  const { page } = await tabs.open('/sequences/flow/runs', { key: project.key });
  await eventually(async () => (await page.title()) === 'Runs · Welcome flow · Everpost');
  await page.getByRole('combobox', { name: 'Status' }).click();
  await page.getByRole('option', { name: 'Active' }).click();
  await page.getByRole('combobox', { name: 'Contact' }).fill('ada-');
  await page.getByRole('option', { name: ada }).click();
  await page.getByRole('row').filter({ hasText: 'Wait 1 day' }).getByRole('link', { name: ada }).click();
  await page.getByRole('heading', { name: `Run of ${ada}` }).waitFor();
  await drawn(page, 'later').getByText('4', { exact: true }).waitFor();
  await wayBecomes(page, 'hello>is_pro', 'is_pro>later', 'start>hello');
  await page.locator('.mantine-Timeline-item').filter({ hasText: 'Branch: plan is pro' }).getByText('Yes', { exact: true }).waitFor();
  const { body } = await project.api.get(`/enrollments/${run}`);
  const { temporal_web: temporalWeb } = (await project.api.get('/me')).body;
  const links = await page.getByRole('link', { name: 'Temporal Web' }).evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  expect(links).toEqual(temporalWeb ? [`${temporalWeb}/${encodeURIComponent(body.enrollment.workflow_id)}`] : []);
  await page.getByRole('button', { name: 'Cancel run…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Keep it going' }).click();
  await page.getByRole('button', { name: 'Cancel run…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the run' }).click();
  await page.getByText('Cancelled', { exact: true }).first().waitFor();
  await page.locator('.mantine-Timeline-item').last().getByText('Cancelled by the key').waitFor();
  expect((await project.api.get(`/enrollments/${run}`)).body.enrollment.status).toBe('cancelled');
});

test('a simulation draws the way of a contact, also one that is assumed', async () => {
  const { page } = await tabs.open('/sequences/flow/simulate', { key: project.key });
  await page.getByRole('button', { name: 'Add attribute' }).click();
  await page.getByRole('combobox', { name: 'Name' }).fill('plan');
  await page.getByRole('textbox', { name: 'Value' }).fill('pro');
  await page.getByRole('button', { name: 'Simulate', exact: true }).click();
  await page.getByRole('status').getByText('Came to its end').waitFor();
  await wayBecomes(page, 'hello>is_pro', 'is_pro>later', 'later>end', 'start>hello');
  await page.getByRole('button', { name: 'See the mail of hello' }).click();
  await page.getByRole('dialog').getByText('Welcome to ').first().waitFor();
  await page.getByRole('dialog').locator('iframe').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText(/^Would wait 1 day, until \d{1,2} \w{3,4} (\d{4} )?\d\d:\d\d$/).waitFor();
  await drawn(page, 'is_pro').click();
  await page.getByRole('combobox', { name: 'Outcome' }).click();
  await page.getByRole('option', { name: 'No' }).click();
  // What is assumed is drawn at once; for what is typed it is told that the way is an old one.
  await drawn(page, 'reset').getByText('4', { exact: true }).waitFor();
  await wayBecomes(page, 'hello>is_pro', 'is_pro>reset', 'reset>end', 'start>hello');
  await page.getByRole('textbox', { name: 'Event that arrives' }).fill('joined');
  const old = page.getByRole('status').getByText('Changed since: simulate again');
  await old.waitFor();
  await page.getByRole('button', { name: 'Simulate', exact: true }).click();
  await old.waitFor({ state: 'detached' });
});

test('a simulation draws the way that a wait is left by, and tells of a mail that fails since its template is off', async () => {
  await project.api.put('/sequences/joining', {
    nodes: [
      { id: 'start', kind: 'trigger' },
      { id: 'off', kind: 'send_email', config: { template: 'newsletter' } },
      { id: 'wait', kind: 'wait_until', config: { event: { type: 'bought' }, timeoutMinutes: 60 } },
      { id: 'end', kind: 'exit' },
    ],
    edges: [
      { from: 'start', to: 'off' },
      { from: 'off', to: 'wait' },
      { from: 'wait', to: 'end', branchKey: 'event' },
      { from: 'wait', to: 'end', branchKey: 'timeout' },
    ],
  });
  const { page } = await tabs.open('/sequences/joining/simulate', { key: project.key });
  const ways = () => page.locator('.react-flow__edge:has([data-way])').evaluateAll((edges) => edges.map((edge) => edge.dataset.id));
  const isLeftBy = (outcome: string) =>
    eventually(async () => (await ways()).filter((way) => way!.startsWith('wait ')).join() === `wait ${outcome} end`);
  await page.getByRole('button', { name: 'Simulate', exact: true }).click();
  await page.getByRole('status').getByText('1 mail: newsletter, of which 1 would fail').waitFor();
  await page.getByRole('button', { name: '2. Send newsletter The template newsletter is off: its mails fail' }).waitFor();
  await isLeftBy('timeout');
  await page.getByRole('textbox', { name: 'Event that arrives' }).fill('bought');
  await page.getByRole('button', { name: 'Simulate', exact: true }).click();
  await isLeftBy('event');
});

test('the way of a simulation and of a run is brought into view where it lies outside of it', async () => {
  const arms = ['a', 'b', 'c', 'd', 'e'].map((key) => ({ key, weight: 1 }));
  const step = (id: string, minutes: number) => ({ id, kind: 'wait_delay', config: { minutes } });
  await project.api.put('/sequences/wide', {
    status: 'active',
    nodes: [
      { id: 'start', kind: 'trigger' },
      { id: 'split', kind: 'split', config: { arms } },
      ...arms.flatMap(({ key }) => [step(`${key}1`, 1), step(`${key}2`, 1), step(`${key}3`, 1440)]),
    ],
    edges: [
      { from: 'start', to: 'split' },
      ...arms.flatMap(({ key }) => [
        { from: 'split', to: `${key}1`, branchKey: key },
        { from: `${key}1`, to: `${key}2` },
        { from: `${key}2`, to: `${key}3` },
      ]),
    ],
  });
  const { page, open } = await tabs.open('/sequences/wide/simulate', { key: project.key });
  const allSeen = (ids: readonly string[]) => async () => {
    const room = (await page.locator('.react-flow').boundingBox())!;
    const boxes = await Promise.all(ids.map((id) => drawn(page, id).boundingBox({ timeout: 1_000 })));
    return boxes.every(
      (box) =>
        box && box.x >= room.x && box.y >= room.y && box.x + box.width <= room.x + room.width && box.y + box.height <= room.y + room.height,
    );
  };
  await drawn(page, 'split').click();
  for (const arm of ['a', 'e']) {
    await page.getByRole('combobox', { name: 'Outcome' }).click();
    await page.getByRole('option', { name: arm, exact: true }).click();
    if (arm === 'a') await page.getByRole('button', { name: 'Simulate', exact: true }).click();
    await eventually(allSeen(['start', 'split', `${arm}1`, `${arm}2`, `${arm}3`]));
  }

  const email = project.address('wide');
  await newContact(project, email);
  const { enrollmentId } = must(await project.api.post('/sequences/wide/enroll', { email }), 200);
  const { steps } = await eventually(async () => {
    const { enrollment } = must(await project.api.get(`/enrollments/${enrollmentId}`), 200);
    return enrollment.steps.length === 3 && enrollment;
  });
  await open(`/sequences/wide/runs/${enrollmentId}`);
  await eventually(allSeen(steps.map((one: { node_id: string }) => one.node_id)));
});

test('a step is added on an edge, set, undone and done again; saving makes the next version', async () => {
  const { page } = await tabs.open('/sequences/edited/edit', { key: project.key });
  await page.getByRole('button', { name: 'Add a step after Wait 1 day' }).click();
  await page.getByRole('menuitem', { name: 'Send mail' }).click();
  await choose(page, 'Template', 'welcome: Welcome');
  await drawn(page, 'send_email_1').getByText('Send welcome').waitFor();
  // What is typed takes no edge away, with the button that may be pressed just then.
  await page.evaluate(`new MutationObserver((changes) => {
    window.edgesGone = changes.some(({ removedNodes }) => removedNodes.length > 0) || window.edgesGone;
  }).observe(document.querySelector('.react-flow__edges'), { childList: true, subtree: true })`);
  await page.getByRole('textbox', { name: 'Subject' }).fill('Hello');
  await waysOf(page, 'send_email_1').waitFor();
  expect(await page.evaluate('window.edgesGone')).toBeUndefined();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await drawn(page, 'send_email_1').waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Redo' }).click();
  await page.getByRole('button', { name: 'Redo' }).click();
  await drawn(page, 'hello').click();
  await page.getByRole('button', { name: 'Delete hello' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await told(page, 'Version 2 is saved');
  const { body } = await project.api.get('/sequences/edited');
  expect(body.version).toBe(2);
  expect(body.nodes.find(({ id }: { id: string }) => id === 'send_email_1')).toMatchObject({ config: { template: 'welcome' } });
  expect(body.edges).toEqual(
    expect.arrayContaining([
      { from: 'start', to: 'is_pro' },
      { from: 'later', to: 'send_email_1' },
      { from: 'send_email_1', to: 'end' },
    ]),
  );
  // What would fail as things stand is told where it would.
  await drawn(page, 'reset').getByText('password-reset requires').waitFor();
});

test('by keyboard alone a step is opened, left, led elsewhere and taken out; leaving with that unsaved is asked about', async () => {
  const { page } = await tabs.open('/sequences/paused/edit', { key: project.key });
  await drawn(page, 'later').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('combobox', { name: 'Then' }).waitFor();
  await page.keyboard.press('Escape');
  await focused(drawn(page, 'later'));
  await page.keyboard.press('Enter');
  const then = page.getByRole('combobox', { name: 'Then' });
  while (!(await then.evaluate((input) => input.ownerDocument.activeElement === input))) await page.keyboard.press('Tab');
  await then.fill('reset');
  await page.getByRole('option', { name: /reset/ }).first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.locator('.react-flow__edge[data-id="later  reset"]').waitFor({ state: 'attached' });
  await page.keyboard.press('Escape');
  await focused(drawn(page, 'later'));
  await page.keyboard.press('Delete');
  await drawn(page, 'later').waitFor({ state: 'hidden' });
  await focused(drawn(page, 'reset'));
  await page.getByRole('link', { name: 'Welcome flow' }).click();
  await page.getByRole('dialog').getByText('This tab keeps it').waitFor();
  expect(page.url()).toContain('/paused/edit');
  // What is left is offered again, and gone on with where it was.
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('link', { name: 'Edit' }).click();
  await drawn(page, 'later').waitFor();
  // Others that are made before that, and left too, take nothing of them away.
  const goOn = page.getByRole('button', { name: 'Go on with them' });
  await page.getByRole('textbox', { name: 'Name' }).fill('Left later');
  await page.reload();
  await goOn.click();
  await page.getByRole('textbox', { name: 'Name' }).and(page.locator('[value="Left later"]')).waitFor();
  await drawn(page, 'later').waitFor();
  await goOn.click();
  await drawn(page, 'later').waitFor({ state: 'hidden' });
  await goOn.waitFor({ state: 'hidden' });
  await page.getByRole('link', { name: 'Welcome flow' }).click();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Discard changes' }).click();
  const question = page.getByRole('dialog', { name: 'Discard all changes?' });
  await question.getByRole('button', { name: 'Keep editing' }).click();
  await question.waitFor({ state: 'hidden' });
  expect(await drawn(page, 'later').count()).toBe(0);
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await question.getByRole('button', { name: 'Discard changes' }).click();
  await drawn(page, 'later').waitFor();
  await focused(drawn(page, 'start'));
  await page.getByRole('link', { name: 'Welcome flow' }).click();
  await page.getByRole('tab', { name: 'Flow' }).waitFor();
  await page.getByRole('link', { name: 'Edit' }).click();
  await drawn(page, 'later').waitFor();
  expect(await goOn.count()).toBe(0);
});

test('a canvas is one stop of Tab, from which arrow keys lead to every step, and Tab to the ways out of one, named by where they lead', async () => {
  const { page } = await tabs.open('/sequences/paused/edit', { key: project.key });
  await drawn(page, 'start').waitFor();
  const stops = page.locator('.react-flow [tabindex="0"], .react-flow button:not([tabindex="-1"])');
  expect(await stops.evaluateAll((all) => all.map((one) => one.getAttribute('data-id')))).toEqual(['start']);
  await page.getByRole('button', { name: /^Add step/ }).focus();
  await page.keyboard.press('Tab');
  const seen: string[] = [];
  for (const { id } of GRAPH.nodes) {
    await focused(page.locator('.react-flow__node:focus'));
    seen.push((await page.locator('.react-flow__node:focus').getAttribute('data-id'))!);
    if (id !== 'end') await page.keyboard.press('ArrowRight');
    if (id !== 'end') await drawn(page, seen.at(-1)!).and(page.locator(':focus')).waitFor({ state: 'hidden' });
  }
  expect(seen.toSorted()).toEqual(GRAPH.nodes.map(({ id }) => id).toSorted());
  await drawn(page, 'is_pro').focus();
  for (const way of ['Yes', 'No']) {
    await page.keyboard.press('Tab');
    await focused(page.getByRole('button', { name: `Add a step after Branch: plan is pro, on ${way}` }));
  }
  await page.keyboard.press('Tab');
  await focused(page.getByRole('button', { name: 'Zoom in' }));
  await page.keyboard.press('Shift+Tab');
  await focused(drawn(page, 'is_pro'));
  await page.getByRole('img', { name: 'From Branch: plan is pro to Wait 1 day, on Yes', exact: true }).waitFor();
});

test('a step added by keyboard has the focus', async () => {
  const { page } = await tabs.open('/sequences/paused/edit', { key: project.key });
  await page.getByRole('button', { name: 'Add a step after Wait 1 day' }).focus();
  await page.keyboard.press('Enter');
  await focused(page.getByRole('menuitem', { name: 'Send mail' }));
  await page.keyboard.press('Enter');
  await focused(drawn(page, 'send_email_1'));
  await drawn(page, 'send_email_1').getByText('Send mail').waitFor();

  // From a step itself, wherever its edge is drawn.
  await page.keyboard.press('a');
  await focused(page.getByRole('menuitem', { name: 'Send mail' }));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await focused(drawn(page, 'wait_delay_1'));
  await page.locator('.react-flow__edge[data-id="send_email_1  wait_delay_1"]').waitFor({ state: 'attached' });
});

test('by keyboard alone one goes along a graph larger than what is seen, adds, copies, deletes and undoes, and sees where one is', async () => {
  const { page } = await tabs.open('/sequences/long/edit', { key: project.key });
  await drawn(page, 'start').waitFor();
  const isSeen = async (id: string) => {
    await focused(drawn(page, id));
    const [node, canvas] = await Promise.all([drawn(page, id).boundingBox(), page.locator('.react-flow').boundingBox()]);
    return node!.x >= canvas!.x && node!.y >= canvas!.y && node!.y + node!.height <= canvas!.y + canvas!.height;
  };
  // Put before the end, far below.
  await page.getByRole('button', { name: 'Add step after Wait 1 minute' }).click();
  await page.getByRole('menuitem', { name: 'Send mail' }).click();
  await eventually(() => isSeen('send_email_1'));
  await page.keyboard.press('a');
  await focused(page.getByRole('menuitem', { name: 'Send mail' }));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await eventually(() => isSeen('wait_delay_1'));
  await page.keyboard.press('d');
  await eventually(() => isSeen('wait_delay_2'));
  for (const _ of Array.from({ length: 12 })) await page.keyboard.press('ArrowUp');
  await eventually(() => isSeen('n181'));
  await page.keyboard.press('ArrowDown');
  await eventually(() => isSeen('n182'));
  // What is undone is shown, wherever one was; nothing has taken the keyboard away.
  await page.keyboard.press('Control+z');
  await eventually(() => isSeen('wait_delay_1'));
  await page.keyboard.press('Control+Shift+z');
  await eventually(() => isSeen('wait_delay_2'));
  await page.keyboard.press('Delete');
  await eventually(() => isSeen('end'));
  await page.keyboard.press('Escape');
  await page.keyboard.press('ArrowUp');
  await eventually(() => isSeen('wait_delay_1'));
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Wait', exact: true }).waitFor();
});

test('where a step with several ways is deleted one is asked which of them stays, and the steps of the others go with it', async () => {
  const { page } = await tabs.open('/sequences/paused/edit', { key: project.key });
  await drawn(page, 'is_pro').focus();
  await page.keyboard.press('Delete');
  const question = page.getByRole('dialog', { name: 'Delete is_pro and what hangs on it?' });
  expect(await question.getByRole('listitem').allInnerTexts()).toEqual(['Send password-reset']);
  await question.getByRole('radio', { name: 'No: Send password-reset' }).click();
  await question.getByRole('listitem').getByText('Wait 1 day').waitFor();
  await question.getByRole('button', { name: 'Delete it and step' }).click();
  await drawn(page, 'later').waitFor({ state: 'hidden' });
  await page.locator('.react-flow__edge[data-id="hello  reset"]').waitFor({ state: 'attached' });
  await focused(drawn(page, 'reset'));
  await page.getByRole('button', { name: 'Undo' }).click();
  await drawn(page, 'later').waitFor();
});

test('a step is connected by dropping on the middle of another, and not to itself', async () => {
  const { page } = await tabs.open('/sequences/paused/edit', { key: project.key });
  const pull = async (to: string) => {
    await drawn(page, 'later').hover();
    await drawn(page, 'later').locator('.react-flow__handle.source').hover();
    await page.mouse.down();
    const { x, y, width, height } = (await drawn(page, to).boundingBox())!;
    await page.mouse.move(x + width / 2, y + height / 2, { steps: 5 });
    await page.mouse.up();
  };
  await pull('later');
  await pull('reset');
  await page.locator('.react-flow__edge[data-id="later  reset"]').waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.locator('.react-flow__edge[data-id="later  end"]').waitFor({ state: 'attached' });
});

test('what is left empty is asked for once, in words', () => {
  const nodes = [
    { id: 'hello', kind: 'send_email', config: { template: '' } },
    { id: 'fork', kind: 'branch', config: { when: { field: 'attributes.', op: 'eq', value: '' } } },
  ];
  const issues = [
    { nodeId: 'hello', message: 'hello: config.template: a template key' },
    { nodeId: 'hello', message: 'hello: unknown template ; known: welcome' },
    { nodeId: 'fork', message: 'fork: config.when.field: one of contact.status' },
  ];
  expect(problemsOf(issues, 'problem', nodes).map(({ nodeId, message }) => [nodeId, message])).toEqual([
    ['hello', 'Choose a template'],
    ['fork', 'Which field?'],
  ]);
});

test('a setting that is refused is told by the name of its input', () => {
  const nodes = [{ id: 'paid', kind: 'wait_until', config: { event: { type: 'paid' }, timeoutMinutes: -1 } }];
  const issues = [
    { nodeId: 'paid', message: 'config.timeoutMinutes: above 0' },
    { message: 'triggers[1].config.type: 1 to 100 characters' },
    { message: 'cooldownHours: at most 8760' },
    { nodeId: 'paid', message: 'Liquid: a tag is not closed' },
  ];
  expect(problemsOf(issues, 'problem', nodes).map(({ message }) => message)).toEqual([
    'At most: above 0',
    'Trigger 2, Type: 1 to 100 characters',
    'But not sooner than: at most 8760',
    'Liquid: a tag is not closed',
  ]);
});

test('a graph is laid out anew when its nodes or edges change, not for what is set in them', () => {
  const nodes = Array.from({ length: 200 }, (_, index) => ({ id: `n${index}`, kind: 'wait_delay', config: { minutes: 1 } }));
  const edges = nodes.slice(1).map(({ id }, index) => ({ from: `n${index}`, to: id }));
  const layout = layoutOf(nodes, edges);
  expect(
    layoutOf(
      nodes.with(7, { id: 'n7', kind: 'send_email', config: { minutes: 2 } }),
      edges.map((edge) => ({ ...edge })),
    ),
  ).toBe(layout);
  expect(layoutOf(nodes, edges.slice(1))).not.toBe(layout);
});

test('a new sequence is a draft that only starts and ends, and is edited at once', async () => {
  const { page } = await tabs.open('/sequences', { key: project.key });
  await page.getByRole('button', { name: 'New sequence' }).click();
  await page.getByLabel('Name').fill('Trial, day by day');
  await page.getByLabel('Key').fill('flow');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('There is a sequence with this key').waitFor();
  await page.getByLabel('Key').fill('trial');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('button', { name: 'Add a step after Start' }).waitFor();
  expect((await project.api.get('/sequences/trial')).body).toMatchObject({ name: 'Trial, day by day', status: 'draft', version: 1 });
  expect((await project.api.get('/sequences/flow')).body.name).toBe('Welcome flow');

  // One that is made by somebody else, after the list was read, is not replaced either.
  await page.goBack();
  await page.getByRole('button', { name: 'New sequence' }).click();
  await page.getByLabel('Name').fill('Mine');
  await project.api.put('/sequences/mine', { ...GRAPH, name: 'Theirs' });
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('There is a sequence with this key').waitFor();
  expect((await project.api.get('/sequences/mine')).body.name).toBe('Theirs');
});

test('what the API finds wrong is shown at its node, nothing is saved and nothing typed is lost', async () => {
  const { page } = await tabs.open('/sequences/refused/edit', { key: project.key });
  const view = page.getByRole('radiogroup', { name: 'View' });
  await view.getByText('JSON').click();
  const json = page.getByLabel('Graph as JSON');
  await json.fill((await json.inputValue()).replace('"welcome"', '"welcom"').replace('"minutes": 1440', '"minutes": -5'));
  await view.getByText('Canvas').click();
  await page.getByRole('button', { name: 'Save' }).click();
  const problem = /welcom/;
  const alert = page.getByRole('alert');
  await alert.getByText('Not saved: 2 problems').waitFor();
  await drawn(page, 'later').locator('[data-fault="problem"]').first().waitFor();
  await alert.getByRole('button', { name: problem }).click();
  await drawn(page, 'hello').locator('[data-fault="problem"]').getByText(problem).first().waitFor();
  expect(await drawn(page, 'end').locator('[data-fault="problem"]').count()).toBe(0);
  const template = page.getByRole('combobox', { name: 'Template' });
  // Once the templates are read.
  await eventually(async () => (await template.inputValue()) === 'welcom: there is none');
  // At the input that it is about, as long as that is what was refused.
  await page.locator('[data-step]').getByText('Unknown template welcom').waitFor();
  expect(await template.getAttribute('aria-invalid')).toBe('true');
  await alert.getByRole('button', { name: /^later/ }).click();
  const wait = page.getByRole('textbox', { name: 'Wait', exact: true });
  expect(await wait.getAttribute('aria-invalid')).toBe('true');
  await wait.fill('');
  await page.locator('[data-step]').getByText('How long?').waitFor();
  await wait.fill('2');
  await alert.getByText('Not saved: 1 problem').waitFor();
  expect((await project.api.get('/sequences/refused')).body.version).toBe(1);
});

test('a graph is edited as JSON: what is none is told and cannot be saved', async () => {
  const { page } = await tabs.open('/sequences/json/edit', { key: project.key });
  await page.getByText('JSON', { exact: true }).click();
  const editor = page.getByLabel('Graph as JSON');
  const text = await editor.inputValue();
  await editor.fill(text.slice(0, -1));
  await page.getByText(`Line ${text.split('\n').length}, column 1: a comma or } is missing`).waitFor();
  expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  await editor.fill(text.replace('"minutes": 1440', '"minutes": 2880'));
  await page.getByText('Canvas', { exact: true }).click();
  await drawn(page, 'later').getByText('Wait 2 days').waitFor();
  await page.keyboard.press('Control+s');
  await told(page, 'Version 2 is saved');
});

test('split, triggers, goal and frequency cap are set by forms; what cannot be is told at its field, and nothing is saved', async () => {
  const { page } = await tabs.open('/sequences/forms/edit', { key: project.key });
  const saved = async () => (await project.api.get('/sequences/forms')).body;
  const save = () => page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Add a step after Send welcome' }).click();
  await page.getByRole('menuitem', { name: 'Split' }).click();
  await page.getByLabel('Percentage of a').fill('30');
  const fault = 'Percentages come to 80; make it 100';
  await page.getByRole('group', { name: 'Branches' }).getByText(fault).waitFor();
  await save();
  await page.getByRole('alert').getByRole('button', { name: fault }).waitFor();
  expect((await saved()).version).toBe(1);
  // Nor by way of the JSON, whose shares may have any sum; and a form that is opened again shows what was typed.
  await page.getByRole('button', { name: 'Close step' }).click();
  await page.getByRole('radiogroup', { name: 'View' }).getByText('JSON').click();
  await page.getByLabel('Graph as JSON').press('End');
  await page.keyboard.type(' ');
  await save();
  await page.getByRole('alert').getByRole('button', { name: fault }).click();
  expect((await saved()).version).toBe(1);
  await page.getByRole('radiogroup', { name: 'View' }).getByText('Canvas').click();
  await page.getByRole('group', { name: 'Branches' }).getByText(fault).waitFor();
  await page.getByLabel('Percentage of b').fill('70');
  await page.getByLabel('Name of branch 1').fill('short');
  await page.getByRole('button', { name: 'Add branch' }).click();
  await page.getByRole('button', { name: 'Remove branch b' }).click();
  await page.getByLabel('Percentage of a').fill('70');
  await page.getByRole('button', { name: 'Close step' }).click();

  const part = (name: string) => page.getByRole('group', { name, exact: true });
  // All that is left empty is told at once, each at its node, where a click leads.
  await page.getByRole('button', { name: 'Add event' }).click();
  await drawn(page, 'start').getByText('Start: joined', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Add a step after Send welcome' }).click();
  await page.getByRole('menuitem', { name: 'Send mail' }).click();
  await save();
  await page.getByRole('alert').getByText('Not saved: 2 problems').waitFor();
  await page.locator('[data-step]').getByText('Choose a template', { exact: true }).waitFor();
  await page.getByRole('alert').getByRole('button', { name: 'start Which event enters contacts?' }).click();
  await drawn(page, 'start').locator('[data-fault="problem"]').getByText('Which event enters contacts?').waitFor();
  await page.locator('[data-step]').getByRole('button', { name: 'Remove event without a name' }).click();
  await page.getByRole('alert').getByRole('button', { name: 'Choose a template' }).click();
  await page.getByRole('button', { name: 'Delete send_email_1' }).click();

  const joined = part('Event joined');
  await joined.getByRole('button', { name: 'Add rule' }).click();
  await page.getByRole('menuitem', { name: 'Field or attribute' }).click();
  await joined.getByRole('combobox', { name: 'Field' }).fill('event.seats');
  await joined.getByText('Fill in every rule').waitFor();
  await joined.getByRole('textbox', { name: 'Value' }).fill('many');
  await part('Goal').getByRole('switch', { name: 'Ends early at a goal' }).click();
  await part('Goal').getByText('Name an event, or add a rule').waitFor();
  await part('Goal').getByRole('combobox', { name: 'When this event comes' }).fill('bought');
  // Of two rules that are not complete, mending one leaves the other.
  const rules = (label: string) => part('Goal').getByRole('group', { name: label, exact: true });
  for (const label of ['Only if', 'As soon as']) {
    await rules(label).getByRole('button', { name: 'Add rule' }).click();
    await page.getByRole('menuitem', { name: 'Product event' }).click();
    await rules(label).getByText('Fill in every rule').waitFor();
  }
  await rules('Only if').getByRole('button', { name: 'Remove rule' }).click();
  await save();
  await page.getByRole('alert').getByText('Fill in every rule').waitFor();
  expect((await saved()).version).toBe(1);
  await rules('As soon as').getByRole('button', { name: 'Remove rule' }).click();
  await part('Frequency cap').getByRole('switch', { name: 'Limit marketing mail' }).click();
  await part('Frequency cap').getByLabel('Mails at most').fill('5');
  await save();
  await told(page, 'Version 2 is saved');
  const { goal, frequencyCap, triggers, nodes, edges } = await saved();
  expect({ goal, frequencyCap }).toEqual({ goal: { event: { type: 'bought' } }, frequencyCap: { count: 5, windowHours: 168 } });
  expect(triggers[0].config).toEqual({ type: 'joined', match: { field: 'event.seats', op: 'eq', value: 'many' } });
  expect(nodes.find(({ id }: { id: string }) => id === 'split_1').config).toEqual({
    arms: [
      { key: 'short', weight: 30 },
      { key: 'a', weight: 70 },
    ],
  });
  const ways = edges.filter(({ from }: { from: string }) => from === 'split_1');
  expect(ways).toEqual(expect.arrayContaining(['short', 'a'].map((branchKey) => ({ from: 'split_1', to: 'is_pro', branchKey }))));
  expect(ways).toHaveLength(2);
});

test('a step gets another id, which its edges follow; an end is put on an edge; a contact is updated by a form', async () => {
  const { page } = await tabs.open('/sequences/ids/edit', { key: project.key });
  await drawn(page, 'reset').click();
  await page.getByRole('button', { name: 'Change the id reset' }).click();
  await page.getByText('No run stands here.').waitFor();
  const id = page.getByRole('textbox', { name: 'Step id' });
  await id.fill('hello');
  await page.getByText('Another step has this id').waitFor();
  expect(await page.getByRole('button', { name: 'Change id', exact: true }).isDisabled()).toBe(true);
  await id.fill('forgotten');
  await page.keyboard.press('Enter');
  await focused(drawn(page, 'forgotten'));

  await page.getByRole('button', { name: 'Add a step after Send welcome' }).click();
  await page.getByRole('menuitem', { name: 'Update contact' }).click();
  await page.getByRole('button', { name: 'Set a field' }).click();
  await page.getByRole('menuitem', { name: 'Time zone' }).click();
  await page.getByRole('combobox', { name: 'Time zone' }).fill('Berlin');
  await page.getByText('Not a time zone').first().waitFor();
  await page.getByRole('combobox', { name: 'Time zone' }).fill('Europe/Berlin');
  await page.getByRole('button', { name: 'Add attribute' }).click();
  await page
    .getByRole('group', { name: /^Attribute / })
    .getByRole('combobox', { name: 'Name' })
    .fill('seen');
  await page.getByRole('group', { name: 'Attribute seen' }).getByLabel('Value').fill('yes');

  await page.getByRole('button', { name: 'Add a step after Branch: plan is pro, on Yes' }).click();
  await page.getByRole('menuitem', { name: 'End', exact: true }).click();
  // Steps behind it are not left without a way to them.
  const question = page.getByRole('dialog', { name: 'End the way here?' });
  expect(await question.getByRole('listitem').allInnerTexts()).toEqual(['Wait 1 day']);
  await question.getByRole('button', { name: 'End here, delete step' }).click();
  await drawn(page, 'exit_1').waitFor();
  await drawn(page, 'later').waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await told(page, 'Version 2 is saved');
  const { nodes, edges } = (await project.api.get('/sequences/ids')).body;
  expect(nodes.find(({ kind }: { kind: string }) => kind === 'update_contact').config).toEqual({
    addTags: [],
    set: { timezone: 'Europe/Berlin', attributes: { seen: 'yes' } },
  });
  expect(edges).toEqual(
    expect.arrayContaining([
      { from: 'is_pro', to: 'exit_1', branchKey: 'true' },
      { from: 'is_pro', to: 'forgotten', branchKey: 'false' },
      { from: 'forgotten', to: 'end' },
    ]),
  );
});

test('a wait for an event is made one for a time of day, and its first way is the only one then', async () => {
  const { page } = await tabs.open('/sequences/timed/edit', { key: project.key });
  await page.getByRole('button', { name: 'Add a step after Wait 1 day' }).click();
  await page.getByRole('menuitem', { name: 'Wait until' }).click();
  await page.getByRole('combobox', { name: 'Wait for' }).click();
  await page.getByRole('option', { name: 'A time of day' }).click();
  await page.getByLabel('At', { exact: true }).fill('17:30');
  await page.getByRole('combobox', { name: 'On', exact: true }).click();
  await page.getByRole('option', { name: 'Friday' }).click();
  await page.getByRole('option', { name: 'Tuesday' }).click();
  await page.keyboard.press('Escape');
  await drawn(page, 'wait_until_1').getByText('Wait until Tue, Fri 17:30, theirs').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await told(page, 'Version 2 is saved');
  const { nodes, edges } = (await project.api.get('/sequences/timed')).body;
  expect(nodes.find(({ id }: { id: string }) => id === 'wait_until_1').config).toEqual({
    time: { at: '17:30', weekdays: [2, 5], timezone: 'contact' },
  });
  expect(edges.filter(({ from }: { from: string }) => from === 'wait_until_1')).toEqual([{ from: 'wait_until_1', to: 'end' }]);
});

test('a branch for yes and no becomes one of several, which lead where those did', async () => {
  const { page } = await tabs.open('/sequences/several/edit', { key: project.key });
  await drawn(page, 'is_pro').click();
  await page.getByRole('button', { name: 'More than yes and no' }).click();
  await page.getByRole('button', { name: 'Add branch' }).click();
  const added = page.getByRole('group', { name: 'Branch branch_2' });
  // Not before it is to be saved.
  await added.waitFor();
  expect(await added.getByText('Fill in every rule').count()).toBe(0);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('alert').getByText('Fill in every rule').waitFor();
  await added.getByRole('combobox', { name: 'Field' }).fill('attributes.plan');
  await added.getByRole('textbox', { name: 'Value' }).fill('team');
  await added.getByRole('textbox', { name: 'Else branch' }).fill('default');
  await added.getByText('Is what the rest is called').waitFor();
  await added.getByRole('textbox', { name: 'Else branch' }).fill('team');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await told(page, 'Version 2 is saved');
  const { nodes, edges } = (await project.api.get('/sequences/several')).body;
  const when = (value: string) => ({ field: 'attributes.plan', op: 'eq', value });
  expect(nodes.find(({ id }: { id: string }) => id === 'is_pro').config).toEqual({
    branches: [
      { key: 'yes', when: when('pro') },
      { key: 'team', when: when('team') },
    ],
  });
  const ways = edges.filter(({ from }: { from: string }) => from === 'is_pro');
  expect(ways).toHaveLength(3);
  expect(ways).toEqual(
    expect.arrayContaining([
      { from: 'is_pro', to: 'later', branchKey: 'yes' },
      { from: 'is_pro', to: 'reset', branchKey: 'team' },
      { from: 'is_pro', to: 'reset', branchKey: 'default' },
    ]),
  );
});

test('what a template requires is asked for at the step and before it is activated, until it is given there', async () => {
  const triggers: never[] = [];
  await project.api.put('/sequences/data', { ...GRAPH, status: 'draft', triggers });
  const { page, open } = await tabs.open('/sequences/data', { key: project.key });
  const lacks = 'password-reset requires resetUrl';
  await page.getByRole('button', { name: 'Activate' }).click();
  await page.getByRole('dialog').getByText('Nobody enters by itself').waitFor();
  await page.getByRole('dialog').getByText(lacks).waitFor();
  await open('/sequences/data/simulate');
  await drawn(page, 'reset').getByText(lacks).waitFor();
  await open('/sequences/data/edit');
  await drawn(page, 'reset').getByText(lacks).click();
  const fields = page.getByRole('group', { name: 'What the template takes' });
  await fields.getByLabel('resetUrl').fill('https://example.com/reset');
  await fields.getByLabel('expiresInMinutes').fill('soon');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('alert').getByText('expiresInMinutes: Not a valid number').waitFor();
  await fields.getByLabel('expiresInMinutes').fill('30');
  await drawn(page, 'reset').getByText(lacks).waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await told(page, 'Version 2 is saved');
  const { nodes } = (await project.api.get('/sequences/data')).body;
  expect(nodes.find(({ id }: { id: string }) => id === 'reset').config).toEqual({
    template: 'password-reset',
    data: { resetUrl: 'https://example.com/reset', expiresInMinutes: 30 },
  });

  // Another template gets what it takes too; what is left out can be had back, and is told as long as it is sent.
  const configOfReset = async (version: number) => {
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await told(page, `Version ${version} is saved`);
    const { body } = await project.api.get('/sequences/data');
    return body.nodes.find(({ id }: { id: string }) => id === 'reset').config;
  };
  await choose(page, 'Template', 'magic-link: ');
  const lost = page.getByText('magic-link does not take resetUrl: left out.');
  await lost.waitFor();
  expect(await configOfReset(3)).toEqual({ template: 'magic-link', data: { expiresInMinutes: 30 } });
  await page.getByRole('button', { name: 'Bring back' }).click();
  await page.getByText('Sent too, though magic-link does not take it: resetUrl.').waitFor();
  expect((await configOfReset(4)).data).toEqual({ resetUrl: 'https://example.com/reset', expiresInMinutes: 30 });
});

test('contacts are enrolled into an active sequence, one or several, and those that are refused are named with the reason', async () => {
  const email = project.address('new');
  const gone = project.address('gone');
  const nobody = project.address('nobody');
  await newContact(project, email);
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
  expect(await runs()).toBe(1);
  await dialog.getByText('Several addresses').click();
  await dialog.getByRole('button', { name: 'Enroll', exact: true }).click();
  await dialog.getByText('Fill in an address at least').waitFor();
  await dialog.getByRole('textbox', { name: 'Emails' }).fill(`${gone}, "Body, No" <${nobody}>\nnobody at all`);
  await dialog.getByRole('button', { name: 'Enroll 3 contacts' }).click();
  await dialog.getByText('Nobody enrolled, 3 not').waitFor();
  expect(await dialog.getByRole('listitem').allInnerTexts()).toEqual([
    `${gone}: Has unsubscribed`,
    `${nobody}: No contact of the project`,
    'nobody at all: Not an address',
  ]);
  expect(await runs()).toBe(1);

  await project.api.put('/sequences/entered', { ...GRAPH, status: 'paused' });
  await open('/sequences/entered');
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  expect(await enroll.count()).toBe(0);

  // A sequence that is gone is not said of the contact.
  await project.api.put('/sequences/entered', { ...GRAPH, status: 'active' });
  await open('/sequences/entered');
  await enroll.click();
  await dialog.getByRole('combobox', { name: 'Contact' }).fill('new-');
  await page.getByRole('option', { name: email }).click();
  await project.api.delete('/sequences/entered');
  await dialog.getByRole('button', { name: 'Enroll', exact: true }).click();
  await dialog.getByRole('alert').getByText('No such sequence in this project').waitFor();
});

test('where a sequence is activated one is told of a template that is off, and turns it on', async () => {
  await project.api.put('/sequences/idle', { ...GRAPH, status: 'draft' });
  await project.api.put('/templates/welcome', { enabled: false });
  const { page } = await tabs.open('/sequences/idle', { key: project.key });
  await page.getByRole('button', { name: 'Activate' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('One of its templates is off').waitFor();
  await dialog.getByRole('button', { name: 'Turn on welcome' }).click();
  await dialog.getByText('One of its templates is off').waitFor({ state: 'hidden' });
  const { templates } = (await project.api.get('/templates')).body;
  expect(templates.find(({ key }: { key: string }) => key === 'welcome').enabled).toBe(true);
});

test('a graph that somebody else saved meanwhile is not replaced unasked: theirs is told and shown, mine is kept or discarded', async () => {
  const waiting = (minutes: number) => ({
    ...GRAPH,
    nodes: GRAPH.nodes.map((node) => (node.id === 'later' ? { ...node, config: { minutes } } : node)),
  });
  const { page } = await tabs.open('/sequences/both/edit', { key: project.key });
  const removeHello = async () => {
    await drawn(page, 'hello').click();
    await page.getByRole('button', { name: 'Delete hello' }).click();
  };
  await removeHello();
  await project.api.put('/sequences/both', waiting(2880));
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const theirs = page.getByRole('alert').filter({ hasText: 'Version 2 was saved meanwhile' });
  await theirs.getByText('They changed Wait 2 days (later).').waitFor();
  expect((await project.api.get('/sequences/both')).body.version).toBe(2);
  await theirs.getByRole('button', { name: 'See theirs' }).click();
  await page.getByRole('dialog').locator('.react-flow__node').getByText('Wait 2 days').waitFor();
  await page.keyboard.press('Escape');
  await theirs.getByRole('button', { name: 'Save mine over it' }).click();
  await told(page, 'Version 3 is saved');
  await theirs.waitFor({ state: 'hidden' });
  const ids = async () => (await project.api.get('/sequences/both')).body.nodes.map(({ id }: { id: string }) => id);
  expect(await ids()).not.toContain('hello');

  await drawn(page, 'later').click();
  await page.getByRole('button', { name: 'Delete later' }).click();
  await project.api.put('/sequences/both', waiting(4320));
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Discard mine' }).click();
  await drawn(page, 'later').getByText('Wait 3 days').waitFor();
  expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
  expect((await project.api.get('/sequences/both')).body.version).toBe(4);

  await page.getByRole('link', { name: 'Welcome flow' }).click();
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('button', { name: /^Version 4, current/ }).waitFor();
  await page.getByRole('button', { name: /^Version 2/ }).click();
  await page.getByText('changed Wait 2 days (later)', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Edit from this version' }).click();
  await drawn(page, 'later').getByText('Wait 2 days').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await told(page, 'Version 5 is saved');
  const { nodes } = (await project.api.get('/sequences/both')).body;
  expect(nodes.find(({ id }: { id: string }) => id === 'later').config).toEqual({ minutes: 2880 });
});

test('a version tells in words which settings it changed', async () => {
  await project.api.put('/sequences/set', { ...GRAPH, status: 'draft' });
  const goal = { event: { type: 'paid' } };
  await project.api.put('/sequences/set', { ...GRAPH, status: 'draft', goal, triggers: [], frequencyCap: { count: 2, windowHours: 24 } });
  const { page, open } = await tabs.open('/sequences/set/versions', { key: project.key });
  await page.getByText('Against version 1:').waitFor();
  expect(await page.getByRole('listitem').filter({ hasText: 'settings' }).allInnerTexts()).toEqual([
    'changed the settings, entered by: joined before, now nobody by itself: enrolled by hand or by a program',
    'changed the settings, goal: none before, now event paid',
    'changed the settings, frequency cap: none before, now 2 marketing mails in 1 day',
  ]);
  // Of the whole sequence, whatever its version is.
  await project.api.put('/sequences/set', {
    ...GRAPH,
    status: 'draft',
    name: 'Another',
    goal,
    triggers: [],
    frequencyCap: { count: 2, windowHours: 24 },
  });
  await open('/sequences/set/versions');
  await page.getByText('Steps and settings are those of version').waitFor();
});

test('a run is drawn over the version that it follows, whatever the sequence is now', async () => {
  await project.api.put('/sequences/older', GRAPH);
  const email = project.address('older');
  await newContact(project, email, { attributes: { plan: 'pro' } });
  const id = (await project.api.post('/sequences/older/enroll', { email })).body.enrollmentId;
  await eventually(async () => (await project.api.get(`/enrollments/${id}`)).body.enrollment.current_node_id === 'later');
  const [start, , , , , end] = GRAPH.nodes;
  await project.api.put('/sequences/older', { ...GRAPH, nodes: [start, end], edges: [{ from: 'start', to: 'end' }] });
  const { page, open } = await tabs.open(`/sequences/older/runs/${id}`, { key: project.key });
  await page.getByText('1, as drawn here; 2 is current').waitFor();
  await drawn(page, 'later').waitFor();
  await wayBecomes(page, 'hello>is_pro', 'is_pro>later', 'start>hello');

  // The list tells by itself how its runs go on.
  await page.clock.install();
  await open('/sequences/older/runs');
  const row = page.getByRole('row').filter({ hasText: email });
  await row.getByText('Active', { exact: true }).waitFor();
  await project.api.delete(`/enrollments/${id}`);
  await page.clock.fastForward(16_000);
  await row.getByText('Cancelled', { exact: true }).waitFor();
});

test('a sequence is paused after a question, and what would fail is told when it is resumed', async () => {
  const { page } = await tabs.open('/sequences/paused', { key: project.key });
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
  await page.getByText('Paused', { exact: true }).waitFor();
  expect((await project.api.get('/sequences/paused')).body.status).toBe('paused');
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
  await page.getByText('1 warning').waitFor();
  await drawn(page, 'reset').getByText('password-reset requires').waitFor();
});

test('every form of sequences says what to do when its call fails, and keeps what was typed', async () => {
  const { page, open } = await tabs.open('/sequences/refused/edit', { key: project.key });
  const press = (name: string) => () => page.getByRole('button', { name, exact: true }).click();
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  await name.fill('Typed');
  await keepsInputWhenRefused(page, { method: 'PUT', url: /\/sequences\/refused\?/, submit: press('Save'), input: name });
  await press('Save')();
  await told(page, 'Version 2 is saved');

  await open('/sequences/refused/simulate');
  await press('Add attribute')();
  await page.getByRole('combobox', { name: 'Name' }).fill('plan');
  const value = page.getByRole('textbox', { name: 'Value' });
  await value.fill('pro');
  await keepsInputWhenRefused(page, { method: 'POST', url: /\/simulate$/, submit: press('Simulate'), input: value });
  await press('Simulate')();
  await page.getByRole('status').getByText('Came to its end').waitFor();

  await open('/sequences');
  await press('New sequence')();
  await name.fill('Typed once');
  await keepsInputWhenRefused(page, { method: 'PUT', url: /\/sequences\/typed-once\?/, submit: press('Create sequence'), input: name });
  await press('Create sequence')();
  await page.getByRole('heading', { name: 'Edit Typed once' }).waitFor();
});

test('axe finds nothing in both schemes, and no page is wider than a phone', async () => {
  const { page, open } = await tabs.open('/sequences', { key: project.key });
  const found: string[] = [];
  const tooWide: string[] = [];
  for (const path of ['', '/flow', '/flow/simulate', '/flow/runs', `/flow/runs/${run}`, '/flow/versions', '/flow/edit']) {
    await page.setViewportSize({ width: 1280, height: 900 });
    await open(`/sequences${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'hidden' });
    if (path !== '' && path !== '/flow/runs') await drawn(page, 'start').click();
    for (const colorScheme of ['light', 'dark'] as const) {
      await showIn(page, colorScheme);
      found.push(...(await axeProblems(page)).map((problem) => `${path} ${colorScheme}: ${problem}`));
    }
    await page.setViewportSize({ width: 390, height: 844 });
    if (Number(await page.evaluate('document.documentElement.scrollWidth')) > 390) tooWide.push(path);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  await open('/sequences/flow/simulate');
  await page.getByRole('combobox', { name: 'Time zone' }).click();
  await page.getByRole('option').first().waitFor();
  // A list that is longer than its box scrolls by the keys of its field.
  found.push(...(await axeProblems(page)));
  expect([found, tooWide]).toEqual([[], []]);
});

test('in all of this no policy was violated, no error uncaught, and no other host was asked', () => {
  expect(tabs.wrongs).toEqual([]);
});
