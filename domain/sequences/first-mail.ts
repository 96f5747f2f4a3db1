import { entryNode, nodeAfter, type SequenceGraph, watchesContact } from './graph.ts';
import type { SequenceNode } from './kinds/node-kinds.ts';
import { ENTERED } from './kinds/trigger.ts';
import type { Visit } from './walk.ts';

/** The mail that a run begins with, and the visit before it. */
export interface FirstMail {
  readonly entry: Visit;
  readonly node: Extract<SequenceNode, { kind: 'send_email' }>;
  /** Of the visit to `node`. */
  readonly step: number;
}

/**
 * Where every run of a graph stands first that begins with a mail, whoever enters and whenever: neither its goal nor anything on the way asks
 * about the contact. undefined for every other graph, whose runs have to be walked.
 */
export function firstMail(graph: SequenceGraph): FirstMail | undefined {
  const trigger = entryNode(graph);
  const node = trigger && nodeAfter(graph, trigger.id, ENTERED.outcome);
  if (!trigger || node?.kind !== 'send_email' || watchesContact(graph)) return undefined;
  return { entry: { node: trigger, outcome: ENTERED.outcome, detail: ENTERED.detail }, node, step: 2 };
}
