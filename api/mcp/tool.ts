import * as z from 'zod';
import { invalidRequest } from '../../domain/errors.ts';
import { issuesOf } from '../../domain/issues.ts';
import type { Vault } from '../../domain/projects/crypto.ts';
import type { Scope } from '../../domain/projects/scopes.ts';
import type { JsonSchema } from '../openapi/components.ts';
import type { ConfirmingKey } from './confirmation.ts';
import { countThatFits, type ToolAnswer } from './marked-data.ts';
import type { CallRoute, OwnAnswer, OwnCall } from './own-calls.ts';
import { fieldsOf, inputSchema, type RouteName } from './tool-schemas.ts';

/**
 * `read` changes nothing; `draft` writes what nobody gets before somebody acts; `act` sends, or changes what people get, and needs the
 * header Everpost-Allow-Send.
 */
export type ToolKind = 'read' | 'draft' | 'act';

/** A route refused what a tool asked of it. */
export class RouteRefused extends Error {
  override readonly name = 'RouteRefused';
  readonly answer: OwnAnswer;

  constructor(answer: OwnAnswer) {
    super(`answered ${answer.status}`);
    this.answer = answer;
  }
}

/** What a tool works with. */
export interface ToolContext {
  readonly key: ConfirmingKey;
  readonly vault: Vault;
  readonly now: () => Date;
  readonly newId: () => string;
  readonly hasScope: (scope: Scope) => boolean;
  /** The answer of a route whatever it is. */
  readonly call: CallRoute;
  /** The body that a route answered. Throws RouteRefused when it refused. */
  ask<Body>(call: OwnCall): Promise<Body>;
}

/** Arguments that go to a route as they came: it validates them. */
export type Taken = Readonly<Record<string, unknown>>;

interface Declaration<I extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** When an agent should use it, and what it answers. */
  readonly description: string;
  readonly kind: ToolKind;
  /** The key needs each of them; none: any key will do. */
  readonly scopes: readonly Scope[];
  /** Its own fields. */
  readonly input: I;
  /** Fields of a route's body or query that it takes too, and which of them it needs. */
  readonly takes?: { readonly route: RouteName; readonly fields: readonly string[]; readonly required?: readonly string[] };
  /** Its data may be long: `part` and `offset` choose of it. */
  readonly hasParts?: boolean;
  /** A second call does nothing more. */
  readonly isIdempotent?: boolean;
  /** What it changes cannot be taken back. */
  readonly isDestructive?: boolean;
  run(context: ToolContext, input: z.output<I>, taken: Taken): Promise<ToolAnswer>;
}

/** A tool as the protocol lists it, and what it does. */
export interface Tool {
  readonly name: string;
  readonly kind: ToolKind;
  readonly scopes: readonly Scope[];
  /** As tools/list has it. */
  listed(): JsonSchema;
  /** Throws invalid_request for arguments that it does not take. */
  run(context: ToolContext, given: Taken): Promise<ToolAnswer>;
}

const PARTS = z.object({
  part: z.string().max(500).optional().meta({
    description: 'Only this part of data, as a JSON pointer, like `/published/content/blocks/3`. For what is too long for one answer',
  }),
  offset: z
    .int()
    .min(0)
    .optional()
    .meta({ description: 'Of a part that is a text or a list: from this character or element on, 0 the first' }),
});

/** One declaration holds everything about a tool: its words, its access, its arguments and what it does. */
export function defineTool<I extends z.ZodObject>(declaration: Declaration<I>): Tool {
  const { name, title, description, kind, scopes, takes, hasParts = false } = declaration;
  const own: z.ZodObject = hasParts ? declaration.input.extend(PARTS.shape) : declaration.input;
  let listed: JsonSchema | undefined;
  return {
    ...{ name, kind, scopes },
    listed() {
      listed ??= {
        ...{ name, title, description },
        inputSchema: inputSchema(own, takes ? fieldsOf(takes.route, takes.fields) : {}, takes?.required ?? []),
        annotations: {
          ...{ title, readOnlyHint: kind === 'read', openWorldHint: kind === 'act' },
          ...(kind === 'read'
            ? {}
            : { destructiveHint: declaration.isDestructive ?? false, idempotentHint: declaration.isIdempotent ?? false }),
        },
      };
      return listed;
    },
    async run(context, given) {
      const taken = pick(given, takes?.fields ?? []);
      const input = readArguments(own, given, Object.keys(taken));
      const missing = (takes?.required ?? []).filter((field) => taken[field] === undefined);
      if (missing.length > 0) throw invalidRequest(missing.map((path) => ({ path, message: 'required' })));
      const answer = await declaration.run(context, input as z.output<I>, taken);
      return hasParts ? partOf(answer, input as z.output<typeof PARTS>) : answer;
    },
  };
}

function pick(given: Taken, fields: readonly string[]): Taken {
  return Object.fromEntries(fields.flatMap((field) => (Object.hasOwn(given, field) ? [[field, given[field]]] : [])));
}

/** A name that a tool does not know may be one that the caller relies on, like a further recipient: it is refused. */
function readArguments(own: z.ZodObject, given: Taken, taken: readonly string[]): unknown {
  const names = Object.keys(own.shape);
  const unknown = Object.keys(given).filter((name) => !names.includes(name) && !taken.includes(name));
  if (unknown.length > 0) throw invalidRequest(unknown.map((path) => ({ path, message: 'this tool has no such argument' })));
  const parsed = own.safeParse(pick(given, names));
  if (!parsed.success) throw invalidRequest(issuesOf(parsed.error));
  return parsed.data;
}

/** Characters of a text that is asked for by itself. */
const TEXT_LENGTH = 20_000;

function partOf(answer: ToolAnswer, { part, offset = 0 }: z.output<typeof PARTS>): ToolAnswer {
  const more = 'Ask again with `part` for a part of it; a list goes on with `offset`.';
  if (part === undefined) return { ...answer, more };
  const found = at(answer.data, part);
  if (found === undefined)
    throw invalidRequest([{ path: 'part', message: 'the data has no such part; without `part` it shows what there is' }]);
  const isList = Array.isArray(found);
  if (typeof found !== 'string' && !isList) return { says: ['A part of the data.'], data: found, more: 'Name a smaller part.' };
  if (offset > found.length) throw invalidRequest([{ path: 'offset', message: `the part ends at ${found.length}` }]);
  const end = offset + (isList ? countThatFits(found.slice(offset)) : Math.min(TEXT_LENGTH, found.length - offset));
  const rest = end < found.length ? ` Go on with offset ${end}.` : '';
  const says = [`${isList ? 'Elements' : 'Characters'} ${offset} to ${end} of ${found.length}.${rest}`];
  return { says, data: found.slice(offset, end), ...(isList ? { more: 'Name a smaller part.' } : { most: 3 * TEXT_LENGTH }) };
}

/** RFC 6901. */
function at(value: unknown, pointer: string): unknown {
  const names = pointer.split('/').slice(1);
  return names.reduce<unknown>((part, name) => {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
    return typeof part === 'object' && part !== null && Object.hasOwn(part, key) ? (part as Record<string, unknown>)[key] : undefined;
  }, value);
}
