import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';

const root = new URL('../../../', import.meta.url);
const MODULE = './platform/temporal/unwatched-workflows.ts';

/** What a script comes to, in a thread, that runs for so long and may run for 10 ms. */
async function longCall(milliseconds: number, execArgv: readonly string[]): Promise<string> {
  const thread = new Worker(new URL('./long-call-thread.ts', import.meta.url), { execArgv: [...execArgv], workerData: milliseconds });
  const [answer] = await once(thread, 'message');
  return answer as string;
}

test('calls into workflow code have no time limit, which would cost a thread each, wherever a worker is started', async () => {
  // Ended after 10 ms, or as soon as the thread that ends it gets a core.
  expect(await longCall(10_000, [])).toBe('ERR_SCRIPT_EXECUTION_TIMEOUT');
  expect(await longCall(50, ['--import', new URL(MODULE, root).href])).toBe('done');
  const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { scripts: Record<string, string> };
  for (const name of ['start', 'worker']) expect(scripts[name]).toContain(` --import ${MODULE} `);
  expect(readFileSync(new URL('docker-compose.yml', root), 'utf8')).toContain(`[node, --import, ${MODULE}, `);
});
