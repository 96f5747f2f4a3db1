import cluster from 'node:cluster';
import { processConfig, requireReady } from '../platform/config.ts';
import { createLogger } from '../platform/logger.ts';
import { createMetrics, type Metrics } from '../platform/metrics/metrics.ts';
import { serveMetrics } from '../platform/metrics/metrics-page.ts';
import type { RunningApi } from './api-process.ts';
import { beside, runAsMain } from './run.ts';
import { processName, type Supervisor, supervise, supervised, tellMetrics } from './supervise.ts';

await runAsMain(
  async () => {
    const config = requireReady(processConfig());
    const log = createLogger(config.logLevel, { process: processName() });
    if (cluster.isPrimary && config.apiProcesses > 1) {
      let group: Supervisor | undefined;
      const page = await serveMetrics(config, log, async () => group?.metricsPage() ?? '');
      return beside(page, async () => {
        group = supervise(config.apiProcesses, log);
        return group;
      });
    }
    // Loaded only here: one that watches over others needs nothing of it, and would take a second and a hundred megabytes to load it.
    const serve = async (metrics: Metrics): Promise<RunningApi> => (await import('./api-process.ts')).startApi(config, log, metrics);
    const metrics = createMetrics({ ofProcess: config.metricsPort !== undefined });
    if (cluster.isPrimary) return beside(await serveMetrics(config, log, metrics.page), () => serve(metrics));
    tellMetrics(metrics);
    return serve(metrics);
  },
  cluster.isWorker ? supervised : undefined,
);
