import * as z from 'zod';
import { lookUpFacts } from '../../db/queries/condition-facts.ts';
import { findContact } from '../../db/queries/contacts.ts';
import { findSequence } from '../../db/queries/sequences.ts';
import { boundedArray } from '../../domain/bounded-array.ts';
import { CONTACT_STATUSES } from '../../domain/contact.ts';
import { invalidRequest, notFound, Refusal } from '../../domain/errors.ts';
import { conditionsOf } from '../../domain/sequence/conditions-of.ts';
import { WALK_ENDS } from '../../domain/sequence/end-reason.ts';
import type { WalkContact } from '../../domain/sequence/walk-context.ts';
import { defineRoute } from '../route.ts';
import { Attributes, ContactSource, EventData, EventType, eitherOf, Id, jsonObject, MAX_TAGS, Tag, TimeZone } from '../schemas.ts';
import { SequenceKeyParam } from './sequences.ts';

const Assumed = jsonObject(64, 'Branch keys to take, by node id')
  .pipe(z.record(z.string(), z.string()))
  .meta({ additionalProperties: { type: 'string' } });

const SimulateBody = eitherOf(
  z.object({
    contactId: Id.nullish().meta({ description: 'A contact of the project; either this or contact is required' }),
    contact: z
      .object({
        status: z.enum(CONTACT_STATUSES).nullish(),
        source: ContactSource.nullish(),
        timezone: TimeZone.nullish(),
        tags: boundedArray(Tag, MAX_TAGS, { error: `at most ${MAX_TAGS} tags` }).nullish(),
        attributes: Attributes.nullish(),
      })
      .nullish()
      .meta({ description: 'A contact that exists only in this request; it counts as id `simulated`' }),
    event: z.object({ type: EventType, payload: EventData.nullish() }).nullish(),
    assume: Assumed.nullish(),
  }),
  'contactId',
  'contact',
).meta({ id: 'SimulateInput' });

export const run = defineRoute({
  method: 'post',
  path: '/sequences/:key/simulate',
  scope: 'sequences:write',
  summary: 'Dry run of one contact: sends nothing, writes nothing',
  description: 'The same interpreter and conditions as a real run. Waits pass at once.',
  params: SequenceKeyParam,
  body: SimulateBody,
  status: 200,
  reply: z.object({
    path: z.array(z.object({ nodeId: z.string(), kind: z.string(), detail: z.string().optional() })),
    sends: z.array(z.string()).meta({ description: 'Template keys' }),
    endedBy: z
      .enum(WALK_ENDS)
      .meta({ description: '`failed`: by a call that was assumed to fail with onError fail, or beyond the budget of a walk' }),
  }),
  errors: ['not_found'],
  async handle({ em, project, authoring, now }, { params, body }) {
    const { graph, key } = (await findSequence(em, project.id, params.key)) ?? notFound('sequence');
    const at = now();
    const contact = body.contactId
      ? ((await findContact(em, project.id, body.contactId)) ?? notFound('contact'))
      : madeUp(body.contact ?? {}, at);
    const event = body.event?.payload ?? (body.event ? {} : undefined);
    const conditions = conditionsOf(graph);
    const facts = await lookUpFacts(em, { projectId: project.id, contactId: body.contactId ?? undefined, conditions, event, now: at });
    const simulation = await authoring.simulate(
      { graph, sequenceKey: key, contact, event, eventType: body.event?.type, assume: body.assume ?? {}, facts, now: at },
      project.id,
    );
    if (!simulation) throw new Refusal('not_found', 'the graph has no entry node');
    if ('issues' in simulation) throw invalidRequest(simulation.issues);
    return { ...simulation, path: [...simulation.path], sends: [...simulation.sends] };
  },
});

type Given = NonNullable<z.output<typeof SimulateBody>['contact']>;

function madeUp({ status, source, timezone, tags, attributes }: Given, now: Date): WalkContact {
  return {
    id: 'simulated',
    email: '',
    status: status ?? 'subscribed',
    brand_id: '',
    source: source ?? '',
    first_name: null,
    last_name: null,
    display_name: null,
    tags: tags ?? [],
    timezone: timezone ?? null,
    locale: null,
    attributes: attributes ?? {},
    consent_source: null,
    consent_ip: null,
    consent_user_agent: null,
    consent_at: null,
    created_at: now,
  };
}
