import { beforeAll, expect, test } from 'vitest';
import { problemsOf } from '../../console/src/pages/sequences/problems.ts';
import { consoleTabs, told } from '../support/console.ts';
import { choose } from '../support/console-page.ts';
import { drawn, WELCOME } from '../support/console-sequences.ts';
import { eventually } from '../support/eventually.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'welcome', 'password-reset');
  for (const key of ['refused', 'paused']) must(await project.api.put(`/sequences/${key}`, WELCOME), 200);
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
  await eventually(async () => (await template.inputValue()) === 'welcom (does not exist)');
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
    'Minimum time between runs: at most 8760',
    'Liquid: a tag is not closed',
  ]);
});

test('what a template requires is asked for at the step and before it is activated, until it is given there', async () => {
  const triggers: never[] = [];
  await project.api.put('/sequences/data', { ...WELCOME, status: 'draft', triggers });
  const { page, open } = await tabs.open('/sequences/data', { key: project.key });
  const lacks = 'password-reset requires resetUrl';
  await page.getByRole('button', { name: 'Activate' }).click();
  await page.getByRole('dialog').getByText('It has no trigger').waitFor();
  await page.getByRole('dialog').getByText(lacks).waitFor();
  await open('/sequences/data/simulate');
  await drawn(page, 'reset').getByText(lacks).waitFor();
  await open('/sequences/data/edit');
  await drawn(page, 'reset').getByText(lacks).click();
  const fields = page.getByRole('group', { name: 'Template fields' });
  await fields.getByLabel('resetUrl').fill('https://example.com/reset');
  await fields.getByLabel('expiresInMinutes').fill('soon');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('alert').getByText('expiresInMinutes: Enter a valid number').waitFor();
  await fields.getByLabel('expiresInMinutes').fill('30');
  await drawn(page, 'reset').getByText(lacks).waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await told(page, 'Version 2 saved');
  const { nodes } = (await project.api.get('/sequences/data')).body;
  expect(nodes.find(({ id }: { id: string }) => id === 'reset').config).toEqual({
    template: 'password-reset',
    data: { resetUrl: 'https://example.com/reset', expiresInMinutes: 30 },
  });

  // Another template gets what it takes too; what is left out can be had back, and is told as long as it is sent.
  const configOfReset = async (version: number) => {
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await told(page, `Version ${version} saved`);
    const { body } = await project.api.get('/sequences/data');
    return body.nodes.find(({ id }: { id: string }) => id === 'reset').config;
  };
  await choose(page, 'Template', 'Magic link');
  const lost = page.getByText('magic-link has no resetUrl, so it is left out.');
  await lost.waitFor();
  expect(await configOfReset(3)).toEqual({ template: 'magic-link', data: { expiresInMinutes: 30 } });
  await page.getByRole('button', { name: 'Restore' }).click();
  await page.getByText('Also sent, although magic-link does not use it: resetUrl.').waitFor();
  expect((await configOfReset(4)).data).toEqual({ resetUrl: 'https://example.com/reset', expiresInMinutes: 30 });
});

test('a step leads to its template and its email, and is marked on the graph while its template is off', async () => {
  must(await project.api.put('/sequences/marked', WELCOME), 200);
  must(await project.api.put('/templates/welcome', { enabled: false }), 200);
  const { page, open } = await tabs.open('/', { key: project.key });
  for (const path of ['/sequences/marked', '/sequences/marked/edit']) {
    await open(path);
    await drawn(page, 'hello').locator('[data-fault="warning"]').getByText('Its emails fail: the template welcome is off').waitFor();
    expect(await drawn(page, 'is_pro').locator('[data-fault]').count()).toBe(0);
  }
  must(await project.api.put('/templates/welcome', { enabled: true }), 200);
  for (const path of ['/sequences/marked', '/sequences/marked/edit']) {
    await open(path);
    await drawn(page, 'hello').click();
    const step = page.locator('[data-step]');
    expect(await step.getByRole('link', { name: 'Edit template' }).getAttribute('href')).toMatch(/\/console\/templates\/welcome$/);
    await step.getByRole('button', { name: 'Preview email' }).click();
    await page.getByRole('dialog', { name: 'Email of hello' }).frameLocator('iframe').locator('img, p, h1, td').first().waitFor();
  }
  expect(await drawn(page, 'hello').locator('[data-fault]').count()).toBe(0);
});

test('where a sequence is activated one is told of a template that is off, and turns it on', async () => {
  await project.api.put('/sequences/idle', { ...WELCOME, status: 'draft' });
  await project.api.put('/templates/welcome', { enabled: false });
  const { page } = await tabs.open('/sequences/idle', { key: project.key });
  await page.getByRole('button', { name: 'Activate' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('One template it uses is off').waitFor();
  await dialog.getByRole('button', { name: 'Turn on welcome' }).click();
  await dialog.getByText('One template it uses is off').waitFor({ state: 'hidden' });
  const { templates } = (await project.api.get('/templates')).body;
  expect(templates.find(({ key }: { key: string }) => key === 'welcome').enabled).toBe(true);
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
