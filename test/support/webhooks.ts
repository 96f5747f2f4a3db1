import type { Client } from '@temporalio/client';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import {
  WebhookDelivery,
  type WebhookDeliveryRow,
  WebhookEndpoint,
  type WebhookEndpointRow,
  WebhookEvent,
} from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { burstWorkflowId, deliveryWorkflowId, SEARCH_ATTRIBUTES } from '../../workflows/contracts.ts';
import { testEnvironment } from './environment.ts';
import { eventually, type Patience } from './eventually.ts';
import type { HttpReceiver, ReceivedCall } from './http-receiver.ts';
import { database, newProject, type ProjectOptions, type TestProject } from './project.ts';
import { must } from './sequences.ts';
import { createEndpoint } from './webhook-endpoints.ts';

/** An endpoint of the tests, and what was written for it. */
export interface TestEndpoint {
  readonly id: string;
  readonly project: TestProject;
  readonly secret: string;
  /** Below the receiver's address; no other endpoint has it. */
  readonly path: string;
  /** So many contacts subscribe, by one call of the API for each thousand: an event each. */
  happens(count?: number): Promise<void>;
  /** In order of creation. */
  deliveries(): Promise<WebhookDeliveryRow[]>;
  /** Its only delivery, as soon as it is as wanted. */
  becomes(wanted: (delivery: WebhookDeliveryRow) => boolean, patience?: Patience): Promise<WebhookDeliveryRow>;
  /** Waits until there are so many deliveries and each has this status. */
  all(count: number, status: WebhookDeliveryRow['status'], patience?: Patience): Promise<WebhookDeliveryRow[]>;
  row(): Promise<WebhookEndpointRow>;
  change(fields: Partial<WebhookEndpointRow>): Promise<void>;
  calls(): ReceivedCall[];
}

/** The instance that it belongs to; the shared one when omitted. */
export interface EndpointOptions extends Pick<ProjectOptions, 'everpost'> {
  readonly project?: TestProject;
  readonly fields?: Partial<WebhookEndpointRow>;
}

/** A new endpoint that wants to be told who subscribes, of a new project unless one is given. */
export async function newEndpoint(
  receiver: HttpReceiver,
  { everpost, project: given, fields }: EndpointOptions = {},
): Promise<TestEndpoint> {
  const project = given ?? (await newProject(everpost ? { everpost } : {}));
  const fresh = () => database(everpost?.databaseUrl ?? testEnvironment().databaseUrl);
  const path = `/e-${uuidv7()}`;
  const { id, secret } = await createEndpoint(project, `${receiver.url}${path}`, { events: ['contact.subscribed'] });
  const change = async (changed: Partial<WebhookEndpointRow>): Promise<void> => {
    await (await fresh()).nativeUpdate(WebhookEndpoint, { id }, changed);
  };
  if (fields) await change(fields);
  const deliveries = async () => (await fresh()).find(WebhookDelivery, { endpoint_id: id }, { orderBy: { place: 'asc' } });
  return {
    ...{ id, project, secret, path, deliveries },
    calls: () => receiver.calls(path),
    async happens(count = 1) {
      for (let done = 0; done < count; done += 1_000) {
        const size = Math.min(1_000, count - done);
        must(
          await project.api.post(
            '/contacts',
            Array.from({ length: size }, () => ({ email: project.address() })),
          ),
          200,
        );
      }
    },
    async becomes(wanted, patience = { timeoutMs: 30_000 }) {
      let last: WebhookDeliveryRow[] = [];
      return eventually(async () => {
        last = await deliveries();
        return last[0] && wanted(last[0]) && last[0];
      }, patience).catch(() => {
        throw new Error(`the delivery did not become as wanted: ${JSON.stringify(last)}`);
      });
    },
    async all(count, status, patience = { timeoutMs: 60_000 }) {
      let last: WebhookDeliveryRow[] = [];
      return eventually(async () => {
        last = await deliveries();
        return last.length === count && last.every((delivery) => delivery.status === status) && last;
      }, patience).catch(() => {
        const counts = Object.entries(Object.groupBy(last, (one) => `${one.status} ${one.in_lane ? 'in the burst' : ''}`));
        throw new Error(`not all became ${status}: ${JSON.stringify(counts.map(([name, ones]) => [name, ones?.length]))}`);
      });
    },
    row: async () => (await fresh()).findOneOrFail(WebhookEndpoint, { id }),
    change,
  };
}

/** The state that operators see of a delivery's or a burst's workflow. */
export async function stateOf(client: Client, workflowId: string): Promise<string | undefined> {
  const { searchAttributes } = await client.workflow.getHandle(workflowId).describe();
  return searchAttributes[SEARCH_ATTRIBUTES.state]?.[0] as string | undefined;
}

export function deliveryHandle(client: Client, { id }: Pick<WebhookDeliveryRow, 'id'>) {
  return client.workflow.getHandle(deliveryWorkflowId(id));
}

export function burstHandle(client: Client, { id }: Pick<WebhookEndpointRow, 'id'>) {
  return client.workflow.getHandle(burstWorkflowId(id));
}

/** Whether there is or was such a workflow. */
export async function isStarted(client: Client, workflowId: string): Promise<boolean> {
  return client.workflow
    .getHandle(workflowId)
    .describe()
    .then(
      () => true,
      () => false,
    );
}

/** A row that waits in the burst, and nothing else. */
export async function rowInBurst(em: EntityManager, { id, project }: TestEndpoint): Promise<void> {
  const eventId = uuidv7();
  await em.insert(WebhookEvent, { id: eventId, project_id: project.id, type: 'contact.subscribed', data: {} });
  await em.insert(WebhookDelivery, { id: uuidv7(), project_id: project.id, endpoint_id: id, event_id: eventId, in_lane: true });
}

/** Waits until the burst has ended. */
export async function withoutBurst(client: Client, endpoint: TestEndpoint): Promise<void> {
  await eventually(async () => !(await endpoint.row()).has_lane);
  await burstHandle(client, endpoint).result();
}

/**
 * What is promised whatever happens: each of these deliveries has arrived at least once, always under its id with the same body, and not more
 * often than its attempts say; each attempt has one entry.
 */
export function expectArrivedAsCounted(deliveries: readonly WebhookDeliveryRow[], calls: readonly ReceivedCall[]): void {
  const arrived = Map.groupBy(calls, ({ headers }) => headers['webhook-id']);
  const wrong = deliveries.flatMap(({ id, event_id, attempts, attempt_log }) => {
    const mine = arrived.get(id) ?? [];
    const bodies = new Set(mine.map(({ body }) => body));
    const numbers = attempt_log.map(({ number }) => number);
    const isRight =
      mine.length >= 1 &&
      mine.length <= attempts &&
      bodies.size === 1 &&
      JSON.parse(mine[0]!.body).id === event_id &&
      numbers.join() === Array.from({ length: attempts }, (_, index) => index + 1).join();
    return isRight ? [] : [{ id, calls: mine.length, bodies: bodies.size, attempts, attempt_log }];
  });
  expect(wrong).toEqual([]);
  const known = new Set(deliveries.map(({ id }) => id));
  expect(calls.filter(({ headers }) => !known.has(headers['webhook-id']!))).toEqual([]);
}
