import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { enrollmentWorkflowId } from '../../workflows/contracts.ts';
import { afterFile } from './after-file.ts';
import { testEnvironment } from './environment.ts';

export interface HistoryEvent {
  readonly eventId: string;
  readonly eventType: string;
  readonly [attributes: string]: unknown;
}

export interface History {
  readonly events: readonly HistoryEvent[];
}

/** An operator's view; closed after the test file. */
export async function temporalClient(namespace = 'default', address = testEnvironment().temporalAddress): Promise<Client> {
  const connection = await Connection.connect({ address });
  afterFile(() => connection.close());
  return new Client({ connection, namespace });
}

/** Tells a workflow of what has changed in the database, unless it has seen that by itself and is over. */
export async function tell(client: Client, workflowId: string, signal: string): Promise<void> {
  await client.workflow
    .getHandle(workflowId)
    .signal(signal)
    .catch((error) => {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    });
}

/** The whole history of an enrollment's workflow as JSON, payloads in base64. */
export async function historyOf(client: Client, enrollmentId: string): Promise<History> {
  return workflowHistory(client, enrollmentWorkflowId(enrollmentId));
}

/** The same for any workflow. */
export async function workflowHistory(client: Client, workflowId: string): Promise<History> {
  return JSON.parse(historyToJSON(await client.workflow.getHandle(workflowId).fetchHistory()));
}

/** A history with every payload opened, so that a text in one is found by searching it. */
export function readable(history: History): string {
  return JSON.stringify(history, (key, value) =>
    key === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString() : value,
  );
}
