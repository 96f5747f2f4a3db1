import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { WebhookEndpoint, WebhookEvent, type WebhookEventRow } from '../../db/entities/index.ts';
import { database, type TestProject } from './project.ts';

/**
 * Makes the project one that is told of events, of all unless some are named, and answers with what reads them, in the order in which they
 * were written.
 */
export async function listenForEvents(
  project: TestProject,
  { events = null, enabled = true }: { events?: string[] | null; enabled?: boolean } = {},
): Promise<() => Promise<WebhookEventRow[]>> {
  const em = await database();
  await em.insert(WebhookEndpoint, {
    id: uuidv7(),
    project_id: project.id,
    url: 'https://nobody.example/',
    sealed_secret: randomBytes(8),
    events,
    enabled,
    // Whose first attempts nobody makes: the events are read here and go nowhere.
    has_lane: true,
  });
  return async () => (await database()).find(WebhookEvent, { project_id: project.id }, { orderBy: { created_at: 'asc', id: 'asc' } });
}

/** The events of one type. */
export function ofType(events: readonly WebhookEventRow[], type: string): WebhookEventRow[] {
  return events.filter((event) => event.type === type);
}
