import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Turns zod schemas into JSON Schema and keeps those with a `meta({ id })` as the document's components. */
export interface ComponentSchemas {
  /**
   * The schema of the wire form. A body arrives in it and an answer leaves in it: both are the input side of the declaration, since an
   * answer is encoded.
   */
  schemaOf(schema: z.ZodType): JsonSchema;
  /** What is said of the component that a schema refers to. */
  descriptionOf(schema: JsonSchema): unknown;
  /** Every component met so far, by its id. */
  readonly all: Readonly<Record<string, JsonSchema>>;
}

const ZOD_PREFIX = '#/$defs/';
const COMPONENT_PREFIX = '#/components/schemas/';

export function collectComponents(): ComponentSchemas {
  const all: Record<string, JsonSchema> = {};
  return {
    all,
    descriptionOf: ({ $ref }) => (typeof $ref === 'string' ? all[$ref.slice(COMPONENT_PREFIX.length)]?.description : undefined),
    schemaOf(schema) {
      const { $schema: _, $defs = {}, ...root } = asDocumented(z.toJSONSchema(schema, { io: 'input', override: asWritten }));
      for (const [id, component] of Object.entries($defs as Record<string, JsonSchema>)) {
        if (all[id] && !isDeepStrictEqual(all[id], component)) throw new Error(`two different schemas have the id ${id}`);
        all[id] = component;
      }
      return root;
    },
  };
}

interface WireSchema {
  readonly zodSchema: z.core.$ZodType;
  readonly jsonSchema: { type?: unknown; pattern?: unknown; examples?: unknown };
}

/**
 * A number in a query is a text to the codec; what the caller writes is a number, so the text's pattern says nothing. Examples are in the wire
 * form, which zod cannot know of schemas with codecs in them.
 */
export function asWritten({ zodSchema, jsonSchema }: WireSchema): void {
  if (jsonSchema.type === 'integer') delete jsonSchema.pattern;
  const { examples } = z.globalRegistry.get(zodSchema) ?? {};
  if (examples) jsonSchema.examples = examples;
}

/** With the references of the document, and in the forms that programs which make code and pages of it understand. */
function asDocumented(schema: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (key === '$ref' && typeof value === 'string') return value.replace(ZOD_PREFIX, COMPONENT_PREFIX);
    return isObject(value) ? composed(nullable(value)) : value;
  }) as Record<string, unknown>;
}

/** What is said of a value that may be null stands beside the alternatives. */
function nullable(schema: JsonSchema): JsonSchema {
  const { anyOf, description } = schema;
  if (description !== undefined || !Array.isArray(anyOf) || anyOf.length !== 2 || anyOf[1]?.type !== 'null') return schema;
  const { description: ofValue, ...value } = anyOf[0];
  return ofValue === undefined ? schema : { ...schema, description: ofValue, anyOf: [value, anyOf[1]] };
}

/** Of an object with alternatives both hold; beside `properties`, generators of types take `anyOf` and `oneOf` for further forms of the object. */
function composed(schema: JsonSchema): JsonSchema {
  const { anyOf, oneOf, description, examples, ...object } = schema;
  const alternatives = [...(Array.isArray(anyOf) ? [{ anyOf }] : []), ...(Array.isArray(oneOf) ? [{ oneOf }] : [])];
  if (!('properties' in object) || alternatives.length === 0) return schema;
  return { ...(description ? { description } : {}), ...(examples ? { examples } : {}), allOf: [object, ...alternatives] };
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
