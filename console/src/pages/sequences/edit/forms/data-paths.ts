import { isObject } from '../../../../json.ts';

/** Data of a mail, by names at any depth. */
export type Data = Readonly<Record<string, unknown>>;

/** The same data with another value at a path; undefined takes it out, and objects that are empty without it. */
export function withValueAt(data: Data, path: string, value: unknown): Data {
  const [name = '', ...rest] = path.split('.');
  const before = Object.hasOwn(data, name) ? data[name] : undefined;
  const next = rest.length === 0 ? value : withValueAt(isObject(before) ? before : {}, rest.join('.'), value);
  const isGone = next === undefined || (rest.length > 0 && Object.keys(next as Data).length === 0);
  const { [name]: _, ...others } = data;
  return isGone ? others : { ...data, [name]: next };
}

/** Every path of the data that none of these names, nor what holds it: as deep as they tell apart. */
export function pathsBeside(data: Data | undefined, paths: readonly string[], within = ''): readonly string[] {
  return Object.entries(data ?? {}).flatMap(([name, value]) => {
    const path = within ? `${within}.${name}` : name;
    if (paths.includes(path)) return [];
    const isToldApart = isObject(value) && paths.some((one) => one.startsWith(`${path}.`));
    return isToldApart ? pathsBeside(value, paths, path) : [path];
  });
}
