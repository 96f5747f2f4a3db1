import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { testEnvironment } from '../../support/environment.ts';
import { newProject } from '../../support/project.ts';
import { commandLine } from './support.ts';

const HEAD = ['# who reads it', 'type: transactional', 'name: Booking', 'subject: Booked', 'enabled: false', ''].join('\n');

/** The command line in a folder with these files. */
async function withFiles(files: Readonly<Record<string, string>>) {
  const project = await newProject();
  const cli = await commandLine(project.key);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(cli.folder, path)), { recursive: true });
    await writeFile(join(cli.folder, path), text);
  }
  return cli;
}

const lines = (...each: string[]) => `${each.join('\n')}\n`;

const TRIAL = lines(
  'name: Trial',
  'nodes:',
  '  - id: start',
  '    kind: trigger',
  '  - id: days',
  '    kind: wait_delay',
  '    config:',
  '      minutes: 5',
  '  - { id: end, kind: exit }',
  'edges:',
  '  - from: start',
  '    to: days',
  '  - { from: days, to: end }',
);

test.each([
  [
    'Liquid in a paragraph of Markdown, by its own line',
    { 'content.md': lines('---', 'preheader: Soon', '---', '', '# Hello', '', 'one', '', '', 'two', 'and {{ title', '', '- a', '- {{ b') },
    ['content.md:11: output "{{ title"', 'content.md:14: output "{{ b'],
  ],
  [
    'a block in a fence, by the line of its field',
    {
      'content.md': lines(
        'Hello',
        '',
        '```block',
        'type: button',
        'label: Go',
        'url: "javascript:alert(1)"',
        '```',
        '',
        '```block',
        'type: nothing',
        '```',
      ),
    },
    ['content.md:6: url: ', 'content.md:10: type: '],
  ],
  [
    'texts in YAML, of a block by the line within',
    {
      'content.yaml': lines(
        'blocks:',
        '  - type: text',
        '    text: |',
        '      one',
        '',
        '      {{ two',
        '  - { type: text, text: "{{ x" }',
      ),
    },
    ['content.yaml:6: blocks[0].text: output "{{ two', 'content.yaml:7: blocks[1].text: output "{{ x'],
  ],
  [
    'MJML of a language, by its line',
    {
      'content.yaml': 'blocks: [{ type: text, text: Hello }]\n',
      'content.de.mjml': lines(
        '<mjml>',
        '  <mj-body>',
        '    <mj-section>',
        '      <mj-nothing />',
        '    </mj-section>',
        '  </mj-body>',
        '</mjml>',
      ),
    },
    ['content.de.mjml:4: '],
  ],
  [
    'the fields of template.yaml',
    {
      'template.yaml': `${HEAD}${lines('from:', '  name: Ann', 'dataSchema:', '  - path: title', '    kind: text')}`,
      'content.yaml': 'blocks: [{ type: text, text: Hello }]\n',
    },
    ['template.yaml:6: from.email: required', 'template.yaml:10: dataSchema[0].kind: '],
  ],
  [
    'a path that is declared twice',
    {
      'template.yaml': `${HEAD}${lines('dataSchema:', '  - { path: title, kind: string }', '  - path: title', '    kind: number')}`,
      'content.yaml': 'blocks: [{ type: text, text: Hello }]\n',
    },
    ['template.yaml:8: dataSchema[1].path: title is declared twice'],
  ],
  [
    'Liquid of subjects',
    {
      'template.yaml': `${HEAD.replace('subject: Booked', 'subject: "{{ title"')}${lines('languages:', '  de:', '    subject: "{{ titel"')}`,
      'content.yaml': 'blocks: [{ type: text, text: Hello }]\n',
      'content.de.yaml': 'blocks: [{ type: text, text: Hello }]\n',
    },
    ['template.yaml:4: subject: output "{{ title"', 'template.yaml:8: languages.de.subject: output "{{ titel"'],
  ],
])('what the server finds wrong in a template is told with file and line: %s', async (_, files, expected) => {
  const at = 'everpost/templates/booking';
  const all = { 'template.yaml': HEAD, ...files };
  const cli = await withFiles(Object.fromEntries(Object.entries(all).map(([name, text]) => [`${at}/${name}`, text])));
  const { code, stderr } = await cli.run('push');
  expect(code, stderr).toBe(1);
  const told = stderr.split('\n').filter((line) => line.startsWith(at));
  for (const words of expected) expect(told.map((line) => line.slice(0, at.length + 1 + words.length))).toContain(`${at}/${words}`);
  const { planned } = JSON.parse((await cli.run('push --dry-run --json')).stdout);
  for (const words of expected) {
    const [, file, line] = /^(.*?):(\d+):/.exec(words) ?? [];
    expect(planned[0].issues).toContainEqual(
      expect.objectContaining({ file: `${at}/${file}`, line: Number(line), path: expect.any(String), message: expect.any(String) }),
    );
  }
});

