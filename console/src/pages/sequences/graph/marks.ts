import type { GraphEdge, SequenceFlow } from '../sequence-queries.ts';
import { edgeId } from './layout.ts';

export type MailNumbers = NonNullable<SequenceFlow['nodes'][number]['mails']>;

/** What is told of a node where it is drawn. */
export interface NodeMark {
  /** Runs that stand there. */
  readonly standing?: number;
  readonly failed?: number;
  /** What became of the mails that it sent. */
  readonly mails?: MailNumbers | undefined;
  /** Runs that went on without its mail. */
  readonly leftOut?: number | undefined;
  /** Its places in the way that is drawn, from 1. */
  readonly places?: readonly number[];
  /** How the way left it: `bad` failed, `here` stands there. */
  readonly tone?: 'way' | 'bad' | 'here';
  readonly problems?: readonly string[];
  readonly warnings?: readonly string[];
}

export interface EdgeMark {
  /** How often a run passed. */
  readonly passed?: number;
  /** Which share of those that took the arm reached what the sequence is for, short and whole. */
  readonly conversion?: { readonly short: string; readonly whole: string } | undefined;
  readonly isOnWay?: boolean;
}

export interface Marks {
  readonly nodes: ReadonlyMap<string, NodeMark>;
  readonly edges: ReadonlyMap<string, EdgeMark>;
}

export const NO_MARKS: Marks = { nodes: new Map(), edges: new Map() };

export interface WayStep {
  readonly nodeId: string;
  /** Current step known; else any edge to the next node will do. */
  readonly outcome?: string | null;
  readonly isBad?: boolean;
  readonly isHere?: boolean;
}

/** The way of one contact over a graph. Steps at nodes that the graph does not have are left out. */
export function wayMarks(steps: readonly WayStep[], edges: readonly GraphEdge[]): Marks {
  const nodes = new Map<string, NodeMark & { readonly places: number[] }>();
  const passed = new Map<string, EdgeMark>();
  steps.forEach((step, index) => {
    const before = nodes.get(step.nodeId);
    const places = [...(before?.places ?? []), index + 1];
    const tone = step.isBad || before?.tone === 'bad' ? 'bad' : step.isHere ? 'here' : 'way';
    nodes.set(step.nodeId, { places, tone });
    const next = steps[index + 1];
    const edge = next && edgeBetween(step, next.nodeId, edges);
    if (edge) passed.set(edgeId(edge), { isOnWay: true });
  });
  return { nodes, edges: passed };
}

function edgeBetween({ nodeId, outcome }: WayStep, next: string, edges: readonly GraphEdge[]): GraphEdge | undefined {
  const both = edges.filter(({ from, to }) => from === nodeId && to === next);
  return both.find(({ branchKey }) => branchKey === outcome && outcome != null) ?? both.find(({ branchKey }) => !branchKey) ?? both[0];
}
