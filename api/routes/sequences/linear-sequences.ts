import * as z from 'zod';
import type { EntityManager } from '../../../db/orm.ts';
import { topicKeys } from '../../../db/queries/contacts/topics.ts';
import { FIRST_VERSION } from '../../../db/queries/sequences/sequences.ts';
import { boundedArray } from '../../../domain/bounded-array.ts';
import { type Issue, invalidRequest, MAX_ISSUES, noBrand, noSuchTopic, Refusal } from '../../../domain/errors.ts';
import { keptChoice } from '../../../domain/send-window-schema.ts';
import { FrequencyCap } from '../../../domain/sequences/frequency-cap.ts';
import { linearGraph } from '../../../domain/sequences/linear.ts';
import { EnteredDate, EnteredSegment, GraphSettings, SequenceName, SequenceStatusName } from '../../../domain/sequences/schema.ts';
import { MAX_WAIT_MINUTES } from '../../../domain/sequences/schema-parts.ts';
import { noSuchTemplate } from '../../../sending/compose/template-registry.ts';
import { createSequence } from '../../../usecases/sequences/create-sequence.ts';
import { type SequenceWarning, sequenceWarnings } from '../../../usecases/sequences/sequence-warnings.ts';
import { requireBrand } from '../../brand.ts';
import * as examples from '../../examples/sequence-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { BrandSlug, EventType, SendTypeName, Subject, TemplateKey, TopicKey, Warnings, warned } from '../../schemas.ts';
import { GraphVersion, ReplyKey, SequenceKey } from '../../sequence-schemas.ts';
import { liquidIssues } from '../../template-of-brand.ts';

const Step = z
  .strictObject({
    template: TemplateKey,
    subject: Subject.nullish(),
    type: SendTypeName.nullish().meta({ description: "The template's own when omitted" }),
    topic: TopicKey.nullish(),
    delayMinutes: z
      .number()
      .min(0, { error: 'at least 0' })
      .max(MAX_WAIT_MINUTES, { error: `at most ${MAX_WAIT_MINUTES}` })
      .nullish()
      .meta({ description: 'How long to wait before this email; fractions are allowed' }),
  })
  .meta({ id: 'SequenceStep', description: 'One email, and how long to wait before it' });

const CreateBody = z
  .object({
    key: SequenceKey,
    name: SequenceName,
    steps: boundedArray(Step, 149, { error: 'at most 149 steps' })
      .min(1, { error: 'at least one step' })
      .meta({ description: 'In their order' }),
    status: SequenceStatusName.nullish().meta({ description: 'draft when omitted' }),
    trigger: z
      .union([EventType, EnteredSegment, EnteredDate], { error: 'an event type, { segment } or { attribute, at, … }' })
      .nullish()
      .meta({
        description:
          'The event type that enrolls, the segment of which becoming a member does, or the date of each contact on which it enters',
      }),
    brand: BrandSlug.nullish().meta({ description: "Of all its emails: a brand's slug, each contact's when omitted" }),
    frequencyCap: FrequencyCap.nullish().meta({ description: 'None when omitted' }),
    sendWindow: GraphSettings.shape.sendWindow,
  })
  .meta({ id: 'SequenceInput', description: 'A sequence of emails, one after the other' });

const create = defineRoute({
  method: 'post',
  path: '/sequences',
  scope: 'sequences:write',
  summary: 'Create a linear sequence from steps',
  description:
    'A sequence that is active from the start answers with `warnings` for emails that would fail as things stand: ' +
    '`[{ "path": "steps[0].template", "message": "the template welcome is not enabled …" }]`.',
  body: CreateBody,
  status: 201,
  reply: z.object({
    id: z.uuid().meta({ description: 'Its id from now on' }),
    key: ReplyKey,
    steps: z.int().meta({ description: 'How many emails' }),
    version: GraphVersion,
    warnings: Warnings,
  }),
  errors: [{ code: 'unknown_template', schema: 'UnknownTemplates' }, 'duplicate_key', 'no_brand'],
  examples: examples.create,
  async handle(context, { body }) {
    const { em, project, registry, authoring, now, newId } = context;
    const { key, name, brand, trigger, frequencyCap, sendWindow } = body;
    if (!project.default_brand) throw noBrand();
    await requireBrand(em, project.id, brand);
    const templates = new Set((await registry.listAll(em, project)).map((template) => template.key));
    const unknown = body.steps.flatMap<Issue>(({ template }, index) => {
      return templates.has(template) ? [] : [{ path: `steps[${index}].template`, message: noSuchTemplate(template, [...templates]) }];
    });
    const [first] = unknown;
    if (first) {
      const issues = unknown.slice(0, MAX_ISSUES);
      throw new Refusal('unknown_template', `${first.path}: ${first.message}`, { body: { issues } });
    }
    const subjects = body.steps.map(({ subject }, index) => ({ path: `steps[${index}].subject`, text: subject }));
    const faults = await liquidIssues(authoring, project.id, subjects);
    if (faults.length > 0) throw invalidRequest(faults);
    await refuseUnknownTopics(em, project.id, body.steps);
    const steps = body.steps.map(({ template, subject, type, topic, delayMinutes }) => ({
      template,
      subject: subject ?? undefined,
      type: type ?? undefined,
      topic: topic ?? undefined,
      delayMinutes: delayMinutes ?? undefined,
    }));
    const graph = linearGraph({
      ...{ steps, trigger: trigger ?? undefined, brand: brand ?? undefined, frequencyCap: frequencyCap ?? undefined },
      ...(sendWindow ? { sendWindow: keptChoice(sendWindow) } : {}),
    });
    const id = newId();
    const status = body.status ?? 'draft';
    if (!(await createSequence(em, { id, projectId: project.id, key, name, status, graph, now: now() })))
      throw new Refusal('duplicate_key', `a sequence with the key ${key} exists already; PUT /sequences/${key} replaces it`);
    const warnings = await sequenceWarnings(em, { project, registry, authoring, graph, isLive: status === 'active' });
    return { id, key, steps: steps.length, version: FIRST_VERSION, ...warned(warnings.map(ofStep)) };
  },
});

async function refuseUnknownTopics(
  em: EntityManager,
  projectId: string,
  steps: readonly { readonly topic?: string | null | undefined }[],
): Promise<void> {
  if (!steps.some(({ topic }) => topic)) return;
  const known = await topicKeys(em, projectId);
  const unknown = steps.flatMap<Issue>(({ topic }, index) => (topic && !known.has(topic) ? [noSuchTopic(`steps[${index}].topic`)] : []));
  if (unknown.length > 0) throw invalidRequest(unknown);
}

/** A warning about the node of a step, as one about the step: docs/contract/sequences.md 2. */
function ofStep({ nodeId, field, message }: SequenceWarning): Issue {
  if (nodeId === 'trigger') return { path: 'trigger.segment', message };
  return { path: `steps[${Number(nodeId.slice('send_'.length)) - 1}].${field}`, message };
}

export const routes: readonly Route[] = [create];
