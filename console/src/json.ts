/** Whether a value of JSON is an object; an array is none. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What the data has at a path like `offer.percent`; its own properties only. */
export function valueAt(data: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined), data);
}
