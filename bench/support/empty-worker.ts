import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';

export const EMPTY_QUEUE = 'bench-empty';

export async function nothing(): Promise<void> {}

/** Run as a program: a worker for empty workflows at the address given, set like the product's own, until SIGTERM. */
if (import.meta.main) {
  const workflowsPath = fileURLToPath(new URL('./empty-workflow.ts', import.meta.url));
  const connection = await NativeConnection.connect({ address: process.argv[2] ?? '', grpcCompression: { codec: 'none' } });
  const worker = await Worker.create({
    connection,
    taskQueue: EMPTY_QUEUE,
    workflowBundle: await bundleWorkflowCode({
      workflowsPath,
      preloadModules: [workflowsPath],
      logger: new DefaultLogger('ERROR'),
    }),
    activities: { nothing },
    maxConcurrentWorkflowTaskExecutions: 40,
    maxConcurrentLocalActivityExecutions: 40,
    workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 10 },
  });
  process.stdout.write('ready\n');
  await worker.run();
  await connection.close();
}
