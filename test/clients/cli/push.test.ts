import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates } from '../../support/sequences.ts';
import { type CommandLine, commandLine, proxy } from './support.ts';

const TEMPLATE = {
  key: 'booking',
  type: 'transactional',
  name: 'Booking',
  subject: 'Booked',
  content: { blocks: [{ type: 'text', text: 'First' }] },
};

const GRAPH = {
  name: 'Trial',
  status: 'active',
  triggers: [{ kind: 'event', config: { type: 'trial_started' } }],
  nodes: [
    { id: 'start', kind: 'trigger' },
    { id: 'days', kind: 'wait_delay', config: { minutes: 2880 } },
    { id: 'hello', kind: 'send_email', config: { template: 'welcome' } },
    { id: 'end', kind: 'exit' },
  ],
  edges: [
    { from: 'start', to: 'days' },
    { from: 'days', to: 'hello' },
    { from: 'hello', to: 'end' },
  ],
};

/** A project with the sequence `trial`, in which so many are under way, and its files. */
async function runningTrial(people: number): Promise<{ project: TestProject; cli: CommandLine }> {
  const project = await newProject();
  await enableTemplates(project, 'welcome');
  expect((await project.api.put('/sequences/trial', GRAPH)).status).toBe(200);
  for (let one = 0; one < people; one += 1)
    expect((await project.api.post('/events', { type: 'trial_started', email: project.address() })).body).toMatchObject({ enrolled: 1 });
  await eventually(async () =>
    expect((await project.api.get('/sequences/trial/enrollments')).body.enrollments).toMatchObject(
      Array.from({ length: people }, () => ({ current_node_id: 'days' })),
    ),
  );
  const cli = await commandLine(project.key);
  await cli.json('sequences pull');
  return { project, cli };
}

async function bookingProject(): Promise<TestProject> {
  const project = await newProject();
  expect((await project.api.post('/templates', TEMPLATE)).status).toBe(201);
  return project;
}

const fileOf = (cli: CommandLine, path: string) => join(cli.folder, 'everpost', path);
const edit = async (cli: CommandLine, path: string, change: (old: string) => string) =>
  writeFile(fileOf(cli, path), change(await readFile(fileOf(cli, path), 'utf8')));
const textOf = async ({ api }: TestProject, key = 'booking') =>
  (await api.get(`/templates/${key}/content`)).body.published.content.blocks[0].text;

/** The folder as a git repository, whose commits are what `commit` answers. */
async function repository(cli: CommandLine): Promise<{ commit(message: string): Promise<string> }> {
  const git = async (...args: string[]) =>
    (await promisify(execFile)('git', ['-C', cli.folder, '-c', 'user.name=ci', '-c', 'user.email=ci@example.com', ...args])).stdout.trim();
  await git('init', '-q');
  return {
    async commit(message) {
      await git('add', '-A');
      await git('commit', '-qm', message);
      return git('rev-parse', 'HEAD');
    },
  };
}

