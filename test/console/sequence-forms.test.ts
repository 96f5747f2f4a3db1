import { beforeAll, expect, test } from 'vitest';
import { consoleTabs, told } from '../support/console.ts';
import { hasFocus } from '../support/console-page.ts';
import { drawn, WELCOME } from '../support/console-sequences.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'welcome', 'password-reset');
  for (const key of ['json', 'forms', 'ids', 'timed', 'several', 'gathered'])
    must(await project.api.put(`/sequences/${key}`, WELCOME), 200);
});

test('a graph is edited as JSON: what is none is told and cannot be saved', async () => {
  const { page } = await tabs.open('/sequences/json/edit', { key: project.key });
  await page.getByText('JSON', { exact: true }).click();
  const editor = page.getByLabel('Graph as JSON');
  const text = await editor.inputValue();
  await editor.fill(text.slice(0, -1));
  await page.getByText(`Line ${text.split('\n').length}, column 1: expected a comma or }`).waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  await editor.fill(text.replace('"minutes": 1440', '"minutes": 2880'));
  await page.getByText('Canvas', { exact: true }).click();
  await drawn(page, 'later').getByText('Wait 2 days').waitFor();
  await page.keyboard.press('Control+s');
  await told(page, 'Version 2 saved');
});

test('split, triggers, goal and frequency cap are set by forms; what cannot be is told at its field, and nothing is saved', async () => {
  const { page } = await tabs.open('/sequences/forms/edit', { key: project.key });
  const saved = async () => (await project.api.get('/sequences/forms')).body;
  const save = () => page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Add a step after Send welcome' }).click();
  await page.getByRole('menuitem', { name: 'Split' }).click();
  await page.getByLabel('Percentage of a').fill('30');
  const fault = 'The percentages add up to 80. Make it 100';
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
  await page.getByRole('menuitem', { name: 'Send email' }).click();
  await save();
  await page.getByRole('alert').getByText('Not saved: 2 problems').waitFor();
  await page.locator('[data-step]').getByText('Choose a template', { exact: true }).waitFor();
  await page.getByRole('alert').getByRole('button', { name: 'start Choose the event that enrolls contacts' }).click();
  await drawn(page, 'start').locator('[data-fault="problem"]').getByText('Choose the event that enrolls contacts').waitFor();
  await page.locator('[data-step]').getByRole('button', { name: 'Remove event (not chosen)' }).click();
  await page.getByRole('alert').getByRole('button', { name: 'Choose a template' }).click();
  await page.getByRole('button', { name: 'Delete send_email_1' }).click();

  const joined = part('Event joined');
  await joined.getByRole('button', { name: 'Add rule' }).click();
  await page.getByRole('menuitem', { name: 'Contact field' }).click();
  await joined.getByRole('combobox', { name: 'Field' }).fill('event.seats');
  await joined.getByText('Complete or remove each rule').waitFor();
  await joined.getByRole('textbox', { name: 'Value' }).fill('many');
  await part('Goal').getByRole('switch', { name: 'End early at a goal' }).click();
  await part('Goal').getByText('Choose an event or add a rule').waitFor();
  await part('Goal').getByRole('combobox', { name: 'When this event happens' }).fill('bought');
  // Of two rules that are not complete, mending one leaves the other.
  const rules = (label: string) => part('Goal').getByRole('group', { name: label, exact: true });
  for (const label of ['Only if', 'As soon as']) {
    await rules(label).getByRole('button', { name: 'Add rule' }).click();
    await page.getByRole('menuitem', { name: 'Event' }).click();
    await rules(label).getByText('Complete or remove each rule').waitFor();
  }
  await rules('Only if').getByRole('button', { name: 'Remove rule' }).click();
  await save();
  await page.getByRole('alert').getByText('Complete or remove each rule').waitFor();
  expect((await saved()).version).toBe(1);
  await rules('As soon as').getByRole('button', { name: 'Remove rule' }).click();
  await part('Frequency cap').getByRole('switch', { name: 'Limit marketing email' }).click();
  await part('Frequency cap').getByLabel('Maximum emails').fill('5');
  await save();
  await told(page, 'Version 2 saved');
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
  await page.getByRole('button', { name: 'Change ID reset' }).click();
  await page.getByText('No runs are at this step.').waitFor();
  const id = page.getByRole('textbox', { name: 'Step ID' });
  await id.fill('hello');
  await page.getByText('Another step has this ID').waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Change ID', exact: true }).isDisabled()).toBe(true);
  await id.fill('forgotten');
  await page.keyboard.press('Enter');
  await hasFocus(drawn(page, 'forgotten'));

  await page.getByRole('button', { name: 'Add a step after Send welcome' }).click();
  await page.getByRole('menuitem', { name: 'Update contact' }).click();
  await page.getByRole('button', { name: 'Set a field' }).click();
  await page.getByRole('menuitem', { name: 'Time zone' }).click();
  await page.getByRole('combobox', { name: 'Time zone' }).fill('Berlin');
  await page.getByText('Enter a time zone').first().waitFor();
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
  const question = page.getByRole('dialog', { name: 'End the path here?' });
  await expect.poll(() => question.getByRole('listitem').allInnerTexts()).toEqual(['Wait 1 day']);
  await question.getByRole('button', { name: 'End here, delete step' }).click();
  await drawn(page, 'exit_1').waitFor();
  await drawn(page, 'later').waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await told(page, 'Version 2 saved');
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
  await drawn(page, 'wait_until_1').getByText('Wait until Tue, Fri 17:30, contact time').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await told(page, 'Version 2 saved');
  const { nodes, edges } = (await project.api.get('/sequences/timed')).body;
  expect(nodes.find(({ id }: { id: string }) => id === 'wait_until_1').config).toEqual({
    time: { at: '17:30', weekdays: [2, 5], timezone: 'contact' },
  });
  expect(edges.filter(({ from }: { from: string }) => from === 'wait_until_1')).toEqual([{ from: 'wait_until_1', to: 'end' }]);
});

