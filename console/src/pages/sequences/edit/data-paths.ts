/** Data of a mail, by names at any depth. */
export type Data = Readonly<Record<string, unknown>>;

/** What the data has at a path like `offer.percent`; its own properties only. */
export function valueAt(data: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined), data);
}

/** The same data with another value at a path; undefined takes it out, and objects that are empty without it. */
export function withValueAt(data: Data, path: string, value: unknown): Data {
  const [name = '', ...rest] = path.split('.');
  const before = Object.hasOwn(data, name) ? data[name] : undefined;
  const next = rest.length === 0 ? value : withValueAt(isObject(before) ? before : {}, rest.join('.'), value);
  const isGone = next === undefined || (rest.length > 0 && Object.keys(next as Data).length === 0);
  const { [name]: _, ...others } = data;
  return isGone ? others : { ...data, [name]: next };
}

function isObject(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
