import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { apiDocument } from '../../../local/console-types.ts';
import { makePythonClient, PYTHON_CLIENT, type PythonTools, pythonTools, whyNoPython } from '../../../local/python-client.ts';
import { plainEnvironment, testEnvironment } from '../../support/environment.ts';
import { startEverpost } from '../../support/everpost.ts';
import { mailTo } from '../../support/mail.ts';
import { newProject, type TestProject } from '../../support/project.ts';

const run = promisify(execFile);

const reason = await whyNoPython();
if (reason !== undefined) process.stderr.write(`${reason}: the tests of the Python client are skipped\n`);

interface Ran {
  readonly code: number;
  readonly output: string;
}

/** Ends with what it wrote, whatever its end is. */
async function ran(program: string, args: readonly string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}): Promise<Ran> {
  const most = 16 * 1024 * 1024;
  const given = { ...options, env: { ...plainEnvironment(), PYTHONDONTWRITEBYTECODE: '1', ...options.env }, maxBuffer: most };
  return run(program, args, given).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    (error) => ({ code: error.code ?? 1, output: `${error.stdout ?? ''}${error.stderr ?? ''}${error.stdout === undefined ? error : ''}` }),
  );
}

/** The programs of the README, and of docs/clients.md, by the names that they have there. */
async function shownPrograms(): Promise<Map<string, string>> {
  const pages = await Promise.all([join(PYTHON_CLIENT, 'README.md'), 'docs/clients.md'].map((path) => readFile(path, 'utf8')));
  return new Map([...pages.join('\n').matchAll(/^```python (\w+\.py)\n(.*?)^```$/gms)].map(([, name, code]) => [name!, code!]));
}

describe.skipIf(reason !== undefined)('the Python client', () => {
  let tools: PythonTools;
  let project: TestProject;
  let scratch: string;

  beforeAll(async () => {
    const environment = testEnvironment();
    scratch = await mkdtemp(join(environment.scratchDir, 'python-'));
    tools = await pythonTools((line) => void process.stderr.write(`${line}\n`));
    project = await newProject();
  });

  const settings = (): NodeJS.ProcessEnv => ({ EVERPOST_URL: testEnvironment().apiUrl, EVERPOST_API_KEY: project.key });

  test('is made from the document of these sources: npm run sdk:python makes no difference', async () => {
    const made = join(scratch, 'made');
    await makePythonClient(tools, apiDocument(), made);
    const kept = join(PYTHON_CLIENT, 'everpost', '_generated');
    const names = (await readdir(kept)).filter((name) => name !== '__pycache__');
    expect((await readdir(made)).sort()).toEqual(names.sort());
    for (const name of names) {
      const same = (await readFile(join(made, name), 'utf8')) === (await readFile(join(kept, name), 'utf8'));
      expect(same, `sdk-python/everpost/_generated/${name} is another: run npm run sdk:python and commit it`).toBe(true);
    }
  });

  test('and its README hold mypy --strict', async () => {
    const examples = join(scratch, 'examples');
    await mkdir(examples);
    for (const [name, code] of await shownPrograms()) await writeFile(join(examples, name), code);
    const { code, output } = await ran(
      tools.python,
      ['-m', 'mypy', '--cache-dir', join(tools.wheels, '..', 'mypy'), 'everpost', 'generate.py', 'tests', examples],
      { cwd: PYTHON_CLIENT },
    );
    expect(code, output).toBe(0);
  });

  test('has every operation, tries again, walks through lists and knows real webhooks, against the server', async () => {
    const document = join(scratch, 'document.json');
    await writeFile(document, apiDocument());
    const limited = await startEverpost({ env: { RATE_LIMIT_BURST: '10', RATE_LIMIT_PER_SECOND: '10' }, worker: false });
    const { key } = await newProject({ everpost: limited });
    const { code, output } = await ran(tools.python, ['-m', 'pytest', '-q', '-p', 'no:cacheprovider'], {
      cwd: PYTHON_CLIENT,
      env: {
        ...settings(),
        EVERPOST_DOCUMENT: document,
        EVERPOST_TEST_DOMAIN: project.domain,
        EVERPOST_LIMITED_URL: limited.url,
        EVERPOST_LIMITED_API_KEY: key,
      },
    }).finally(() => limited.stop());
    expect(code, output).toBe(0);
    expect(output).toMatch(/\d{3} passed/);
  });

  test('is installed from its wheel into an empty environment, where the programs of its README run', async () => {
    const wheel = join(scratch, 'wheel');
    const pip = ['-m', 'pip', '--disable-pip-version-check', '--quiet'];
    const built = await ran(tools.python, [...pip, 'wheel', '--no-deps', '--no-build-isolation', '--wheel-dir', wheel, PYTHON_CLIENT]);
    expect(built.code, built.output).toBe(0);
    const home = join(scratch, 'home');
    await run('python3', ['-m', 'venv', '--without-pip', join(home, '.venv')]);
    const python = join(home, '.venv', 'bin', 'python');
    const [file] = await readdir(wheel);
    const find = ['install', '--no-index', '--find-links', tools.wheels, join(wheel, file!)];
    const installed = await ran(tools.python, ['-m', 'pip', '--disable-pip-version-check', '--quiet', '--python', python, ...find]);
    expect(installed.code, installed.output).toBe(0);

    const person = project.address('ada');
    for (const [name, code] of await shownPrograms()) {
      await writeFile(join(home, name), code.replaceAll('ada@example.com', person));
      const { code: end, output } = await ran(python, [name], { cwd: home, env: settings() });
      expect(end, `${name}: ${output}`).toBe(0);
    }
    expect((await mailTo(person)).map(({ raw }) => /^Subject: (.*)$/m.exec(raw)?.[1]?.trim())).toContain('Hello Ada');
    const typed = await ran(python, [
      '-c',
      'import everpost, pathlib; print((pathlib.Path(everpost.__file__).parent / "py.typed").exists())',
    ]);
    expect(typed.output.trim()).toBe('True');
  });
});
