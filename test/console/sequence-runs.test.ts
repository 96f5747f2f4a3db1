import { beforeAll, expect, test } from 'vitest';
import { consoleTabs } from '../support/console.ts';
import { hasFocus } from '../support/console-page.ts';
import { drawn, newWelcomeFlow, WELCOME, wayBecomes } from '../support/console-sequences.ts';
import { eventually } from '../support/eventually.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must, newContact } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;
/** Has the plan pro and stands at a wait of a day. */
let ada: string;
let run: string;

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'welcome', 'password-reset');
  ({ ada, run } = await newWelcomeFlow(project));
});

test('a run that is held says why where it stands, and the page of its contact that it is still in the sequence', async () => {
  const { body } = await project.api.get(`/enrollments/${run}`);
  const { page } = await tabs.open(`/contacts/${body.enrollment.contact_id}`, { key: project.key });
  const entered = page.getByRole('listitem').filter({ hasText: 'Entered sequence Welcome flow' });
  await entered.getByText('Still in it').waitFor();
  await page.route(`**/enrollments/${run}`, async (route) => {
    const held = { waiting_for: 'held:frequency_cap', wakes_at: new Date(Date.now() + 7_200_000).toISOString() };
    const answer = await route.fetch();
    const read = await answer.json();
    await route.fulfill({ response: answer, json: { ...read, enrollment: { ...read.enrollment, ...held } } });
  });
  await entered.getByRole('link').click();
  await page.getByRole('heading', { name: `Run of ${ada}` }).waitFor();
  await page
    .locator('.mantine-Timeline-item')
    .last()
    .getByText(/^Here now\. On hold: frequency cap\. Tries again in /)
    .waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
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
  await page.getByRole('dialog').getByRole('button', { name: 'Keep running' }).click();
  await page.getByRole('button', { name: 'Cancel run…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel run' }).click();
  await page.getByText('Cancelled', { exact: true }).first().waitFor();
  await page.locator('.mantine-Timeline-item').last().getByText('Cancelled by the key').waitFor();
  expect((await project.api.get(`/enrollments/${run}`)).body.enrollment.status).toBe('cancelled');
});

test('a run is drawn over the version that it follows, whatever the sequence is now', async () => {
  await project.api.put('/sequences/older', WELCOME);
  const email = project.address('older');
  await newContact(project, email, { attributes: { plan: 'pro' } });
  const id = (await project.api.post('/sequences/older/enroll', { email })).body.enrollmentId;
  await eventually(async () => (await project.api.get(`/enrollments/${id}`)).body.enrollment.current_node_id === 'later');
  const [start, , , , , end] = WELCOME.nodes;
  await project.api.put('/sequences/older', { ...WELCOME, nodes: [start, end], edges: [{ from: 'start', to: 'end' }] });
  const { page, open } = await tabs.open(`/sequences/older/runs/${id}`, { key: project.key, isAlone: true });
  await page.getByText('1, shown here. The current version is 2').waitFor();
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

test('a simulation draws the way of a contact, also one that is assumed', async () => {
  const { page } = await tabs.open('/sequences/flow/simulate', { key: project.key });
  await page.getByRole('button', { name: 'Add attribute' }).click();
  await page.getByRole('combobox', { name: 'Name' }).fill('plan');
  await page.getByRole('textbox', { name: 'Value' }).fill('pro');
  await page.getByRole('button', { name: 'Simulate', exact: true }).click();
  await page.getByRole('status').getByText('Completed').waitFor();
  await wayBecomes(page, 'hello>is_pro', 'is_pro>later', 'later>end', 'start>hello');
  await page.getByRole('button', { name: 'View email of hello' }).click();
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
  const event = page.getByRole('combobox', { name: 'Event' });
  expect(await event.inputValue()).toBe('joined');
  await event.fill('left');
  const old = page.getByRole('status').getByText('Changed since the last simulation. Run it again');
  await old.waitFor();
  await page.getByRole('button', { name: 'Simulate', exact: true }).click();
  await old.waitFor({ state: 'detached' });
});

test('a simulation draws the way that a wait is left by, and tells of an email that fails since its template is off', async () => {
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
  await page.getByRole('status').getByText('1 email: newsletter, of which 1 would fail').waitFor();
  await page.getByRole('button', { name: '2. Send newsletter Its emails fail: the template newsletter is off' }).waitFor();
  await isLeftBy('timeout');
  await page.getByRole('combobox', { name: 'Event' }).fill('bought');
  await page.getByRole('button', { name: 'Simulate', exact: true }).click();
  await isLeftBy('event');
  // Turned on where it is asked to be activated: what was simulated is no longer so.
  await page.getByRole('button', { name: 'Activate' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Turn on newsletter' }).click();
  await hasFocus(page.getByRole('dialog').getByRole('button', { name: 'Activate' }));
  await page.keyboard.press('Escape');
  await page
    .getByRole('status')
    .getByText(/1 email: newsletter$/)
    .waitFor();
  await page.getByText('Its emails fail').first().waitFor({ state: 'detached' });
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
