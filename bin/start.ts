import { startConsoleBuild } from '../local/console-process.ts';
import { demoProject, requireOwnSecrets } from '../local/demo-project.ts';
import { progressToStderr as progress } from '../local/progress.ts';
import { startLocalStack } from '../local/stack.ts';
import { welcome } from '../local/welcome.ts';
import { processConfig } from '../platform/config.ts';
import { createLogger } from '../platform/logger.ts';
import { createMetrics } from '../platform/metrics/metrics.ts';
import { serveMetrics } from '../platform/metrics/metrics-page.ts';
import { activityFields } from '../platform/temporal/activity-fields.ts';
import { createSendPaces } from '../sending/send-paces.ts';
import { startApi } from './api-process.ts';
import { migrateUp } from './migrate.ts';
import { fail } from './run.ts';
import { startSmtp } from './smtp.ts';
import { startWorker } from './worker.ts';

/** Everything in one command: what is not configured from outside is brought up here, and stopped again last. */
async function start(): Promise<() => Promise<void>> {
  // The API runs within this process.
  const config = { ...processConfig(), apiProcesses: 1 };
  const log = createLogger(config.logLevel, { process: 'start' });
  const stack = await startLocalStack(config, progress, log);
  const started: { stop(): Promise<void> }[] = [stack, startConsoleBuild(progress)];
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= (async () => {
      for (const part of started.splice(0).toReversed()) await part.stop();
    })();
    return stopped;
  };
  // A part that fails for good takes the rest along: nothing works without it. What fails while everything is stopped changes nothing.
  const endWith = (error: unknown): void => {
    if (!stopped) stop().finally(() => fail(error));
  };
  stack.failed.catch(endWith);
  try {
    progress('migrating the database');
    await stack.steadily(() => migrateUp(stack.config.databaseUrl));
    await stack.steadily(() => requireOwnSecrets(stack.config, stack.secretKeyFrom));
    // Where mail goes out for real, a project that may send from anywhere is nothing to begin with.
    const isTrial = stack.mailboxUrl !== null;
    const demo = isTrial ? await stack.steadily(() => demoProject(stack.config, log, stack.secretKeyFrom)) : undefined;
    progress('starting the worker and the API');
    // The API is stopped first, so that nothing new arrives while the worker drains.
    const metrics = createMetrics({ ofProcess: config.metricsPort !== undefined });
    const page = await serveMetrics(stack.config, log, metrics.page);
    if (page) started.push({ stop: page.close });
    // Both send in this process.
    const paces = createSendPaces(stack.config);
    const worker = await startWorker(stack.config, createLogger(config.logLevel, { process: 'worker' }, activityFields), metrics, paces);
    started.push(worker);
    worker.failed?.catch(endWith);
    const api = await startApi(stack.config, createLogger(config.logLevel, { process: 'api' }), metrics, paces);
    started.push(api);
    const smtp =
      stack.config.smtp.port === undefined
        ? undefined
        : await startSmtp(stack.config, createLogger(config.logLevel, { process: 'smtp' }), metrics, paces);
    if (smtp) started.push(smtp);
    const address = api.address.replace(/\/\/(0\.0\.0\.0|\[::\])/, '//localhost');
    await stack.announce(address);
    process.stdout.write(
      welcome({ api: address, smtp: smtp?.address, temporalUi: stack.temporalUiUrl, mailbox: stack.mailboxUrl }, demo, config.dataDir),
    );
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

let stop: (() => Promise<void>) | undefined;
let stopping = false;

function end(signal: NodeJS.Signals): void {
  // While it still starts, and when asked twice: at once. The guards of the embedded servers stop them even so.
  if (!stop || stopping) process.exit(signal === 'SIGINT' ? 130 : 143);
  stopping = true;
  progress('stopping; once more Ctrl-C does it at once');
  stop().then(() => process.exit(0), fail);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
stop = await start().catch(fail);
