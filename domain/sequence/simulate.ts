import type { SequenceGraph, SequenceNode } from './graph.ts';
import { entryNode, nodeAfter } from './interpret.ts';
import type { EventPattern } from './node-parts.ts';
import { type Stop, type Traveller, walk } from './walk.ts';

export interface SimulatedStep {
  readonly nodeId: string;
  readonly kind: string;
  readonly detail: string;
}

export interface Simulation {
  readonly path: readonly SimulatedStep[];
  /** Template keys, in order. */
  readonly sends: readonly string[];
  readonly endedBy: 'exit' | 'goal' | 'dead_end' | 'hop_guard';
}

export interface SimulationInput {
  readonly graph: SequenceGraph;
  readonly traveller: Traveller;
  /** The type of the request's event, if it names one; its payload is part of what the traveller sees. */
  readonly eventType: string | undefined;
}

/** Undefined when the graph has no entry node. Waits pass at once; nothing is sent, called or written: decisions.md 7.10. */
export function simulate({ graph, traveller, eventType }: SimulationInput): Simulation | undefined {
  const entry = entryNode(graph);
  if (!entry) return undefined;
  const path: SimulatedStep[] = [];
  const sends: string[] = [];
  for (let node: SequenceNode | undefined = entry; ; ) {
    const { visits, stop } = walk(graph, node, traveller, path.length);
    path.push(...visits.map((visit) => ({ nodeId: visit.node.id, kind: visit.node.kind, detail: visit.detail })));
    if (stop.at === 'end') return { path, sends, endedBy: stop.reason as Simulation['endedBy'] };
    const { id: nodeId, kind } = stop.node;
    const told = traveller.assumed(nodeId);
    const { outcome, detail } = told === undefined ? outcomeAt(stop, traveller, eventType) : { outcome: told, detail: `assumed: ${told}` };
    if (stop.arrival.does === 'send') {
      sends.push(stop.arrival.template);
      traveller.noteSent(stop.arrival.template);
    }
    path.push({ nodeId, kind, detail });
    if (outcome === 'event' && meetsGoal(graph, traveller, eventType)) return { path, sends, endedBy: 'goal' };
    node = nodeAfter(graph, nodeId, outcome);
  }
}

/** What happens at a node that takes time in a real run. */
function outcomeAt(
  { node, arrival }: Extract<Stop, { at: 'node' }>,
  traveller: Traveller,
  eventType: string | undefined,
): { outcome: string; detail: string } {
  switch (arrival.does) {
    case 'send':
      return { outcome: 'sent', detail: `would send ${arrival.template}` };
    case 'call':
      return { outcome: 'called', detail: `would call ${arrival.webhook.method ?? 'POST'} ${arrival.webhook.url}` };
    case 'enter':
      return { outcome: 'enrolled', detail: `would enroll into ${arrival.sequenceKey}${arrival.wait ? ' and wait for its end' : ''}` };
    case 'wait':
      if (node.kind === 'wait_until' && 'event' in node.config && isEvent(node.config.event, traveller, eventType)) {
        return { outcome: 'event', detail: `the event ${node.config.event.type} arrives` };
      }
      return { outcome: arrival.timeoutOutcome, detail: `would wait for ${arrival.waitingFor} until ${arrival.until.toISOString()}` };
    default:
      return arrival satisfies never;
  }
}

function isEvent({ type, match }: EventPattern, { around }: Traveller, eventType: string | undefined): boolean {
  return type === eventType && (match === undefined || around.holds(match));
}

/** An event that ends a wait may meet the goal as well, and the goal comes first. */
function meetsGoal({ goal }: SequenceGraph, traveller: Traveller, eventType: string | undefined): boolean {
  return goal?.event !== undefined && isEvent(goal.event, traveller, eventType);
}
