import { asyncLocalStorage } from '@temporalio/activity';
import type { LogFields } from '../logger.ts';

/** Of the activity that writes a line: its name and the id of its workflow. Nothing outside of activities. */
export function activityFields(): LogFields {
  const info = asyncLocalStorage.getStore()?.info;
  return info ? { workflowId: info.workflowExecution?.workflowId, activity: info.activityType } : {};
}
