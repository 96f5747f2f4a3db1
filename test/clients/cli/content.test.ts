import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { testEnvironment } from '../../support/environment.ts';
import { newProject, type TestProject } from '../../support/project.ts';
import { type CommandLine, commandLine } from './support.ts';

const STARTERS = ['welcome', 'trial', 'cart', 'win-back', 'onboarding', 'invoice-reminder'];

const TEMPLATE = {
  key: 'booking',
  type: 'transactional',
  name: 'Booking',
  subject: 'Booked: {{ title }}',
  dataSchema: [
    { path: 'title', kind: 'string', sample: 'Pottery', required: true },
    { path: 'note', kind: 'object', sample: null },
  ],
  content: {
    preheader: 'See you: soon',
    blocks: [
      { type: 'heading', text: 'See you # soon' },
      { type: 'text', text: 'Hi {{ contact.first_name }},\n\n- no list\n# and no heading' },
      { type: 'button', label: 'Go', url: '{{ url }}', align: 'center' },
    ],
  },
};

/** A project with templates in two languages and a sequence of each kind that ships. */
async function filledProject(starters: readonly string[] = ['cart', 'trial']): Promise<TestProject> {
  const project = await newProject();
  for (const key of starters) {
    const { graph, templates } = (await project.api.get(`/sequence-starters/${key}`)).body;
    for (const template of templates) expect((await project.api.post('/templates', template)).status).toBe(201);
    expect((await project.api.put(`/sequences/${key}`, graph)).status).toBe(200);
  }
  expect((await project.api.post('/templates', TEMPLATE)).status).toBe(201);
  const german = { locale: 'de', subject: 'Gebucht', publish: true, content: { blocks: [{ type: 'text', text: 'Bis bald' }] } };
  expect((await project.api.put('/templates/booking/content', german)).status).toBe(200);
  const from = { email: `hello@${project.domain}`, name: 'Studio' };
  expect((await project.api.put('/templates/booking', { enabled: true, from })).status).toBe(200);
  return project;
}

/** Every file of a folder with its text, but for what only this machine keeps. */
async function filesOf(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const paths = names.map((entry) => join(entry.parentPath, entry.name)).filter((path) => !path.includes('/.'));
  return Object.fromEntries(await Promise.all(paths.map(async (path) => [path.slice(folder.length + 1), await readFile(path, 'utf8')])));
}

/** All that the API says of the content of a project, but for numbers of versions. */
async function contentThere({ api }: TestProject): Promise<object> {
  const { templates } = (await api.get('/templates')).body;
  const { sequences } = (await api.get('/sequences')).body;
  const of = async (key: string) => {
    const { declared, subject } = (await api.get(`/templates/${key}/schema`)).body;
    const { published, defaultContent } = (await api.get(`/templates/${key}/content`)).body;
    const { languages } = (await api.get(`/templates/${key}/languages`)).body;
    const others = languages.filter(({ locale }: { locale: string | null }) => locale !== null);
    const said = await Promise.all(
      others.map(async ({ locale, published: { subject } }: { locale: string; published: { subject: string } }) => [
        locale,
        subject,
        (await api.get(`/templates/${key}/content?locale=${locale}`)).body.published.content,
      ]),
    );
    return { declared, subject: published?.subject ?? subject, content: published?.content ?? defaultContent, said };
  };
  const keys = templates.filter(({ own }: { own: boolean }) => own).map(({ key }: { key: string }) => key);
  return {
    templates: await Promise.all(
      templates
        .filter(({ own }: { own: boolean }) => own)
        .map(async ({ subject: _, from, ...template }: { key: string; subject: string; from: object | null }) => ({
          ...template,
          // Its domain is the project's.
          hasSender: from !== null,
          ...(await of(template.key)),
        })),
    ),
    keys,
    sequences: await Promise.all(
      sequences
        .map(({ key }: { key: string }) => key)
        .toSorted()
        .map(async (key: string) => ({ ...(await api.get(`/sequences/${key}`)).body, version: 0 })),
    ),
  };
}

const edit = async (cli: CommandLine, path: string, change: (text: string) => string) => {
  const file = join(cli.folder, 'everpost', path);
  await writeFile(file, change(await readFile(file, 'utf8')));
};

