import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { expect, test } from '@jest/globals';

const root = new URL('../../../', import.meta.url);
const MODULE = './platform/temporal/unwatched-workflows.ts';

/** What a script comes to, in a thread, that runs for 50 ms and may run for 10. */
async function longCall(execArgv: readonly string[]): Promise<string> {
  const [answer] = await once(new Worker(new URL('./long-call-thread.ts', import.meta.url), { execArgv: [...execArgv] }), 'message');
  return answer as string;
}

test('calls into workflow code have no time limit, which would cost a thread each, wherever a worker is started', async () => {
  expect(await longCall([])).toBe('ERR_SCRIPT_EXECUTION_TIMEOUT');
  expect(await longCall(['--import', new URL(MODULE, root).href])).toBe('done');
  const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { scripts: Record<string, string> };
  for (const name of ['start', 'worker']) expect(scripts[name]).toContain(` --import ${MODULE} `);
  expect(readFileSync(new URL('docker-compose.yml', root), 'utf8')).toContain(`[node, --import, ${MODULE}, `);
});
