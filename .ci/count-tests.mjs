import { readFileSync } from 'node:fs';

// Of reports of the suites, one line: `N passed, N failed`. A file that failed before its first test is one that failed.
let passed = 0;
let failed = 0;
for (const name of process.argv.slice(2)) {
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(name, 'utf8'));
  passed += numPassedTests;
  failed += numFailedTests;
  failed += testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.every((one) => one.status !== 'failed'),
  ).length;
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
