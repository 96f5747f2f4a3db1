import type { Problem } from '../problems.ts';
import type { GraphDraft } from './graph-draft.ts';

/** What forms found wrong with what they made, by the very settings: undoing brings both back. */
const found = new WeakMap<object, string>();

/** Keeps settings from being saved as long as they are these; the words stand at their field. undefined: nothing is wrong with them. */
export function noteProblem(settings: object | null | undefined, problem: string | undefined): void {
  if (!settings) return;
  if (problem === undefined) found.delete(settings);
  else found.set(settings, problem);
}

/** What was found wrong with settings of `before` is wrong with the same settings of a graph that was read from its JSON. */
export function noteProblemsAgain(before: GraphDraft, read: GraphDraft): void {
  const again = (one: object | null | undefined, other: object | null | undefined): void => {
    const problem = problemIn(one);
    if (problem !== undefined && JSON.stringify(one) === JSON.stringify(other)) noteProblem(other, problem);
  };
  for (const { id, config } of before.nodes) again(config, read.nodes.find((node) => node.id === id)?.config);
  for (const [index, trigger] of before.triggers.entries()) again(trigger, read.triggers[index]);
  again(before.goal, read.goal);
  again(before.frequencyCap, read.frequencyCap);
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
