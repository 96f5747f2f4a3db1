import * as z from 'zod';
import type { EntityManager } from '../../../db/orm.ts';
import { lookUpFacts } from '../../../db/queries/conditions/condition-facts.ts';
import { findContact } from '../../../db/queries/contacts/contacts.ts';
import { entryHistory } from '../../../db/queries/sequences/entry-history.ts';
import { findSequence } from '../../../db/queries/sequences/sequences.ts';
import { CONTACT_STATUSES } from '../../../domain/contacts/contact.ts';
import { NO_CONTACT_TEXTS, TIME_ZONE } from '../../../domain/contacts/fields.ts';
import { Tags } from '../../../domain/contacts/tags.ts';
import { invalidRequest, notFound, Refusal } from '../../../domain/errors.ts';
import { assumeIssues } from '../../../domain/sequences/assume.ts';
import { conditionsOf } from '../../../domain/sequences/conditions-of.ts';
import { WALK_ENDS } from '../../../domain/sequences/end-reason.ts';
import { entryNode, type SequenceGraph } from '../../../domain/sequences/graph.ts';
import { enrollRefusal } from '../../../domain/sequences/reentry.ts';
import type { MailFacts } from '../../../domain/sequences/simulated-mails.ts';
import type { WalkContact } from '../../../domain/sequences/walk-context.ts';
import { requiredPaths } from '../../../domain/templates/required-data.ts';
import type { TemplateProject, TemplateRegistry } from '../../../sending/compose/template-registry.ts';
import { graphIssues, sequenceWarnings } from '../../../usecases/sequences/sequence-warnings.ts';
import * as examples from '../../examples/sequence-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { Attributes, ContactSource, EventData, EventType, eitherOf, formed, Id, jsonObject, Warnings, warned } from '../../schemas.ts';
import { NodeKindName, SequenceKeyParam } from '../../sequence-schemas.ts';
import { ENROLL_REFUSALS, EnrollRefusalName } from './enrollments.ts';

