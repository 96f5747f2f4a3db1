import cluster from 'node:cluster';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { supervise, tellMetrics } from '../../bin/supervise.ts';
import { createLogger } from '../../platform/logger.ts';

/**
 * A program of one process and the one that watches over it. The process ends, and before the other can have learned of it, that one tells all
 * to stop and asks for what they have counted.
 */
if (cluster.isPrimary) {
  const supervisor = supervise(1, createLogger('warn'));
  const [worker] = await once(cluster, 'listening');
  const { pid } = worker.process;
  // With an answer, nothing waits to be written any more.
  await supervisor.metricsPage();
  process.kill(pid, 'SIGKILL');
  // In one turn: nothing that happens meanwhile reaches this process.
  while (!/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8')));
  const page = supervisor.metricsPage();
  await supervisor.stop().catch((error: Error) => process.stdout.write(`${error.message}\n`));
  process.stdout.write(`metrics: ${(await page).trim()}\n`);
} else {
  tellMetrics({ families: () => Promise.resolve([]) });
  createServer().listen(0, '127.0.0.1');
}
