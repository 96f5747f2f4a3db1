import { Readable } from 'node:stream';
import * as z from 'zod';
import { type Issue, MAX_ISSUES, Refusal } from '../domain/errors.ts';
import { pathText } from '../domain/issues.ts';
import { insteadOf } from '../domain/nearest-name.ts';
import type { Answer, Route } from './route.ts';

type Given = Readonly<Record<string, unknown>>;
type Path = readonly PropertyKey[];

/** A member of a request that no schema knows, and the names that it might have meant. */
interface Ignored {
  readonly path: Path;
  readonly known: readonly string[];
}

/** No array that is taken has more; of one that is refused the rest is not looked at. */
const MAX_ELEMENTS = 1000;

/** What a request says and no schema of its route reads, with the nearest known name: docs/contract/http.md 12, 13. At most MAX_ISSUES are looked for. */
export function ignoredNames(route: Route, query: Given, body: unknown, schema = route.documentedBody ?? route.body): Issue[] {
  const parameters = Object.keys(shapeOf(route.query) ?? {});
  const ofQuery = Object.keys(query)
    .values()
    .filter((name) => !parameters.includes(name))
    .map((name) => warning({ path: [name], known: parameters }, 'query parameter'));
  const root = Array.isArray(body) ? route.arrayName : undefined;
  const fields = route.hasSignedBody ? [] : ignoredFields(schema, body, MAX_ISSUES, root);
  return [...ofQuery.take(MAX_ISSUES), ...fields].slice(0, MAX_ISSUES);
}

/** The same of a value that its route reads by itself, like one mail of a batch; the paths begin there. No more than `most` are looked for. */
export function ignoredFields(schema: z.ZodType | undefined, value: unknown, most: number, root?: string): Issue[] {
  return Iterator.from(ignoredIn(schema, value, []))
    .map((ignored) => warning(ignored, 'field', root))
    .take(most)
    .toArray();
}

/** The body of an answer with these warnings before its own. A page, a stream and an error stay as they are. */
export function withWarnings({ status, body }: Answer, warnings: readonly Issue[]): Answer['body'] {
  if (warnings.length === 0 || status >= 300 || typeof body === 'string' || body instanceof Readable) return body;
  const own = (body.warnings ?? []) as readonly Issue[];
  return { ...body, warnings: [...warnings, ...own].slice(0, MAX_ISSUES) };
}

/** What is required may stand there under another name, so a request that is not valid is told what was ignored, too. */
export function refusedWith(error: unknown, warnings: readonly Issue[]): unknown {
  if (warnings.length === 0 || !(error instanceof Refusal) || error.code !== 'invalid_request') return error;
  return new Refusal(error.code, error.message, { ...error.details, body: { ...error.details.body, warnings } });
}

function warning({ path, known }: Ignored, what: string, root?: string): Issue {
  return { path: pathText(path, root), message: `ignored: no such ${what}; ${insteadOf(String(path.at(-1)), known)}` };
}

/** Also in objects within the body. What refuses unknown names by itself, or takes the caller's own, is not looked into. */
function* ignoredIn(schema: z.core.$ZodType | undefined, value: unknown, path: Path): Generator<Ignored> {
  if (typeof value !== 'object' || value === null) return;
  const meant = meantBy(schema, value);
  if (meant instanceof z.ZodArray && Array.isArray(value)) {
    for (const [index, element] of value.slice(0, MAX_ELEMENTS).entries()) yield* ignoredIn(meant.element, element, [...path, index]);
    return;
  }
  const shape = shapeOf(meant);
  if (!shape || Array.isArray(value)) return;
  const known = Object.keys(shape);
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(shape, name)) yield* ignoredIn(shape[name], Reflect.get(value, name), [...path, name]);
    else yield { path: [...path, name], known };
  }
}

/** The schema within its wrappers; of a union the alternative for a list, or for an object. */
function meantBy(schema: z.core.$ZodType | undefined, value: object): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return meantBy(schema.def.innerType, value);
  }
  if (!(schema instanceof z.ZodUnion)) return schema;
  const wanted = Array.isArray(value) ? z.ZodArray : z.ZodObject;
  const alternatives = schema.options.filter((option) => option instanceof wanted);
  return alternatives.length === 1 ? alternatives[0] : undefined;
}

/** The fields of an object schema that passes over what it does not know. */
function shapeOf(schema: z.core.$ZodType | undefined): z.core.$ZodShape | undefined {
  return schema instanceof z.ZodObject && schema.def.catchall === undefined ? schema.shape : undefined;
}
