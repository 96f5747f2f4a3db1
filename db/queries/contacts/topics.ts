import { type RawBuilder, sql } from 'kysely';
import type { Topic } from '../../../domain/contacts/topic.ts';
import { withoutUndefined } from '../../../domain/without-undefined.ts';
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

export async function topicKeys(em: EntityManager, projectId: string): Promise<Set<string>> {
  const found = await tables(em).selectFrom('topics').select('key').where('project_id', '=', projectId).execute();
  return new Set(found.map(({ key }) => key));
}

type Operand = RawBuilder<unknown> | string | null;

/**
 * Whether mails of a topic go to somebody who made these choices, which are null of nobody known: the domain's isTopicOn(). null where the project has no
 * such topic.
 */
export function topicStateSql(of: {
  readonly projectId: Operand;
  readonly topic: Operand;
  readonly choices: RawBuilder<unknown>;
}): RawBuilder<boolean | null> {
  return sql`(select coalesce((${of.choices} ->> t.key)::boolean, t.default_on) from topics t
    where t.project_id = ${of.projectId} and t.key = ${of.topic})`;
}

/** The topic of a mail as it stands for its contact. */
export interface SendTopic {
  /** Whether the project has it still. */
  readonly isThere: boolean;
  /** Whether the contact has chosen; else the default counts. */
  readonly isChosen: boolean;
}

/** undefined: there is no such mail. */
export async function topicOfSend(em: EntityManager, sendId: string): Promise<SendTopic | undefined> {
  return row(
    em,
    sql<SendTopic>`
      select t.key is not null as "isThere", coalesce(c.topics ? t.key, false) as "isChosen" from sends s
      left join topics t on t.project_id = s.project_id and t.key = s.details ->> 'topic'
      left join contacts c on c.project_id = s.project_id and c.id = s.contact_id
      where s.id = ${sendId}`,
  );
}

/** `too_many`: it would be one more than `most`. */
export type AddedTopic = 'added' | 'taken' | 'too_many';

export async function addTopic(em: EntityManager, projectId: string, topic: Topic, now: Date, most: number): Promise<AddedTopic> {
  const { key, name, description, defaultOn, public: isPublic } = topic;
  return em.transactional(async (tx) => {
    // Two calls at once must not make one too many.
    await row(tx, sql`select 1 from projects where id = ${projectId} for update`);
    const there = await topicKeys(tx, projectId);
    if (there.has(key)) return 'taken';
    if (there.size >= most) return 'too_many';
    const values = { project_id: projectId, key, name, description, default_on: defaultOn, public: isPublic, created_at: now };
    await tables(tx).insertInto('topics').values(values).execute();
    return 'added';
  });
}

/** What is undefined stays. */
export type TopicChange = { readonly [name in Exclude<keyof Topic, 'key'>]?: Topic[name] | undefined };

/** Only the given fields change. undefined: there is no such topic. */
export async function changeTopic(
  em: EntityManager,
  projectId: string,
  key: string,
  { name, description, defaultOn, public: isPublic }: TopicChange,
): Promise<Topic | undefined> {
  const given = withoutUndefined({ name, description, default_on: defaultOn, public: isPublic });
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
