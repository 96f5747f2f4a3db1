import { eventually, type Patience } from './eventually.ts';
import type { TestProject } from './project.ts';
import { must, unlessBusy } from './sequences.ts';

export interface CreatedEndpoint {
  readonly id: string;
  readonly secret: string;
}

/** As the API shows it. */
// biome-ignore lint/suspicious/noExplicitAny: tests reach into it
export type Delivery = any;

/** Creates an endpoint for all events, unless some are named. */
export async function createEndpoint(
  project: Pick<TestProject, 'api'>,
  url: string,
  fields: { readonly events?: readonly string[]; readonly secret?: string } = {},
): Promise<CreatedEndpoint> {
  const { endpoint, secret } = must(await unlessBusy(() => project.api.post('/webhooks', { url, ...fields })), 201);
  return { id: endpoint.id, secret };
}

/** The newest first. */
export async function deliveriesOf(project: Pick<TestProject, 'api'>, endpointId: string, query = 'limit=250'): Promise<Delivery[]> {
  return must(await project.api.get(`/webhooks/${endpointId}/deliveries?${query}`), 200).deliveries;
}

/** Waits until there are so many deliveries, and none is pending. Says how they were when the time is over. */
export async function deliveriesSettle(
  project: Pick<TestProject, 'api'>,
  endpointId: string,
  count: number,
  patience: Patience = { timeoutMs: 30_000 },
): Promise<Delivery[]> {
  let last: Delivery[] = [];
  return eventually(async () => {
    last = await deliveriesOf(project, endpointId);
    return last.length >= count && last.every(({ status }) => status !== 'pending') && last;
  }, patience).catch(() => {
    throw new Error(`the deliveries did not settle: ${JSON.stringify(last.map(({ payload: _, ...delivery }) => delivery))}`);
  });
}
