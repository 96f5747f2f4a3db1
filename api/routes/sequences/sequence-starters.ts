import * as z from 'zod';
import { notFound } from '../../../domain/errors.ts';
import { shownChoice } from '../../../domain/send-window-schema.ts';
import { WALK_ENDS } from '../../../domain/sequences/end-reason.ts';
import type { SequenceGraph } from '../../../domain/sequences/graph.ts';
import { madeUpContact } from '../../../domain/sequences/made-up-contact.ts';
import { FlowGraph } from '../../../domain/sequences/schema.ts';
import { STARTERS, starterGraph } from '../../../domain/sequences/starters/index.ts';
import type { Starter } from '../../../domain/sequences/starters/starter.ts';
import { DataField } from '../../../domain/templates/registry-entry.ts';
import { simulateGraph } from '../../../usecases/sequences/simulate-graph.ts';
import * as examples from '../../examples/sequence-examples.ts';
import { defineRoute, type KeyContext, type Route } from '../../route.ts';
import { EventType, SendTypeName } from '../../schemas.ts';
import { SequenceKeyParam, SimulationReply, shownSimulation } from '../../sequence-schemas.ts';
import { ContentBody } from '../templates/templates.ts';

const SUMMARY = {
  key: z.string().meta({ description: 'Names it among the starters' }),
  name: z.string().meta({ description: 'For people' }),
  description: z.string().meta({ description: 'What it does' }),
};

const StarterSummary = z
  .object({ ...SUMMARY, mails: z.int().meta({ description: 'How many of its steps send one' }) })
  .meta({ id: 'SequenceStarter', description: 'A sequence that is ready to be taken over' });

const StarterTemplate = z
  .object({
    key: z.string().meta({ description: 'As its mails name it' }),
    type: SendTypeName,
    name: z.string().meta({ description: 'For people' }),
    description: z.string().meta({ description: 'What it is for' }),
    subject: z.string().meta({ description: 'Liquid' }),
    content: ContentBody,
    dataSchema: z.array(DataField).meta({ description: 'The variables that it expects in data' }),
  })
  .meta({ id: 'StarterTemplate', description: 'A template that a starter brings, as POST /templates takes it' });

const list = defineRoute({
  method: 'get',
  path: '/sequence-starters',
  scope: 'sequences:read',
  summary: 'List the ready sequences that can be taken over',
  description: 'They ship with the installation and are the same for all projects.',
  status: 200,
  reply: z.object({ starters: z.array(StarterSummary).meta({ description: 'In the order in which they are offered' }) }),
  examples: examples.starters,
  async handle() {
    return {
      starters: STARTERS.map(({ key, name, description, graph }) => ({
        ...{ key, name, description },
        mails: graph.nodes.filter(({ kind }) => kind === 'send_email').length,
      })),
    };
  },
});

const StarterGraph = FlowGraph.omit({ key: true, version: true, name: true, status: true }).meta({
  id: 'StarterGraph',
  description: 'As PUT /sequences/:key takes it',
});

const read = defineRoute({
  method: 'get',
  path: '/sequence-starters/:key',
  scope: 'sequences:read',
  summary: 'Read a ready sequence, and how one contact goes through it',
  description:
    'To take it over, POST each of `templates` to /templates and PUT `graph` to /sequences/:key under a key of your own: that makes a draft, ' +
    'which enrolls nobody. `templates` are those of its mails that neither the installation nor the project has by their key; the project ' +
    'keeps what it has. They are off until PUT /templates/:key enables them, as every template is.',
  params: SequenceKeyParam,
  status: 200,
  reply: z.object({
    ...SUMMARY,
    graph: StarterGraph,
    templates: z.array(StarterTemplate).meta({ description: 'What its mails lack in this project' }),
    simulation: z
      .object({
        attributes: z.record(z.string(), z.string()).meta({ description: 'Of the contact, which is made up' }),
        eventType: EventType.meta({ description: 'The type of the event that it enters by' }),
        ...SimulationReply,
        endedBy: z.enum(WALK_ENDS).meta({ description: 'How its way ended' }),
      })
      .meta({ id: 'StarterSimulation', description: 'The way of one contact, as POST /sequences/:key/simulate answers it' }),
  }),
  errors: ['not_found'],
  examples: examples.starter,
  async handle(context, { params }) {
    const starter = STARTERS.find(({ key }) => key === params.key) ?? notFound('starter');
    const { em, project, registry } = context;
    const has = await registry.findAll(
      em,
      project,
      starter.templates.map(({ key }) => key),
    );
    const templates = starter.templates.filter(({ key }) => !has.has(key)).map((one) => ({ ...one, dataSchema: [...one.dataSchema] }));
    const { key, name, description } = starter;
    const graph = starterGraph(starter);
    const { triggers, nodes, edges, sendWindow, ...settings } = graph;
    return {
      ...{ key, name, description, templates },
      graph: {
        ...settings,
        ...(sendWindow && { sendWindow: shownChoice(sendWindow) }),
        triggers: [...triggers],
        nodes: [...nodes],
        edges: [...edges],
      },
      simulation: await simulated(context, starter, graph),
    };
  },
});

/** The way of the contact that the starter has for an example. */
async function simulated(context: KeyContext, { key, templates, example }: Starter, graph: SequenceGraph) {
  const { em, project, registry, authoring, now } = context;
  const { attributes, event, assume } = example;
  const at = now();
  const simulation = await simulateGraph(em, {
    ...{ project, registry, authoring, graph, event, assume, sequenceKey: key, brought: templates, now: at },
    contact: madeUpContact({ attributes }, at),
    contactId: undefined,
    sendWindow: project.send_window,
    history: { isSuppressed: false, isUnconfirmed: false, marketingAt: [] },
  });
  return { attributes: { ...attributes }, eventType: event.type, ...shownSimulation(simulation) };
}

export const routes: readonly Route[] = [list, read];
