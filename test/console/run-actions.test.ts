import { beforeAll, expect, test } from 'vitest';
import { consoleTabs } from '../support/console.ts';
import { drawn } from '../support/console-sequences.ts';
import { eventually } from '../support/eventually.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { DAY_MINUTES, must, newContact } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;

const GRAPH = {
  name: 'Onboarding',
  status: 'active',
  nodes: [
    { id: 'start', kind: 'trigger' },
    { id: 'first', kind: 'wait_delay', config: { minutes: DAY_MINUTES } },
    { id: 'second', kind: 'wait_delay', config: { minutes: 2 * DAY_MINUTES } },
    { id: 'end', kind: 'exit' },
  ],
  edges: [
    { from: 'start', to: 'first' },
    { from: 'first', to: 'second' },
    { from: 'second', to: 'end' },
  ],
};

let runs: string[];

const standing = () =>
  Promise.all(
    runs.map(async (id) => {
      const { status, current_node_id, sequence_version } = must(await project.api.get(`/enrollments/${id}`), 200).enrollment;
      return `${status} ${current_node_id} ${sequence_version}`;
    }),
  );
const allAre = (wanted: string) => eventually(async () => (await standing()).every((one) => one === wanted));

beforeAll(async () => {
  project = await newProject();
  must(await project.api.put('/sequences/flow', GRAPH), 200);
  runs = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const email = project.address();
      await newContact(project, email);
      return must(await project.api.post('/sequences/flow/enroll', { email }), 200).enrollmentId;
    }),
  );
  await allAre('active first 1');
});

test('who saves without a step is told how many stand there, and moves them; all runs of a step are cancelled after a count', async () => {
  const { page } = await tabs.open('/sequences/flow/edit', { key: project.key });
  await drawn(page, 'first').click();
  await page.getByRole('button', { name: 'Delete first' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Save changes to Onboarding? It is live' });
  await dialog.getByText('3 stay on version 1, new contacts get version 2.').waitFor();
  await dialog.getByText('3 people are at a step that this removes').waitFor();
  await dialog.getByRole('combobox').click();
  await page.getByRole('option', { name: 'Move to: Wait 2 days' }).click();
  await dialog.getByText('All others stay on their version, new contacts get version 2.').waitFor();
  await dialog.getByRole('button', { name: 'Save version 2' }).click();
  await allAre('active second 2');

  const { page: list } = await tabs.open('/sequences/flow/runs', { key: project.key });
  await list
    .getByRole('status', { name: 'Action on runs' })
    .getByText(/^3 runs moved or ended/)
    .waitFor();
  await list.getByRole('combobox', { name: 'Step', exact: true }).click();
  await list.getByRole('option', { name: 'Wait 2 days' }).click();
  await list.getByRole('button', { name: 'Act on matching runs…' }).click();
  const form = list.getByRole('dialog', { name: 'Act on matching runs' });
  await form.getByRole('combobox', { name: 'Action' }).click();
  await list.getByRole('option', { name: 'Retry failed steps' }).click();
  await form.getByText('A run that ended by a failed step goes on at that step.').waitFor();
  await form.getByRole('combobox', { name: 'Go on at' }).click();
  await list.getByRole('option', { name: 'Wait 2 days' }).click();
  await form.getByText('They go on at that step of the current version').waitFor();
  await form.getByText('0 runs match now').waitFor();
  await form.getByRole('combobox', { name: 'Action' }).click();
  await list.getByRole('option', { name: 'Cancel runs' }).click();
  await form.getByText('3 runs match now. Others are not touched.').waitFor();
  await form.getByRole('button', { name: 'Cancel 3 runs' }).click();
  await list
    .getByRole('status', { name: 'Action on runs' })
    .getByText(/^3 runs cancelled/)
    .waitFor();
  expect(await standing()).toEqual(runs.map(() => 'cancelled second 2'));
  await eventually(async () => (await list.getByRole('row').filter({ hasText: 'Cancelled' }).count()) === 3);
});
