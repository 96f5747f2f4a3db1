import { sql } from 'kysely';
import type { Topic } from '../../../domain/contacts/topic.ts';
import type { TopicRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row } from '../../rows.ts';
import { tables } from '../../tables.ts';

/** The project's topics in the order in which they were made, which is that of the page of choices. */
export async function listTopics(em: EntityManager, projectId: string): Promise<Topic[]> {
  const found = await tables(em)
    .selectFrom('topics')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('created_at')
    .orderBy('key')
    .execute();
  return found.map(topicOf);
}

export async function findTopic(em: EntityManager, projectId: string, key: string): Promise<Topic | undefined> {
  const found = tables(em).selectFrom('topics').selectAll().where('project_id', '=', projectId).where('key', '=', key);
  const topic = await found.executeTakeFirst();
  return topic && topicOf(topic);
}

/** `too_many`: it would be one more than `most`. */
export type AddedTopic = 'added' | 'taken' | 'too_many';

export async function addTopic(em: EntityManager, projectId: string, topic: Topic, now: Date, most: number): Promise<AddedTopic> {
  const { key, name, description, defaultOn, public: isPublic } = topic;
  return em.transactional(async (tx) => {
    // Two calls at once must not make one too many.
    await row(tx, sql`select 1 from projects where id = ${projectId} for update`);
    const there = await listTopics(tx, projectId);
    if (there.some((other) => other.key === key)) return 'taken';
    if (there.length >= most) return 'too_many';
    const values = { project_id: projectId, key, name, description, default_on: defaultOn, public: isPublic, created_at: now };
    await tables(tx).insertInto('topics').values(values).execute();
    return 'added';
  });
}

/** Only the given fields change. undefined: there is no such topic. */
export async function changeTopic(
  em: EntityManager,
  projectId: string,
  key: string,
  { name, description, defaultOn, public: isPublic }: Partial<Omit<Topic, 'key'>>,
): Promise<Topic | undefined> {
  const given = {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(defaultOn === undefined ? {} : { default_on: defaultOn }),
    ...(isPublic === undefined ? {} : { public: isPublic }),
  };
  if (Object.keys(given).length === 0) return findTopic(em, projectId, key);
  const stored = tables(em).updateTable('topics').where('project_id', '=', projectId).where('key', '=', key);
  const changed = await stored.set(given).returningAll().executeTakeFirst();
  return changed && topicOf(changed);
}

/** What people chose stays: a topic that is made again under the key finds their choices. */
export async function deleteTopic(em: EntityManager, projectId: string, key: string): Promise<boolean> {
  const stored = tables(em).deleteFrom('topics').where('project_id', '=', projectId).where('key', '=', key);
  return (await stored.executeTakeFirst()).numDeletedRows > 0n;
}

function topicOf({ key, name, description, default_on: defaultOn, public: isPublic }: TopicRow): Topic {
  return { key, name, description, defaultOn, public: isPublic };
}
