import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { COMMANDS } from '../../../cli/src/commands.ts';
import { contentOfMarkdown } from '../../../cli/src/files/markdown-content.ts';
import { compileWritten } from '../../../domain/templates/compile.ts';
import { testEnvironment } from '../../support/environment.ts';
import { newProject } from '../../support/project.ts';
import { commandLine } from './support.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PAGES = ['docs/content-as-code.md', 'docs/clients.md', 'docs/webhooks.md', 'cli/README.md'];

const pageOf = (path: string) => readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');

/** The blocks of a page with a title, as they are written. */
async function titled(title: string): Promise<string> {
  const page = await pageOf('docs/content-as-code.md');
  const [, , code] = new RegExp(`^(\`{3,})\\w+ ${title}\\n([\\s\\S]*?)^\\1$`, 'm').exec(page) ?? [];
  if (code === undefined) throw new Error(`the guide has no block ${title}`);
  return code;
}

test('every command that a page shows is there, with its options', async () => {
  let shown = 0;
  for (const page of PAGES) {
    for (const [, words = ''] of (await pageOf(page)).matchAll(/npx everpost ([a-z][^`\n]*)/g)) {
      const args = words
        .replace(/\$\{\{.*?\}\}/g, 'x')
        .trim()
        .split(/\s+/);
      const command = COMMANDS.find(({ name }) => name === args.slice(0, 2).join(' ')) ?? COMMANDS.find(({ name }) => name === args[0]);
      if (!command) throw new Error(`${page} shows ${words}`);
      const options = { profile: { type: 'string' }, json: { type: 'boolean' }, help: { type: 'boolean' }, ...command.options } as const;
      const given = parseArgs({ args: args.slice(command.name.split(' ').length), options, allowPositionals: true });
      const [least, most] = command.takes ?? [0, 0];
      expect(given.positionals.length, words).toBeGreaterThanOrEqual(least);
      expect(given.positionals.length, words).toBeLessThanOrEqual(most);
      shown++;
    }
  }
  expect(shown).toBeGreaterThan(10);
});

test('the files of the guide are valid by the schemas that they name', async () => {
  for (const [title, name] of [
    ['template.yaml', 'template'],
    ['sequence.yaml', 'sequence'],
  ] as const) {
    const schema = await (await fetch(`${testEnvironment().apiUrl}/schemas/${name}.json`)).json();
    const isValid = new Ajv({ strict: false, validateFormats: false }).compile(schema);
    expect(isValid(parse(await titled(title))), JSON.stringify(isValid.errors)).toBe(true);
  }
  expect(contentOfMarkdown(await titled('content.md'), 'content.md').blocks.map(({ type }) => type)).toEqual(['heading', 'text', 'button']);
  expect(await compileWritten({ mjml: await titled('content.mjml') })).toHaveProperty('compiled');
  expect(parse(await titled('.github/workflows/everpost.yml')).jobs.content.steps.length).toBeGreaterThan(3);
});

test('the code of the README compiles with the types that the command writes, and not where a variable is missing', async () => {
  const [, code = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(await pageOf('cli/README.md')) ?? [];
  const cli = await commandLine((await newProject()).key);
  expect(await cli.run('types')).toMatchObject({ code: 0 });
  await mkdir(join(cli.folder, 'node_modules/@everpost'), { recursive: true });
  await symlink(join(ROOT, 'sdk'), join(cli.folder, 'node_modules/@everpost/client'));
  const wrong = code.replace(/resetUrl: '[^']*'/, '');
  expect(wrong).not.toBe(code);
  await writeFile(join(cli.folder, 'right.mts'), code);
  await writeFile(join(cli.folder, 'wrong.mts'), wrong);
  const compiled = (file: string): Promise<{ readonly stdout: string }> =>
    promisify(execFile)(
      process.execPath,
      [join(ROOT, 'node_modules/typescript/bin/tsc'), '--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', file],
      { cwd: cli.folder },
    ).catch((error: { readonly stdout: string }) => error);
  expect((await compiled('right.mts')).stdout).toBe('');
  expect((await compiled('wrong.mts')).stdout).toContain('resetUrl');
});
