import { buildConsole } from '../local/console-build.ts';

/** Builds the page at /console, unless it is up to date; fails with what is wrong in words. */
try {
  process.stdout.write((await buildConsole()) === 'built' ? 'the console is built\n' : 'the console is up to date\n');
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
