import type { EntityManager } from '../db/orm.ts';
import { findTopic } from '../db/queries/contacts/topics.ts';
import { invalidRequest } from '../domain/errors.ts';

/** What is wrong with the topic of a transactional email: it has no link by which the topic could be left. */
export const NO_TOPIC = 'only marketing emails are of a topic';

/** Refuses a topic that a caller names and the project does not have. */
export async function requireTopic(em: EntityManager, projectId: string, key: string | null | undefined): Promise<void> {
  if (key && !(await findTopic(em, projectId, key))) throw invalidRequest([{ path: 'topic', message: 'no such topic' }]);
}
