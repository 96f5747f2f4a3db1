import * as z from 'zod';
import { verifiedDomains } from '../../../db/queries/domains/sending-domains.ts';
import { listLanguages, publishedContents, type TemplateLanguage } from '../../../db/queries/templates/languages.ts';
import { findProjectTemplate } from '../../../db/queries/templates/project-templates.ts';
import { findTemplateSetting } from '../../../db/queries/templates/templates.ts';
import type { Issue } from '../../../domain/errors.ts';
import { isOnDomain, unverifiedSender } from '../../../domain/sends/send.ts';
import { Content } from '../../../domain/templates/content.ts';
import { DEFAULT_LANGUAGE, MOST_LANGUAGES } from '../../../domain/templates/languages.ts';
import { DataField, NewTemplateKey, shippedLanguages } from '../../../domain/templates/registry-entry.ts';
import { brandOf } from '../../brand.ts';
import * as examples from '../../examples/template-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { Locale, Sender, Subject } from '../../schemas.ts';
import { addressOf, entryOf, liquidIssues, unlessInvalid } from '../../template-of-brand.ts';
import { OwnTemplateBody } from './own-templates.ts';
import { BrandQuery, ContentBody, TemplatePath, TemplateRecord, UNKNOWN_TEMPLATE } from './templates.ts';

const SourceLanguage = z
  .object({
    locale: z.string().nullable().meta({ description: 'Its BCP 47 tag; null: the default' }),
    subject: z.string().meta({ description: 'Liquid. Of a language empty: that of the default' }),
    content: Content.nullable().meta({ description: 'What emails say; null: nothing yet, it is a draft alone' }),
    version: z.int().meta({ description: 'The latest that was saved, for `ifVersion` of PUT /templates/:key/content; 0: none' }),
    published: z.boolean().meta({ description: 'Whether the brand has published it; false of what the template ships with' }),
    draft: z.boolean().meta({ description: 'Whether there is a draft, which is not shown here' }),
  })
  .meta({ id: 'TemplateSourceLanguage', description: 'What emails of a template say in one language' });

const read = defineRoute({
  method: 'get',
  path: '/templates/:key/source',
  scope: 'templates:read',
  summary: 'Read all that a template is and says, as files keep it',
  description: 'What emails say at this moment, in every language; drafts are told and not shown.',
  params: TemplatePath,
  query: BrandQuery,
  status: 200,
  reply: TemplateRecord.extend({
    subject: z.string().meta({ description: 'Liquid; the one that is set, else the one that the template ships with' }),
    dataSchema: z.array(DataField).meta({ description: 'What is declared, whatever is used' }),
    schemaVersion: z.int().meta({ description: 'Of the declaration, for `ifVersion` of PUT /templates/:key/schema' }),
    languages: z.array(SourceLanguage).meta({ description: `The default first, then at most ${MOST_LANGUAGES} by their tags` }),
  }),
  errors: [UNKNOWN_TEMPLATE, 'no_brand'],
  examples: examples.source,
  async handle(context, { params, query }) {
    const { em } = context;
    const entry = await entryOf(context, params.key);
    const brand = await brandOf(context, query.brand);
    const at = addressOf(entry, brand);
    // A name changes without a version, which is what entries are kept by.
    const { name, description } = (entry.own && (await findProjectTemplate(em, { id: entry.own.id, schema_version: 1 }))) ?? entry;
    const { enabled = false, subject: ownSubject, from_email, from_name } = (await findTemplateSetting(em, at)) ?? {};
    const subject = ownSubject || entry.subject;
    const known = new Map((await listLanguages(em, at)).map((language) => [language.locale, language]));
    // After the versions: what is saved between the two is refused to whoever writes by its version.
    const contents = await publishedContents(em, at);
    const own = known.get(DEFAULT_LANGUAGE);
    const shipped = shippedLanguages(entry, own?.published?.version ?? null);
    const tags = [...new Set([...known.keys(), ...Object.keys(shipped)])].filter((tag) => tag !== DEFAULT_LANGUAGE).sort();
    const languages: z.output<typeof SourceLanguage>[] = [
      { locale: null, subject, content: contents.get(DEFAULT_LANGUAGE) ?? entry.content, ...stateOf(own) },
      ...tags.map((locale) => ({
        ...{
          locale,
          subject: known.get(locale)?.published?.subject ?? '',
          content: contents.get(locale) ?? shipped[locale]?.content ?? null,
        },
        ...stateOf(known.get(locale)),
      })),
    ];
    return {
      ...{ key: entry.key, name, description, type: entry.type, own: entry.own !== undefined },
      ...{ enabled, subject, from: from_email ? { email: from_email, ...(from_name ? { name: from_name } : {}) } : null },
      ...{ dataSchema: [...entry.dataSchema], schemaVersion: entry.own?.schemaVersion ?? 1, languages },
    };
  },
});