test('what is pulled, pushed to an empty project and pulled again is the same, there and here, in every format', async () => {
  const project = await filledProject(STARTERS);
  const before = await contentThere(project);
  for (const format of ['yaml', 'json', 'md']) {
    // Only contents have formats.
    const isAll = format === 'yaml';
    const which = isAll ? 'pull' : 'templates pull';
    const cli = await commandLine(project.key);
    const pulled = await cli.json(`${which} --format ${format}`);
    expect(pulled.pulled.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['templates/booking', ...(isAll ? STARTERS.map((key) => `sequences/${key}`) : [])]),
    );
    const files = await filesOf(join(cli.folder, 'everpost'));
    expect(Object.keys(files)).toContain(`templates/booking/content.de.${format}`);
    // Nothing to do against where it came from.
    expect(await cli.run(isAll ? 'diff' : 'templates diff')).toMatchObject({ code: 0 });
    expect((await cli.json(isAll ? 'push' : 'templates push')).pushed).toEqual([]);
    expect((await cli.json(which)).pulled.flatMap(({ files }: { files: string[] }) => files)).toEqual([]);

    const other = await newProject();
    const own = { env: { EVERPOST_API_KEY: other.key } };
    await edit(cli, 'templates/booking/template.yaml', (text) => text.replace(project.domain, other.domain));
    const pushed = await cli.run(isAll ? 'push' : 'templates push', own);
    expect(pushed, pushed.stderr + pushed.stdout).toMatchObject({ code: 0 });
    expect(await contentThere(other)).toEqual(isAll ? before : { ...before, sequences: [] });
    expect(await cli.run(isAll ? 'diff' : 'templates diff', own)).toMatchObject({ code: 0 });
    await edit(cli, 'templates/booking/template.yaml', (text) => text.replace(other.domain, project.domain));
    await rm(join(cli.folder, 'everpost'), { recursive: true });
    await cli.json(`${which} --format ${format}`, own);
    const again = await filesOf(join(cli.folder, 'everpost'));
    again['templates/booking/template.yaml'] = again['templates/booking/template.yaml']?.replace(other.domain, project.domain) ?? '';
    expect(again).toEqual(files);
  }
});

test('editors can check what is pulled: every file is valid by the schema that it names', async () => {
  const project = await filledProject(STARTERS);
  const cli = await commandLine(project.key);
  await cli.json('pull');
  const files = await filesOf(join(cli.folder, 'everpost'));
  const schemas = new Map<string, (value: unknown) => boolean>();
  for (const [path, text] of Object.entries(files)) {
    const url = /^# yaml-language-server: \$schema=(.*)$/m.exec(text)?.[1] ?? '';
    expect(url, path).toMatch(`${testEnvironment().apiUrl}/schemas/`);
    if (!schemas.has(url)) {
      const answer = await fetch(url);
      expect(answer.status).toBe(200);
      schemas.set(url, new Ajv({ strict: false, validateFormats: false }).compile(await answer.json()));
    }
    const isValid = schemas.get(url)!;
    expect(isValid(parse(text)), `${path}: ${JSON.stringify((isValid as unknown as { errors: unknown }).errors)}`).toBe(true);
    expect(isValid({ ...parse(text), nonsense: 1 }), path).toBe(false);
  }
  expect([...schemas.keys()].map((url) => url.split('/').at(-1)).toSorted()).toEqual(['content.json', 'sequence.json', 'template.json']);
  expect((await fetch(`${testEnvironment().apiUrl}/schemas/sequence.json`, { method: 'POST' })).status).toBe(405);
  expect((await fetch(`${testEnvironment().apiUrl}/schemas/nothing.json`)).status).toBe(404);
});

