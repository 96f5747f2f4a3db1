import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newProject } from '../../support/project.ts';
import { type CommandLine, commandLine } from './support.ts';

const HEAD = 'type: transactional\nname: Note\nsubject: Hello\n';

const EMPTY = { key: 'note', type: 'transactional', name: 'Note', subject: 'Hello', content: { blocks: [] } };

const fileOf = (cli: CommandLine, path: string) => join(cli.folder, 'everpost', path);

/** A project without templates, and a folder with the template `note` and these contents. */
async function noteFolder(contents: Readonly<Record<string, string | Buffer>>) {
  const project = await newProject();
  const cli = await commandLine(project.key);
  await mkdir(fileOf(cli, 'templates/note'), { recursive: true });
  await writeFile(fileOf(cli, 'templates/note/template.yaml'), HEAD);
  for (const [name, content] of Object.entries(contents)) await writeFile(fileOf(cli, `templates/note/${name}`), content);
  return { project, cli };
}

test.each([
  ['content that says nothing', { 'content.md': '' }, 'content.md:1: the content says nothing'],
  [
    'a language that says nothing',
    { 'content.md': 'Hello', 'content.fr.yaml': 'blocks: []\n' },
    'content.fr.yaml:1: the content says nothing',
  ],
  ['Markdown in another encoding', { 'content.md': Buffer.from('Hello\n\nat the caf\xe9\n', 'latin1') }, 'content.md:3: not UTF-8'],
  [
    'a template in another encoding',
    { 'content.md': 'Hello', 'template.yaml': Buffer.from(`${HEAD}description: caf\xe9\n`, 'latin1') },
    'template.yaml:4: not UTF-8',
  ],
])('%s is refused with its line by push, its dry run and diff, and nothing is sent', async (_, contents, words) => {
  const { project, cli } = await noteFolder(contents);
  for (const command of ['push', 'push --dry-run', 'diff']) {
    const { code, stderr } = await cli.run(command);
    expect([command, code]).toEqual([command, 1]);
    expect(stderr).toMatch(new RegExp(`^everpost/templates/note/${words.replaceAll('.', '\\.')}`, 'm'));
    expect(stderr).not.toMatch(/ENOENT|EISDIR| {4}at /);
  }
  expect((await project.api.get('/templates/note/content')).status).toBe(404);
});

test('content that the server has without a block can be pulled, compared and pushed as it is', async () => {
  const project = await newProject();
  expect((await project.api.post('/templates', EMPTY)).status).toBe(201);
  const cli = await commandLine(project.key);
  await cli.json('templates pull note');
  expect(await cli.run('diff')).toMatchObject({ code: 0 });
  expect((await cli.json('push')).pushed).toEqual([]);
});

test('a link to nothing and a folder in the place of a file are refused with their path', async () => {
  const { cli } = await noteFolder({ 'content.md': 'Hello' });
  await symlink('nowhere.md', fileOf(cli, 'templates/note/content.fr.md'));
  const dangling = await cli.run('push');
  expect(dangling.code).toBe(1);
  expect(dangling.stderr).toContain('everpost/templates/note/content.fr.md cannot be read: it is a link to nothing');
  await rm(fileOf(cli, 'templates/note/content.fr.md'));
  await mkdir(fileOf(cli, 'templates/note/content.fr.md'));
  const folder = await cli.run('push');
  expect(folder.code).toBe(1);
  expect(folder.stderr).toContain('everpost/templates/note/content.fr.md cannot be read: it is a folder');
});

test('a file of an option, a folder that is none and a damaged lock are told in plain words with their path', async () => {
  const { cli } = await noteFolder({ 'content.md': 'Hello' });
  await writeFile(join(cli.folder, 'plain.txt'), 'Hello');
  await writeFile(join(cli.folder, 'latin.txt'), Buffer.from('caf\xe9', 'latin1'));
  const stderrOf = async (command: string) => {
    const { code, stderr } = await cli.run(command);
    expect([command, code]).toEqual([command, 1]);
    return stderr;
  };
  expect(await stderrOf('sequences simulate nosuch.yaml')).toBe('everpost: nosuch.yaml cannot be read: there is no such file\n');
  expect(await stderrOf('send --to ada@example.com --subject Hi --text-file latin.txt')).toMatch(/^latin\.txt:1: not UTF-8/);
  for (const command of ['pull', 'diff', 'push'])
    expect(await stderrOf(`${command} --dir plain.txt`)).toBe('everpost: plain.txt is no folder; name one with --dir\n');
  await writeFile(fileOf(cli, '.everpost.lock.json'), '{ "half');
  expect(await stderrOf('push')).toContain('everpost/.everpost.lock.json is damaged; delete it and pull again');
  expect(await readFile(fileOf(cli, '.everpost.lock.json'), 'utf8')).toBe('{ "half');
});

test('a pull into a folder that cannot be made ends with its path', async () => {
  const project = await newProject();
  expect((await project.api.post('/templates', EMPTY)).status).toBe(201);
  const cli = await commandLine(project.key);
  const { code, stderr } = await cli.run('templates pull note --dir /proc/nosuch');
  expect(code).toBe(1);
  expect(stderr).toContain('/proc/nosuch/templates/note/template.yaml cannot be written: ');
});
