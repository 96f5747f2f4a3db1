/** Run as a process of its own: writes the bundle of all workflows to standard output. */
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const workflowsPath = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url));
const logger = new DefaultLogger('ERROR', ({ message }) => process.stderr.write(`${message}\n`));
// None of our modules keeps anything of a run, so a thread evaluates them once and not for each run.
const { code } = await bundleWorkflowCode({ workflowsPath, logger, preloadModules: [workflowsPath] });
process.stdout.write(code);
