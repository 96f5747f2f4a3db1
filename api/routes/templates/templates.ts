import * as z from 'zod';
import { verifiedDomains } from '../../../db/queries/domains/sending-domains.ts';
import { findTemplateSetting, findTemplateVersions, listTemplateSettings } from '../../../db/queries/templates/templates.ts';
import { type Issue, invalidRequest } from '../../../domain/errors.ts';
import { isOnDomain, unverifiedSender } from '../../../domain/sends/send.ts';
import { DescribedField } from '../../../domain/templates/data-schema.ts';
import { DataField } from '../../../domain/templates/registry-entry.ts';
import { saveTemplateSetting } from '../../../usecases/templates/save-template-setting.ts';
import { brandOf } from '../../brand.ts';
import * as examples from '../../examples/template-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { BrandSlug, Locale, Sender, SendTypeName, Subject, Warnings, warned } from '../../schemas.ts';
import { addressOf, entryOf, refuseFaultyLiquid, spellingIn, unlessInvalid } from '../../template-of-brand.ts';

export const TemplatePath = z.object({ key: z.string().meta({ description: 'The key of the template' }) });
export const ReplyKey = z.string().meta({ description: 'The key of the template' });
export const BrandQuery = z.object({
  brand: BrandSlug.optional().meta({ description: "A brand's slug; the project's default when omitted" }),
});
/** Of which language of a template. */
export const LanguageQuery = BrandQuery.extend({
  locale: Locale.optional().meta({ description: 'A language, by its BCP 47 tag; the default when omitted' }),
});

interface LocaleGiven {
  readonly locale?: string | null | undefined;
}

/** The language that a call with a body is about, in the body or the query. Throws `invalid_request` where they name two. */
export function localeAsked(body: LocaleGiven, query: LocaleGiven): string | undefined {
  const { locale: inBody } = body;
  const { locale: inQuery } = query;
  if (inBody && inQuery && inBody !== inQuery)
    throw invalidRequest([{ path: 'locale', message: `the body says ${inBody} and the query ${inQuery}: give one of them, or the same` }]);
  return inBody ?? inQuery ?? undefined;
}

export const UNKNOWN_TEMPLATE = { code: 'unknown_template', status: 404 } as const;

/** Read by the block schema itself, whose problems are `invalid_content`. */
export const ContentBody = z.unknown().nonoptional({ error: 'required' }).meta({ $ref: '#/components/schemas/TemplateContent' });

export const TemplateRecord = z
  .object({
    key: z.string().meta({ description: 'Names it in sends, campaigns and sequences' }),
    name: z.string().meta({ description: 'For people' }),
    description: z.string().meta({ description: 'What it is for; may be empty' }),
    type: SendTypeName,
    own: z.boolean().meta({ description: 'Made by the project itself with POST /templates; DELETE removes it' }),
    enabled: z.boolean().meta({ description: 'Whether the brand may send it' }),
    subject: z.string().meta({ description: 'Empty while none is set: the one that the template ships with is used' }),
    from: z
      .object({
        email: z.string().meta({ description: 'The address' }),
        name: z.string().optional().meta({ description: 'Shown beside it' }),
      })
      .nullable()
      .meta({ description: "null: the brand's sender" }),
  })
  .meta({ id: 'Template', description: 'A template as a brand has set it' });

export const PUBLICATION_MEANS = '`version` counts every save; `publication` counts what was published; the console calls it Version';

const list = defineRoute({
  method: 'get',
  path: '/templates',
  scope: 'templates:read',
  summary: 'List the templates of the installation and of the project, as a brand has set them',
  query: BrandQuery,
  status: 200,
  reply: z.object({ templates: z.array(TemplateRecord).meta({ description: 'All of them, by their keys' }) }),
  errors: ['no_brand'],
  examples: examples.list,
  async handle(context, { query }) {
    const { em, project, registry } = context;
    const brand = await brandOf(context, query.brand);
    const settings = new Map((await listTemplateSettings(em, project.id, brand.slug)).map((setting) => [setting.template, setting]));
    const templates = (await registry.listAll(em, project)).map(({ key, name, description, type, isOwn: own }) => {
      const { enabled = false, subject = '', from_email, from_name } = settings.get(key) ?? {};
      return {
        key,
        name,
        description,
        type,
        own,
        enabled,
        subject,
        from: from_email ? { email: from_email, ...(from_name ? { name: from_name } : {}) } : null,
      };
    });
    return { templates };
  },
});

