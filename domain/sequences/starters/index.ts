import type { SequenceGraph } from '../graph.ts';
import { parseGraph } from '../validate.ts';
import { CART } from './cart.ts';
import { INVOICE_REMINDER } from './invoice-reminder.ts';
import { ONBOARDING } from './onboarding.ts';
import type { Starter } from './starter.ts';
import { TRIAL } from './trial.ts';
import { WELCOME } from './welcome.ts';
import { WIN_BACK } from './win-back.ts';

/** In the order in which they are offered. */
export const STARTERS: readonly Starter[] = [WELCOME, TRIAL, CART, WIN_BACK, ONBOARDING, INVOICE_REMINDER];

/** The graph of a starter as a sequence made of it has it, wherever its templates are. Throws where it is not valid, which a test rules out. */
export function starterGraph({ key, graph }: Pick<Starter, 'key' | 'graph'>): SequenceGraph {
  const templates = graph.nodes.flatMap((node) => (node.kind === 'send_email' ? [node.config.template] : []));
  const read = parseGraph(graph, 'draft', { templates, brands: [], topics: [], urlProblem: () => undefined });
  if ('problems' in read) throw new Error(`the starter ${key} is not valid: ${JSON.stringify(read.problems)}`);
  return read.valid.graph;
}
