import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { apiDocument } from '../local/console-types.ts';
import { generate } from './generate.ts';

const HERE = import.meta.dirname;
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

// The compiler alone, once for each kind of module: what is published reads like what was written, and there is no bundler to trust.
const { version } = JSON.parse(await readFile(join(HERE, 'package.json'), 'utf8')) as { version: string };
await generate(apiDocument(), version, join(HERE, 'src/generated'));
if (process.argv.includes('--clean')) await rm(join(HERE, 'dist'), { recursive: true, force: true });
await Promise.all(['tsconfig.json', 'tsconfig.cjs.json'].map(compile));
await writeFile(join(HERE, 'dist/cjs/package.json'), '{ "type": "commonjs" }\n');

async function compile(config: string): Promise<void> {
  await promisify(execFile)(process.execPath, [tsc, '-p', join(HERE, config)]).catch((error: { stdout: string }) => {
    process.stderr.write(error.stdout);
    process.exit(1);
  });
}
