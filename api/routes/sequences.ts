import * as z from 'zod';
import { brandExists } from '../../db/queries/projects.ts';
import { createSequence, findSequence, listSequences, type SequenceWithGraph } from '../../db/queries/sequences.ts';
import { type Issue, invalidRequest, notFound, Refusal } from '../../domain/errors.ts';
import { MAX_WAIT_MINUTES, REENTRY_POLICIES, SEQUENCE_STATUSES, triggerTypes } from '../../domain/sequence/graph.ts';
import { linearGraph } from '../../domain/sequence/linear.ts';
import { defineRoute } from '../route.ts';
import { BrandSlug, EventType, SendTypeName, Subject, Timestamp } from '../schemas.ts';

/** A slug in a path; whether it exists is the use case's question. */
export const SequenceKeyParam = z.object({ key: z.string() });

const SequenceStatus = z.enum(SEQUENCE_STATUSES).meta({ id: 'SequenceStatus' });
const SequenceKey = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, { error: '1 to 64 characters a-z, 0-9, _ and -, the first a letter or a digit' })
  .meta({ id: 'SequenceKey' });
const Name = z.string().min(1, { error: '1 to 200 characters' }).max(200, { error: '1 to 200 characters' });

export const FrequencyCap = z
  .strictObject({
    count: z.int({ error: 'a whole number of at least 1' }).min(1, { error: 'a whole number of at least 1' }),
    windowHours: z.number().gt(0, { error: 'more than 0' }),
  })
  .meta({ id: 'FrequencyCap', description: 'Ceiling on marketing mails of the project to one contact in a sliding window' });

const Step = z
  .strictObject({
    template: z.string(),
    subject: Subject.nullish(),
    type: SendTypeName.nullish(),
    delayMinutes: z
      .number()
      .min(0, { error: 'at least 0' })
      .max(MAX_WAIT_MINUTES, { error: `at most ${MAX_WAIT_MINUTES}` })
      .nullish()
      .meta({ description: 'How long to wait before this mail; fractions are allowed' }),
  })
  .meta({ id: 'SequenceStep' });

const CreateBody = z
  .object({
    key: SequenceKey,
    name: Name,
    steps: z.array(Step).min(1, { error: 'at least one step' }).max(149, { error: 'at most 149 steps' }),
    status: SequenceStatus.nullish().meta({ description: 'draft when omitted' }),
    trigger: EventType.nullish().meta({ description: 'The event type that enrolls' }),
    brand: BrandSlug.nullish(),
    frequencyCap: FrequencyCap.nullish(),
  })
  .meta({ id: 'SequenceInput' });

const SequenceSummary = z
  .object({
    id: z.uuid(),
    key: z.string(),
    name: z.string(),
    status: SequenceStatus,
    trigger: z.string().nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'SequenceSummary' });

const FlowGraph = z
  .object({
    key: z.string(),
    name: z.string(),
    status: SequenceStatus,
    reentry: z.enum(REENTRY_POLICIES),
    cooldownHours: z.number().nullable(),
    goal: z.record(z.string(), z.unknown()).nullable(),
    frequencyCap: FrequencyCap.nullable(),
    triggers: z.array(z.object({ kind: z.literal('event'), config: z.object({ type: z.string() }), enabled: z.boolean() })),
    nodes: z.array(z.object({ id: z.string(), kind: z.string(), config: z.record(z.string(), z.unknown()).optional() })),
    edges: z.array(z.object({ from: z.string(), to: z.string(), branchKey: z.string().optional() })),
  })
  .meta({ id: 'FlowGraph' });

export const create = defineRoute({
  method: 'post',
  path: '/sequences',
  scope: 'sequences:write',
  summary: 'Create a linear sequence from steps',
  body: CreateBody,
  status: 201,
  reply: z.object({ id: z.uuid(), key: z.string(), steps: z.int() }),
  errors: ['unknown_template', 'duplicate_key', 'no_brand'],
  async handle({ em, project, registry, now, newId }, { body }) {
    const { key, name, brand, trigger, frequencyCap } = body;
    if (!project.default_brand) throw new Refusal('no_brand', 'this project has no brand yet');
    if (brand && !(await brandExists(em, project.id, brand))) throw invalidRequest([{ path: 'brand', message: 'no such brand' }]);
    const unknown = body.steps.flatMap<Issue>(({ template }, index) => {
      const entry = registry.get(template);
      return entry && registry.isFor(entry, project.slug)
        ? []
        : [{ path: `steps[${index}].template`, message: `no template has the key ${template}` }];
    });
    const [first] = unknown;
    if (first) throw new Refusal('unknown_template', `${first.path}: ${first.message}`, { body: { issues: unknown } });
    const steps = body.steps.map(({ template, subject, type, delayMinutes }) => ({
      template,
      subject: subject ?? undefined,
      type: type ?? undefined,
      delayMinutes: delayMinutes ?? undefined,
    }));
    const graph = linearGraph({ steps, trigger: trigger ?? undefined, brand: brand ?? undefined, frequencyCap: frequencyCap ?? undefined });
    const id = newId();
    await createSequence(em, { id, projectId: project.id, key, name, status: body.status ?? 'draft', graph, now: now() });
    return { id, key, steps: steps.length };
  },
});

export const list = defineRoute({
  method: 'get',
  path: '/sequences',
  scope: 'sequences:write',
  summary: 'List the sequences, newest first',
  status: 200,
  reply: z.object({ sequences: z.array(SequenceSummary) }),
  async handle({ em, project }) {
    const sequences = await listSequences(em, project.id);
    return { sequences: sequences.map((sequence) => ({ ...sequence, trigger: triggerTypes(sequence.graph)[0] ?? null })) };
  },
});

export const read = defineRoute({
  method: 'get',
  path: '/sequences/:key',
  scope: 'sequences:write',
  summary: "Read a sequence's flow graph",
  params: SequenceKeyParam,
  status: 200,
  reply: FlowGraph,
  errors: ['not_found'],
  async handle({ em, project }, { params }) {
    return flowGraph((await findSequence(em, project.id, params.key)) ?? notFound('sequence'));
  },
});

function flowGraph({ key, name, status, graph }: SequenceWithGraph): z.input<typeof FlowGraph> {
  return { key, name, status, goal: null, ...graph } as z.input<typeof FlowGraph>;
}
