import * as z from 'zod';
import { Content } from '../../domain/templates/content.ts';
import { collectComponents, type JsonSchema } from '../openapi/components.ts';
import type { Route } from '../route.ts';
import { routes } from '../routes/index.ts';

/** A route as the documentation calls it, like `POST /send`. */
export type RouteName = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;

const COMPONENT = '#/components/schemas/';
const DEFINITION = '#/$defs/';

const components = collectComponents();

/** Members of a route's body, or of its query, as the OpenAPI document has them. Throws for a member that it does not have. */
export function fieldsOf(name: RouteName, fields: readonly string[]): Readonly<Record<string, JsonSchema>> {
  const route = routeNamed(name);
  const schema = resolved(components.schemaOf((route.documentedBody ?? route.body ?? route.query) as z.ZodType));
  const properties = propertiesOf(schema);
  return Object.fromEntries(
    fields.map((field) => {
      const found = properties[field];
      if (!found) throw new Error(`${name} has no field ${field}`);
      return [field, found];
    }),
  );
}

/** The whole body of a route, by itself. */
export function bodySchemaOf(name: RouteName): JsonSchema {
  const route = routeNamed(name);
  return standalone(components.schemaOf((route.documentedBody ?? route.body) as z.ZodType));
}

/** The schema of a template's content, by itself. */
export function contentSchema(): JsonSchema {
  return standalone(components.schemaOf(Content), { [JSON_VALUE]: ANY_JSON });
}

function routeNamed(name: RouteName): Route {
  const [method, path] = name.split(' ');
  const route = routes.find((one) => one.path === path && one.method.toUpperCase() === method);
  if (!route) throw new Error(`there is no route ${name}`);
  return route;
}

/** Those of an object, also of one that has to hold something else as well. */
function propertiesOf({ properties = {}, allOf = [] }: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return Object.assign({}, properties, ...(allOf as readonly JsonSchema[]).map((part) => propertiesOf(resolved(part))));
}

function resolved(schema: JsonSchema): JsonSchema {
  const { $ref } = schema;
  return typeof $ref === 'string' ? (components.all[$ref.slice(COMPONENT.length)] as JsonSchema) : schema;
}

/** The input of a tool: its own fields and those that it hands to a route. */
export function inputSchema(own: z.ZodObject, taken: Readonly<Record<string, JsonSchema>>, required: readonly string[]): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(own, { io: 'input' }) as Record<string, unknown>;
  const { properties, required: ofOwn = [] } = schema as { readonly properties: object; readonly required?: readonly string[] };
  const needed = [...ofOwn, ...required];
  return standalone({
    ...schema,
    properties: { ...properties, ...taken },
    ...(needed.length > 0 ? { required: needed } : {}),
    additionalProperties: false,
  });
}

/** With the components that it refers to among its own definitions, and without what says nothing to who writes a value. */
function standalone(schema: JsonSchema, told: Readonly<Record<string, JsonSchema>> = BRIEFLY): JsonSchema {
  const definitions: Record<string, unknown> = {};
  const shaped = (part: unknown): unknown =>
    JSON.parse(JSON.stringify(part), (name, value) => {
      if (name === '$ref' && typeof value === 'string' && value.startsWith(COMPONENT)) {
        define(value.slice(COMPONENT.length));
        return value.replace(COMPONENT, DEFINITION);
      }
      return isObject(value) ? brief(value) : value;
    });
  const define = (id: string): void => {
    if (id in definitions) return;
    definitions[id] = {};
    const component = told[id] ?? components.all[id];
    if (!component) throw new Error(`nothing is known of ${id}`);
    definitions[id] = shaped(component);
  };
  const root = shaped(schema) as JsonSchema;
  return Object.keys(definitions).length > 0 ? { ...root, $defs: { ...(root.$defs as object | undefined), ...definitions } } : root;
}

const JSON_VALUE = 'JsonValue';
const ANY_JSON = { description: 'Any JSON value' };
/** Components that are long, or say nothing, and stand in many tools. */
const BRIEFLY = {
  [JSON_VALUE]: ANY_JSON,
  TemplateContent: { type: 'object', description: 'Blocks from top to bottom, or MJML: get_format with `template_content` has their form' },
};
/** Formats whose patterns are long. */
const KNOWN_FORMATS: readonly unknown[] = ['date-time', 'uuid', 'date'];

/** A value that may be left out need not be null; a known format needs no pattern. */
function brief(schema: Record<string, unknown>): Record<string, unknown> {
  const { anyOf, pattern, ...rest } = schema;
  const kept = { ...rest, ...(pattern === undefined || KNOWN_FORMATS.includes(rest.format) ? {} : { pattern }) };
  if (!Array.isArray(anyOf)) return kept;
  const [first, second] = anyOf;
  return anyOf.length === 2 && second?.type === 'null' && isObject(first) ? { ...first, ...kept } : { ...kept, anyOf };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