test('as JSON a push and its dry run say what their text says: differences, who is under way at changed steps, and warnings', async () => {
  const project = await bookingProject();
  await enableTemplates(project, 'welcome', 'password-reset');
  expect((await project.api.put('/sequences/trial', GRAPH)).status).toBe(200);
  const event = { type: 'trial_started', email: project.address() };
  expect((await project.api.post('/events', event)).body).toMatchObject({ enrolled: 1 });
  await eventually(async () =>
    expect((await project.api.get('/sequences/trial/enrollments')).body.enrollments).toMatchObject([{ current_node_id: 'days' }]),
  );
  const cli = await commandLine(project.key);
  await cli.json('pull');
  await edit(cli, 'templates/booking/content.yaml', (old) => old.replace('First', 'Second'));
  await edit(cli, 'sequences/trial.yaml', (old) => old.replace('2880', '4320').replace('template: welcome', 'template: password-reset'));

  const shown = await cli.run('push --dry-run');
  expect(shown, shown.stderr).toMatchObject({ code: 0 });
  const told = (pushed: object[]) => pushed.map((one) => ({ ...one, done: [] }));
  const template = {
    name: 'templates/booking',
    difference: expect.arrayContaining([expect.stringMatching(/^- .*First$/), expect.stringMatching(/^\+ .*Second$/)]),
    warnings: [],
  };
  const sequence = {
    name: 'sequences/trial',
    difference: expect.arrayContaining([expect.stringMatching(/^- .*2880$/), expect.stringMatching(/^\+ .*4320$/)]),
    runs: {
      active: 1,
      versions: [{ version: 1, active: 1 }],
      changes: [expect.objectContaining({ nodeId: 'days', people: 1 })],
      outcome: 'go on',
      migrated: {},
    },
    warnings: [expect.objectContaining({ message: expect.stringContaining('resetUrl') })],
  };
  const dry = await cli.json('push --dry-run');
  expect(dry).toMatchObject({ dryRun: true, pushed: [], left: [], warnings: [] });
  expect(dry.planned).toMatchObject([
    { ...template, state: 'changed', done: ['publish the content'] },
    { ...sequence, state: 'changed', done: ['put the next version'] },
  ]);
  for (const line of dry.planned.flatMap(({ difference, notes }: { difference: string[]; notes: string[] }) => [...difference, ...notes]))
    expect(shown.stdout).toContain(line);

  const real = await cli.json('push');
  expect(told(real.pushed)).toMatchObject(told(dry.planned).map((one) => ({ ...one, state: 'pushed' })));
});

test('a push says what becomes of who is under way by the status that it sets: archiving ends them, and only an active sequence sends', async () => {
  const { project, cli } = await runningTrial(2);
  const setStatus = (status: string) => edit(cli, 'sequences/trial.yaml', (old) => old.replace(/status: .*/, `status: ${status}`));
  const notesOf = async (command: string) => (await cli.json(command)).planned[0].notes;
  for (const status of ['paused', 'draft']) {
    await setStatus(status);
    const [{ notes, runs }] = (await cli.json('push --dry-run')).planned;
    expect(notes).toEqual([
      '2 runs under way (2 on version 1): they stay on their version to its end; who enters once it is active gets version 2',
      `status ${status}: nobody enters, and what falls due waits until the sequence is active`,
    ]);
    expect(runs).toMatchObject({ active: 2, outcome: 'wait' });
  }
  await setStatus('archived');
  await edit(cli, 'sequences/trial.yaml', (old) => old.replace('2880', '4320'));
  const [archived] = (await cli.json('push --dry-run --migrate days=end')).planned;
  expect(archived.notes).toEqual(['2 runs under way (2 on version 1): archiving ends them all, for good']);
  expect(archived.runs).toMatchObject({ active: 2, outcome: 'end', migrated: {} });

  await project.api.call('PATCH', '/sequences/trial', { status: 'paused' });
  await cli.json('sequences pull --force');
  await setStatus('active');
  expect(await notesOf('push --dry-run')).toContain('status active: what fell due while it was paused is sent now');
});

test('a push that migrates says that others stay only where there are others', async () => {
  const { cli } = await runningTrial(2);
  await edit(cli, 'sequences/trial.yaml', (old) => old.replace('2880', '4320'));
  const [{ notes }] = (await cli.json('push --dry-run --migrate days=end')).planned;
  expect(notes[0]).toBe('2 runs under way (2 on version 1): all of them are moved or ended; who enters from now on gets version 2');
});

