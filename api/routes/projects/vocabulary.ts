import * as z from 'zod';
import {
  MOST_NAMES,
  SAMPLED_EACH_WAY,
  seenEventTypes,
  usedAttributes,
  usedSources,
  usedTags,
} from '../../../db/queries/projects/vocabulary.ts';
import { EVENTS_KEPT_MS } from '../../../domain/operations/retention.ts';
import { shownPeriod } from '../../../domain/shown-text.ts';
import * as examples from '../../examples/project-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { Timestamp } from '../../schemas.ts';

const UsedTag = z
  .object({
    tag: z.string().meta({ description: 'As contacts have it' }),
    contacts: z.int().meta({ description: 'How many have it now' }),
  })
  .meta({ id: 'UsedTag', description: 'A tag that contacts have' });

const UsedAttribute = z
  .object({
    name: z.string().meta({ description: '`attributes.<name>` in conditions' }),
    types: z
      .array(z.enum(['array', 'boolean', 'null', 'number', 'object', 'string']))
      .meta({ description: 'Of the values that were seen' }),
    contacts: z.int().meta({ description: 'How many of the sample have it' }),
  })
  .meta({ id: 'UsedAttribute', description: 'An attribute that contacts have' });

const SeenEventType = z
  .object({
    type: z.string().meta({ description: 'As POST /events had it' }),
    last_seen_at: Timestamp.meta({ description: 'When one came: the latest may be up to an hour later' }),
  })
  .meta({ id: 'SeenEventType', description: 'A type of product events that came' });

const most = MOST_NAMES.toLocaleString('en');

const read = defineRoute({
  method: 'get',
  path: '/vocabulary',
  scope: 'contacts:read',
  summary: 'List the tags, sources, attributes and event types that a project uses',
  description:
    `For choosing in forms, at most ${most} of each. Tags and sources are complete up to that number, by name. Attributes are those of a sample, the ` +
    `${SAMPLED_EACH_WAY} newest and the ${SAMPLED_EACH_WAY} oldest contacts, on the first level: one that only others have is not told. Event ` +
    `types are those of the last ${shownPeriod(EVENTS_KEPT_MS)}, the latest first; once there are ${most} a further one is not told until another is that old.`,
  status: 200,
  reply: z.object({
    tags: z.array(UsedTag).meta({ description: 'By name' }),
    sources: z.array(z.string()).meta({ description: 'Where contacts come from, by name' }),
    attributes: z.array(UsedAttribute).meta({ description: 'Those that most of the sample have first' }),
    sampledContacts: z.int().meta({ description: 'How large the sample was' }),
    eventTypes: z.array(SeenEventType).meta({ description: 'The latest first' }),
  }),
  examples: examples.vocabulary,
  async handle({ em, project, now }) {
    const [tags, sources, { sampled, attributes }, eventTypes] = await Promise.all([
      usedTags(em, project.id),
      usedSources(em, project.id),
      usedAttributes(em, project.id),
      seenEventTypes(em, project.id, now()),
    ]);
    return { tags, sources, attributes: attributes as z.output<typeof UsedAttribute>[], sampledContacts: sampled, eventTypes };
  },
});

export const routes: readonly Route[] = [read];
