import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

/** What the parts promise each other, each by itself. */
const PARTS = ['db', 'docs', 'local', 'platform', 'sending', 'smtp', 'support', 'usecases', 'webhooks'];

/**
 * Suites with commands of their own, each a folder: what goes beyond the contract, runs that are held, repaired and replayed, the guides as they are
 * read, the clients that integrators use, what operators see, much at once, browsers, processes that are killed, servers that are upgraded or
 * restored, and clusters.
 */
const LONGER = ['beyond', 'recovery', 'guides', 'clients', 'operators', 'load', 'console', 'crash', 'operations', 'cluster'];

const suite = (name: string, include: string, further: TestProjectInlineConfiguration['test'] = {}): TestProjectInlineConfiguration => ({
  extends: true,
  test: { name, include: [include], globalSetup: 'test/support/global-setup.ts', ...further },
});

/**
 * The tests run natively under the project's Node, without a transform, and a process loads each module once for all of its files. The servers
 * that they talk to are started once, in globalSetup.
 */
export default defineConfig({
  test: {
    projects: [
      // Every promise of the contract. A folder that is named nowhere here is one of them.
      suite('contract', 'test/**/*.test.ts', {
        exclude: [...configDefaults.exclude, ...[...PARTS, ...LONGER].map((folder) => `test/${folder}/**`)],
      }),
      suite('parts', `test/{${PARTS.join(',')}}/**/*.test.ts`),
      suite('beyond', 'test/beyond/**/*.test.ts'),
      suite('recovery', 'test/recovery/**/*.test.ts'),
      // Each worker starts a browser, which is several processes.
      suite('console', 'test/console/**/*.test.ts', {
        globalSetup: 'test/console/set-up.ts',
        maxWorkers: 3,
        testTimeout: 300_000,
        hookTimeout: 300_000,
      }),
      suite('guides', 'test/guides/**/*.test.ts'),
      suite('clients', 'test/clients/**/*.test.ts', { globalSetup: 'test/clients/set-up.ts' }),
      suite('operators', 'test/operators/**/*.test.ts'),
      suite('load', 'test/load/**/*.test.ts'),
      suite('crash', 'test/crash/**/*.test.ts'),
      suite('operations', 'test/operations/**/*.test.ts'),
      suite('cluster', 'test/cluster/**/*.test.ts', { globalSetup: 'test/cluster/set-up.ts' }),
    ],
    // Nothing here mocks a module: Vitest need not look at each that is loaded.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    pool: 'forks',
    // Most of what tests make lives for a moment.
    execArgv: ['--min-semi-space-size=16', '--max-semi-space-size=32'],
    isolate: false,
    setupFiles: 'test/support/each-file.ts',
    // More than cores: at any time some file waits.
    maxWorkers: 5,
    // Of tests that mostly wait: each has servers of its own.
    maxConcurrency: 2,
    // For a machine that others keep busy: what a test waits for has a limit of its own.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
    // What is opened first, by what a test file imports, ends first.
    sequence: { hooks: 'list' },
    slowTestThreshold: 60_000,
  },
});
