import type { Problem } from '../problems.ts';
import type { GraphDraft } from './graph-draft.ts';

/** What forms found wrong with what they made, by the very settings: undoing brings both back. */
const found = new WeakMap<object, string>();

/** Keeps settings from being saved as long as they are these; the words stand at their field. */
export function noteProblem(settings: object | null | undefined, problem: string | undefined): void {
  if (settings && problem !== undefined) found.set(settings, problem);
}

/** What was found wrong with them, if anything. */
export function problemIn(settings: object | null | undefined): string | undefined {
  return settings ? found.get(settings) : undefined;
}

/** What has to be mended before a graph is saved, as far as its forms can say. */
export function problemsIn({ nodes, triggers, goal, frequencyCap }: GraphDraft): Problem[] {
  const ofNodes = nodes.map(({ id, config }) => ({ nodeId: id, message: problemIn(config) }));
  const ofTriggers = triggers.map((trigger) => ({ nodeId: undefined, message: problemIn(trigger) }));
  const ofOthers = [goal, frequencyCap].map((settings) => ({ nodeId: undefined, message: problemIn(settings) }));
  const all = [...ofNodes, ...ofTriggers, ...ofOthers];
  return all.flatMap(({ nodeId, message }) => (message === undefined ? [] : [{ kind: 'problem' as const, nodeId, message }]));
}
