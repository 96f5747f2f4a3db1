import vm from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/**
 * Preloaded by `node --import` in front of the worker: it takes the time limit off the SDK's calls into workflow code.
 *
 * Node starts and joins a thread for each call that has a limit, and the SDK makes a dozen such calls for a run of one mail, each limited to
 * five seconds (`isolateExecutionTimeout`, which cannot be switched off). Without them a run costs a quarter less CPU here, and does not
 * wait for the scheduler a dozen times on a busy machine (bench/enrollments.ts). The limit is there for loops that never end; our workflow
 * code has none, and nothing that a tenant writes runs in it.
 */
if (!isMainThread) {
  const { runInContext } = vm.Script.prototype;
  vm.Script.prototype.runInContext = function unlimited(context, { timeout: _, ...options } = {}) {
    return runInContext.call(this, context, options);
  };
}
