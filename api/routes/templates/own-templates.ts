import * as z from 'zod';
import { createProjectTemplate, deleteProjectTemplate, renameProjectTemplate } from '../../../db/queries/templates/project-templates.ts';
import { boundedArray } from '../../../domain/bounded-array.ts';
import { Refusal } from '../../../domain/errors.ts';
import { isLargerThan } from '../../../domain/json-size.ts';
import { type DataField, DataFieldInput, MOST_PROJECT_TEMPLATES, NewTemplateKey } from '../../../domain/templates/registry-entry.ts';
import { MAX_NAME_LENGTH } from '../../../domain/text-lengths.ts';
import { saveTemplateSchema } from '../../../usecases/templates/save-template-schema.ts';
import * as examples from '../../examples/template-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { IfVersion, SendTypeName, Subject, Warnings, warned } from '../../schemas.ts';
import { entryOf, liquidIssues, spellingIn, unlessInvalid } from '../../template-of-brand.ts';
import { ContentBody, TemplatePath, UNKNOWN_TEMPLATE } from './templates.ts';

const MAX_FIELDS = 100;
const MAX_SCHEMA_KB = 64;

const DataSchema = boundedArray(DataFieldInput, MAX_FIELDS, { error: `at most ${MAX_FIELDS} fields` })
  .refine((fields) => !isLargerThan(fields, MAX_SCHEMA_KB * 1024), { error: `at most ${MAX_SCHEMA_KB} KB` })
  .superRefine((fields, { addIssue }) => {
    for (const [index, { path }] of fields.entries())
      if (fields.findIndex((field) => field.path === path) < index)
        addIssue({ code: 'custom', path: [index, 'path'], message: `${path} is declared twice` });
  })
  .meta({ description: `The variables that it expects in data; ${MAX_SCHEMA_KB} KB at most, samples included` });

/** As it is kept and answered, without nulls. */
function declared(fields: z.output<typeof DataSchema>): DataField[] {
  return fields.map(({ required, ...field }) => ({ ...field, ...(typeof required === 'boolean' ? { required } : {}) }));
}

const Name = z
  .string()
  .min(1, { error: `1 to ${MAX_NAME_LENGTH} characters` })
  .max(MAX_NAME_LENGTH, { error: `1 to ${MAX_NAME_LENGTH} characters` })
  .meta({ description: 'For your own lists' });
const Description = z.string().max(1000, { error: 'at most 1000 characters' }).meta({ description: 'What it is for' });

/** What POST /templates takes. */
export const OwnTemplateBody = z
  .object({
    key: NewTemplateKey,
    type: SendTypeName,
    name: Name,
    description: Description.nullish(),
    subject: Subject.refine((text) => text.trim() !== '', { error: 'should not be blank' }).meta({ description: 'Liquid' }),
    content: ContentBody,
    dataSchema: DataSchema.nullish(),
  })
  .meta({ id: 'NewTemplateInput', description: 'A template of your own' });

const create = defineRoute({
  method: 'post',
  path: '/templates',
  scope: 'templates:write',
  summary: 'Make a template of your own',
  description:
    `A project has at most ${MOST_PROJECT_TEMPLATES} (\`too_many_templates\`). It is off until PUT /templates/:key enables it, as every ` +
    'template is, and is for all brands of the project; its content is what renders until PUT /templates/:key/content publishes another. ' +
    'A key that the installation or the project has is 409 `duplicate_key`. Variables that no email has are told in `warnings`, as by ' +
    'PUT /templates/:key/content.',
  body: OwnTemplateBody,
  status: 201,
  reply: z.object({
    key: z.string().meta({ description: 'Its key' }),
    type: SendTypeName,
    enabled: z.literal(false).meta({ description: 'PUT /templates/:key enables it' }),
    warnings: Warnings,
  }),
  errors: [{ code: 'duplicate_key', status: 409 }, 'invalid_content', 'too_many_templates'],
  examples: examples.create,
  async handle(context, { body }) {
    const { em, project, registry, authoring, newId } = context;
    const { key, type, name } = body;
    const dataSchema = declared(body.dataSchema ?? []);
    if (registry.installed(project, key)) {
      throw new Refusal('duplicate_key', `the installation has a template with the key ${key}; take another key`, { status: 409 });
    }
    const subject = body.subject.trim();
    const faults = await liquidIssues(authoring, project.id, [{ path: 'subject', text: subject }]);
    const { content, compiled } = unlessInvalid(await authoring.compile(body.content, project.id), faults);
    const created = await createProjectTemplate(em, {
      ...{ id: newId(), project_id: project.id, key, type, name, subject, content, compiled },
      description: body.description ?? '',
      data_schema: dataSchema,
    });
    if (created === 'key_taken')
      throw new Refusal('duplicate_key', `the project has a template with the key ${key} already; DELETE it first`, { status: 409 });
    if (created === 'too_many')
      throw new Refusal('too_many_templates', `a project has at most ${MOST_PROJECT_TEMPLATES} templates of its own`);
    const spelling = await Promise.all([
      spellingIn(context, { type, dataSchema }, { subject, content: { blocks: [] } }, 'subject'),
      spellingIn(context, { type, dataSchema }, { subject: '', content }, 'content'),
    ]);
    return { key, type, enabled: false as const, ...warned(spelling.flat()) };
  },
});

