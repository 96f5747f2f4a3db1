import vm from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/**
 * Preloaded by `node --import` in front of the worker: it takes two of the SDK's watches off workflow code, which cost more than the code and
 * cannot be switched off (docs/decisions/vm-context.md).
 *
 * The first is a time limit on each call into it: Node starts and joins a thread for each, a dozen for a run of one mail. It is there for
 * loops that never end; our workflow code has none, and nothing that a tenant writes runs in it.
 *
 * The second is a hook that formats a stack trace for every promise, for those who ask a workflow for its call stack. Ours say in their
 * current details where they stand, and why.
 */
if (!isMainThread) {
  const { runInContext } = vm.Script.prototype;
  vm.Script.prototype.runInContext = function unlimited(context, { timeout: _, ...options } = {}) {
    return runInContext.call(this, context, options);
  };
  // The threads that compose mails do without the SDK.
  if (process.argv[1]?.endsWith('workflow-worker-thread.js')) {
    const { GlobalHandlers } = await import('@temporalio/worker/lib/workflow/vm-shared.js');
    Object.assign(GlobalHandlers.prototype, { setPromiseHook: () => undefined });
  }
}