test('a push says the difference and does what a dry run said, comments in files stay, and nothing else is touched', async () => {
  const project = await filledProject();
  const cli = await commandLine(project.key);
  await cli.json('pull');
  await edit(cli, 'templates/booking/template.yaml', (text) => text.replace('name: Booking', '# for the studio\nname: Booking of a place'));
  await edit(cli, 'templates/booking/content.yaml', (text) => text.replace('See you # soon', 'See you very soon'));
  await edit(cli, 'sequences/cart.yaml', (text) => text.replace(/^name: .*$/m, 'name: Left carts'));

  const there = await contentThere(project);
  const dry = await cli.run('push --dry-run');
  expect(dry.code).toBe(0);
  expect(dry.stdout).toMatch(/- {2,}text: "?See you # soon[\s\S]*\+ {2,}text: See you very soon/);
  expect(await contentThere(project)).toEqual(there);
  expect(await cli.run('diff')).toMatchObject({ code: 1 });

  const { pushed } = await cli.json('push');
  expect(pushed.map(({ name, done }: { name: string; done: string[] }) => [name, done])).toEqual([
    ['templates/booking', ['rename it', 'publish the content']],
    ['sequences/cart', ['put the next version']],
  ]);
  expect((await project.api.get('/templates/booking/content')).body.published.content.blocks[0].text).toBe('See you very soon');
  expect((await project.api.get('/sequences/cart')).body).toMatchObject({ name: 'Left carts', version: 2 });
  expect((await project.api.get('/sequences/trial')).body.version).toBe(1);
  // Who changes something there meets the files with their comments.
  await project.api.call('PATCH', '/templates/booking', { name: 'Bookings', description: 'Of places' });
  await cli.json('templates pull booking');
  const file = await readFile(join(cli.folder, 'everpost/templates/booking/template.yaml'), 'utf8');
  expect(file).toContain('# for the studio\nname: Bookings');
  expect(file).toContain('description: Of places');
});

test('what somebody changed on the server since the pull is not written over without --force, and nothing else is pushed either', async () => {
  const project = await filledProject();
  const cli = await commandLine(project.key);
  await cli.json('pull');
  await edit(cli, 'sequences/cart.yaml', (text) => text.replace(/^name: .*$/m, 'name: Mine'));
  await edit(cli, 'sequences/trial.yaml', (text) => text.replace(/^name: .*$/m, 'name: Mine too'));
  const cart = (await project.api.get('/sequences/cart')).body;
  await project.api.put('/sequences/cart', { ...cart, name: 'Theirs' });

  const refused = await cli.run('push');
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('sequences/cart: somebody has changed it on the server since the last pull');
  expect((await project.api.get('/sequences/trial')).body.version).toBe(1);
  // A pull keeps what is not pushed yet.
  expect(await cli.run('pull')).toMatchObject({ code: 1 });
  expect(await readFile(join(cli.folder, 'everpost/sequences/cart.yaml'), 'utf8')).toContain('name: Mine');

  expect(await cli.run('push --force')).toMatchObject({ code: 0 });
  expect((await project.api.get('/sequences/cart')).body.name).toBe('Mine');

  // A draft that somebody works on would be gone by publishing.
  await project.api.put('/templates/booking/content', { content: { blocks: [{ type: 'text', text: 'A draft' }] } });
  await edit(cli, 'templates/booking/content.yaml', (text) => text.replace('See you # soon', 'Hello'));
  const drafted = await cli.run('push');
  expect(drafted).toMatchObject({ code: 1 });
  expect(drafted.stderr).toContain('draft');
  expect((await project.api.get('/templates/booking/content')).body.draft.content.blocks[0].text).toBe('A draft');

  // What was never pulled is not taken for ours.
  await rm(join(cli.folder, 'everpost/.everpost.lock.json'));
  const unknown = await cli.run('templates push booking');
  expect(unknown).toMatchObject({ code: 1 });
});

test('in CI the base of a push is what git had before: what CI pushed is no conflict, what somebody else changed is one', async () => {
  const project = await newProject();
  for (const key of ['one', 'two'])
    await project.api.post('/templates', { ...TEMPLATE, key, content: { blocks: [{ type: 'text', text: 'First' }] } });
  const cli = await commandLine(project.key);
  const git = async (...args: string[]) =>
    (await promisify(execFile)('git', ['-C', cli.folder, '-c', 'user.name=ci', '-c', 'user.email=ci@example.com', ...args])).stdout.trim();
  const commit = async (message: string) => {
    await git('add', '-A');
    await git('commit', '-qm', message);
    return git('rev-parse', 'HEAD');
  };
  await git('init', '-q');
  await cli.json('templates pull one two');
  let before = await commit('pulled');
  expect(await git('ls-files')).not.toContain('lock');
  for (const text of ['Second', 'Third']) {
    await edit(cli, 'templates/one/content.yaml', (old) => old.replace(/text: .*/, `text: ${text}`));
    await commit(text);
    await rm(join(cli.folder, 'everpost/.everpost.lock.json'));
    expect(await cli.run(`push --base ${before}`)).toMatchObject({ code: 0 });
    before = await git('rev-parse', 'HEAD');
  }
  expect((await project.api.get('/templates/one/content')).body.published.content.blocks[0].text).toBe('Third');
  await project.api.put('/templates/one/content', { publish: true, content: { blocks: [{ type: 'text', text: 'Theirs' }] } });
  await edit(cli, 'templates/one/content.yaml', (old) => old.replace(/text: .*/, 'text: Fourth'));
  await commit('Fourth');
  const refused = await cli.run(`push --base ${before}`);
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain('since the base');
  expect((await cli.run('push --base nonsense')).stderr).toContain('git does not know the commit nonsense');
});

test('a language that is new, changed or gone is pushed as such, and what ships in languages keeps them when a default is published', async () => {
  const project = await newProject();
  const cli = await commandLine(project.key);
  await cli.json('templates pull confirm-subscription');
  const folder = join(cli.folder, 'everpost/templates/confirm-subscription');
  expect((await readdir(folder)).toSorted()).toEqual([
    'content.de.yaml',
    'content.es.yaml',
    'content.fr.yaml',
    'content.yaml',
    'template.yaml',
  ]);
  await edit(cli, 'templates/confirm-subscription/content.yaml', (text) => text.replace(/text: .*/, 'text: Please confirm'));
  await writeFile(join(folder, 'content.it.md'), 'Conferma');
  expect((await cli.json('push')).pushed[0].done).toEqual(
    expect.arrayContaining(['publish de', 'publish es', 'publish fr', 'publish it', 'publish the content']),
  );
  expect(await cli.run('diff')).toMatchObject({ code: 0 });
  const tags = async () => {
    const { languages } = (await project.api.get('/templates/confirm-subscription/languages')).body;
    return languages
      .filter(({ published }: { published: object | null }) => published)
      .map(({ locale }: { locale: string | null }) => locale);
  };
  expect(await tags()).toEqual([null, 'de', 'es', 'fr', 'it']);
  await rm(join(folder, 'content.it.md'));
  expect((await cli.json('push')).pushed[0]?.done ?? []).toEqual([]);
  expect(await tags()).toContain('it');
  expect((await cli.json('push --prune')).pushed[0].done).toEqual(['take it away']);
  expect(await tags()).not.toContain('it');
  // Of what belongs to the installation its name stays.
  await edit(cli, 'templates/confirm-subscription/template.yaml', (text) => text.replace(/^name: .*$/m, 'name: Mine'));
  const refused = await cli.run('push');
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain('belongs to the installation');
});

test('what the API would refuse of any file is told with its place before anything is pushed, by a dry run too', async () => {
  const project = await filledProject();
  const cli = await commandLine(project.key);
  await cli.json('pull');
  await edit(cli, 'sequences/cart.yaml', (text) => text.replace('kind: exit', 'kind: exitt'));
  const refused = await cli.run('sequences push cart');
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('did you mean exit?');
  await edit(cli, 'templates/booking/template.yaml', (text) => text.replace('name: Booking', 'name: Bookings'));
  await edit(cli, 'templates/booking/content.yaml', (text) => text.replace('See you # soon', '{{ broken'));
  for (const command of ['templates push --dry-run', 'templates push']) {
    const judged = await cli.run(command);
    expect(judged.code).toBe(1);
    expect(judged.stdout + judged.stderr).toContain('\neverpost/templates/booking/content.yaml:5: blocks[0].text: ');
    expect(judged.stdout + judged.stderr).not.toContain('done before that');
  }
  await edit(cli, 'templates/booking/content.yaml', (text) => text.replace('{{ broken', 'Whole'));
  const before = await contentThere(project);
  const head = (path: string) => readFile(join(cli.folder, 'everpost', path), 'utf8');
  const right = await head('templates/booking/template.yaml');
  const made = join(cli.folder, 'everpost/templates/zz-new');
  await mkdir(made);
  for (const [path, change, words] of [
    ['booking', (text: string) => text.replace(/email: .*/, 'email: booking@unverified.example'), 'not on a verified sending domain'],
    ['booking', (text: string) => text.replace('kind: string', 'kind: text'), 'dataSchema[0].kind'],
    ['zz-new', (text: string) => text.replace(/name: .*/, `name: ${'x'.repeat(300)}`), 'name: 1 to'],
    ['zz-new', (text: string) => text.replace('path: title', 'path: no path'), 'dataSchema[0].path: should be a dotted path'],
    ['zz-new', (text: string) => text.replace(/email: .*/, 'email: new@unverified.example'), 'not on a verified sending domain'],
    ['zz-new', (text: string) => text.replace(/subject: "Booked.*/, 'subject: "{{ broken"'), 'subject: '],
    ['zz-new', (text: string) => text.replace('type: transactional', 'type: letter'), 'type: '],
  ] as const) {
    await writeFile(join(made, 'content.yaml'), await head('templates/booking/content.yaml'));
    await writeFile(join(made, 'content.de.yaml'), 'blocks:\n  - { type: text, text: Hallo }\n');
    await writeFile(join(made, 'template.yaml'), right);
    const file = join(cli.folder, `everpost/templates/${path}/template.yaml`);
    await writeFile(file, change(right));
    const refused = await cli.run('templates push');
    expect([words, refused.code]).toEqual([words, 1]);
    expect(refused.stderr).toMatch(new RegExp(`^templates/${path}: `, 'm'));
    expect(refused.stderr).toContain(words);
    expect(refused.stderr).toContain('nothing was pushed');
    await writeFile(file, right);
  }
  await writeFile(join(made, 'content.de.yaml'), 'blocks:\n  - { type: text, text: "{{ broken" }\n');
  expect((await cli.run('templates push')).stderr).toContain('\neverpost/templates/zz-new/content.de.yaml:2: blocks[0].text: ');
  expect(await contentThere(project)).toEqual(before);
  await rm(made, { recursive: true });
  expect(await cli.run('templates push')).toMatchObject({ code: 0 });
  await edit(cli, 'templates/booking/content.yaml', (text) => `${text}: : nonsense`);
  const unread = await cli.run('templates push');
  expect(unread.code).toBe(1);
  expect(unread.stderr).toContain('templates/booking/content.yaml');
  expect(unread.stderr).not.toContain('    at ');
});

test('content in MJML is a file of its own beside blocks: pulled, compared line by line, pushed to another project, and left as it is', async () => {
  const project = await filledProject([]);
  const mjml = (words: string) =>
    `<mjml>\n  <mj-body>\n    <mj-section><mj-column>\n      <mj-text>${words} {{ title }}</mj-text>\n    </mj-column></mj-section>\n  </mj-body>\n</mjml>`;
  const put = async (words: string, more: object) =>
    expect((await project.api.put('/templates/booking/content', { content: { mjml: mjml(words) }, publish: true, ...more })).status).toBe(
      200,
    );
  await put('Bis bald', { locale: 'de', subject: 'Gebucht' });
  const cli = await commandLine(project.key);
  await cli.json('pull');
  const file = (name: string) => readFile(join(cli.folder, 'everpost/templates/booking', name), 'utf8');
  expect(await file('content.de.mjml')).toBe(mjml('Bis bald'));
  expect(await file('content.yaml')).toContain('See you # soon');
  expect(await cli.run('diff')).toMatchObject({ code: 0 });

  // What becomes MJML leaves no file of blocks, and the other way round.
  await put('Soon', {});
  const { pulled } = await cli.json('templates pull booking');
  expect(pulled[0].files.toSorted()).toEqual(['templates/booking/content.mjml', 'templates/booking/content.yaml']);
  expect(Object.keys(await filesOf(join(cli.folder, 'everpost/templates/booking'))).toSorted()).toEqual([
    ...['content.de.mjml', 'content.mjml', 'template.yaml'],
  ]);
  expect((await cli.json('pull')).pulled.flatMap(({ files }: { files: string[] }) => files)).toEqual([]);

  await edit(cli, 'templates/booking/content.mjml', (text) => text.replace('Soon', 'Very soon'));
  const difference = await cli.run('diff');
  expect(difference.code).toBe(1);
  expect(difference.stdout).toMatch(/- +<mj-text>Soon \{\{ title \}\}<\/mj-text>\n.*\+ +<mj-text>Very soon/);
  await cli.json('push');
  expect((await project.api.get('/templates/booking/content')).body.published.content).toEqual({ mjml: mjml('Very soon') });

  const other = await newProject();
  const own = { env: { EVERPOST_API_KEY: other.key } };
  await edit(cli, 'templates/booking/template.yaml', (text) => text.replace(project.domain, other.domain));
  expect(await cli.run('push', own)).toMatchObject({ code: 0 });
  expect(((await contentThere(other)) as { templates: unknown }).templates).toEqual(
    ((await contentThere(project)) as { templates: unknown }).templates,
  );
  await edit(cli, 'templates/booking/content.mjml', (text) => text.replace('</mj-text>', ''));
  const refused = await cli.run('push', own);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(
    /^everpost\/templates\/booking\/content\.mjml:5: <\/mj-column> stands in <mj-text>, which began in line 4/m,
  );

  // Whoever keeps MJML in YAML goes on so.
  await rm(join(cli.folder, 'everpost/templates/booking/content.mjml'));
  await writeFile(join(cli.folder, 'everpost/templates/booking/content.yaml'), 'mjml: |\n  <mjml><mj-body></mj-body></mjml>\n');
  await cli.json('templates pull booking --force', own);
  expect(await file('content.yaml')).toContain('<mj-text>Very soon {{ title }}</mj-text>');
});
