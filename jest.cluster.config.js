import daily from './jest.config.js';

/** The tests of several processes on a Temporal server of its own: minutes, and a build of that server. `npm run test:cluster` */
export default {
  ...daily,
  testMatch: ['<rootDir>/test/cluster/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  globalSetup: '<rootDir>/test/cluster/set-up.ts',
  globalTeardown: '<rootDir>/test/cluster/tear-down.ts',
};
