import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Progress } from './progress.ts';

const run = promisify(execFile);

/** The sources of the Python client. */
export const PYTHON_CLIENT = fileURLToPath(new URL('../sdk-python', import.meta.url));
const CACHE = fileURLToPath(new URL('../.cache/sdk-python', import.meta.url));
const GENERATED = join(PYTHON_CLIENT, 'everpost', '_generated');
/** That the pinned tools run on. The client itself runs on 3.10, too. */
const OLDEST = [3, 11] as const;

/** Why nothing of the Python client can be made or checked here; undefined where it can. */
export async function whyNoPython(): Promise<string | undefined> {
  const asked = `import sys, venv, ensurepip; sys.exit(sys.version_info < ${JSON.stringify(OLDEST).replace('[', '(').replace(']', ')')})`;
  const works = await run('python3', ['-c', asked]).then(
    () => true,
    () => false,
  );
  return works ? undefined : `there is no python3 of version ${OLDEST.join('.')} or newer with venv`;
}

/** Python with the tools of sdk-python/requirements.txt, and the wheels of what the client needs. */
export interface PythonTools {
  readonly python: string;
  /** A folder of wheels: the client is installed from it without a network. */
  readonly wheels: string;
}

/** Made once for each requirements.txt, in .cache. */
export async function pythonTools(progress: Progress): Promise<PythonTools> {
  const requirements = join(PYTHON_CLIENT, 'requirements.txt');
  const { stdout: version } = await run('python3', ['-VV']);
  const mark = createHash('sha256')
    .update(version)
    .update(await readFile(requirements))
    .digest('hex');
  const folder = join(CACHE, mark.slice(0, 16));
  const tools = { python: join(folder, 'venv', 'bin', 'python'), wheels: join(folder, 'wheels') };
  const done = join(folder, 'done');
  if (await exists(done)) return tools;
  progress('installing the tools of the Python client …');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await run('python3', ['-m', 'venv', join(folder, 'venv')]);
  const pip = ['-m', 'pip', '--disable-pip-version-check', '--quiet'];
  await run(tools.python, [...pip, 'install', '--requirement', requirements]);
  await run(tools.python, [...pip, 'download', '--dest', tools.wheels, '--constraint', requirements, 'httpx', 'typing-extensions']);
  await mkdir(`${done}.draft`);
  await rename(`${done}.draft`, done);
  return tools;
}

/** Writes sdk-python/everpost/_generated from an OpenAPI document, or what would stand there to another folder. */
export async function makePythonClient({ python }: PythonTools, document: string, folder = GENERATED): Promise<void> {
  const making = spawn(python, [join(PYTHON_CLIENT, 'generate.py'), folder], { stdio: ['pipe', 'inherit', 'inherit'] });
  const ended = new Promise<number | null>((resolve, reject) => making.on('error', reject).on('close', resolve));
  making.stdin.end(document);
  const code = await ended;
  if (code !== 0) throw new Error(`sdk-python/generate.py ended with ${code}: what it wrote above says why`);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
