import { type Problem, unfilledIn } from '../problems.ts';
import { SETTING_NAMES } from '../settings-words.ts';
import type { GraphDraft } from './graph-draft.ts';

/** What is wrong with settings, in words, by the field that says it; undefined: nothing is wrong there any more. */
export type FieldProblems = Readonly<Record<string, string | undefined>>;

/** What forms found wrong with what they made, by the very settings: undoing brings both back. */
const found = new WeakMap<object, FieldProblems>();

/**
 * Keeps settings from being saved as long as they are these; the words stand at their fields. What was wrong with the settings that they were made
 * from still is, at every field that is not named.
 */
export function noteProblems(
  settings: object | null | undefined,
  problems: FieldProblems,
  from: object | null | undefined = settings,
): void {
  if (settings) found.set(settings, { ...(from ? found.get(from) : undefined), ...problems });
}

/** What was found wrong with settings of `before` is wrong with the same settings of a graph that was read from its JSON. */
export function noteProblemsAgain(before: GraphDraft, read: GraphDraft): void {
  const again = (one: object | null | undefined, other: object | null | undefined): void => {
    if (problemsWith(one).length > 0 && JSON.stringify(one) === JSON.stringify(other)) noteProblems(other, {}, one);
  };
  for (const { id, config } of before.nodes) again(config, read.nodes.find((node) => node.id === id)?.config);
  for (const { place, settings } of settingsOf(before)) again(settings, settingsOf(read).find((one) => one.place === place)?.settings);
}

/** Settings beside the steps, as far as forms note what is wrong with them. */
interface Beside {
  /** In the graph, like `goal` or `triggers[0]`. */
  readonly place: string;
  readonly isOneOfSeveral: boolean;
  readonly settings: object;
}

function settingsOf(draft: GraphDraft): readonly Beside[] {
  return SETTING_NAMES.flatMap((name): readonly Beside[] => {
    const value: unknown = draft[name];
    if (Array.isArray(value)) return value.map((settings, index) => ({ place: `${name}[${index}]`, isOneOfSeveral: true, settings }));
    return typeof value === 'object' && value !== null ? [{ place: name, isOneOfSeveral: false, settings: value }] : [];
  });
}

/** What was found wrong at one field of them, if anything. */
export function problemIn(settings: object | null | undefined, field: string): string | undefined {
  return settings ? found.get(settings)?.[field] : undefined;
}

/** All that was found wrong with them, each in words. */
export function problemsWith(settings: object | null | undefined): readonly string[] {
  const words = settings ? Object.values(found.get(settings) ?? {}) : [];
  return [...new Set(words.filter((one) => one !== undefined))];
}

/** For a form that is opened: what was wrong only with what was typed is not any more, since it shows what is `stored`, at these fields. */
export function forgetTyped(settings: object | null | undefined, stored: readonly string[]): void {
  if (settings) found.set(settings, Object.fromEntries(stored.map((field) => [field, problemIn(settings, field)])));
}

/** What has to be mended before a graph is saved, as far as its forms can say. */
export function problemsIn(draft: GraphDraft): Problem[] {
  const of = (settings: object | null | undefined, nodeId?: string, path?: string): Problem[] =>
    problemsWith(settings).map((message) => ({ kind: 'problem', nodeId, message, path }));
  const beside = settingsOf(draft);
  return [
    ...beside.flatMap(({ place, isOneOfSeveral, settings }) => (isOneOfSeveral ? of(settings, undefined, place) : [])),
    ...draft.nodes.flatMap(({ id, config }) => of(config, id)),
    ...beside.flatMap(({ isOneOfSeveral, settings }) => (isOneOfSeveral ? [] : of(settings))),
  ];
}

/** The steps with settings that are still as a new step has them, which the API would ask for; a form that was used says it itself. */
export function unfilledSteps({ nodes }: GraphDraft): Problem[] {
  return unfilledIn(nodes.filter(({ config }) => problemsWith(config).length === 0));
}
