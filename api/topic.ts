import type { EntityManager } from '../db/orm.ts';
import { findTopic } from '../db/queries/contacts/topics.ts';
import { invalidRequest, noSuchTopic } from '../domain/errors.ts';
import type { SendType } from '../domain/sends/send.ts';

/** Refuses a topic that a caller names and the project does not have. */
export async function requireTopic(em: EntityManager, projectId: string, key: string | null | undefined): Promise<void> {
  if (key && !(await findTopic(em, projectId, key))) throw invalidRequest([noSuchTopic('topic')]);
}

/** Refuses the topic of a transactional email, which has no link by which the topic could be left. */
export function refuseTopicOf(type: SendType, key: string | null | undefined): void {
  if (key && type !== 'marketing') throw invalidRequest([{ path: 'topic', message: 'only marketing emails are of a topic' }]);
}
