import { DefaultLogger, Runtime } from '@temporalio/worker';

/**
 * Run as a process: downloads the server into the folder given as argument. The SDK can only download in order to start a
 * server, so it starts one, headless and in memory, and stops it.
 */
const [downloadDir = ''] = process.argv.slice(2);

// Without a parent there is nobody who waits for the file.
process.on('disconnect', () => process.exit(1));

Runtime.install({ logger: new DefaultLogger('ERROR') });
const runtime = Runtime.instance();
try {
  const server = await runtime.createEphemeralServer({
    type: 'dev-server',
    exe: { type: 'cached-download', downloadDir, version: 'default', ttl: 0, sdkName: 'sdk-typescript', sdkVersion: '1.24.0' },
    namespace: 'default',
    ip: '127.0.0.1',
    port: null,
    uiPort: null,
    dbFilename: null,
    ui: false,
    log: { format: 'pretty', level: 'error' },
    extraArgs: [],
  });
  await runtime.shutdownEphemeralServer(server);
  process.exit(0);
} catch (error) {
  process.stderr.write(`Error: ${(error as Error).message}\n`);
  process.exit(1);
}
