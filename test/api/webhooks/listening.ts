import type { HttpReceiver } from '../../support/http-receiver.ts';
import { newProject } from '../../support/project.ts';
import { must } from '../../support/sequences.ts';
import { createEndpoint, type Delivery } from '../../support/webhook-endpoints.ts';

/** A project of its own, with an endpoint for contacts that subscribe. */
export async function listening(receiver: HttpReceiver, path: string) {
  const own = await newProject();
  const { id } = await createEndpoint(own, `${receiver.url}${path}`, { events: ['contact.subscribed'] });
  const subscribe = (...names: readonly string[]) =>
    own.api.post(
      '/contacts',
      names.map((name) => ({ email: own.address(name) })),
    );
  const patch = async (body: object) => must(await own.api.call('PATCH', `/webhooks/${id}`, body), 200).endpoint;
  const retry = (deliveryId: string, by = own) => by.api.post(`/webhooks/${id}/deliveries/${deliveryId}/retry`);
  return { own, id, subscribe, patch, retry };
}

export const idsOf = (deliveries: readonly Delivery[]) => deliveries.map(({ id }) => id);
