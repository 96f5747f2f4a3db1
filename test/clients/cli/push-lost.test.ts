import { mkdir, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newProject } from '../../support/project.ts';
import { type CommandLine, commandLine, proxy } from './support.ts';

async function writeTemplates(cli: CommandLine, keys: readonly string[], head = 'type: transactional'): Promise<void> {
  for (const key of keys) {
    const folder = join(cli.folder, 'everpost/templates', key);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'template.yaml'), `${head}\nname: Note\nsubject: Hello\n`);
    await writeFile(join(folder, 'content.md'), 'Hello\n');
  }
}

const isCreation = ({ method, url = '' }: IncomingMessage) => method === 'POST' && /\/templates$/.test(url);

test('a push begins nothing after a call without an answer, tells what was pushed as pushed, and the next goes on from there', async () => {
  const project = await newProject();
  let creations = 0;
  let isAway = false;
  const calls: string[] = [];
  const url = await proxy((request) => {
    if (isCreation(request)) creations++;
    isAway = creations > 2 && creations < 100;
    if (isAway) calls.push(`${request.method} ${request.url}`);
    return isAway ? 'breaks' : 'passes';
  });
  const cli = await commandLine(project.key, url);
  await writeTemplates(cli, ['a', 'b', 'c', 'd', 'e']);
  const lost = await cli.run('push');
  expect(lost.code).toBe(1);
  expect(new Set(calls).size).toBe(1);
  for (const key of ['a', 'b']) expect(lost.stdout).toContain(`pushed templates/${key}: make the template; it could not be read again\n`);
  expect(lost.stderr).toContain(
    `templates/c: make the template: ${url} does not answer any more\n  whether that was done is not known\n` +
      'pushed 2 of 5; the server stopped answering: push again goes on from there\n',
  );
  expect(lost.stderr).not.toMatch(/right address|templates\/[abde]:/);
  creations = 100;
  const { pushed } = await cli.json('push');
  expect(pushed).toMatchObject(['c', 'd', 'e'].map((key) => ({ name: `templates/${key}`, state: 'pushed' })));
});

test('as JSON a push that lost the server has what was not begun in planned', async () => {
  const project = await newProject();
  const url = await proxy((request) => (isCreation(request) ? 'breaks' : 'passes'));
  const cli = await commandLine(project.key, url);
  await writeTemplates(cli, ['a', 'b']);
  const lost = await cli.run('push --json');
  expect(lost.code).toBe(1);
  expect(JSON.parse(lost.stdout)).toMatchObject({
    pushed: [{ name: 'templates/a', state: 'failed', error: expect.stringContaining('does not answer any more') }],
    planned: [{ name: 'templates/b', state: 'new' }],
  });
});

test('a template that somebody else makes at the same moment is not to be deleted, but looked at by another push', async () => {
  const project = await newProject();
  const other = {
    key: 'note',
    type: 'transactional',
    name: 'Note',
    subject: 'Hello',
    content: { blocks: [{ type: 'text', text: 'Theirs' }] },
  };
  const url = await proxy(async (request) => {
    if (isCreation(request)) expect((await project.api.post('/templates', other)).status).toBe(201);
    return 'passes' as const;
  });
  const cli = await commandLine(project.key, url);
  await writeTemplates(cli, ['note']);
  const late = await cli.run('push');
  expect(late.code).toBe(1);
  expect(late.stderr).toContain('somebody has made it at this moment; push again to see it');
  expect(late.stderr).not.toContain('DELETE');
});

test('a type that there is none of is told as that, and not as one that differs from the server', async () => {
  const project = await newProject();
  const cli = await commandLine(project.key);
  await writeTemplates(cli, ['note']);
  await cli.json('push');
  await writeTemplates(cli, ['note', 'other'], 'type: transactionl');
  const { code, stderr } = await cli.run('push');
  expect(code).toBe(1);
  for (const key of ['note', 'other'])
    expect(stderr).toContain(`templates/${key}: type: transactionl is no type; write transactional or marketing\n`);
  expect(stderr).not.toContain('take another key');
});
