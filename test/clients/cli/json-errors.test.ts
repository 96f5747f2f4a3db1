import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newProject } from '../../support/project.ts';
import { commandLine } from './support.ts';

test('what fails with --json is one object with its code on stdout, words on stderr, and ends as without it', async () => {
  const project = await newProject();
  const cli = await commandLine(project.key);
  await mkdir(join(cli.folder, 'everpost'));
  for (const [command, code, exit] of [
    ['contacts get nobody', 'not_found', 1],
    ['contacts timeline nobody@example.com', 'not_found', 1],
    ['contacts upsert ada@example.com --set timezone=Nowhere', 'invalid_request', 1],
    ['pull --dir everpost --nonsense', 'usage', 2],
    ['contacts list --limit 0', 'usage', 2],
    ['diff', 'failed', 1],
  ] as const) {
    const plain = await cli.run(command);
    const { code: ended, stdout, stderr } = await cli.run(`${command} --json`);
    expect([command, plain.code, ended, plain.stdout]).toEqual([command, exit, exit, '']);
    const { error } = JSON.parse(stdout);
    expect(error).toEqual({ code, message: expect.any(String) });
    expect(stderr).toBe(plain.stderr);
    expect(stderr).toContain(error.message);
  }
  const wrongKey = await cli.run('contacts list --json', { env: { EVERPOST_API_KEY: 'ep_live_wrong' } });
  expect(wrongKey.code).toBe(1);
  expect(JSON.parse(wrongKey.stdout)).toEqual({ error: { code: 'unauthorized', message: expect.stringContaining('not valid') } });
});

test('files that cannot be read have an error each with --json, beside those that can', async () => {
  const project = await newProject();
  const cli = await commandLine(project.key);
  for (const [key, head] of Object.entries({ good: 'name: Note', tab: 'name:\tNote\n\tx: y', empty: 'name: Note' })) {
    const folder = join(cli.folder, 'everpost/templates', key);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'template.yaml'), `type: transactional\n${head}\nsubject: Hello\n`);
    await writeFile(join(folder, 'content.md'), key === 'empty' ? '' : 'Hello\n');
  }
  const errors = [
    { name: 'templates/empty', state: 'unreadable', error: expect.stringMatching(/empty\/content\.md:1: /) },
    { name: 'templates/tab', state: 'unreadable', error: expect.stringMatching(/tab\/template\.yaml:\d+: /) },
  ];
  const diff = await cli.run('diff --json');
  expect(diff.code).toBe(1);
  expect(JSON.parse(diff.stdout).files).toMatchObject([errors[0], { name: 'templates/good', state: 'new' }, errors[1]]);
  for (const command of ['push', 'push --dry-run']) {
    const { code, stdout } = await cli.run(`${command} --json`);
    expect(code).toBe(1);
    const { planned, pushed } = JSON.parse(stdout);
    expect(pushed).toEqual([]);
    expect(planned).toMatchObject([...errors, { name: 'templates/good', state: 'new' }]);
  }
  const made = await project.api.post('/templates', {
    ...{ key: 'tab', type: 'transactional', name: 'Note', subject: 'Hello' },
    content: { blocks: [{ type: 'text', text: 'Hi' }] },
  });
  expect(made.status).toBe(201);
  const pull = await cli.run('templates pull tab --json');
  expect(pull.code).toBe(1);
  expect(JSON.parse(pull.stdout)).toEqual({ error: { code: 'invalid_file', message: expect.stringMatching(/tab\/template\.yaml:\d+: /) } });
});
