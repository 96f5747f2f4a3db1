import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import startServers from '../support/global-setup.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The console as these sources make it, and the servers of all tests, whose API serves it. */
export default async function setUp(): Promise<() => Promise<void>> {
  await buildConsole();
  return startServers();
}

async function buildConsole(): Promise<void> {
  const child = spawn(process.execPath, ['bin/build-console.ts'], { cwd: ROOT, stdio: ['ignore', 'ignore', 'pipe'] });
  let problem = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    problem += text;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(problem);
}
