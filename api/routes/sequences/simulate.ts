import * as z from 'zod';
import { findContact } from '../../../db/queries/contacts/contacts.ts';
import { entryHistory } from '../../../db/queries/sequences/entry-history.ts';
import { findSequence } from '../../../db/queries/sequences/sequences.ts';
import { boundedArray } from '../../../domain/bounded-array.ts';
import { CONTACT_STATUSES } from '../../../domain/contacts/contact.ts';
import { TIME_ZONE } from '../../../domain/contacts/fields.ts';
import { Tags } from '../../../domain/contacts/tags.ts';
import { invalidRequest, notFound, Refusal } from '../../../domain/errors.ts';
import { assumeIssues } from '../../../domain/sequences/assume.ts';
import { WALK_ENDS } from '../../../domain/sequences/end-reason.ts';
import { entryNode } from '../../../domain/sequences/graph.ts';
import { madeUpContact } from '../../../domain/sequences/made-up-contact.ts';
import { enrollRefusal } from '../../../domain/sequences/reentry.ts';
import { MAX_WAIT_MINUTES } from '../../../domain/sequences/schema-parts.ts';
import { MAX_SIMULATED_RUNS } from '../../../domain/sequences/walk.ts';
import { graphIssues, sequenceWarnings } from '../../../usecases/sequences/sequence-warnings.ts';
import { simulateGraph } from '../../../usecases/sequences/simulate-graph.ts';
import * as examples from '../../examples/sequence-examples.ts';
import { judgedGraph } from '../../judged-graph.ts';
import { defineRoute, type Route } from '../../route.ts';
import {
  Attributes,
  ContactSource,
  EventData,
  EventType,
  eitherOf,
  formed,
  Id,
  jsonObject,
  Timestamp,
  TopicChoicesInput,
  Warnings,
  warned,
} from '../../schemas.ts';
import { SequenceKeyParam, SimulationReply, shownSimulation } from '../../sequence-schemas.ts';
import { ENROLL_REFUSALS, EnrollRefusalName } from './enrollments.ts';

const Assumed = jsonObject(
  64,
  'Outcomes to take, by node id: a branch key, or sent, skipped, failed of an email, called, failed of a call. Those that a node does not have are refused',
)
  .pipe(
    // A record of zod would pass over __proto__, which is a node that the graph does not have.
    z.custom<Readonly<Record<string, string>>>().superRefine((given, { addIssue }) => {
      for (const [path, key] of Object.entries(given))
        if (typeof key !== 'string') addIssue({ code: 'custom', path: [path], message: 'not a text' });
    }),
  )
  .meta({ additionalProperties: { type: 'string' } });

const WalkEndName = z.enum(WALK_ENDS).meta({ description: 'How it ends' });

const MAX_EVENTS = 1000;

const ComingEvent = z
  .object({
    type: EventType,
    data: EventData.nullish(),
    afterMinutes: z
      .number()
      .min(0)
      .max(MAX_WAIT_MINUTES)
      .nullish()
      .meta({ description: 'So long after the simulation begins; at once when neither this nor at is given' }),
    at: Timestamp.nullish().meta({ description: 'In place of afterMinutes, not beside it; what is over comes at once' }),
  })
  .refine(({ afterMinutes, at }) => afterMinutes == null || at == null, {
    path: ['at'],
    error: 'give afterMinutes or at, not both',
    when: ({ value }) => value !== null && typeof value === 'object',
  })
  .meta({
    id: 'SimulatedEvent',
    description: 'An event that comes in the time of the simulation',
    anyOf: [{ properties: { afterMinutes: { type: 'null' } } }, { properties: { at: { type: 'null' } } }],
  });

const SimulateBody = eitherOf(
  z.object({
    contactId: Id.nullish().meta({ description: 'A contact of the project; either this or contact is required' }),
    contact: z
      .object({
        status: z.enum(CONTACT_STATUSES).nullish().meta({ description: 'subscribed when omitted' }),
        source: ContactSource.nullish(),
        timezone: formed(TIME_ZONE).nullish(),
        tags: Tags.nullish().meta({ description: 'What it carries' }),
        attributes: Attributes.nullish(),
        topics: TopicChoicesInput.nullish(),
      })
      .nullish()
      .meta({ description: 'A contact that exists only in this request; it counts as id `simulated`' }),
    event: z
      .object({ type: EventType, payload: EventData.nullish() })
      .nullish()
      .meta({ description: 'The event that enrolls, and comes again at the first wait; with `events` it comes once' }),
    events: boundedArray(ComingEvent, MAX_EVENTS, { error: `at most ${MAX_EVENTS} events` })
      .nullish()
      .meta({
        description:
          'What comes while the run is under way, each at its instant: a digest gathers it, a wait or the goal may end by it, or it begins a run of its own. ' +
          'Without `event` the first that triggers the sequence enrolls',
      }),
    assume: Assumed.nullish(),
    graph: jsonObject(256, 'A graph to go through instead of the saved one, as PUT /sequences/:key takes it').nullish(),
    asIfNotEnrolled: z.boolean().nullish().meta({
      description: 'true: as if the contact had never entered the sequence; who unsubscribed is refused all the same. false when omitted',
    }),
  }),
  'contactId',
  'contact',
).meta({ id: 'SimulateInput', description: 'Who goes through, and what is assumed' });

