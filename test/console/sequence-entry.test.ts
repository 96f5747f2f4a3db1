import { beforeAll, expect, test } from 'vitest';
import { consoleTabs, told } from '../support/console.ts';
import { axeProblems } from '../support/console-looks.ts';
import { drawn, WELCOME } from '../support/console-sequences.ts';
import { eventually } from '../support/eventually.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must, newContact, newSequence } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'welcome', 'password-reset');
  must(await project.api.put('/sequences/joined', WELCOME), 200);
  for (let n = 0; n < 3; n++) await newContact(project, project.address(), { tags: ['vip'] });
  await newContact(project, project.address(), { tags: ['vip'], status: 'unsubscribed' });
  must(await project.api.post('/segments', { label: 'Very important', filter: { tags: ['vip'] } }), 201);
});

test('a segment is made a trigger by its form, which is told where it lacks one, and the start of the graph says so', async () => {
  const { page } = await tabs.open('/sequences/joined/edit', { key: project.key });
  await drawn(page, 'start').click();
  const triggers = page.getByRole('group', { name: 'Entered by' });
  await triggers.getByRole('button', { name: 'Add segment' }).click();
  await triggers.getByText('Choose a segment').waitFor();
  await page.getByRole('combobox', { name: 'When a contact joins this segment' }).click();
  await page.getByRole('option', { name: 'Very important' }).click();
  await drawn(page, 'start').getByText('joined, Very important').waitFor();
  expect(await axeProblems(page)).toEqual([]);
  await page.keyboard.press('Control+s');
  await told(page, 'Version 2 saved');
  const { triggers: saved } = must(await project.api.get('/sequences/joined'), 200);
  expect(saved).toContainEqual({ kind: 'segment', config: { segment: 'Very important' }, enabled: true });
});

test('a birthday is made a trigger by its form: days before, the time, and whose clock it is by', async () => {
  must(await project.api.put('/sequences/birthday', { ...WELCOME, reentry: 'once_ever' }), 200);
  await newContact(project, project.address(), { attributes: { birthday: '1990-05-14' } });
  const { page, open } = await tabs.open('/sequences/birthday/edit', { key: project.key });
  await drawn(page, 'start').click();
  const triggers = page.getByRole('group', { name: 'Entered by' });
  await triggers.getByRole('button', { name: 'Add date' }).click();
  await triggers.getByText('Choose the date that enrolls contacts').waitFor();
  await triggers.getByText('each contact enters in one year only').waitFor();
  await triggers.getByRole('combobox', { name: 'Date attribute' }).fill('birth');
  await page.getByRole('option', { name: 'birthday' }).click();
  await triggers.getByText('1 contact has it.').waitFor();
  await triggers.getByRole('combobox', { name: 'Day', exact: true }).click();
  await page.getByRole('option', { name: 'Days before' }).click();
  await triggers.getByRole('textbox', { name: 'Days' }).fill('');
  await triggers.getByText('How many days?').waitFor();
  await triggers.getByRole('textbox', { name: 'Days' }).fill('5');
  await triggers.getByLabel('At', { exact: true }).fill('08:30');
  await triggers.getByRole('combobox', { name: 'If unknown' }).fill('Vienna');
  await page.getByRole('option', { name: 'Europe/Vienna' }).click();
  await drawn(page, 'start').getByText('joined, birthday').waitFor();
  expect(await axeProblems(page)).toEqual([]);
  await page.keyboard.press('Control+s');
  await told(page, 'Version 2 saved');
  await page.getByRole('button', { name: /^start A contact enters once only, so later years of birthday enroll nobody/ }).waitFor();
  const { triggers: saved } = must(await project.api.get('/sequences/birthday'), 200);
  const config = { attribute: 'birthday', every: 'year', at: '08:30', timezone: 'contact', fallback: 'Europe/Vienna', daysBefore: 5 };
  expect(saved).toContainEqual({ kind: 'date', config, enabled: true });
  await open('/sequences/birthday');
  await page.getByText('5 days before birthday every year at 08:30, contact time').waitFor();
  await open('/sequences/birthday/simulate');
  await page.getByText('The simulation starts now rather than on the date.').waitFor();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Enroll a segment…' }).click();
  await page.getByRole('dialog').getByText('Everyone in it now starts at once, whatever their date.').waitFor();
});