const Assumed = jsonObject(
  64,
  'Outcomes to take, by node id: a branch key, or sent, skipped, failed of a mail, called, failed of a call. Those that a node does not have are refused',
)
  .pipe(
    // A record of zod would pass over __proto__, which is a node that the graph does not have.
    z.custom<Readonly<Record<string, string>>>().superRefine((given, { addIssue }) => {
      for (const [path, key] of Object.entries(given))
        if (typeof key !== 'string') addIssue({ code: 'custom', path: [path], message: 'not a text' });
    }),
  )
  .meta({ additionalProperties: { type: 'string' } });

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
      })
      .nullish()
      .meta({ description: 'A contact that exists only in this request; it counts as id `simulated`' }),
    event: z
      .object({ type: EventType, payload: EventData.nullish() })
      .nullish()
      .meta({ description: 'The event that enrolls, and comes again at the first wait' }),
    assume: Assumed.nullish(),
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
    '`{ "path": [], "sends": [], "endedBy": "refused", "refusal": { "reason": "already_enrolled", "message": "…" } }`. ' +
    'A mail that would be skipped or fail says so in its `detail`, like `would be skipped: frequency_cap`, and is not in `sends`; what is not ' +
    'set up yet stands in `warnings`: `[{ "path": "nodes[1].config.template", "message": "send_1: the template welcome is not enabled …" }]`.',
  params: SequenceKeyParam,
  body: SimulateBody,
  status: 200,
  reply: z.object({
    path: z
      .array(
        z
          .object({
            nodeId: z.string().meta({ description: 'The node' }),
            kind: NodeKindName,
            detail: z.string().optional().meta({ description: 'What happened there, in words' }),
          })
          .meta({ id: 'SimulatedStep', description: 'One node on the way' }),
      )
      .meta({ description: 'Every node from the trigger to the last' }),
    sends: z.array(z.string()).meta({ description: 'The keys of the templates that would be sent' }),
    endedBy: z.enum([...WALK_ENDS, 'refused']).meta({
      description:
        '`refused`: at the door, see `refusal`; `failed`: by a call that was assumed to fail with onError fail, or beyond the budget of a walk',
    }),
    refusal: z
      .object({ reason: EnrollRefusalName, message: z.string().meta({ description: 'In words; they may change' }) })
      .optional()
      .meta({ description: 'Why the contact could not be enrolled now, as POST enroll would say' }),
    warnings: Warnings,
  }),
  errors: ['not_found'],
  takesTestKeys: true,
  examples: examples.simulate,
  async handle({ em, project, registry, authoring, now }, { params, body }) {
    const { graph, key, id: sequenceId } = (await findSequence(em, project.id, params.key)) ?? notFound('sequence');
    const at = now();
    const contact = body.contactId
      ? ((await findContact(em, project.id, body.contactId)) ?? notFound('contact'))
      : madeUp(body.contact ?? {}, at);
    const assume = body.assume ?? {};
    const wrong = assumeIssues(graph, assume);
    if (wrong.length > 0) throw invalidRequest(wrong);
    if (!entryNode(graph)) throw new Refusal('not_found', 'the graph has no entry node');
    const brand = contact.brand_id || undefined;
    const warnings = graphIssues(await sequenceWarnings(em, { project, registry, authoring, graph, isLive: true, brand }));
    const history = body.contactId
      ? await entryHistory(em, { projectId: project.id, sequenceId, contactId: contact.id, cap: graph.frequencyCap, now: at })
      : NO_HISTORY;
    const candidate = { sequenceStatus: 'active', contactStatus: contact.status, earlier: history.earlier };
    const reason = enrollRefusal(graph, candidate, at);
    if (reason) {
      const refusal = { reason, message: ENROLL_REFUSALS[reason] };
      return { path: [], sends: [], endedBy: 'refused' as const, refusal, ...warned(warnings) };
    }
    const { isSuppressed, marketingAt } = history;
    const mails = { isSuppressed, marketingAt, templates: await templatesOf(em, graph, registry, project) };
    const event = body.event?.payload ?? (body.event ? {} : undefined);
    const conditions = conditionsOf(graph);
    const facts = await lookUpFacts(em, { projectId: project.id, contactId: body.contactId ?? undefined, conditions, event, now: at });
    const simulation = await authoring.simulate(
      { graph, sequenceKey: key, contact, event, eventType: body.event?.type, assume, facts, mails, now: at },
      project.id,
    );
    if (!simulation) throw new Refusal('not_found', 'the graph has no entry node');
    if ('issues' in simulation) throw invalidRequest(simulation.issues);
    return { ...simulation, path: [...simulation.path], sends: [...simulation.sends], ...warned(warnings) };
  },
});

/** Of a contact that exists only in a request. */
const NO_HISTORY = { earlier: { active: 0, ended: 0, lastStartedAt: null }, isSuppressed: false, marketingAt: [] };

async function templatesOf(
  em: EntityManager,
  { nodes }: SequenceGraph,
  registry: TemplateRegistry,
  project: TemplateProject,
): Promise<MailFacts['templates']> {
  const keys = nodes.flatMap((node) => (node.kind === 'send_email' ? [node.config.template] : []));
  const entries = [...(await registry.findAll(em, project, keys)).values()];
  return Object.fromEntries(entries.map(({ key, type, dataSchema }) => [key, { type, required: requiredPaths(dataSchema) }]));
}

type Given = NonNullable<z.output<typeof SimulateBody>['contact']>;

function madeUp({ status, source, timezone, tags, attributes }: Given, now: Date): WalkContact {
  return {
    id: 'simulated',
    email: '',
    status: status ?? 'subscribed',
    brand_id: '',
    source: source ?? '',
    ...NO_CONTACT_TEXTS,
    tags: tags ?? [],
    timezone: timezone ?? null,
    attributes: attributes ?? {},
    consent_source: null,
    consent_ip: null,
    consent_user_agent: null,
    consent_at: null,
    created_at: now,
  };
}

export const routes: readonly Route[] = [run];
