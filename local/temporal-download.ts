import { type ChildProcess, fork } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { fetchingEnvironment } from './child-environment.ts';
import type { Progress } from './progress.ts';

const STALL_MS = 15_000;
const MEGABYTE = 1_000_000;
/** Anything smaller is an error page, not a server. */
const SMALLEST = 20 * MEGABYTE;

/**
 * Downloads the official server with the SDK's own means, which know the address, the platform and the archive. It runs in a
 * process of its own, because the SDK gives neither progress nor a time limit. Answers with a draft inside `folder`.
 */
export async function downloadTemporal(folder: string, progress: Progress): Promise<string> {
  progress('downloading the Temporal server');
  await mkdir(folder, { recursive: true });
  const drafts = await mkdtemp(join(folder, 'download-'));
  const child = fork(fileURLToPath(new URL('temporal-download-process.ts', import.meta.url)), [drafts], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: fetchingEnvironment(),
  });
  let problem = '';
  child.stderr?.on('data', (chunk) => {
    problem += chunk;
  });
  try {
    await watch(child, drafts, progress);
    const [file] = await filesIn(drafts);
    if (!file || file.size < SMALLEST) throw new Error(reasonIn(problem));
    const draft = `${drafts}.draft`;
    await rename(file.path, draft);
    return draft;
  } finally {
    child.kill('SIGKILL');
    await rm(drafts, { recursive: true, force: true });
  }
}

async function watch(child: ChildProcess, drafts: string, progress: Progress): Promise<void> {
  let ended = false;
  child.once('exit', () => {
    ended = true;
  });
  let [bytes, lastGrowth, lastReport] = [0, Date.now(), Date.now()];
  while (!ended) {
    await sleep(200);
    const now = (await filesIn(drafts)).reduce((sum, file) => sum + file.size, 0);
    if (now > bytes) [bytes, lastGrowth] = [now, Date.now()];
    if (Date.now() - lastGrowth > STALL_MS) throw new Error(`nothing arrived for ${STALL_MS / 1000} seconds`);
    if (bytes > 0 && Date.now() - lastReport > 3_000) {
      lastReport = Date.now();
      progress(`downloading the Temporal server: ${Math.round(bytes / MEGABYTE)} MB`);
    }
  }
}

async function filesIn(folder: string): Promise<{ path: string; size: number }[]> {
  const names = await readdir(folder).catch(() => []);
  return Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      return { path, size: (await stat(path).catch(() => undefined))?.size ?? 0 };
    }),
  );
}

function reasonIn(output: string): string {
  const line = output.split('\n').find((text) => /error/i.test(text)) ?? '';
  // The SDK chains its reasons; the first has the address, the rest repeat it.
  return (
    /error sending request for url \((https:\/\/[^?)]+)/.exec(line)?.[1]?.concat(' cannot be reached') ||
    line.replace(/^\s*\w*Error:\s*/, '').slice(0, 300) ||
    'it cannot be reached from here'
  );
}
