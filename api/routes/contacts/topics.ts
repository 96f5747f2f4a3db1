import * as z from 'zod';
import { addTopic, changeTopic, deleteTopic, findTopic, listTopics } from '../../../db/queries/contacts/topics.ts';
import { MAX_TOPIC_DESCRIPTION, MOST_TOPICS } from '../../../domain/contacts/topic.ts';
import { notFound, Refusal } from '../../../domain/errors.ts';
import * as examples from '../../examples/topic-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { ShownName, Slug } from '../../schemas.ts';

const Key = Slug.meta({ description: 'Names it in calls, conditions and links; it cannot be changed' });

const Name = ShownName.meta({ description: 'As people read it, like "Monthly newsletter"' });

const Description = z
  .string()
  .trim()
  .max(MAX_TOPIC_DESCRIPTION, { error: `at most ${MAX_TOPIC_DESCRIPTION} characters` })
  .meta({ description: 'What it is and how often it comes, for the page on which people choose' });

const DefaultOn = z.boolean().meta({ description: 'Whether those get it who have not chosen; `true` when omitted' });
const Public = z.boolean().meta({
  description:
    'Whether the page on which people choose offers it to everybody; `true` when omitted. Any other is shown to those who get it',
});

const TopicRecord = z
  .object({
    key: z.string().meta({ description: 'Unique in the project' }),
    name: z.string().meta({ description: 'As people read it' }),
    description: z.string().meta({ description: 'What it is; "" where nothing is said' }),
    defaultOn: z.boolean().meta({ description: 'Whether those get it who have not chosen' }),
    public: z.boolean().meta({ description: 'Whether the page on which people choose offers it to everybody' }),
  })
  .meta({ id: 'Topic', description: 'Something that people choose to get or not' });

const TopicPath = z.object({ key: z.string().meta({ description: "The topic's key" }) });

const list = defineRoute({
  method: 'get',
  path: '/topics',
  scope: 'any key',
  summary: 'List the topics that people choose from',
  status: 200,
  reply: z.object({ topics: z.array(TopicRecord).meta({ description: 'All of them, in the order of the page on which people choose' }) }),
  examples: examples.list,
  async handle({ em, project }) {
    return { topics: await listTopics(em, project.id) };
  },
});

const create = defineRoute({
  method: 'post',
  path: '/topics',
  scope: 'topics:write',
  summary: 'Make a topic',
  description:
    'A marketing email may name one topic, and then goes to those alone who have it on. The link at the end of a marketing email leads to a page with ' +
    `a switch for each topic. A project has at most ${MOST_TOPICS} (\`too_many_topics\`).`,
  body: z
    .object({
      key: Key,
      name: Name,
      description: Description.nullish(),
      defaultOn: DefaultOn.nullish(),
      public: Public.nullish(),
    })
    .meta({ id: 'TopicInput', description: 'Something that people choose to get or not' }),
  status: 201,
  reply: z.object({ topic: TopicRecord }),
  errors: ['duplicate_key', 'too_many_topics'],
  examples: examples.create,
  async handle({ em, project, now }, { body }) {
    const { key, name, description, defaultOn, public: isPublic } = body;
    const topic = { key, name, description: description ?? '', defaultOn: defaultOn ?? true, public: isPublic ?? true };
    const added = await addTopic(em, project.id, topic, now(), MOST_TOPICS);
    if (added === 'taken') throw new Refusal('duplicate_key', `the project has a topic ${key}; PATCH /topics/${key} changes it`);
    if (added === 'too_many') throw new Refusal('too_many_topics', `a project has at most ${MOST_TOPICS} topics`);
    return { topic };
  },
});

const read = defineRoute({
  method: 'get',
  path: '/topics/:key',
  scope: 'any key',
  summary: 'Read one topic',
  params: TopicPath,
  status: 200,
  reply: z.object({ topic: TopicRecord }),
  errors: ['not_found'],
  examples: examples.read,
  async handle({ em, project }, { params }) {
    return { topic: (await findTopic(em, project.id, params.key)) ?? notFound('topic') };
  },
});

const change = defineRoute({
  method: 'patch',
  path: '/topics/:key',
  scope: 'topics:write',
  summary: 'Change a topic',
  description: 'What people chose stays. Another `defaultOn` counts for those who have not chosen, from the next email on.',
  params: TopicPath,
  body: z
    .object({
      name: Name.nullish(),
      description: Description.nullish(),
      defaultOn: DefaultOn.nullish(),
      public: Public.nullish(),
    })
    .meta({ id: 'TopicChange', description: 'What is omitted stays as it is' }),
  status: 200,
  reply: z.object({ topic: TopicRecord }),
  errors: ['not_found'],
  examples: examples.change,
  async handle({ em, project }, { params, body }) {
    const { name, description, defaultOn, public: isPublic } = body;
    const change = {
      name: name ?? undefined,
      description: description ?? undefined,
      defaultOn: defaultOn ?? undefined,
      public: isPublic ?? undefined,
    };
    return { topic: (await changeTopic(em, project.id, params.key, change)) ?? notFound('topic') };
  },
});

const remove = defineRoute({
  method: 'delete',
  path: '/topics/:key',
  scope: 'topics:write',
  summary: 'Delete a topic',
  description:
    'Emails that name it go to nobody from then on. What people chose stays with them: a topic that is made again under the key finds it.',
  params: TopicPath,
  status: 200,
  reply: z.object({ key: z.string().meta({ description: 'What it was' }), deleted: z.literal(true).meta({ description: 'It is gone' }) }),
  errors: ['not_found'],
  examples: examples.remove,
  async handle({ em, project }, { params }) {
    if (!(await deleteTopic(em, project.id, params.key))) notFound('topic');
    return { key: params.key, deleted: true as const };
  },
});

export const routes: readonly Route[] = [list, create, read, change, remove];