test('a digest and a throttle are set by forms, and a run shows how many events have gathered', async () => {
  const { page, open } = await tabs.open('/sequences/gathered/edit', { key: project.key });
  await page.getByRole('button', { name: 'Add a step after Wait 1 day' }).click();
  await page.getByRole('menuitem', { name: 'Throttle' }).click();
  await page.getByLabel('Runs of a contact that pass').fill('');
  await page.getByText('How many?').first().waitFor();
  await page.getByLabel('Runs of a contact that pass').fill('2');
  await drawn(page, 'throttle_1').getByText('At most 2 in 1 day, then drop').waitFor();
  await page.getByRole('combobox', { name: 'Beyond that' }).click();
  await page.getByRole('option', { name: 'Delay the run' }).click();
  await page.getByRole('button', { name: 'Close step' }).click();
  await page.getByRole('button', { name: 'Add a step after Send welcome' }).click();
  await page.getByRole('menuitem', { name: 'Digest' }).click();
  await page.getByLabel('Only together').fill('post.id');
  await page.getByLabel('Continue early at').fill('3');
  await drawn(page, 'digest_1').getByText('Gather events by post.id for 1 hour, at most 3').waitFor();
  await page.getByRole('combobox', { name: 'Gather', exact: true }).click();
  await page.getByRole('option', { name: 'Until a time of day' }).click();
  await page.getByLabel('At', { exact: true }).fill('17:30');
  await drawn(page, 'digest_1').getByText('Gather events by post.id until 17:30, contact time, at most 3').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await told(page, 'Version 2 saved');
  const graph = (await project.api.get('/sequences/gathered')).body;
  const configs = Object.fromEntries(graph.nodes.map(({ id, config }: { id: string; config: unknown }) => [id, config]));
  expect(configs).toMatchObject({
    digest_1: { key: 'post.id', max: 3, until: { at: '17:30', timezone: 'contact' } },
    throttle_1: { count: 2, window: 1440, otherwise: 'delay' },
  });
  expect(graph.edges.filter(({ from }: { from: string }) => from === 'throttle_1')).toEqual([
    { from: 'throttle_1', to: 'end', branchKey: 'passed' },
  ]);

  const type = 'replied';
  const nodes = [
    { id: 'start', kind: 'trigger' },
    { id: 'd', kind: 'digest', config: { windowMinutes: 60, max: 2 } },
    { id: 'later', kind: 'digest', config: { windowMinutes: 60 } },
  ];
  const edges = [
    { from: 'start', to: 'd' },
    { from: 'd', to: 'later' },
  ];
  const triggers = [{ kind: 'event', config: { type }, enabled: true }];
  must(await project.api.put('/sequences/gathers', { status: 'active', nodes, edges, triggers }), 200);
  const email = project.address();
  must(await project.api.post('/events', { type, email }), 200);
  const [run] = must(await project.api.get('/sequences/gathers/enrollments'), 200).enrollments;
  await open(`/sequences/gathers/runs/${run.id}`);
  await page.getByText('Here now, 1 event so far').waitFor();
  must(await project.api.post('/events', { type, email }), 200);
  await page.getByText('2 events gathered').first().waitFor();
  await page.getByText('Gathering events', { exact: false }).first().waitFor();
});

test('a branch for yes and no becomes one of several, which lead where those did', async () => {
  const { page } = await tabs.open('/sequences/several/edit', { key: project.key });
  await drawn(page, 'is_pro').click();
  await page.getByRole('button', { name: 'More than two branches' }).click();
  await page.getByRole('button', { name: 'Add branch' }).click();
  const added = page.getByRole('group', { name: 'Branch branch_2' });
  // Not before it is to be saved.
  await added.waitFor();
  expect(await added.getByText('Complete or remove each rule').count()).toBe(0);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('alert').getByText('Complete or remove each rule').waitFor();
  await added.getByRole('combobox', { name: 'Field' }).fill('attributes.plan');
  await added.getByRole('textbox', { name: 'Value' }).fill('team');
  await added.getByRole('textbox', { name: 'Otherwise' }).fill('default');
  await added.getByText('This name is reserved').waitFor();
  await added.getByRole('textbox', { name: 'Otherwise' }).fill('team');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await told(page, 'Version 2 saved');
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
