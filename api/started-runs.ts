import type { Logger } from '../platform/logger.ts';
import { enrollmentWorkflowId } from '../workflows/contracts.ts';

/** Of a bulk call. */
const MOST_NAMED = 20;

/** Writes which runs a request has started, so that it can be followed to their mails; nothing where it has started none. */
export function logStartedRuns(log: Logger, enrollmentIds: readonly string[]): void {
  if (enrollmentIds.length === 0) return;
  const workflowIds = enrollmentIds.slice(0, MOST_NAMED).map(enrollmentWorkflowId);
  log.info('enrollments.started', { count: enrollmentIds.length, workflowIds });
}