test('a --migrate for no sequence of the push is refused before any call, and one for a sequence that stays as it is says so', async () => {
  const { cli } = await runningTrial(1);
  const nowhere = { env: { EVERPOST_URL: 'http://127.0.0.1:9' } };
  for (const command of ['push', 'sequences push', 'sequences push trial']) {
    const refused = await cli.run(`${command} --migrate trail:days=end`, nowhere);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('--migrate trail:days=end: this push has no sequence trail; its sequences are trial');
  }
  const none = await cli.run('push --dir elsewhere --migrate days=end', nowhere);
  expect(none).toMatchObject({ code: 2, stdout: '' });
  expect(none.stderr).toContain('--migrate days=end: this push has no sequence');

  const words = (text: string) => `--migrate ${text}: nothing is migrated, since sequences/trial would not change`;
  for (const text of ['trial:days=end', 'days=end']) {
    const same = await cli.run(`sequences push --migrate ${text}`);
    expect(same).toMatchObject({ code: 0 });
    expect(same.stderr).toContain(words(text));
  }
  await edit(cli, 'sequences/trial.yaml', (old) => old.replace('2880', '4320'));
  const changed = await cli.run('sequences push --dry-run --migrate trial:days=end');
  expect(changed, changed.stderr).toMatchObject({ code: 0, stderr: expect.not.stringContaining('nothing is migrated') });
  expect(changed.stdout).toContain('1 run under way (1 on version 1): it is moved or ended');
});

test('a draft in a language that a push neither publishes nor takes away is no conflict, and is kept', async () => {
  const project = await bookingProject();
  const german = (text: string, publish: boolean) =>
    project.api.put('/templates/booking/content', { locale: 'de', publish, content: { blocks: [{ type: 'text', text }] } });
  expect((await german('Erster', true)).status).toBe(200);
  const cli = await commandLine(project.key);
  await cli.json('templates pull booking');
  expect((await german('Entwurf', false)).status).toBe(200);
  await edit(cli, 'templates/booking/content.yaml', (old) => old.replace('First', 'Second'));
  await edit(cli, 'templates/booking/template.yaml', (old) => old.replace('name: Booking', 'name: Bookings'));
  expect((await cli.json('push')).pushed).toMatchObject([{ state: 'pushed', done: ['rename it', 'publish the content'] }]);
  expect(await textOf(project)).toBe('Second');
  const draft = async () => (await project.api.get('/templates/booking/content?locale=de')).body.draft.content.blocks[0].text;
  expect(await draft()).toBe('Entwurf');

  await edit(cli, 'templates/booking/content.de.yaml', (old) => old.replace('Erster', 'Zweiter'));
  const published = await cli.run('push');
  expect(published.code).toBe(1);
  expect(published.stderr).toContain('somebody works on a draft in de, which this push would replace or take away');
  await rm(fileOf(cli, 'templates/booking/content.de.yaml'));
  await edit(cli, 'templates/booking/template.yaml', (old) => old.replace(/languages:\n {2}de:.*\n( {4}.*\n)*/, ''));
  const pruned = await cli.run('push --prune');
  expect(pruned.code).toBe(1);
  expect(pruned.stderr).toContain('a draft in de');
  expect(await draft()).toBe('Entwurf');
});

test('files that end with .yml are read and written as those that end with .yaml, and one beside the other is refused', async () => {
  const project = await bookingProject();
  await enableTemplates(project, 'welcome');
  expect((await project.api.put('/sequences/trial', GRAPH)).status).toBe(200);
  const cli = await commandLine(project.key);
  await cli.json('pull');
  for (const path of ['templates/booking/template', 'templates/booking/content', 'sequences/trial'])
    await rename(fileOf(cli, `${path}.yaml`), fileOf(cli, `${path}.yml`));
  expect(await cli.json('push')).toMatchObject({ pushed: [], warnings: [] });
  await edit(cli, 'templates/booking/content.yml', (old) => old.replace('First', 'Second'));
  await edit(cli, 'sequences/trial.yml', (old) => old.replace('name: Trial', 'name: Mine'));
  expect((await cli.json('push')).pushed).toHaveLength(2);
  expect(await textOf(project)).toBe('Second');
  await project.api.call('PATCH', '/templates/booking', { name: 'Theirs' });
  await project.api.put('/sequences/trial', { ...GRAPH, name: 'Theirs' });
  await cli.json('pull');
  expect(await readFile(fileOf(cli, 'sequences/trial.yml'), 'utf8')).toContain('name: Theirs');
  expect((await readdir(fileOf(cli, 'templates/booking'))).toSorted()).toEqual(['content.yml', 'template.yml']);
  await writeFile(fileOf(cli, 'sequences/trial.yaml'), 'nodes: []\nedges: []\n');
  const both = await cli.run('sequences diff');
  expect(both.code).toBe(1);
  expect(both.stderr).toContain('everpost/sequences/trial.yaml and everpost/sequences/trial.yml both exist; keep one');
});

