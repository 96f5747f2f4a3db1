import type { KnownNames } from '../../../domain/sequences/validate.ts';

/** A project that has one template, one brand and no address that is refused but this. */
export const KNOWN: KnownNames = {
  templates: ['welcome'],
  brands: ['acme'],
  topics: ['news'],
  urlProblem: (url) => (url.includes('10.0.0.1') ? 'a private address' : undefined),
};

export const TRIGGER = { id: 'trigger', kind: 'trigger' };
export const EXIT = { id: 'exit', kind: 'exit' };
export const MAIL = { id: 'mail', kind: 'send_email', config: { template: 'welcome' } };

/** The condition that the attribute `is` has this value. */
export function is(value: string): { field: string; op: string; value: string } {
  return { field: 'attributes.is', op: 'eq', value };
}

export interface LooseNode {
  readonly id: string;
  readonly kind: string;
  readonly label?: unknown;
  readonly config?: unknown;
}

export interface LooseGraph {
  readonly nodes: readonly LooseNode[];
  readonly edges: readonly { readonly from: string; readonly to: string; readonly branchKey?: string }[];
  readonly [setting: string]: unknown;
}

/** trigger → these nodes, one after the other → exit. */
export function chain(...nodes: readonly LooseNode[]): LooseGraph {
  const all = [TRIGGER, ...nodes, EXIT];
  return { nodes: all, edges: all.slice(1).map(({ id }, index) => ({ from: (all[index] as LooseNode).id, to: id })) };
}

/** trigger → a node, each of whose outcomes leads to an exit of its own, `to_<key>`. */
export function fork(node: LooseNode, keys: readonly string[], settings: object = {}): LooseGraph {
  return {
    ...settings,
    nodes: [TRIGGER, node, ...keys.map((key) => ({ id: `to_${key}`, kind: 'exit' }))],
    edges: [{ from: 'trigger', to: node.id }, ...keys.map((branchKey) => ({ from: node.id, to: `to_${branchKey}`, branchKey }))],
  };
}
