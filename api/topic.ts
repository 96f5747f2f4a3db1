import type { EntityManager } from '../db/orm.ts';
import { findTopic, topicKeys } from '../db/queries/contacts/topics.ts';
import { topicAt } from '../domain/conditions/condition.ts';
import { invalidRequest, noSuchTopic } from '../domain/errors.ts';
import { pathText } from '../domain/issues.ts';
import { visitTexts } from '../domain/json-texts.ts';
import type { SegmentFilter } from '../domain/segments/segment.ts';
import type { SendType } from '../domain/sends/send.ts';

/** Refuses a topic that a caller names and the project does not have. */
export async function requireTopic(em: EntityManager, projectId: string, key: string | null | undefined): Promise<void> {
  if (key && !(await findTopic(em, projectId, key))) throw invalidRequest([noSuchTopic('topic')]);
}

/** Refuses a filter that asks for a topic which the project does not have: by a typo it would be about nobody, or about everybody. */
export async function requireTopicsOf(em: EntityManager, projectId: string, { where }: SegmentFilter): Promise<void> {
  const asked: { readonly path: string; readonly topic: string }[] = [];
  visitTexts(where, (text, path) => {
    const topic = topicAt(text, path);
    if (topic !== undefined) asked.push({ path: pathText(['filter', 'where', ...path]), topic });
  });
  if (asked.length === 0) return;
  const known = await topicKeys(em, projectId);
  const unknown = asked.filter(({ topic }) => !known.has(topic));
  if (unknown.length > 0) throw invalidRequest(unknown.map(({ path }) => noSuchTopic(path)));
}

/** Refuses the topic of a transactional email, which has no link by which the topic could be left. */
export function refuseTopicOf(type: SendType, key: string | null | undefined): void {
  if (key && type !== 'marketing') throw invalidRequest([{ path: 'topic', message: 'only marketing emails are of a topic' }]);
}
