import * as z from 'zod';
import { LATEST_RUNS } from '../../../db/queries/sequences/latest-runs.ts';
import { readLatestRuns } from '../../../db/queries/sequences/sequence-flow.ts';
import { findSequenceVersion } from '../../../db/queries/sequences/sequence-versions.ts';
import { findSequence } from '../../../db/queries/sequences/sequences.ts';
import { notFound } from '../../../domain/errors.ts';
import { HITS_KEPT_MS, TRACES_KEPT_MS } from '../../../domain/operations/retention.ts';
import { flowOver, reachedBy } from '../../../domain/sequences/flow.ts';
import { shownPeriod } from '../../../domain/shown-text.ts';
import * as examples from '../../examples/sequence-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { VersionNumber } from '../../schemas.ts';
import { MailLeftOutCounts, SequenceKeyParam } from '../../sequence-schemas.ts';

const MailFlow = z
  .object({
    sent: z.int().meta({ description: 'Emails that the provider accepted' }),
    delivered: z.int().meta({ description: 'Of which it reported so' }),
    opened: z.int().meta({ description: 'At least once, by whom no machine is known to be' }),
    clicked: z.int().meta({ description: 'At least one link, likewise' }),
    unsubscribed: z.int().meta({ description: `Whose reader left by a link in it, within the last ${shownPeriod(HITS_KEPT_MS)}` }),
  })
  .meta({ id: 'MailFlow', description: 'What became of the emails of one node, each counted once' });

const ArmFlow = z
  .object({
    runs: z.int().meta({ description: 'Runs that took it, each once however often it did' }),
    reached: z.int().meta({ description: 'Those of them that came to what `reachedBy` says; the share of both is the conversion' }),
    active: z
      .int()
      .meta({ description: 'Those of them that are under way and may come to it still: while there are any, the share can rise' }),
  })
  .meta({ id: 'ArmFlow', description: 'What an arm came to' });

const NodeFlow = z
  .object({
    id: z.string().meta({ description: 'Of the node' }),
    standing: z.int().meta({ description: 'Runs that stand there now' }),
    visits: z.int().meta({ description: 'How often a run came there' }),
    failed: z.int().meta({ description: 'How often what the node does failed' }),
    mails: MailFlow.nullable().meta({ description: 'null: the node sends none' }),
    leftOut: MailLeftOutCounts.nullable().meta({
      description: 'Runs that went on without its email, by reason; null: the node sends none',
    }),
  })
  .meta({ id: 'NodeFlow', description: 'What runs did at one node' });

const EdgeFlow = z
  .object({
    from: z.string().meta({ description: 'The node that it leaves' }),
    to: z.string().meta({ description: 'The node that it leads to' }),
    branchKey: z.string().nullable().meta({ description: 'null: serves every outcome that no other edge of the node names' }),
    passed: z.int().meta({ description: 'How often a run went this way' }),
    arm: ArmFlow.nullable().meta({ description: 'null: it has no branch key, so it is no arm' }),
  })
  .meta({ id: 'EdgeFlow', description: 'How many runs went one way' });

const read = defineRoute({
  method: 'get',
  path: '/sequences/:key/flow',
  scope: 'sequences:read',
  summary: 'Count which way the runs of a sequence took',
  description:
    `Of the ${LATEST_RUNS.toLocaleString('en')} runs that started last, over the current graph: a way counts for an edge if it led ` +
    'from the one node to the other, also in an earlier version. What runs did at nodes that only an earlier version had is left out. ' +
    'With `version` it is the graph of that version and the runs that started with it. ' +
    `Traces of runs that ended more than ${shownPeriod(TRACES_KEPT_MS)} ago are dropped, so those count nowhere.`,
  params: SequenceKeyParam,
  query: z.object({
    version: VersionNumber.optional().meta({ description: 'Runs of this version alone, over its graph; all when omitted' }),
  }),
  status: 200,
  reply: z.object({
    runs: z.int().meta({ description: 'How many runs were looked at' }),
    reachedBy: z.enum(['goal', 'completed']).meta({
      description: 'What the runs of an arm count as `reached` by: `goal` where the graph has one, else that they `completed`',
    }),
    standingElsewhere: z.int().meta({ description: 'Runs that stand at nodes which only an earlier version had' }),
    leftOut: MailLeftOutCounts.meta({
      description: 'Runs that went on without an email of whichever node, also of one that only an earlier version had, by reason',
    }),
    nodes: z.array(NodeFlow).meta({ description: 'In the order of the graph' }),
    edges: z.array(EdgeFlow).meta({ description: 'In the order of the graph' }),
  }),
  errors: ['not_found'],
  examples: examples.flow,
  async handle({ em, project }, { params, query: { version } }) {
    const sequence = (await findSequence(em, project.id, params.key)) ?? notFound('sequence');
    const graph = version === undefined ? sequence.graph : ((await findSequenceVersion(em, sequence.id, version)) ?? notFound('version'));
    const by = reachedBy(graph);
    const { runs, ...done } = await readLatestRuns(em, { sequenceId: sequence.id, version, reachedBy: by });
    return { runs, reachedBy: by, ...flowOver(graph, done) };
  },
});

export const routes: readonly Route[] = [read];
