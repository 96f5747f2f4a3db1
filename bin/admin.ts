import { processConfig } from '../platform/config.ts';
import { runAdmin } from './admin/program.ts';

const streams = { input: process.stdin, output: process.stdout, errors: process.stderr };
const code = await runAdmin(process.argv.slice(2), processConfig, streams);
// What fails may leave something open that would keep the process.
if (code > 0) process.exit(code);