const rename = defineRoute({
  method: 'patch',
  path: '/templates/:key',
  scope: 'templates:write',
  summary: 'Rename a template of your own',
  description:
    'For all brands; what is omitted stays. Its key stays: the API, sequences and campaigns go by it. Those of the installation keep their ' +
    'names (`template_not_own`).',
  params: TemplatePath,
  body: z
    .object({ name: Name.nullish(), description: Description.nullish() })
    .meta({ id: 'TemplateTextsInput', description: 'What a template is called, and what it is for' }),
  status: 200,
  reply: z.object({
    key: z.string().meta({ description: 'Its key' }),
    name: z.string().meta({ description: 'For your own lists' }),
    description: z.string().meta({ description: 'What it is for' }),
  }),
  errors: [UNKNOWN_TEMPLATE, 'template_not_own'],
  examples: examples.rename,
  async handle(context, { params, body: { name = null, description = null } }) {
    const { key, own } = await entryOf(context, params.key);
    if (!own) throw new Refusal('template_not_own', `the template ${key} belongs to the installation, whose file names it`);
    const renamed = await renameProjectTemplate(context.em, context.project.id, key, { name, description });
    if (!renamed) throw new Refusal('unknown_template', `no template has the key ${key}`, { status: 404 });
    return { key, ...renamed };
  },
});

const declare = defineRoute({
  method: 'put',
  path: '/templates/:key/schema',
  scope: 'templates:write',
  summary: 'Declare the variables of a template of your own anew',
  description:
    'All of them: what is left out is declared no more. For all brands, at once, as a new version unless nothing is different; a campaign that ' +
    'has begun keeps the one that it began with. Those of the installation stay as they are (`template_not_own`).',
  params: TemplatePath,
  query: z.object({ ifVersion: IfVersion }),
  body: z.object({ dataSchema: DataSchema }).meta({ id: 'TemplateSchemaInput', description: 'What a template expects in data' }),
  status: 200,
  reply: z.object({
    key: z.string().meta({ description: 'The key of the template' }),
    version: z.int().meta({ description: 'Of the declaration: one more with every change' }),
  }),
  errors: [UNKNOWN_TEMPLATE, 'template_not_own', 'version_conflict'],
  examples: examples.declare,
  async handle(context, { params, query, body }) {
    const { key, own } = await entryOf(context, params.key);
    if (!own) throw new Refusal('template_not_own', `the template ${key} belongs to the installation, which declares its variables`);
    return { key, version: await saveTemplateSchema(context.em, { id: own.id, key }, declared(body.dataSchema), query.ifVersion) };
  },
});

const remove = defineRoute({
  method: 'delete',
  path: '/templates/:key',
  scope: 'templates:write',
  summary: 'Delete a template of your own',
  description:
    'With its settings and versions, for all brands. What would still send it fails with `unknown_template`: the steps of sequences, which ' +
    'go on behind it, the recipients that a campaign has left, and a campaign that has not begun. Those of the installation cannot be ' +
    'deleted (`template_not_own`).',
  params: TemplatePath,
  status: 200,
  reply: z.object({ key: z.string().meta({ description: 'What it was' }), deleted: z.literal(true).meta({ description: 'It is gone' }) }),
  errors: [UNKNOWN_TEMPLATE, 'template_not_own'],
  examples: examples.remove,
  async handle(context, { params }) {
    const { key, own } = await entryOf(context, params.key);
    if (!own) {
      const how = `PUT /templates/${key} with {"enabled":false} turns it off`;
      throw new Refusal('template_not_own', `the template ${key} belongs to the installation and cannot be deleted; ${how}`);
    }
    if (!(await deleteProjectTemplate(context.em, context.project.id, key))) {
      throw new Refusal('unknown_template', `no template has the key ${key}`, { status: 404 });
    }
    return { key, deleted: true as const };
  },
});

export const routes: readonly Route[] = [create, rename, declare, remove];