test('files of Windows are as those of others: no byte order mark in an email, no line that differs by its end, and they keep theirs', async () => {
  const project = await bookingProject();
  const cli = await commandLine(project.key);
  await cli.json('pull --format md');
  for (const path of ['templates/booking/content.md', 'templates/booking/template.yaml'])
    await edit(cli, path, (old) => `\uFEFF${old.replaceAll('\n', '\r\n')}`);
  expect(await cli.run('diff')).toMatchObject({ code: 0 });
  expect((await cli.json('push')).pushed).toEqual([]);
  await edit(cli, 'templates/booking/content.md', (old) => old.replace('First', 'Second'));
  expect((await cli.json('push')).pushed).toHaveLength(1);
  expect(await textOf(project)).toBe('Second');
  await project.api.call('PATCH', '/templates/booking', { name: 'Theirs' });
  await cli.json('pull');
  const pulled = await readFile(fileOf(cli, 'templates/booking/template.yaml'), 'utf8');
  expect(pulled).toContain('name: Theirs\r\n');
  expect(pulled.replaceAll('\r\n', '')).not.toContain('\n');
});

test('a pull that is refused midway says what it wrote, and the next push goes on from there', async () => {
  const project = await bookingProject();
  const { key } = await project.newKey(['templates:read']);
  const cli = await commandLine(project.key);
  const refused = await cli.run('pull', { env: { EVERPOST_API_KEY: key } });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('pulled before that: templates/booking') });
  await edit(cli, 'templates/booking/content.yaml', (old) => old.replace('First', 'Second'));
  expect((await cli.json('push')).pushed).toMatchObject([{ name: 'templates/booking' }]);
});

test('what stands among the files and is none is told as a warning, as JSON too', async () => {
  const project = await bookingProject();
  const cli = await commandLine(project.key);
  await cli.json('pull');
  await mkdir(fileOf(cli, 'templates/with space'));
  await mkdir(fileOf(cli, 'sequences'), { recursive: true });
  const others = [
    'templates/booking/content.de_AT.yaml',
    'templates/welcome.yaml',
    'templates/with space/template.yaml',
    'sequences/Trial.yaml',
    'sequences/trial.json',
  ];
  for (const path of others) await writeFile(fileOf(cli, path), 'nodes: []\n');
  await writeFile(fileOf(cli, 'templates/.DS_Store'), '');
  const paths = [...others.slice(0, 2), 'templates/with space', ...others.slice(3)];
  for (const command of ['diff', 'push --dry-run', 'push']) {
    const { warnings } = await cli.json(command);
    expect(warnings.map(({ path }: { path: string }) => path)).toEqual(paths.map((path) => `everpost/${path}`));
    const { code, stderr } = await cli.run(command);
    expect(code).toBe(0);
    for (const path of paths) expect(stderr).toContain(`warning: everpost/${path}: ignored: `);
  }
  expect((await cli.json('templates diff booking')).warnings).toHaveLength(1);
  expect((await cli.run('doctor')).stdout).toContain('sequences/Trial.yaml');
});