const schema = defineRoute({
  method: 'get',
  path: '/templates/:key/schema',
  scope: 'templates:read',
  summary: 'Tell which variables a template uses',
  description:
    'Variables of the published content and the subject that the registry does not declare are listed too; declared ones that neither uses ' +
    'are marked `used: false`. An email is not sent without those that are `required`: ' +
    '`{ "path": "resetUrl", "kind": "url", "required": true, "sample": "https://example.com/reset?token=Zk3vR8" }`.',
  params: TemplatePath,
  query: BrandQuery,
  status: 200,
  reply: z.object({
    key: ReplyKey,
    type: SendTypeName,
    subject: z.string().meta({ description: 'Liquid; that of emails whose send, campaign or brand gives none' }),
    dataSchema: z.array(DescribedField).meta({ description: 'What it expects in data' }),
    declared: z.array(DataField).meta({ description: 'What is declared, whatever is used: of a template of your own PUT changes it' }),
    version: z.int().meta({ description: 'Of the declaration, for `ifVersion` of PUT' }),
    systemVars: z.array(z.string()).meta({ description: 'Filled in by the renderer; passing them in data has no effect' }),
  }),
  errors: [UNKNOWN_TEMPLATE, 'no_brand', 'invalid_content'],
  examples: examples.schema,
  async handle(context, { params, query }) {
    const entry = await entryOf(context, params.key);
    const at = addressOf(entry, await brandOf(context, query.brand));
    const setting = await findTemplateSetting(context.em, at);
    const { published } = await findTemplateVersions(context.em, at);
    const subject = setting?.subject || entry.subject;
    const { type, dataSchema: declared } = entry;
    const { dataSchema, systemVars } = unlessInvalid(
      await context.authoring.schema(
        { type, dataSchema: declared, subject, content: published?.content ?? entry.content },
        context.project.id,
      ),
    );
    return {
      ...{ key: entry.key, type: entry.type, subject: entry.subject, dataSchema: [...dataSchema] },
      ...{ declared: [...declared], version: entry.own?.schemaVersion ?? 1, systemVars: [...systemVars] },
    };
  },
});

const set = defineRoute({
  method: 'put',
  path: '/templates/:key',
  scope: 'templates:write',
  summary: 'Enable a template, set its subject and sender',
  description:
    'Enables the template unless it says `enabled: false`. Where something else was set and the template was off, the answer says so: ' +
    '`{ "warnings": [{ "path": "enabled", "message": "receipt was off and is enabled now, …" }] }`.',
  params: TemplatePath,
  query: BrandQuery,
  body: z
    .object({
      enabled: z.boolean().nullish().meta({ description: 'true when omitted' }),
      defaultSubject: Subject.nullish().meta({ description: 'Liquid; used when a send omits its subject. A blank one clears' }),
      from: Sender.nullish().meta({ description: 'null clears, omitted keeps' }),
      brand: BrandSlug.nullish(),
    })
    .meta({ id: 'TemplateInput', description: 'What to set; what is omitted stays as it is, except for `enabled`' }),
  status: 200,
  reply: z.object({ key: ReplyKey, enabled: z.boolean().meta({ description: 'Whether the brand may send it now' }), warnings: Warnings }),
  errors: [UNKNOWN_TEMPLATE, 'no_brand', 'invalid_from', 'invalid_content'],
  examples: examples.set,
  async handle(context, { params, query, body }) {
    const { em, project } = context;
    const entry = await entryOf(context, params.key);
    const brand = await brandOf(context, body.brand ?? query.brand);
    const { from } = body;
    const defaultSubject = body.defaultSubject?.trim();
    await refuseFaultyLiquid(context.authoring, project.id, [{ path: 'defaultSubject', text: defaultSubject }]);
    const domains = from ? await verifiedDomains(em, project.id) : [];
    if (from && !isOnDomain(from.email, domains)) throw unverifiedSender(from.email, domains);
    const enabled = body.enabled ?? true;
    const at = addressOf(entry, brand);
    const before = await findTemplateSetting(em, at);
    await saveTemplateSetting(em, at, {
      enabled,
      subject: defaultSubject ?? undefined,
      from: from ? { email: from.email, name: from.name || null } : from,
    });
    const setsMore = defaultSubject !== undefined || from !== undefined;
    const isSurprise = typeof body.enabled !== 'boolean' && setsMore && !before?.enabled;
    const written = { subject: defaultSubject ?? '', content: { blocks: [] } };
    const misspelt = await spellingIn(context, entry, written, 'defaultSubject');
    return { key: entry.key, enabled, ...warned([...(isSurprise ? [enabledUnasked(entry.key)] : []), ...misspelt]) };
  },
});

function enabledUnasked(key: string): Issue {
  return { path: 'enabled', message: `${key} was off and is enabled now, since enabled is true when omitted; enabled: false keeps it off` };
}

export const routes: readonly Route[] = [list, schema, set];