function stateOf(language: TemplateLanguage | undefined) {
  const { draft = null, published = null } = language ?? {};
  const version = Math.max(draft?.version ?? 0, published?.version ?? 0);
  return { version, published: published !== null, draft: draft !== null };
}

const { key: _key, ...texts } = OwnTemplateBody.shape;

/** How many there are is looked at before any of them is. */
const LanguagesToCheck = z.preprocess(
  (value, { addIssue }) => {
    if (typeof value === 'object' && value !== null && Object.keys(value).length > MOST_LANGUAGES)
      addIssue({ code: 'custom', message: `at most ${MOST_LANGUAGES} languages` });
    return value;
  },
  z.record(
    Locale,
    z.object({ subject: Subject.nullish().meta({ description: 'Liquid; that of the default when omitted' }), content: ContentBody }),
  ),
);

const check = defineRoute({
  method: 'post',
  path: '/templates/:key/check',
  scope: 'templates:write',
  summary: 'Tell whether a template could be written so',
  description:
    'Writes nothing. As POST /templates, PUT /templates/:key and PUT /templates/:key/content would decide of what is given, whether or not there is a ' +
    'template with this key: all that is wrong is told at once, of a language as `languages.de.content`.',
  params: z.object({ key: NewTemplateKey }),
  body: z
    .object({
      ...texts,
      content: ContentBody.optional().meta({ description: 'What is published stays when omitted' }),
      from: Sender.nullish().meta({ description: 'Whom its emails are from, as PUT /templates/:key takes it' }),
      languages: LanguagesToCheck.nullish().meta({
        description: `What it says in other languages, at most ${MOST_LANGUAGES}, by their BCP 47 tags`,
      }),
    })
    .meta({ id: 'TemplateCheckInput', description: 'A template as it would be written' }),
  status: 200,
  reply: z.object({
    key: z.string().meta({ description: 'Its key' }),
    exists: z.boolean().meta({ description: 'Whether there is one now' }),
  }),
  errors: ['invalid_content', 'invalid_from'],
  examples: examples.check,
  async handle({ em, project, registry, authoring }, { params, body }) {
    const { from, content, subject } = body;
    const languages = Object.entries(body.languages ?? {});
    const subjects = languages.map(([tag, said]) => ({ path: `languages.${tag}.subject`, text: said.subject?.trim() }));
    const issues: Issue[] = await liquidIssues(authoring, project.id, [{ path: 'subject', text: subject.trim() }, ...subjects]);
    const contents = [...(content === undefined ? [] : [['', { content }] as const]), ...languages];
    for (const [tag, said] of contents) {
      const compiled = await authoring.compile(said.content, project.id, tag || undefined);
      const found = 'issues' in compiled ? compiled.issues : [];
      issues.push(...(tag === '' ? found : found.map((issue) => ({ ...issue, path: `languages.${tag}.${issue.path}` }))));
    }
    unlessInvalid({}, issues);
    const domains = from ? await verifiedDomains(em, project.id) : [];
    if (from && !isOnDomain(from.email, domains)) throw unverifiedSender(from.email, domains);
    return { key: params.key, exists: (await registry.find(em, project, params.key)) !== undefined };
  },
});

export const routes: readonly Route[] = [read, check];