test('what is wrong in a file is told as path:line from where the command was typed, in Markdown too, and by doctor', async () => {
  const project = await bookingProject();
  const cli = await commandLine(project.key);
  await cli.json('pull --format md');
  const yaml = await readFile(fileOf(cli, 'templates/booking/template.yaml'), 'utf8');
  const markdown = (block: string) => `---\npreheader: Soon\n---\n\n# Hello\n\n\`\`\`block\n${block}\n\`\`\`\n`;
  const head = 'everpost/templates/booking/template.yaml';
  const content = 'everpost/templates/booking/content.md';
  for (const [path, text, words] of [
    ['template.yaml', `${yaml}nonsense: 1\n`, `${head}:${yaml.split('\n').length}: nonsense is no field`],
    ['template.yaml', yaml.replace('type: transactional', 'type: [1'), `${head}:3: `],
    ['template.yaml', `${yaml}languages:\n  de: {}\n`, `${head}:${yaml.split('\n').length + 1}: the language de has no file`],
    ['content.md', markdown('type: button\nlabel: "Go'), `${content}:10: Missing closing "quote`],
    ['content.md', markdown('- type'), `${content}:8: a fenced block should be an object`],
    ['content.md', '---\n\nsubject: Hi\n---\n', `${content}:3: subject is no field of the head`],
    ['content.md', 'Hello\n\n```block\ntype: divider\n', `${content}:3: a block that begins with`],
  ] as const) {
    const before = await readFile(fileOf(cli, `templates/booking/${path}`), 'utf8');
    await writeFile(fileOf(cli, `templates/booking/${path}`), text);
    for (const command of ['diff', 'push']) {
      const { code, stderr } = await cli.run(command);
      expect([code, stderr.slice(0, words.length)]).toEqual([1, words]);
    }
    expect((await cli.run('doctor')).stdout).toContain(`files: ${words}`);
    await writeFile(fileOf(cli, `templates/booking/${path}`), before);
  }
  await edit(cli, 'templates/booking/template.yaml', (old) => `${old}nonsense: 1\n`);
  const inside = { cwd: join(cli.folder, 'everpost/templates') };
  expect((await cli.run('diff --dir ..', inside)).stderr).toMatch(`${cli.folder}/everpost/templates/booking/template.yaml:`);
  expect((await cli.run('diff --dir .', { cwd: join(cli.folder, 'everpost') })).stderr).toMatch(/^templates\/booking\/template\.yaml:/);
});

test('Markdown that no email has is told with its line by diff, dry run and push, and none where a block says it', async () => {
  const project = await bookingProject();
  const cli = await commandLine(project.key);
  await cli.json('pull --format md');
  const lines = [
    ...['---', 'preheader: Soon', '---', '', '# Hello', '', 'Hi <https://example.com>, {{ a | default: "<b>" }}', '- {{ b }}', ''],
    ...['| a | b |', '| - | - |', '| 1 | 2 |', '', '![Logo](https://example.com/logo.png)', '', 'A note[^1].', '', '<b>bold</b>', ''],
    ...['#### Small', '', '## Title', 'with text', '', '- one', '- two', '', '```js', 'code', '```', ''],
    ...['```block', 'type: text', 'text: "<b> ![x](y)"', '```', ''],
  ];
  await writeFile(fileOf(cli, 'templates/booking/content.md'), lines.join('\n'));
  const path = 'everpost/templates/booking/content.md';
  const found = [
    ...[
      [7, 'address in angle brackets'],
      [8, 'heading or list'],
      [11, 'table'],
      [14, 'image'],
      [16, 'footnote'],
      [18, 'HTML'],
      [20, 'heading below level 3'],
    ],
    ...[
      [22, 'heading or list'],
      [28, 'code'],
      [30, 'code'],
    ],
  ];
  for (const command of ['diff --json', 'push --dry-run --json', 'push --json']) {
    const { warnings } = JSON.parse((await cli.run(command)).stdout);
    expect(warnings).toEqual(found.map(([line, what]) => ({ path, line, message: expect.stringContaining(String(what)) })));
  }
  const { stderr } = await cli.run('diff');
  expect(stderr).toContain(`warning: ${path}:11: a table goes out as text`);
});

