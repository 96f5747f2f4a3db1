import type { Command } from './command.ts';

export type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

/** A path of the API as whoever ran the command wrote it: `limit` as `--limit`, `tags[0]` as `--tag`. What was not given stays as it is. */
export function asGiven(path: string, { fields = {}, options = {} }: Command, values: Values): string {
  const [, field = '', rest = ''] = /^(\w+)(.*)$/.exec(path) ?? [];
  // It takes fields of the API by their own names.
  const isSet = [values.set ?? []].flat().some((pair) => /^\w+/.exec(String(pair))?.[0] === field);
  if (isSet) return `--set ${path}`;
  const option = fields[field] ?? field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  if (!(option in options) || values[option] === undefined) return path;
  return `--${option}${rest.startsWith('.') ? ` ${rest.slice(1)}` : ''}`;
}
