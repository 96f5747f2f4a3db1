/** Everywhere that an answer is not of the shape shown: other keys, other types, another `status`. Nothing: it is. */
export function differences(shown: unknown, real: unknown, path = 'answer'): string[] {
  if (Array.isArray(shown)) return Array.isArray(real) ? inList(shown, real, path) : [`${path} is no list`];
  if (!isObject(shown)) return typeOf(shown) === typeOf(real) ? [] : [`${path} is ${typeOf(real)}, shown is ${typeOf(shown)}`];
  if (!isObject(real)) return [`${path} is ${typeOf(real)}, shown is an object`];
  // What is too long to show.
  const names = Object.keys(shown).length === 0 ? [] : [...new Set([...Object.keys(shown), ...Object.keys(real)])];
  return names.flatMap((name) => {
    const at = `${path}.${name}`;
    if (!Object.hasOwn(real, name)) return [`${at} is missing`];
    if (!Object.hasOwn(shown, name)) return [`${at} is not shown`];
    if (name === 'status' && shown[name] !== real[name]) return [`${at} is ${real[name]}, shown is ${shown[name]}`];
    return differences(shown[name], real[name], at);
  });
}

/** A list may be longer than what is shown of it; each that is shown has one like it, and of two with a key it is the one with that key. */
function inList(shown: readonly unknown[], real: readonly unknown[], path: string): string[] {
  if (shown.length === 0) return real.length === 0 ? [] : [`${path} is not empty`];
  return shown.flatMap((element, index) => {
    const key = isObject(element) ? element.key : undefined;
    const found = key === undefined ? real[index] : real.find((each) => isObject(each) && each.key === key);
    return found === undefined ? [`${path}[${index}] is missing`] : differences(element, found, `${path}[${index}]`);
  });
}

/** Each id that is shown, with the one that was answered in its place. */
export function* idsShown(shown: unknown, real: unknown): Generator<readonly [shown: string, real: string]> {
  if (typeof shown === 'string' && typeof real === 'string' && ID.test(shown)) yield [shown, real];
  if (typeof shown !== 'object' || shown === null || typeof real !== 'object' || real === null) return;
  for (const [name, member] of Object.entries(shown)) yield* idsShown(member, Reflect.get(real, name));
}

/** A UUID, or the Message-ID that one makes. */
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:@.*)?$/;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}
