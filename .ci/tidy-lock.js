// Run after npm has changed package-lock.json. Scripts run on the Node of the package `node`, whatever the machine has, so what each
// package wants of the machine's would only make `npm ci` warn for nothing; test/packaging.test.ts compares them with the one that runs.
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));
for (const [path, entry] of Object.entries(lock.packages)) if (path !== '') delete entry.engines;
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
