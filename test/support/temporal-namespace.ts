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

/** Takes the namespace from everybody who works in it, and waits until the server refuses calls for it. */
export async function deleteNamespace(temporalAddress: string, namespace: string): Promise<void> {
  const temporal = lazyClient({ temporalAddress, temporalEmbedded: true });
  try {
    await temporal.connection.operatorService.deleteNamespace({ namespace });
    const { workflowService } = temporal.connection;
    const taskQueue = { name: 'nobody' };
    await eventually(() =>
      workflowService.describeTaskQueue({ namespace, taskQueue }).then(
        () => false,
        () => true,
      ),
    );
  } finally {
    await temporal.close();
  }
}
