import * as z from 'zod';
import { countVisits, LATEST_RUNS } from '../../../db/queries/sequences/sequence-flow.ts';
import { findSequence } from '../../../db/queries/sequences/sequences.ts';
import { notFound } from '../../../domain/errors.ts';
import { TRACES_KEPT_MS } from '../../../domain/operations/retention.ts';
import { flowOver } from '../../../domain/sequences/flow.ts';
import { shownPeriod } from '../../../domain/shown-text.ts';
import * as examples from '../../examples/sequence-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { SequenceKeyParam } from '../../sequence-schemas.ts';

const NodeFlow = z
  .object({
    id: z.string().meta({ description: 'Of the node' }),
    standing: z.int().meta({ description: 'Runs that stand there now' }),
    visits: z.int().meta({ description: 'How often a run came there' }),
    failed: z.int().meta({ description: 'How often what the node does failed' }),
  })
  .meta({ id: 'NodeFlow', description: 'What runs did at one node' });

const EdgeFlow = z
  .object({
    from: z.string().meta({ description: 'The node that it leaves' }),
    to: z.string().meta({ description: 'The node that it leads to' }),
    branchKey: z.string().nullable().meta({ description: 'null: serves every outcome that no other edge of the node names' }),
    passed: z.int().meta({ description: 'How often a run went this way' }),
  })
  .meta({ id: 'EdgeFlow', description: 'How many runs went one way' });

const read = defineRoute({
  method: 'get',
  path: '/sequences/:key/flow',
  scope: 'sequences:write',
  summary: 'Count which way the runs of a sequence took',
  description:
    `Of the ${LATEST_RUNS.toLocaleString('en')} runs that started last, over the current graph: a way counts for an edge if it led ` +
    'from the one node to the other, also in an earlier version. What runs did at nodes that only an earlier version had is left out. ' +
    `Traces of runs that ended more than ${shownPeriod(TRACES_KEPT_MS)} ago are dropped, so those count nowhere.`,
  params: SequenceKeyParam,
  status: 200,
  reply: z.object({
    runs: z.int().meta({ description: 'How many runs were looked at' }),
    standingElsewhere: z.int().meta({ description: 'Runs that stand at nodes which only an earlier version had' }),
    nodes: z.array(NodeFlow).meta({ description: 'In the order of the graph' }),
    edges: z.array(EdgeFlow).meta({ description: 'In the order of the graph' }),
  }),
  errors: ['not_found'],
  examples: examples.flow,
  async handle({ em, project }, { params }) {
    const sequence = (await findSequence(em, project.id, params.key)) ?? notFound('sequence');
    const { runs, visits, standing } = await countVisits(em, sequence.id);
    return { runs, ...flowOver(sequence.graph, visits, standing) };
  },
});

export const routes: readonly Route[] = [read];
