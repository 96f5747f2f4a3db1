import { type Issue, invalidRequest, MAX_ISSUES, Refusal } from '../../domain/errors.ts';
import { pathText } from '../../domain/issues.ts';

/** What was found in the text of a JSON value. */
export interface ReadJson {
  readonly text: string;
  /** Numbers that would not be read as they are written; no more than MAX_ISSUES are looked for. */
  readonly lostNumbers: readonly Issue[];
}

/** The value, in whose texts PostgreSQL can hold every character. Throws invalid_request; `root` names the value itself. */
export function kept(value: object, { text, lostNumbers }: ReadJson, root: string): unknown {
  if (lostNumbers.length > 0) throw invalidRequest(lostNumbers);
  return TROUBLESOME.test(text) ? refusingNul(value, [], root) : value;
}

/** The same, where each element of the member `name` is refused alone: its Refusal stands in its place, with paths that begin there. */
export function keptEach(value: object, { text, lostNumbers }: ReadJson, name: string): unknown {
  const elements = Reflect.get(value, name) as unknown;
  // Of more lost numbers than are told it is not known where they are.
  if (!Array.isArray(elements) || lostNumbers.length >= MAX_ISSUES) return kept(value, { text, lostNumbers }, '');
  const lostIn = Map.groupBy(lostNumbers, ({ path }) => Number(new RegExp(`^${name}\\[(\\d+)\\]`).exec(path)?.[1] ?? -1));
  const rest = kept({ ...value, [name]: [] }, { text, lostNumbers: lostIn.get(-1) ?? [] }, '');
  const isTroublesome = TROUBLESOME.test(text);
  const read = elements.map((element: unknown, index) => {
    try {
      const lost = lostIn.get(index)?.map((issue) => ({ ...issue, path: issue.path.slice(`${name}[${index}]`.length).replace(/^\./, '') }));
      if (lost) throw invalidRequest(lost);
      return isTroublesome ? refusingNul(element, [], '') : element;
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  });
  return { ...(rest as object), [name]: read };
}

/** An escape for NUL, or for half of a surrogate pair. */
const TROUBLESOME = /\\u(?:0000|d[89a-f])/i;

/** PostgreSQL refuses NUL in texts and lone surrogates in JSON: the first is a 422, the second become U+FFFD. */
function refusingNul(value: unknown, path: readonly (string | number)[], root: string): unknown {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw invalidRequest([{ path: pathText(path, root), message: 'NUL characters are not possible' }]);
    return value.toWellFormed();
  }
  if (Array.isArray(value)) return value.map((item, index) => refusingNul(item, [...path, index], root));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(
      ([key, item]) => [refusingNul(key, path, root), refusingNul(item, [...path, key], root)] as [string, unknown],
    ),
  );
}
