import { fingerprint, isObject } from './canonical.ts';

/** The fingerprint of each part of a template or sequence that may change without the others, by what people call it. */
export type Parts = Readonly<Record<string, string>>;

/** The fields of a model, and each language of it. What is empty counts as not there, as the server has it after it was made. */
export function partsOf(model: object): Parts {
  const { languages, ...fields } = model as Readonly<Record<string, unknown>>;
  const contents = isObject(languages) ? Object.entries(languages).map(([tag, content]) => [`content.${tag}`, content] as const) : [];
  const said = [...Object.entries(fields), ...contents].filter(([, value]) => !isEmpty(value));
  return Object.fromEntries(said.map(([name, value]) => [name, fingerprint(value)]));
}

/** The parts that are not the same in both. */
export function differingParts(one: Parts, other: Parts): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((name) => one[name] !== other[name]).toSorted();
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === false || value === '' || (Array.isArray(value) && value.length === 0);
}
