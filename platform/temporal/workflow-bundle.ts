import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { keptFile } from '../kept-files.ts';

const BUNDLER = fileURLToPath(new URL('./bundle-workflows.ts', import.meta.url));
/** All that can be in the bundle: workflows import the domain and packages, and nothing else. */
const SOURCES = ['workflows', 'domain', 'package-lock.json', 'platform/temporal/bundle-workflows.ts'];
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * The code of all workflows in one script. Bundling takes two seconds, and memory that a process keeps for good, so a process of its own
 * does it, and what it made is kept.
 */
export async function workflowBundle(): Promise<{ readonly code: string }> {
  const file = await keptFile('workflows', 'js', SOURCES);
  const known = await file.read();
  if (known) return { code: known };
  const { stdout: code } = await promisify(execFile)(process.execPath, [BUNDLER], { maxBuffer: MOST_BYTES });
  await file.keep(code);
  return { code };
}
