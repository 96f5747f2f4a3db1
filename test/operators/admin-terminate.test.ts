import type { Client } from '@temporalio/client';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebhookDelivery } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { row } from '../../db/rows.ts';
import type { WorkflowType } from '../../workflows/contracts.ts';
import { type OfEachType, TYPES, workflowIds } from '../support/open-rows.ts';
import type { TestProject } from '../support/project.ts';
import { settled, standing } from '../support/row-standing.ts';
import * as stuckRows from './stuck-rows.ts';
import { type WithoutWorkers, withoutWorkers } from './without-workers.ts';

let alone: WithoutWorkers;
let em: EntityManager;
let client: Client;
let project: TestProject;

beforeAll(async () => {
  alone = await withoutWorkers();
  ({ em, client, project } = alone);
});

afterAll(() => alone?.stop());

test('terminate settles each type of row at once, with its workflow or without, also when it is called again', async () => {
  const [open, missing] = [await alone.newRows(), await alone.newRows()];
  await alone.startOpen(open, ...TYPES);
  const statuses: OfEachType<string> = {
    ...{ enrollment: 'cancelled', campaign: 'cancelled', webhookDelivery: 'failed', webhookBurst: 'empty' },
    webhookRetry: 'cancelled',
    bulkEnrollment: 'cancelled',
    enrollmentAction: 'cancelled',
    // Another workflow sends them.
    scheduledSends: 'waiting',
    domainCheck: 'pending',
    confirmation: 'expired',
    contactImport: 'cancelled',
  };
  const told = async (id: string): Promise<unknown> => {
    const { stdout, stderr } = await alone.admin(['workflow', 'terminate', id, '--json']);
    // What it could not do stands there.
    return stdout === '' ? stderr : JSON.parse(stdout);
  };
  const terminate = async (ids: OfEachType<string>, ...types: readonly WorkflowType[]) =>
    expect(await Promise.all(types.map((type) => told(ids[type])))).toEqual(
      types.map((type) => ({
        ...{ id: ids[type], workflowId: workflowIds(ids)[type], status: statuses[type] },
        ...(type === 'webhookBurst' ? { failed: expect.any(Number) } : {}),
      })),
    );
  await terminate(open, ...TYPES);
  expect(await standing(em, open)).toEqual(settled('terminated'));
  // Those of scheduled mails and of a domain are followed by others.
  const { scheduledSends: _, domainCheck: __, ...ended } = workflowIds(open);
  for (const workflowId of Object.values(ended))
    expect((await client.workflow.getHandle(workflowId).describe()).status.name).toBe('TERMINATED');
  await terminate(open, 'enrollment', 'webhookDelivery');
  await terminate(missing, 'campaign', 'webhookBurst');
  expect(await standing(em, missing)).toEqual({
    ...settled('terminated'),
    ...{ enrollment: 'active null', webhookDelivery: 'pending', webhookRetry: 'running', bulkEnrollment: 'running' },
    enrollmentAction: 'running',
    ...{ confirmation: 'waiting', contactImport: 'paused' },
  });
  expect(await standing(em, open)).toEqual(settled('terminated'));
});

test('of a burst one delivery is terminated alone', async () => {
  const { webhookBurst } = await alone.newRows();
  const [delivery] = await em.find(WebhookDelivery, { endpoint_id: webhookBurst }, { disableIdentityMap: true });
  await client.workflow.start('webhookBurst', { workflowId: `webhook-burst/${webhookBurst}`, taskQueue: 'nobody' });
  const burst = { id: delivery!.id, workflowId: `webhook-burst/${webhookBurst}` };
  expect(await alone.json('workflow', 'retry', delivery!.id)).toEqual({ ...burst, action: 'signalled' });
  expect(await alone.jsonOfProgram('workflow', 'terminate', delivery!.id)).toEqual({ ...burst, status: 'failed' });
  expect((await client.workflow.getHandle(burst.workflowId).describe()).status.name).toBe('RUNNING');
});

test('whoever terminates a burst is told how many deliveries fail with it and how one is begun again; a second time none do', async () => {
  const { webhookBurst } = await alone.newRows();
  const told = async () => (await alone.admin(['workflow', 'terminate', webhookBurst])).stderr;
  expect(await told()).toMatch(/^everpost: 1 deliveries that waited in this burst have failed; POST .*\/retry begins one again/);
  expect(await told()).toBe('everpost: nothing waited in this burst\n');
});

test('a start that is on its way does not open again what is terminated', async () => {
  const { webhookDelivery } = await alone.newRows();
  await stuckRows.isOnItsWay(em, project.id, `webhook/${webhookDelivery}`, { kind: 'start', workflowType: 'webhookDelivery' });
  expect(await alone.json('workflow', 'terminate', webhookDelivery)).toMatchObject({ status: 'failed' });
  expect(await row(em, sql`select 1 from outbox where workflow_id = ${`webhook/${webhookDelivery}`}`)).toBeUndefined();
});
