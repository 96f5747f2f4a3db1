/** JSON in which the members of every object stand in the order of their names: the same text for values that mean the same. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, part) => (isObject(part) ? Object.fromEntries(Object.entries(part).sort(byName)) : part));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function byName([left]: [string, unknown], [right]: [string, unknown]): number {
  return left < right ? -1 : 1;
}
