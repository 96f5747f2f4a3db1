import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import startServers from '../support/global-setup.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The clients as these sources make them, and the servers of all tests. */
export default async function setUp(): Promise<() => Promise<void>> {
  await build('sdk/build.ts');
  await build('cli/build.ts');
  return startServers();
}

async function build(program: string): Promise<void> {
  const child = spawn(process.execPath, [program], { cwd: ROOT, stdio: ['ignore', 'ignore', 'pipe'] });
  let problem = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    problem += text;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(problem);
}
