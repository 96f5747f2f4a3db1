import { ENDED, MOVED } from './end-reason.ts';
import { edgeAfter, type SequenceGraph } from './graph.ts';
import { leftOutAt, type MailLeftOutCounts, type RunsLeftOut } from './left-out-mails.ts';

export interface NodeFlow {
  readonly id: string;
  /** Runs that stand there now. */
  readonly standing: number;
  readonly visits: number;
  readonly failed: number;
  /** What became of the mails that it sent; null: the node sends none. */
  readonly mails: MailFlow | null;
  /** Runs that went on without it being sent, each once for each reason; null: the node sends none. */
  readonly leftOut: MailLeftOutCounts | null;
}

/** Mails that were sent, each counted once in each. */
export interface MailFlow {
  readonly sent: number;
  readonly delivered: number;
  readonly opened: number;
  readonly clicked: number;
  readonly unsubscribed: number;
}

/** Runs that took an arm, each once however often, and those of them that reached what the sequence is for. */
export interface ArmFlow {
  readonly runs: number;
  readonly reached: number;
  /** Those of them that are under way, so that they may reach it still. */
  readonly active: number;
}

export interface EdgeFlow {
  readonly from: string;
  readonly to: string;
  readonly branchKey: string | null;
  readonly passed: number;
  /** null: the edge has no branch key, so it is no arm. */
  readonly arm: ArmFlow | null;
}

/**
 * Visits that ended with the same outcome, or have not ended: outcome null. As an arm: the runs that left the node by the outcome for the first
 * time with one of these.
 */
export interface Visits extends ArmFlow {
  readonly node_id: string;
  readonly outcome: string | null;
  /** The node that was visited then; null: none so far. */
  readonly next: string | null;
  readonly count: number;
}

/** What counts as reached: the goal where the graph has one, of the sequence or at a node; else an end of the flow. */
export function reachedBy({ goal, nodes }: Pick<SequenceGraph, 'goal' | 'nodes'>): 'goal' | 'completed' {
  return goal || nodes.some(({ kind }) => kind === 'goal') ? 'goal' : 'completed';
}

const NOBODY: ArmFlow = { runs: 0, reached: 0, active: 0 };
const NO_MAILS: MailFlow = { sent: 0, delivered: 0, opened: 0, clicked: 0, unsubscribed: 0 };

/** What runs did, whatever graph it is laid over. `standing`: how many stand where now. */
export interface Done {
  readonly visits: readonly Visits[];
  readonly standing: ReadonlyMap<string, number>;
  readonly mails: readonly (MailFlow & { readonly node_id: string })[];
  readonly leftOut: readonly RunsLeftOut[];
}

/** How runs went over a graph. Those that stand at nodes which only an earlier version had are counted together; what else was done there is left out. */
export function flowOver(
  graph: Pick<SequenceGraph, 'nodes' | 'edges'>,
  { visits, standing, mails, leftOut }: Done,
): { readonly standingElsewhere: number; readonly leftOut: MailLeftOutCounts; readonly nodes: NodeFlow[]; readonly edges: EdgeFlow[] } {
  const went = new Map<object, ArmFlow & { readonly passed: number }>();
  for (const { node_id, outcome, next, ...counts } of visits) {
    const edge = outcome === null ? undefined : edgeAfter(graph, node_id, outcome);
    // In an earlier version the outcome led elsewhere.
    if (!edge || (next !== null && next !== edge.to)) continue;
    // A way may be called like that, too.
    if ((outcome === ENDED || outcome === MOVED) && edge.branchKey !== outcome) continue;
    const { passed, ...arm } = went.get(edge) ?? { passed: 0, ...NOBODY };
    went.set(edge, {
      passed: passed + counts.count,
      runs: arm.runs + counts.runs,
      reached: arm.reached + counts.reached,
      active: arm.active + counts.active,
    });
  }
  const ids = new Set(graph.nodes.map(({ id }) => id));
  const mailsOf = new Map(mails.map(({ node_id, ...counts }) => [node_id, counts]));
  const sum = (nodeId: string, counts: (visit: Visits) => boolean): number =>
    visits.reduce((total, visit) => (visit.node_id === nodeId && counts(visit) ? total + visit.count : total), 0);
  return {
    standingElsewhere: [...standing].reduce((total, [id, count]) => (ids.has(id) ? total : total + count), 0),
    leftOut: leftOutAt(null, leftOut),
    nodes: graph.nodes.map(({ id, kind }) => ({
      id,
      standing: standing.get(id) ?? 0,
      visits: sum(id, () => true),
      failed: sum(id, ({ outcome }) => outcome === 'failed'),
      mails: kind === 'send_email' ? (mailsOf.get(id) ?? NO_MAILS) : null,
      leftOut: kind === 'send_email' ? leftOutAt(id, leftOut) : null,
    })),
    edges: graph.edges.map((edge) => {
      const { passed, ...arm } = went.get(edge) ?? { passed: 0, ...NOBODY };
      return { from: edge.from, to: edge.to, branchKey: edge.branchKey ?? null, passed, arm: edge.branchKey === undefined ? null : arm };
    }),
  };
}