test('diff counts what a push would change; what is only on the server is listed, and counts with --all', async () => {
  const project = await bookingProject();
  await project.api.post('/templates', { ...TEMPLATE, key: 'other' });
  const cli = await commandLine(project.key);
  await cli.json('templates pull booking');
  const german = { locale: 'de', publish: true, content: { blocks: [{ type: 'text', text: 'Bis bald' }] } };
  expect((await project.api.put('/templates/booking/content', german)).status).toBe(200);
  const plain = await cli.run('diff');
  expect(plain).toMatchObject({ code: 0 });
  expect(plain.stdout).toContain('templates/other: only on the server');
  expect(plain.stdout).toContain('templates/booking: more on the server');
  expect(plain.stdout).toContain('Bis bald');
  expect(await cli.run('diff --all')).toMatchObject({ code: 1 });
  expect(await cli.json('push')).toMatchObject({ pushed: [], left: [{ name: 'templates/booking', state: 'more on the server' }] });
  await edit(cli, 'templates/booking/content.yaml', (old) => old.replace('First', 'Second'));
  const changed = await cli.run('diff --json');
  expect(changed.code).toBe(1);
  expect(JSON.parse(changed.stdout).files).toMatchObject([
    { name: 'templates/booking', state: 'changed', difference: expect.arrayContaining([expect.stringMatching(/^\+ .*Second$/)]) },
    { name: 'templates/other', state: 'only on the server' },
  ]);
  // Languages that no file has are left, and none of them is a conflict or a failure.
  expect(await cli.json('push')).toMatchObject({ pushed: [{ name: 'templates/booking', state: 'pushed' }] });
});

test('what a push that failed midway has put on the server is no conflict for the next, by --base and by the lock; the change of somebody else is one', async () => {
  const project = await bookingProject();
  const from = { email: `hello@${project.domain}` };
  expect((await project.api.put('/templates/booking', { enabled: true, from })).status).toBe(200);
  let isMidway = false;
  const url = await proxy(({ method, url: path = '' }) =>
    isMidway && method === 'PUT' && !path.includes('/content') ? { status: 422 } : 'passes',
  );
  const cli = await commandLine(project.key, url);
  const { commit } = await repository(cli);
  await cli.json('templates pull booking');
  const base = await commit('pulled');
  const withoutLock = () => rm(fileOf(cli, '.everpost.lock.json'), { force: true });
  const put = async (text: string, email: string) => {
    await edit(cli, 'templates/booking/content.yaml', (old) => old.replace(/text: .*/, `text: ${text}`));
    await edit(cli, 'templates/booking/template.yaml', (old) => old.replace(/ {2}email: .*/, `  email: ${email}`));
  };

  isMidway = true;
  await put('Second', `second@${project.domain}`);
  await commit('fails between two calls');
  await withoutLock();
  const failed = await cli.run(`push --base ${base}`);
  expect(failed.code).toBe(1);
  expect(failed.stderr).toContain('done before that: publish the content');
  expect(await textOf(project)).toBe('Second');
  // The same files again fail in the same place, and not with a conflict.
  await withoutLock();
  expect((await cli.run(`push --base ${base}`)).stderr).toContain('set subject and sender: ');
  isMidway = false;
  await put('Third', `other@${project.domain}`);
  await commit('mended, and changed further');
  await withoutLock();
  const mended = await cli.run(`push --base ${base}`);
  expect(mended, mended.stderr).toMatchObject({ code: 0 });
  expect(await textOf(project)).toBe('Third');

  isMidway = true;
  await put('Fourth', `fourth@${project.domain}`);
  expect((await cli.run('push')).code).toBe(1);
  isMidway = false;
  await put('Fifth', `hello@${project.domain}`);
  expect(await cli.run('push')).toMatchObject({ code: 0 });
  expect(await textOf(project)).toBe('Fifth');

  const last = await commit('pushed');
  await project.api.call('PATCH', '/templates/booking', { name: 'Theirs' });
  await put('Sixth', `hello@${project.domain}`);
  await commit('of another part');
  const joined = await cli.run(`push --base ${last}`);
  expect(joined.code).toBe(1);
  expect(joined.stderr).toContain(
    'somebody has changed it on the server since the base: name. Your files change only content, but a push would put back the old name.',
  );
  expect(joined.stderr).toContain('--force');
  expect((await cli.run('push')).stderr).toContain('Pull it into another folder (--dir) and merge the two');
  expect(await textOf(project)).toBe('Fifth');
});

