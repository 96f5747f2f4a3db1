import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newProject } from '../../support/project.ts';
import { commandLine } from './support.ts';

const TEMPLATE = {
  key: 'note',
  type: 'transactional',
  name: 'Note',
  subject: 'Hello',
  content: { blocks: [{ type: 'text', text: 'Hi' }] },
};

test('a folder that is not there, or has no files, is refused by diff as by push', async () => {
  const project = await newProject();
  expect((await project.api.post('/templates', TEMPLATE)).status).toBe(201);
  const cli = await commandLine(project.key);
  await mkdir(join(cli.folder, 'empty'));
  for (const dir of ['nosuch', 'empty'])
    for (const command of ['diff', 'diff --all', 'templates diff note', 'push']) {
      const { code, stderr } = await cli.run(`${command} --dir ${dir}`);
      expect([command, code]).toEqual([command, 1]);
      expect(stderr).toContain(`there are no files in ${join(cli.folder, dir)}`);
    }
});

test('diff shows the lines of a new file as the dry run of a push does, and says of what it counts', async () => {
  const project = await newProject();
  expect((await project.api.post('/templates', TEMPLATE)).status).toBe(201);
  const cli = await commandLine(project.key);
  await cli.json('templates pull note');
  expect((await cli.run('diff')).stdout).toBe('1 template as on the server\n');
  await mkdir(join(cli.folder, 'everpost/templates/other'));
  await writeFile(join(cli.folder, 'everpost/templates/other/template.yaml'), 'type: transactional\nname: Other\nsubject: Hello\n');
  await writeFile(join(cli.folder, 'everpost/templates/other/content.md'), 'See you soon\n');
  const diff = await cli.run('diff');
  expect(diff.code).toBe(1);
  const [shown = ''] = diff.stdout.split('1 of 2 templates differ');
  expect(shown).toContain('  + name: Other\n');
  expect(shown).toContain('See you soon');
  expect((await cli.run('push --dry-run')).stdout).toContain(shown);
});
