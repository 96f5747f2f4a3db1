import { lazyClient } from '../../platform/temporal/connection.ts';
import { eventually } from './eventually.ts';

const DAY_SECONDS = 86_400;

/** Registers a namespace and waits until the server knows it everywhere. */
export async function createNamespace(temporalAddress: string, namespace: string): Promise<void> {
  const temporal = lazyClient({ temporalAddress, temporalEmbedded: true });
  try {
    await temporal.connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: DAY_SECONDS as never },
    });
    await eventually(async () => {
      await temporal.connection.operatorService.listSearchAttributes({ namespace });
      await temporal.connection.workflowService.listWorkflowExecutions({ namespace, pageSize: 1 });
      return true;
    });
  } finally {
    await temporal.close();
  }
}
