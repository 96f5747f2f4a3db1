import type Koa from 'koa';
import * as z from 'zod';
import { FlowGraphInput } from '../domain/sequences/schema.ts';
import { Content } from '../domain/templates/content.ts';
import { asWritten } from './openapi/components.ts';
import { OwnTemplateBody } from './routes/templates/own-templates.ts';
import { Locale, Sender, Subject } from './schemas.ts';
import { type StaticFile, sendStatic, staticFile } from './static-file.ts';
import { methodNotAllowed } from './unrouted.ts';

const { key: _key, content: _content, ...texts } = OwnTemplateBody.shape;

/** A template as a file, with its content in files beside it: docs/contract/templates.md 37. */
const TemplateFile = z
  .strictObject({
    ...texts,
    enabled: z.boolean().nullish().meta({ description: 'Whether the brand may send it; false when omitted' }),
    from: Sender.nullish().meta({ description: "Who sends it; the brand's sender when omitted" }),
    languages: z
      .record(Locale, z.strictObject({ subject: Subject.nullish().meta({ description: 'Liquid; that of the default when omitted' }) }))
      .nullish()
      .meta({ description: 'Its other languages, each with its content in a file of its own, like content.de.yaml' }),
  })
  .meta({ title: 'A template of Everpost' });

const { key: _ofAddress, version: _version, ok: _ok, migrate: _migrate, ...graph } = FlowGraphInput.shape;

/** A sequence as a file: docs/contract/sequences.md 76. */
const SequenceFile = z.strictObject(graph).meta({ title: 'A sequence of Everpost' });

const ContentFile = Content.meta({
  title: 'What a template of Everpost says',
  description: 'Blocks from top to bottom, or MJML. Texts are Liquid',
});

const SCHEMAS: Readonly<Record<string, z.ZodType>> = { template: TemplateFile, content: ContentFile, sequence: SequenceFile };

const PATH = /^\/schemas\/([a-z]+)\.json$/;
/** Editors in a browser ask from pages of other origins. */
const HEADERS = { 'Content-Type': 'application/schema+json; charset=utf-8', 'Access-Control-Allow-Origin': '*' };

/** GET /schemas/<name>.json: JSON Schemas of content as files, so that editors complete and check it. Public, and made when first asked for. */
export function fileSchemas(): Koa.Middleware {
  const made = new Map<string, Promise<StaticFile>>();
  return async (ctx, next) => {
    const name = PATH.exec(ctx.path)?.[1] ?? '';
    if (!Object.hasOwn(SCHEMAS, name)) return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed(ctx.method, ['GET', 'HEAD']);
    const file = made.get(name) ?? staticFile(JSON.stringify(jsonSchema(SCHEMAS[name] as z.ZodType), null, 2), HEADERS);
    made.set(name, file);
    sendStatic(ctx, await file);
  };
}

/** Of the form in which it is written. Draft 7 is what editors know best. What refers to the API's document, as any JSON value does, is anything. */
function jsonSchema(schema: z.ZodType): object {
  const made = z.toJSONSchema(schema, {
    ...{ io: 'input', target: 'draft-7' },
    override(written) {
      asWritten(written);
      // A call passes over what it does not know in some places, for clients that are newer; in a file that is a typo.
      if (written.jsonSchema.properties) written.jsonSchema.additionalProperties ??= false;
    },
  });
  return JSON.parse(JSON.stringify(made), (name, value) =>
    name === '$ref' && String(value).startsWith('#/components/') ? undefined : separated(value),
  );
}

/** Several types as alternatives: Ajv in strict mode refuses a list of them, but for one that may also be null. */
function separated(value: unknown): unknown {
  const { type, ...others } = (value ?? {}) as { readonly type?: unknown };
  const isUnion = Array.isArray(type) && (type.length > 2 || !type.includes('null'));
  return isUnion ? { ...others, anyOf: type.map((one) => ({ type: one })) } : value;
}
