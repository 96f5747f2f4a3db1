import { beforeAll, expect, test } from 'vitest';
import { layoutOf } from '../../console/src/pages/sequences/graph/layout.ts';
import { consoleTabs, told } from '../support/console.ts';
import { choose, hasFocus } from '../support/console-page.ts';
import { drawn, WELCOME, waysOf } from '../support/console-sequences.ts';
import { eventually } from '../support/eventually.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'welcome', 'password-reset');
  for (const key of ['edited', 'paused']) must(await project.api.put(`/sequences/${key}`, WELCOME), 200);
  const long = Array.from({ length: 191 }, (_, index) => ({ id: `n${index}`, kind: 'wait_delay', config: { minutes: 1 } }));
  const nodes = [{ id: 'start', kind: 'trigger' }, ...long, { id: 'end', kind: 'exit' }];
  await project.api.put('/sequences/long', { nodes, edges: nodes.slice(1).map(({ id }, index) => ({ from: nodes[index]!.id, to: id })) });
});

test('a step is added on an edge, set, undone and done again; saving makes the next version', async () => {
  const { page } = await tabs.open('/sequences/edited/edit', { key: project.key });
  await page.getByRole('button', { name: 'Add a step after Wait 1 day' }).click();
  await page.getByRole('menuitem', { name: 'Send email' }).click();
  await choose(page, 'Template', 'Welcome');
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
  await told(page, 'Version 2 saved');
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
  await hasFocus(drawn(page, 'later'));
  await page.keyboard.press('Enter');
  const then = page.getByRole('combobox', { name: 'Then' });
  while (!(await then.evaluate((input) => input.ownerDocument.activeElement === input))) await page.keyboard.press('Tab');
  await then.fill('reset');
  await page.getByRole('option', { name: /reset/ }).first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.locator('.react-flow__edge[data-id="later  reset"]').waitFor({ state: 'attached' });
  await page.keyboard.press('Escape');
  await hasFocus(drawn(page, 'later'));
  await page.keyboard.press('Delete');
  await drawn(page, 'later').waitFor({ state: 'hidden' });
  await hasFocus(drawn(page, 'reset'));
  await page.getByRole('link', { name: 'Welcome flow' }).click();
  await page.getByRole('dialog').getByText('This tab keeps them').waitFor();
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
  await hasFocus(drawn(page, 'start'));
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
  for (const { id } of WELCOME.nodes) {
    await hasFocus(page.locator('.react-flow__node:focus'));
    seen.push((await page.locator('.react-flow__node:focus').getAttribute('data-id'))!);
    if (id !== 'end') await page.keyboard.press('ArrowRight');
    if (id !== 'end') await drawn(page, seen.at(-1)!).and(page.locator(':focus')).waitFor({ state: 'hidden' });
  }
  expect(seen.toSorted()).toEqual(WELCOME.nodes.map(({ id }) => id).toSorted());
  await drawn(page, 'is_pro').focus();
  for (const way of ['Yes', 'No']) {
    await page.keyboard.press('Tab');
    await hasFocus(page.getByRole('button', { name: `Add a step after Branch: plan is pro, on ${way}` }));
  }
  await page.keyboard.press('Tab');
  await hasFocus(page.getByRole('button', { name: 'Zoom in' }));
  await page.keyboard.press('Shift+Tab');
  await hasFocus(drawn(page, 'is_pro'));
  await page.getByRole('img', { name: 'From Branch: plan is pro to Wait 1 day, on Yes', exact: true }).waitFor();
});

test('a step added by keyboard has the focus', async () => {
  const { page } = await tabs.open('/sequences/paused/edit', { key: project.key });
  await page.getByRole('button', { name: 'Add a step after Wait 1 day' }).focus();
  await page.keyboard.press('Enter');
  await hasFocus(page.getByRole('menuitem', { name: 'Send email' }));
  await page.keyboard.press('Enter');
  await hasFocus(drawn(page, 'send_email_1'));
  await drawn(page, 'send_email_1').getByText('Send email').waitFor();

  // From a step itself, wherever its edge is drawn.
  await page.keyboard.press('a');
  await hasFocus(page.getByRole('menuitem', { name: 'Send email' }));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await hasFocus(drawn(page, 'wait_delay_1'));
  await page.locator('.react-flow__edge[data-id="send_email_1  wait_delay_1"]').waitFor({ state: 'attached' });
});

test('by keyboard alone one goes along a graph larger than what is seen, adds, copies, deletes and undoes, and sees where one is', async () => {
  const { page } = await tabs.open('/sequences/long/edit', { key: project.key });
  await drawn(page, 'start').waitFor();
  const isSeen = async (id: string) => {
    await hasFocus(drawn(page, id));
    const [node, canvas] = await Promise.all([drawn(page, id).boundingBox(), page.locator('.react-flow').boundingBox()]);
    return node!.x >= canvas!.x && node!.y >= canvas!.y && node!.y + node!.height <= canvas!.y + canvas!.height;
  };
  // Put before the end, far below.
  await page.getByRole('button', { name: 'Add step after Wait 1 minute' }).click();
  await page.getByRole('menuitem', { name: 'Send email' }).click();
  await eventually(() => isSeen('send_email_1'));
  await page.keyboard.press('a');
  await hasFocus(page.getByRole('menuitem', { name: 'Send email' }));
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
  const question = page.getByRole('dialog', { name: 'Delete is_pro and the steps after it?' });
  await expect.poll(() => question.getByRole('listitem').allInnerTexts()).toEqual(['Send password-reset']);
  await question.getByRole('radio', { name: 'No: Send password-reset' }).click();
  await question.getByRole('listitem').getByText('Wait 1 day').waitFor();
  await question.getByRole('button', { name: 'Delete with step' }).click();
  await drawn(page, 'later').waitFor({ state: 'hidden' });
  await page.locator('.react-flow__edge[data-id="hello  reset"]').waitFor({ state: 'attached' });
  await hasFocus(drawn(page, 'reset'));
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
