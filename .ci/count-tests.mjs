import { readFileSync } from 'node:fs';

// Of reports of the suites, one line: `N passed, N failed`. A file that failed before its first test is one that failed.
// What failed is told once more on stderr: in a long log it stands far above the end.
let passed = 0;
const failures = [];
for (const name of process.argv.slice(2)) {
  const { numPassedTests, testResults } = JSON.parse(readFileSync(name, 'utf8'));
  passed += numPassedTests;
  for (const { name: file, status, message, assertionResults } of testResults) {
    const ofFile = assertionResults.filter((test) => test.status === 'failed');
    if (ofFile.length > 0) failures.push(...ofFile.map((test) => [file, test.fullName, test.failureMessages.join('\n')]));
    else if (status === 'failed') failures.push([file, 'before its first test', message]);
  }
}
for (const [file, test, message] of failures)
  process.stderr.write(`\nfailed: ${file}\n  ${test}\n  ${message.split('\n').slice(0, 12).join('\n  ')}\n`);
process.stdout.write(`${passed} passed, ${failures.length} failed\n`);