test('a push that lost the server midway says what became of each file, and the next goes on from there', async () => {
  const project = await bookingProject();
  await project.api.post('/templates', { ...TEMPLATE, key: 'other' });
  let isAway = false;
  const url = await proxy(({ method }) => {
    const passes = !isAway;
    // It goes away behind the first change.
    isAway ||= method === 'PUT';
    return passes ? 'passes' : { status: 502 };
  });
  const cli = await commandLine(project.key, url);
  await cli.json('templates pull booking other');
  const put = async (key: string, words: string) =>
    edit(cli, `templates/${key}/content.yaml`, (old) => old.replace(/text: .*/, `text: ${words}`));
  await put('booking', 'Second');
  await put('other', 'Second');
  const lost = await cli.run('push --json');
  expect(lost.code).toBe(1);
  expect(JSON.parse(lost.stdout).pushed).toMatchObject([
    { name: 'templates/booking', state: 'pushed', done: ['publish the content'], notes: [expect.stringContaining('read again')] },
    { name: 'templates/other', state: 'failed', done: [], error: expect.stringContaining('502') },
  ]);
  isAway = false;
  expect(await textOf(project)).toBe('Second');
  // Nothing notes what it has put there; it is as the file says.
  await edit(cli, 'templates/booking/template.yaml', (old) => old.replace('name: Booking', 'name: Bookings'));
  expect(await cli.run('push --dry-run')).toMatchObject({ code: 0 });
});

test('a push that is stopped by Ctrl-C ends the call that is under way, begins no other, says what is left, and the next goes on from there', async () => {
  const project = await bookingProject();
  await project.api.post('/templates', { ...TEMPLATE, key: 'other' });
  const changes: string[] = [];
  let stopped = (): void => {};
  const isStopped = new Promise<void>((resolve) => {
    stopped = resolve;
  });
  const url = await proxy(async (request) => {
    if (request.method === 'PUT') {
      changes.push(request.url ?? '');
      await isStopped;
    }
    return 'passes' as const;
  });
  const cli = await commandLine(project.key, url);
  await cli.json('templates pull booking other');
  for (const key of ['booking', 'other'])
    await edit(cli, `templates/${key}/content.yaml`, (old) => old.replace(/text: .*/, 'text: Second'));
  const push = cli.start('push');
  await eventually(async () => expect(changes).toHaveLength(1));
  const ended = push.interrupt();
  stopped();
  expect(await ended).toBe(130);
  expect(push.stdout()).toMatch(/^pushed templates\/booking: publish the content; it could not be read again$/m);
  expect(push.stderr()).toMatch(/^pushed 1 of 2; stopped by a signal: push again goes on from there$/m);
  expect(push.stderr()).toMatch(/^everpost: stopped by SIGINT; .*$/m);
  expect(changes).toHaveLength(1);
  expect(await textOf(project)).toBe('Second');
  expect((await cli.json('push')).pushed).toMatchObject([{ name: 'templates/other', state: 'pushed' }]);
});

test('a template is one call to compare, one to judge and one to read again, and whoever waits for long is told how far it is', async () => {
  const project = await bookingProject();
  const keys = ['booking', 'two', 'three'];
  for (const key of keys.slice(1)) await project.api.post('/templates', { ...TEMPLATE, key });
  const asked: string[] = [];
  let isLimited = false;
  const url = await proxy(({ method, url: path = '' }) => {
    if (isLimited && path.includes('/templates/')) {
      isLimited = false;
      return { status: 429, headers: { 'retry-after': '2' } };
    }
    asked.push(`${method} ${path.replace('/api/v1', '')}`);
    return 'passes';
  });
  const cli = await commandLine(project.key, url);
  await cli.json(`templates pull ${keys.join(' ')}`);
  const askedBy = async (command: string) => {
    asked.length = 0;
    await cli.json(command);
    return asked.toSorted();
  };
  const ofEach = (...calls: string[]) => [...keys.flatMap((key) => calls.map((call) => call.replace('<key>', key))), 'GET /me'].toSorted();
  expect(await askedBy(`templates diff ${keys.join(' ')}`)).toEqual(ofEach('GET /templates/<key>/source'));
  for (const key of keys) await edit(cli, `templates/${key}/content.yaml`, (old) => old.replace('First', 'Second'));
  expect(await askedBy('templates push')).toEqual(
    ofEach(
      'GET /templates/<key>/source',
      'POST /templates/<key>/check',
      'PUT /templates/<key>/content?ifVersion=0',
      'GET /templates/<key>/source',
    ),
  );
  // What has no file is found by one list, and what ships is read for whether it was written anew.
  const shipped = (await project.api.get('/templates')).body.templates.filter(({ own }: { own: boolean }) => !own).length;
  const withoutKeys = await askedBy('templates diff');
  expect(withoutKeys.filter((one) => one === 'GET /templates')).toHaveLength(1);
  expect(withoutKeys).toHaveLength(2 + keys.length + shipped);

  const slow = async (command: string) => {
    isLimited = true;
    return (await cli.run(`templates ${command} ${keys.join(' ')}`)).stderr;
  };
  expect(await slow('diff')).toMatch(/^comparing templates: \d of 3\n$/);
  expect(await slow('pull')).toMatch(/^pulling templates: \d of 3\n$/);
  expect(await slow('diff --json')).toBe('');
});