test('a sample that is not of the kind of its variable is warned of with its line', async () => {
  const path = 'everpost/templates/booking/template.yaml';
  const declared = [
    ['string', 'Pottery'],
    ['number', 'Pottery for beginners'],
    ['number', '12'],
    ['array', 'one'],
    ['object', '{ a: 1 }'],
    ['boolean', 'false'],
    ['date', 'tomorrow'],
  ].flatMap(([kind, sample], at) => [`  - path: v${at}`, `    kind: ${kind}`, `    sample: ${sample}`]);
  const cli = await withFiles({
    [path]: `${HEAD}${lines('dataSchema:', ...declared)}`,
    'everpost/templates/booking/content.yaml': 'blocks: [{ type: text, text: Hello }]\n',
  });
  const { code, stderr } = await cli.run('push --dry-run');
  expect([code, stderr.split('\n').map((line) => line.replace(/: the sample .*/, ''))]).toEqual([
    0,
    [`warning: ${path}:12`, `warning: ${path}:18`, ''],
  ]);
});

test.each([
  ['a node of no kind', (text: string) => text.replace('kind: exit', 'kind: ende'), [':9: end: unknown kind "ende"']],
  ['a field of a config', (text: string) => text.replace('minutes: 5', 'minutes: -5'), [':8: days: config.minutes: ']],
  ['a setting', (text: string) => `${text}cooldownHours: soon\n`, [':14: cooldownHours: ']],
  ['an edge to nowhere', (text: string) => text.replace('to: end', 'to: gone'), [':13: days: an edge leads to gone, which is no node']],
  ['an edge from nowhere', (text: string) => text.replace('from: days', 'from: gone'), [':13: an edge comes from gone, which is no node']],
  ['a node that no way leads to', (text: string) => text.replace('to: days', 'to: end'), [':5: days: no way leads here']],
  ['a branch key where none is', (text: string) => text.replace('to: end', 'to: end, branchKey: x'), [':13: days: unknown branch key x']],
])('what the server finds wrong in a sequence is told with its line, by push and simulate: %s', async (_, change, expected) => {
  const path = 'everpost/sequences/trial.yaml';
  const cli = await withFiles({ [path]: change(TRIAL) });
  for (const command of ['push', `sequences simulate ${path}`]) {
    const { code, stderr } = await cli.run(command);
    expect(code).toBe(1);
    for (const words of expected) expect(`\n${stderr}`).toContain(`\n${path}${words}`);
  }
});

test.each([
  ['a node', 'kind: wait_delay', 'kind: wait_delay\n    colour: green', ':7: colour is no field; known: id, kind, label, config'],
  ['an edge', 'to: end', 'to: end, branch: "true"', ':13: branch is no field; did you mean branchKey?'],
  ['the whole', 'name: Trial', 'nmae: Trial', ':1: nmae is no field; did you mean name?'],
])(
  'a field that nothing knows on %s of a sequence is refused with its line before anything is done, and marked by editors',
  async (_, old, now, words) => {
    const path = 'everpost/sequences/trial.yaml';
    const text = TRIAL.replace(old, now);
    const cli = await withFiles({ [path]: text });
    for (const command of ['push', 'diff', `sequences simulate ${path}`]) {
      const { code, stderr } = await cli.run(command);
      expect([code, stderr]).toEqual([1, `${path}${words}\n${command === 'push' ? 'nothing was pushed\n' : ''}`]);
    }
    const schema = await (await fetch(`${testEnvironment().apiUrl}/schemas/sequence.json`)).json();
    const isValid = new Ajv({ strict: true, validateFormats: false }).compile(schema);
    expect([isValid(parse(TRIAL)), isValid(parse(text))]).toEqual([true, false]);
  },
);

test('what the server finds wrong in a contact of a file is told with its line', async () => {
  const cli = await withFiles({
    'trial.yaml': TRIAL,
    'who.yaml': lines('# made up', 'status: happy'),
    'people.yaml': lines('- email: ada@example.com', '- firstName: Grace', '  email: nobody'),
    'one.json': lines('{', '  "email": "nobody"', '}'),
  });
  const told = async (command: string) => (await cli.run(command)).stderr;
  expect(await told('sequences simulate trial.yaml --contact-file who.yaml')).toMatch(/^who\.yaml:2: status: /);
  expect(await told('contacts upsert --file people.yaml')).toMatch(/^people\.yaml:3: \[1\]\.email: /);
  expect(await told('contacts upsert --file one.json')).toMatch(/^one\.json:2: /);
});
