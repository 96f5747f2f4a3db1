/** The tests run natively under the project's Node: no transform. The servers they talk to are started once, in globalSetup. */
export default {
  testEnvironment: 'node',
  transform: {},
  extensionsToTreatAsEsm: ['.ts'],
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  // Minutes of waiting for servers that are upgraded and restored: `npm run test:operations`; those of jest.cluster.config.js have their own.
  testPathIgnorePatterns: ['/node_modules/', '/test/cluster/', ...(process.env.WITH_OPERATIONS ? [] : ['/test/operations/'])],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  testSequencer: '<rootDir>/test/support/longest-first.js',
  // More than cores: at any time some file waits.
  maxWorkers: 3,
  // What a test file has loaded is never given back: a worker that has grown is replaced, before collecting its garbage takes long.
  workerIdleMemoryLimit: '500MB',
  // Of tests that mostly wait: each has servers of its own.
  maxConcurrency: 2,
  // For a machine that others keep busy: what a test waits for has a limit of its own.
  testTimeout: 180_000,
  // Data of embedded servers may lie in the project.
  modulePathIgnorePatterns: ['<rootDir>/.everpost', '<rootDir>/.cache'],
};