test('each command lists only the options that it takes, and refuses those of the other kind', async () => {
  const cli = await commandLine();
  const optionsOf = async (command: string) => {
    const [own = ''] = (await cli.run(`${command} --help`)).stdout.split('Of every command');
    return [...own.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, name]) => name);
  };
  expect(await optionsOf('templates pull')).toEqual(['dir', 'brand', 'all', 'format', 'force']);
  expect(await optionsOf('sequences pull')).toEqual(['dir', 'force']);
  expect(await optionsOf('templates diff')).toEqual(['dir', 'brand', 'all']);
  expect(await optionsOf('sequences diff')).toEqual(['dir', 'all']);
  expect(await optionsOf('templates push')).toEqual(['dir', 'brand', 'dry-run', 'force', 'base', 'prune']);
  expect(await optionsOf('sequences push')).toEqual(['dir', 'dry-run', 'force', 'base', 'migrate']);
  for (const wrong of ['sequences push --prune', 'templates push --migrate a=b', 'sequences pull --format md'])
    expect(await cli.run(wrong)).toMatchObject({ code: 2, stdout: '' });
  for (const help of ['templates --help', 'help templates']) {
    const { code, stdout } = await cli.run(help);
    expect(code).toBe(0);
    expect(stdout).toContain('everpost templates push');
    expect(stdout).not.toContain('sequences');
  }
});

test('a difference has no line of members that only stand in another order, also behind a step that is new', async () => {
  const project = await newProject();
  const cli = await commandLine(project.key);
  const condition = { field: 'attributes.plan', op: 'eq', value: 'team' };
  const nodes = [
    { id: 'start', kind: 'trigger' },
    { id: 'is_team', kind: 'branch', config: { branches: [{ key: 'true', when: condition }] } },
    { id: 'end', kind: 'exit' },
  ];
  const edges = [
    { from: 'start', to: 'is_team' },
    { from: 'is_team', to: 'end', branchKey: 'true' },
    { from: 'is_team', to: 'end', branchKey: 'default' },
  ];
  const made = await project.api.put('/sequences/trial', { name: 'Trial', nodes, edges });
  expect([made.status, made.body.error]).toEqual([200, undefined]);
  await cli.json('pull');
  await edit(cli, 'sequences/trial.yaml', () => {
    const days = { id: 'days', kind: 'wait_delay', config: { minutes: 5 } };
    const turned = {
      config: { branches: [{ when: { value: 'team', op: 'eq', field: 'attributes.plan' }, key: 'true' }] },
      kind: 'branch',
      id: 'is_team',
    };
    const changed = [...edges.slice(1), { from: 'start', to: 'days' }, { from: 'days', to: 'is_team' }];
    return JSON.stringify({ name: 'Trial', nodes: [nodes[0], days, turned, nodes[2]], edges: changed });
  });
  const { files } = JSON.parse((await cli.run('diff --json')).stdout);
  const lines: string[] = files[0].difference.filter((line: string) => /^[-+]/.test(line));
  expect(lines.filter((line) => /op|field|value|when|branches/.test(line))).toEqual([]);
  expect(lines).toContainEqual(expect.stringMatching(/^\+ .*id: days$/));
});