const run = defineRoute({
  method: 'post',
  path: '/sequences/:key/simulate',
  scope: 'sequences:write',
  summary: 'Dry run of one contact: sends nothing, writes nothing',
  description:
    'The same interpreter and conditions as a real run, whatever the status of the sequence. Waits pass at once, and the event comes at the ' +
    'first of them: it may meet the goal or end the wait. Who could not be enrolled has no path: ' +
    '`{ "path": [], "sends": [], "endedBy": "refused", "refusal": { "reason": "already_enrolled", "message": "…" } }`; ' +
    '`asIfNotEnrolled` passes over earlier runs, and `graph` tries changes before they are saved, also of a sequence that is not there yet. An email that would be skipped or fail says so in its `detail`, like `would be skipped: frequency_cap`, and is not in `sends`; what is not ' +
    'set up yet stands in `warnings`: `[{ "path": "nodes[1].config.template", "message": "send_1: the template welcome is not enabled …" }]`.',
  params: SequenceKeyParam,
  body: SimulateBody,
  status: 200,
  reply: z.object({
    ...SimulationReply,
    endedBy: z.enum([...WALK_ENDS, 'refused']).meta({
      description:
        '`refused`: at the door, see `refusal`; `failed`: by a call that was assumed to fail with onError fail, or beyond the budget of a walk',
    }),
    runs: z
      .array(
        z
          .object({
            at: z.string().meta({ description: 'When it begins' }),
            ...SimulationReply,
            endedBy: WalkEndName,
          })
          .meta({ id: 'SimulatedRun', description: 'A run that one of several events begins' }),
      )
      .optional()
      .meta({ description: `The runs that further events begin, each gone through after the one before; at most ${MAX_SIMULATED_RUNS}` }),
    refusal: z
      .object({ reason: EnrollRefusalName, message: z.string().meta({ description: 'In words; they may change' }) })
      .optional()
      .meta({ description: 'Why the contact could not be enrolled now, as POST enroll would say' }),
    warnings: Warnings,
  }),
  errors: ['not_found', 'invalid_graph'],
  takesTestKeys: true,
  examples: examples.simulate,
  async handle(context, { params, body }) {
    const { em, project, registry, authoring, now, newId } = context;
    const sequence = await findSequence(em, project.id, params.key);
    const { key } = params;
    // A graph that is brought along may be of no sequence yet: docs/contract/sequences.md 75.
    const { graph } = body.graph ? await judgedGraph(context, body.graph, sequence?.status ?? 'draft') : (sequence ?? notFound('sequence'));
    const sequenceId = sequence?.id;
    const at = now();
    const contact = body.contactId
      ? ((await findContact(em, project.id, body.contactId)) ?? notFound('contact'))
      : madeUpContact(body.contact ?? {}, at);
    const assume = body.assume ?? {};
    const wrong = assumeIssues(graph, assume);
    if (wrong.length > 0) throw invalidRequest(wrong);
    if (!entryNode(graph)) throw new Refusal('not_found', 'the graph has no entry node');
    const brand = contact.brand_id || undefined;
    const warnings = graphIssues(await sequenceWarnings(em, { project, registry, authoring, graph, isLive: true, brand }));
    const history = body.contactId
      ? await entryHistory(em, {
          projectId: project.id,
          sequenceId: sequenceId ?? newId(),
          contactId: contact.id,
          cap: graph.frequencyCap,
          now: at,
        })
      : NO_HISTORY;
    const earlier = body.asIfNotEnrolled ? NO_HISTORY.earlier : history.earlier;
    const candidate = { sequenceStatus: 'active', contactStatus: contact.status, earlier };
    const reason = enrollRefusal(graph, candidate, at);
    if (reason) {
      const refusal = { reason, message: ENROLL_REFUSALS[reason] };
      return { path: [], sends: [], endedBy: 'refused' as const, refusal, ...warned(warnings) };
    }
    const simulation = await simulateGraph(em, {
      ...{ project, registry, authoring, graph, sequenceKey: key, contact, assume, history, sendWindow: project.send_window, now: at },
      contactId: body.contactId ?? undefined,
      sequenceId,
      event: body.event ? { type: body.event.type, payload: body.event.payload ?? {} } : undefined,
      events: body.events?.map(({ type, data, afterMinutes, at: instant }) => ({
        ...{ type, data: data ?? {} },
        at: Math.max(at.getTime(), instant?.getTime() ?? at.getTime() + (afterMinutes ?? 0) * 60_000),
      })),
    });
    const runs = simulation.runs?.map(({ at, ...later }) => ({ at, ...shownSimulation(later) }));
    return { ...shownSimulation(simulation), ...(runs ? { runs } : {}), ...warned(warnings) };
  },
});

/** Of a contact that exists only in a request. */
const NO_HISTORY = { earlier: { active: 0, ended: 0, lastStartedAt: null }, isSuppressed: false, isUnconfirmed: false, marketingAt: [] };

export const routes: readonly Route[] = [run];