test('the day on which a contact was added is a date, too: so many days after it', async () => {
  must(await project.api.put('/sequences/added', WELCOME), 200);
  const { page, open } = await tabs.open('/sequences/added/edit', { key: project.key });
  await drawn(page, 'start').click();
  const triggers = page.getByRole('group', { name: 'Entered by' });
  await triggers.getByRole('button', { name: 'Add date' }).click();
  await triggers.getByRole('combobox', { name: 'Date', exact: true }).click();
  await page.getByRole('option', { name: 'Day the contact was added' }).click();
  await drawn(page, 'start').getByText('joined, day added').waitFor();
  expect(await triggers.getByText('Choose the date').count()).toBe(0);
  await triggers.getByRole('combobox', { name: 'Day', exact: true }).click();
  await expect.poll(() => page.getByRole('option').allInnerTexts()).toEqual(['On the day', 'Days after']);
  await page.keyboard.press('Escape');
  await triggers.getByRole('textbox', { name: 'Days' }).fill('4');
  await page.keyboard.press('Control+s');
  await told(page, 'Version 2 saved');
  const config = { field: 'created_at', daysAfter: 4, at: '09:00', timezone: 'contact' };
  expect(must(await project.api.get('/sequences/added'), 200).triggers).toContainEqual({ kind: 'date', config, enabled: true });
  await open('/sequences/added');
  await page.getByText('4 days after the day added at 09:00, contact time').waitFor();
});

test('who is about to enter by a date is told on the page of the sequence', async () => {
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  for (let n = 0; n < 2; n++) await newContact(project, project.address(), { attributes: { renewal: soon.slice(0, 10) } });
  const dated = { kind: 'date', config: { attribute: 'renewal', at: soon.slice(11, 16) } };
  const key = 'renewal';
  must(await project.api.put(`/sequences/${key}`, { ...WELCOME, triggers: [dated] }), 200);
  await eventually(async () => must(await project.api.get(`/sequences/${key}/date-entries`), 200).dates[0]?.next?.count === 2);
  const { page } = await tabs.open(`/sequences/${key}`, { key: project.key });
  await page.getByText(/^2 contacts on /).waitFor();
  await page.getByText('dates are checked again').waitFor();
});

test('everybody in a segment is enrolled: how many they are is said before, and what it came to after', async () => {
  const { key } = await newSequence(project);
  const { page } = await tabs.open(`/sequences/${key}`, { key: project.key });
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Enroll a segment…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Segment' }).click();
  await page.getByRole('option', { name: 'Very important' }).click();
  await dialog.getByText('4 contacts in it now').waitFor();
  expect(await axeProblems(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Enroll 4 contacts' }).click();
  await told(page, '4 contacts are enrolled');
  const progress = page.getByRole('status', { name: 'Segment enrollment' });
  await progress.getByText('Segment Very important: 3 enrolled, 1 left out (1 unsubscribed)').waitFor();
  expect(await axeProblems(page)).toEqual([]);
});

test('into a paused sequence they wait, and what is left is cancelled', async () => {
  const { key } = await newSequence(project, { status: 'paused' });
  const { segments } = must(await project.api.get('/segments'), 200);
  must(await project.api.post(`/sequences/${key}/bulk-enrollments`, { segmentId: segments[0].id }), 201);
  const { page } = await tabs.open(`/sequences/${key}`, { key: project.key });
  const progress = page.getByRole('status', { name: 'Segment enrollment' });
  await progress.getByText('0 of 4 enrolled; waits until the sequence is active').waitFor();
  await progress.getByRole('button', { name: 'Cancel…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop enrolling' }).click();
  await progress.getByText('0 of 4 enrolled; cancelled').waitFor();
});
