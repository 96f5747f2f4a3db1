import { createHash } from 'node:crypto';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = { readonly [name: string]: Json };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Without its members that are null, which is the same as leaving them out; what is within them stays. */
export function withoutNullMembers(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null && member !== undefined));
}

/** The same all the way down, where no null is a value; nulls in lists stay. */
export function withoutNulls<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutNulls) as T;
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutNulls(member)])) as T;
}

/** With the members of each object by their names, so that equal values have one text. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name])]),
  );
}

/** One text for equal values. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? 'null';
}

export function isEqual(one: unknown, other: unknown): boolean {
  return canonicalText(one) === canonicalText(other);
}

/** Says whether a value is still what it was. */
export function fingerprint(value: unknown): string {
  return createHash('sha256').update(canonicalText(value)).digest('hex').slice(0, 32);
}

/** With the members of its objects in the order that they have in `other`, and what that lacks behind them. */
export function orderedAs(value: unknown, other: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(other)) {
    const equal = new Map(other.map((one) => [canonicalText(one), one]));
    const named = new Map(other.flatMap((one) => (isObject(one) && typeof one.id === 'string' ? [[one.id, one]] : [])));
    return value.map((one, at) =>
      orderedAs(one, equal.get(canonicalText(one)) ?? named.get(isObject(one) ? String(one.id) : '') ?? other[at]),
    );
  }
  if (!isObject(value) || !isObject(other)) return value;
  const names = [...Object.keys(other).filter((name) => name in value), ...Object.keys(value).filter((name) => !(name in other))];
  return Object.fromEntries(names.map((name) => [name, orderedAs(value[name], other[name])]));
}
