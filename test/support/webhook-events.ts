import { WebhookEndpoint, WebhookEvent, type WebhookEventRow } from '../../db/entities/index.ts';
import { testEnvironment } from './environment.ts';
import { database, type TestProject } from './project.ts';
import { createEndpoint } from './webhook-endpoints.ts';

/**
 * Makes the project one that is told of events, of all unless some are named, and answers with what reads them, in the order in which they
 * were written.
 */
export async function listenForEvents(
  project: TestProject,
  { events, enabled = true }: { events?: string[]; enabled?: boolean } = {},
): Promise<() => Promise<WebhookEventRow[]>> {
  const { id } = await createEndpoint(project, testEnvironment().receiverUrl, { ...(events ? { events } : {}) });
  // Left to a burst, which costs the other tests least.
  await (await database()).nativeUpdate(WebhookEndpoint, { id }, { enabled, has_lane: true });
  return async () => (await database()).find(WebhookEvent, { project_id: project.id }, { orderBy: { created_at: 'asc', id: 'asc' } });
}

/** The events of one type. */
export function ofType(events: readonly WebhookEventRow[], type: string): WebhookEventRow[] {
  return events.filter((event) => event.type === type);
}
