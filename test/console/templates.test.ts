import { beforeAll, describe, expect, test } from 'vitest';
import { consoleTabs, told } from '../support/console.ts';
import { dialog, hasFocus, lastOfPath, title } from '../support/console-page.ts';
import { eventually } from '../support/eventually.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { must } from '../support/sequences.ts';

const tabs = consoleTabs();
let project: TestProject;

beforeAll(async () => {
  project = await newProject();
});

describe('a template', () => {
  test('that is untouched is saved and published as it is, whatever blocks it holds', async () => {
    const every = [
      ...[
        { type: 'heading', text: 'A', level: 2 },
        { type: 'text', text: 'B', showIf: 'name' },
        { type: 'button', label: 'C', url: 'https://example.com' },
      ],
      ...[{ type: 'image', src: 'https://example.com/a.png', alt: '', width: 40 }, { type: 'divider' }, { type: 'spacer', height: 8 }],
      ...[
        { type: 'list', items: ['D', 'E'], ordered: true },
        { type: 'table', rows: 'items', columns: [{ header: 'F', value: '{{ row.g }}' }] },
      ],
      ...[
        { type: 'quote', text: 'H', author: 'I' },
        { type: 'code', text: '1234' },
      ],
      { type: 'columns', columns: [{ blocks: [{ type: 'text', text: 'J' }] }, { blocks: [{ type: 'divider' }] }] },
    ];
    const content = { preheader: 'K', blocks: every };
    must(await project.api.put('/templates/welcome/content', { content }), 200);
    const { page } = await tabs.open('/templates/welcome', { key: project.key });
    await page.getByText('Showing the draft').waitFor();
    await page.getByRole('button', { name: 'Publish' }).click();
    await told(page, 'Version 1 published');
    expect(must(await project.api.get('/templates/welcome/content'), 200).published.content).toEqual(content);
  });

  test('in MJML is edited as its text beside the email, told what is wrong with its line, and saved and published like any other', async () => {
    const own = await newProject();
    const mjml = (words: string) =>
      `<mjml>\n  <mj-body>\n    <mj-section><mj-column>\n      <mj-text>${words}</mj-text>\n    </mj-column></mj-section>\n  </mj-body>\n</mjml>`;
    must(await own.api.put('/templates/welcome/content', { content: { mjml: mjml('First') }, publish: true }), 200);
    const { page } = await tabs.open('/templates/welcome', { key: own.key });
    const field = page.getByRole('textbox', { name: 'MJML' });
    await page.frameLocator('iframe').getByText('First').waitFor();
    expect(await field.inputValue()).toBe(mjml('First'));
    expect(await page.getByRole('button', { name: 'Add block' }).count()).toBe(0);
    expect(await page.getByRole('textbox', { name: 'Preheader' }).count()).toBe(0);
    await field.fill(mjml('Second').replace('</mj-text>', ''));
    await page.getByText('line 5: </mj-column> stands in <mj-text>, which began in line 4 and is not closed').first().waitFor();
    await field.fill(mjml('Second'));
    await page.frameLocator('iframe').getByText('Second').waitFor();
    await page.getByRole('button', { name: 'Save draft' }).click();
    await told(page, 'Draft saved');
    expect(must(await own.api.get('/templates/welcome/content'), 200).draft.content).toEqual({ mjml: mjml('Second') });
    await page.getByRole('button', { name: 'Publish' }).click();
    await told(page, 'Version 2 published');
    await page.reload();
    await page.getByRole('textbox', { name: 'MJML' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'MJML' }).inputValue()).toBe(mjml('Second'));
  });

  test('that is published for the first time is at version 1, whatever drafts were saved of it', async () => {
    const { page } = await tabs.open('/templates/announcement', { key: project.key });
    for (const text of ['First', 'Second']) {
      await page.getByRole('textbox', { name: 'Text' }).first().fill(text);
      await page.getByRole('button', { name: 'Save draft' }).click();
      await told(page, 'Draft saved');
    }
    await page.getByRole('button', { name: 'Publish' }).click();
    await told(page, 'Version 1 published');
    await page.getByText('Version 1 is published').waitFor();
    await page.reload();
    await page.getByText('Version 1 is published').waitFor();
    expect(must(await project.api.get('/templates/announcement/content'), 200).published.version).toBe(3);
  });

  test('is text to be read for a key that may not change it, which is told so', async () => {
    const { key } = await project.newKey(['contacts:read']);
    const { page } = await tabs.open('/templates/receipt', { key });
    await page.getByText('This key cannot change the template').waitFor();
    await page.getByText('Thank you for your order', { exact: true }).waitFor();
    await page.frameLocator('iframe').getByText('Thank you for your order').waitFor();
    for (const name of ['Add block', 'Save draft', 'Publish']) expect(await page.getByRole('button', { name }).count()).toBe(0);
    expect(await page.getByRole('textbox', { name: 'Text' }).count()).toBe(0);
  });

  test('can be published as it was created, and says before it is turned on that nobody has written it', async () => {
    const { page } = await tabs.open('/templates/~new', { key: project.key });
    await page.getByRole('textbox', { name: 'Name' }).fill('As created');
    await page.getByRole('textbox', { name: 'Subject' }).fill('Hello');
    await page.getByRole('button', { name: 'Create template' }).click();
    await page.getByText('Not published and off: nothing is sent with it. Publish, then turn it on').waitFor();
    const untouched = page.getByText('The email still says “Write your message here.”');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Settings' }).click();
    await dialog(page).getByRole('switch', { name: 'On' }).waitFor();
    expect(await untouched.count()).toBe(0);
    await dialog(page).getByRole('switch', { name: 'On' }).click();
    await untouched.waitFor();
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('Not published yet: emails use the content it was created with').waitFor();
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Version 1 is published').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Publish' }).isDisabled()).toBe(true);
    const { published, defaultContent } = must(await project.api.get('/templates/as-created/content'), 200);
    expect(published.content).toEqual(defaultContent);
  });

  test('of your own is made, enabled, and deleted, also with the key that is the name of its form', async () => {
    const { page } = await tabs.open('/templates', { key: project.key });
    await page.getByRole('link', { name: 'New template' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Größe & Übung: déjà vu, ﬁn');
    expect(await page.getByRole('textbox', { name: 'Key' }).inputValue()).toBe('groesse-uebung-deja-vu-fin');
    await page.getByRole('textbox', { name: 'Name' }).fill('An invitation');
    expect(await page.getByRole('textbox', { name: 'Key' }).inputValue()).toBe('an-invitation');
    await page.getByRole('button', { name: 'Create template' }).click();
    await page.getByText('Enter a subject').waitFor();
    await page.getByRole('textbox', { name: 'Key' }).fill('receipt');
    await page.getByRole('textbox', { name: 'Subject' }).fill('Come, {{ contact.first_name }}');
    await page.getByRole('button', { name: 'Create template' }).click();
    await page
      .getByRole('alert')
      .getByText(/receipt/)
      .first()
      .waitFor();
    await page.getByRole('textbox', { name: 'Key' }).fill('new');
    await page.getByRole('button', { name: 'Add variable' }).click();
    const path = page.getByRole('group', { name: 'Variable 1' }).getByRole('textbox', { name: 'Path' });
    await path.waitFor();
    // Nobody could fill it in yet.
    expect(await page.getByText('Enter a path').count()).toBe(0);
    await page.keyboard.type('order total');
    await page.getByRole('button', { name: 'Create template' }).click();
    await path.and(page.locator('[aria-invalid="true"]')).waitFor();
    await path.fill('order.total');
    await page.getByRole('group', { name: 'Variable 1' }).getByRole('checkbox', { name: 'Required' }).check();
    await page.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'Number' }).click();
    const sample = page.getByRole('textbox', { name: 'Sample' });
    await sample.fill('twenty');
    await page.getByText('Enter a valid number').waitFor();
    await sample.fill('20');
    await page.getByRole('button', { name: 'Create template' }).click();
    await title(page, 'An invitation').waitFor();
    await told(page, 'new created. Nothing is sent with it until you turn it on');
    await page.getByText('Not published and off: nothing is sent with it. Publish, then turn it on').waitFor();
    expect(lastOfPath(page)).toBe('new');
    expect(await page.getByRole('textbox', { name: 'order.total' }).inputValue()).toBe('20');
    expect(must(await project.api.get('/templates/new/schema'), 200).dataSchema).toEqual([
      { path: 'order.total', kind: 'number', required: true, sample: 20, used: false },
    ]);
    await page.getByRole('group', { name: 'Text', exact: true }).getByRole('textbox', { name: 'Text' }).fill('Dear {{ guest.name }},');
    await page.getByRole('status').filter({ hasText: 'Empty in the email' }).getByText('guest.name').waitFor();
    await page.getByRole('button', { name: 'Edit variables' }).click();
    await page.getByRole('button', { name: 'Declare guest.name' }).click();
    const variable = (number: number) => page.getByRole('group', { name: `Variable ${number}` });
    await variable(2).getByRole('textbox', { name: 'Sample' }).fill('Grace');
    await variable(1).getByRole('textbox', { name: 'Path' }).fill('order.sum');
    await page.getByRole('button', { name: 'Save variables' }).click();
    await page.frameLocator('iframe').getByText('Dear Grace,').waitFor();
    const declared = async () => must(await project.api.get('/templates/new/schema'), 200).declared;
    const sum = { path: 'order.sum', kind: 'number', required: true, sample: 20 };
    expect(await declared()).toEqual([sum, { path: 'guest.name', kind: 'string', sample: 'Grace' }]);
    await page.getByRole('button', { name: 'Edit variables' }).click();
    await page.getByRole('button', { name: 'Remove variable 2' }).click();
    await page.getByRole('button', { name: 'Save variables' }).click();
    await page.getByRole('button', { name: 'Save variables' }).waitFor({ state: 'hidden' });
    expect(await declared()).toEqual([sum]);
    await page.getByRole('button', { name: 'Save draft' }).click();
    await told(page, 'Draft saved');
    const subject = page.getByRole('textbox', { name: 'Subject' });
    expect(await subject.inputValue()).toBe('Come, {{ contact.first_name }}');
    await subject.fill('Do come, {% if %}');
    await page
      .getByText(/^line 1/)
      .first()
      .waitFor();
    await subject.fill('Do come, {{ contact.first_name }}');
    await page.getByText('Do come, Ada', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Save draft' }).click();
    await told(page, 'Draft saved');
    const setting = async () => must(await project.api.get('/templates'), 200).templates.find(({ key }: { key: string }) => key === 'new');
    await eventually(async () => {
      const { draft } = must(await project.api.get('/templates/new/content'), 200);
      return draft.subject === 'Do come, {{ contact.first_name }}';
    });
    expect(await setting()).toMatchObject({ subject: '', enabled: false });
    await page.getByRole('textbox', { name: 'Text' }).first().fill('You are invited');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('status').getByText('It is published, but the template is off').waitFor();
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByText('On', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Turn on' }).waitFor({ state: 'hidden' });
    await hasFocus(title(page, 'An invitation'));
    expect(await setting()).toMatchObject({ subject: 'Do come, {{ contact.first_name }}', enabled: true });
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete template' }).click();
    await page.getByLabel('Type new to confirm').fill('new');
    await dialog(page).getByRole('button', { name: 'Delete for good' }).click();
    await title(page, 'Templates').waitFor();
    expect((await project.api.get('/templates/new/content')).status).toBe(404);
  });
});

test('templates are shown a page at a time, and a search goes through all of them', async () => {
  const other = await newProject();
  const content = { blocks: [{ type: 'text', text: 'Hello' }] };
  for (let n = 10; n < 65; n++)
    must(await other.api.post('/templates', { key: `letter-${n}`, name: `Letter ${n}`, type: 'marketing', subject: 'Hi', content }), 201);
  const { page } = await tabs.open('/templates', { key: other.key });
  await page.getByRole('link', { name: 'Letter 10' }).waitFor();
  expect(await page.getByRole('link', { name: /^Letter/ }).count()).toBeLessThanOrEqual(50);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('link', { name: 'Letter 64' }).waitFor();
  await page.getByLabel('Search').fill('letter 1');
  await page.getByRole('link', { name: 'Letter 19' }).waitFor();
  expect(new URL(page.url()).searchParams.get('page')).toBeNull();
});
