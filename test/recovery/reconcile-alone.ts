import type { Client } from '@temporalio/client';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { createReconcileActivities, type ReconcileActivities } from '../../activities/reconcile.ts';
import { type EntityManager, openDatabase } from '../../db/orm.ts';
import { row, rows } from '../../db/rows.ts';
import { createLogger, type Logger } from '../../platform/logger.ts';
import { createMetrics } from '../../platform/metrics/metrics.ts';
import { enrollmentWorkflowId } from '../../workflows/contracts.ts';
import { closedWorkflow, type Ending } from '../support/closed-workflow.ts';
import { eventually } from '../support/eventually.ts';
import { startEverpost } from '../support/everpost.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { newContact, newSequence, type TestSequence } from '../support/sequences.ts';
import { temporalClient } from '../support/temporal.ts';

/** So that only the list of closed workflows can tell. */
export const NO_BATCH = { batchSize: 0 };

export const DAY_MS = 86_400_000;

export interface ReconcilingOptions {
  readonly batchSize?: number;
  readonly now?: () => Date;
  readonly client?: Client;
  readonly log?: Logger;
}

export interface ReconcileAlone {
  readonly em: EntityManager;
  readonly client: Client;
  readonly namespace: string;
  readonly project: TestProject;
  readonly sequence: TestSequence;
  reconciling(options?: ReconcilingOptions): ReconcileActivities;
  /** An active enrollment without a workflow, and without a start on its way. */
  activeRow(): Promise<string>;
  closedRow(ending: Ending): Promise<string>;
  /** Starts a workflow that nobody works on. */
  openRow(): Promise<string>;
  /** Waits until the list of workflows, which is behind, shows so many. */
  listed(query: string, count: number): Promise<void>;
  /** Deletes every row that is open, and what passes know. */
  empty(): Promise<void>;
  stop(): Promise<void>;
}

/** Nobody works here but the test: what closes, closes while the workers are away, and the passes are the test's own. */
export async function reconcileAlone(): Promise<ReconcileAlone> {
  const everpost = await startEverpost({ worker: false });
  const orm = await openDatabase({ url: everpost.databaseUrl, poolSize: 4, applicationName: 'everpost-test-reconcile' });
  const em = await database(everpost.databaseUrl);
  const client = await temporalClient(everpost.namespace);
  const project = await newProject({ everpost });
  const sequence = await newSequence(project);

  async function activeRow(): Promise<string> {
    const contactId = await newContact(project, project.address());
    const id = uuidv7();
    await row(
      em,
      sql`insert into enrollments (id, project_id, sequence_id, sequence_version, contact_id)
          values (${id}, ${project.id}, ${sequence.id}, 1, ${contactId})`,
    );
    return id;
  }

  return {
    ...{ em, client, project, sequence, namespace: everpost.namespace, activeRow },

    reconciling: (options = {}) =>
      createReconcileActivities({
        ...{ orm, client, log: createLogger('silent', {}), metrics: createMetrics(), now: () => new Date(), newId: uuidv7 },
        ...options,
      }),

    async closedRow(ending) {
      const id = await activeRow();
      await closedWorkflow(client, 'enrollment', enrollmentWorkflowId(id), ending);
      return id;
    },

    async openRow() {
      const id = await activeRow();
      const started = { workflowId: enrollmentWorkflowId(id), taskQueue: 'nobody', args: [{ enrollmentId: id }] };
      await client.workflow.start('enrollment', started);
      return id;
    },

    async listed(query, count) {
      await eventually(async () => (await client.workflow.count(query)).count === count);
    },

    async empty() {
      for (const table of [
        'enrollments',
        'campaigns',
        'webhook_deliveries',
        'webhook_endpoints',
        'outbox',
        'reconcile_progress',
        'scheduled_sends',
        'bulk_enrollments',
        'enrollment_actions',
        'confirmations',
        'imports',
        'dkim_keys',
      ])
        await rows(em, sql`delete from ${sql.table(table)}`);
    },

    async stop() {
      await orm.close();
      await everpost.stop();
    },
  };
}

/** A client to whom Temporal does not answer about some workflows. */
export function refusing(client: Client, refuses: (workflowId: string) => boolean): Client {
  const workflow = Object.create(client.workflow, {
    getHandle: {
      value: (workflowId: string) =>
        refuses(workflowId) ? { describe: () => Promise.reject(new Error('no answer')) } : client.workflow.getHandle(workflowId),
    },
  });
  return Object.create(client, { workflow: { value: workflow } });
}

/** A client in whose first question about this workflow something happens between Temporal's answer and its arrival. */
export function afterDescribing(client: Client, named: string, happens: () => Promise<unknown>): Client {
  let isFirst = true;
  const workflow = Object.create(client.workflow, {
    getHandle: {
      value: (workflowId: string) => ({
        describe: async () => {
          const [answer] = await Promise.allSettled([client.workflow.getHandle(workflowId).describe()]);
          if (isFirst && workflowId === named) {
            isFirst = false;
            await happens();
          }
          if (answer.status === 'rejected') throw answer.reason;
          return answer.value;
        },
      }),
    },
  });
  return Object.create(client, { workflow: { value: workflow } });
}
