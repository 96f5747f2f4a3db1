import * as z from 'zod';
import { listLanguages } from '../../../db/queries/templates/languages.ts';
import { publicationOf } from '../../../db/queries/templates/template-versions.ts';
import { findTemplateSetting, findTemplateVersions } from '../../../db/queries/templates/templates.ts';
import { MAX_ISSUES } from '../../../domain/errors.ts';
import { contrastWarnings } from '../../../domain/templates/block-colors.ts';
import { Content } from '../../../domain/templates/content.ts';
import { DEFAULT_LANGUAGE, isLanguageBehind } from '../../../domain/templates/languages.ts';
import { saveTemplateVersion } from '../../../usecases/templates/save-template-version.ts';
import { brandOf } from '../../brand.ts';
import * as examples from '../../examples/template-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { BrandSlug, IfVersion, Locale, Subject, Warnings, warned } from '../../schemas.ts';
import { addressOf, entryOf, liquidIssues, spellingIn, unlessInvalid } from '../../template-of-brand.ts';
import { ContentBody, LanguageQuery, localeAsked, PUBLICATION_MEANS, ReplyKey, TemplatePath, UNKNOWN_TEMPLATE } from './templates.ts';

const VersionRecord = z
  .object({
    version: z.int().meta({ description: 'One more with every version that is saved' }),
    published: z.boolean().meta({ description: 'true: it is what emails say' }),
    content: Content,
    subject: z
      .string()
      .optional()
      .meta({
        description:
          "Liquid. Of the published version the one that is set, absent while the template's own is. Of a draft the one that it was saved " +
          "with, empty for the template's own; absent: the one that is set stays",
      }),
  })
  .meta({ id: 'TemplateVersion', description: 'What a brand has made of the content' });

const PublishedVersion = VersionRecord.extend({ publication: z.int().meta({ description: PUBLICATION_MEANS }) }).meta({
  id: 'PublishedTemplateVersion',
  description: 'What a brand has made of the content, as emails say it',
});

const readContent = defineRoute({
  method: 'get',
  path: '/templates/:key/content',
  scope: 'templates:read',
  summary: "Read a template's content: as it ships, the draft, the published version",
  params: TemplatePath,
  query: LanguageQuery,
  status: 200,
  reply: z.object({
    key: ReplyKey,
    defaultContent: Content.meta({ description: 'As the template ships: what emails say until something is published' }),
    draft: VersionRecord.optional().meta({ description: 'Absent when there is none' }),
    published: PublishedVersion.optional().meta({ description: 'Absent when there is none' }),
    behind: z
      .boolean()
      .optional()
      .meta({ description: 'Of a language: whether the default was published after it. Absent of the default' }),
  }),
  errors: [UNKNOWN_TEMPLATE, 'no_brand'],
  examples: examples.readContent,
  async handle(context, { params, query }) {
    const entry = await entryOf(context, params.key);
    const brand = await brandOf(context, query.brand);
    const at = addressOf(entry, brand, query.locale);
    const { draft, published } = await findTemplateVersions(context.em, at);
    const setting = at.locale === undefined ? await findTemplateSetting(context.em, at) : published;
    const subject = (published && setting?.subject) ?? '';
    const shipped = at.locale === undefined ? undefined : entry.languages?.[at.locale];
    const ofDefault =
      at.locale === undefined
        ? undefined
        : (await listLanguages(context.em, at)).find(({ locale }) => locale === DEFAULT_LANGUAGE)?.published;
    return {
      key: entry.key,
      defaultContent: shipped?.content ?? entry.content,
      ...(at.locale === undefined ? {} : { behind: isLanguageBehind(published, ofDefault, shipped !== undefined) }),
      ...(draft && {
        draft: {
          version: draft.version,
          published: false,
          content: draft.content,
          ...(draft.subject === null ? {} : { subject: draft.subject }),
        },
      }),
      ...(published && {
        published: {
          version: published.version,
          publication: await publicationOf(context.em, at, published.version),
          published: true,
          content: published.content,
          ...(subject && { subject }),
        },
      }),
    };
  },
});

const writeContent = defineRoute({
  method: 'put',
  path: '/templates/:key/content',
  scope: 'templates:write',
  summary: 'Save content as the draft, or publish it',
  description:
    'Without publish the content replaces the draft; with it the content becomes the published version and the draft is gone (GET ' +
    '/templates/:key/versions says what of it stays). A `subject` is part of the version: with publish it is set as by `defaultSubject` of ' +
    'PUT /templates/:key, of a draft previews and test mails have it. `ifVersion` is the higher version of both. Variables that no ' +
    'email has are told in `warnings`: `[{ "path": "content", "message": "contact.firstName is no variable; did you mean contact.first_name?" }]`.',
  params: TemplatePath,
  query: LanguageQuery.extend({ ifVersion: IfVersion }),
  body: z
    .object({
      content: ContentBody,
      subject: Subject.nullish().meta({ description: "Liquid; a blank one is the template's own. Omitted: the one that is set stays" }),
      publish: z.boolean().nullish().meta({ description: 'true: emails say it from now on; a draft when omitted' }),
      brand: BrandSlug.nullish(),
      locale: Locale.nullish().meta({
        description:
          'The language that it is in, for whom that is nearest; the default when omitted. The query may name it instead, but not another',
      }),
    })
    .meta({ id: 'TemplateContentInput', description: 'A version of the content' }),
  status: 200,
  reply: z.object({
    key: ReplyKey,
    version: z.int().meta({ description: 'The number of what was saved' }),
    published: z.boolean().meta({ description: 'Whether emails say it now' }),
    publication: z
      .int()
      .optional()
      .meta({ description: `${PUBLICATION_MEANS}. Absent of a draft` }),
    warnings: Warnings,
  }),
  errors: [UNKNOWN_TEMPLATE, 'no_brand', 'invalid_content', 'version_conflict', 'too_many_languages'],
  examples: examples.writeContent,
  async handle(context, { params, query, body }) {
    const entry = await entryOf(context, params.key);
    const brand = await brandOf(context, body.brand ?? query.brand);
    const locale = localeAsked(body, query);
    const publish = body.publish ?? false;
    const subject = body.subject?.trim();
    const faults = await liquidIssues(context.authoring, context.project.id, [{ path: 'subject', text: subject }]);
    const { content, compiled } = unlessInvalid(await context.authoring.compile(body.content, context.project.id, locale), faults);
    const { version, publication } = await saveTemplateVersion(context.em, addressOf(entry, brand, locale), {
      content,
      compiled,
      ...{ entry, publish, subject },
      keyId: context.keyId,
      ifVersion: query.ifVersion,
    });
    const spelling = await Promise.all([
      spellingIn(context, entry, { subject: subject ?? '', content: { blocks: [] } }, 'subject'),
      spellingIn(context, entry, { subject: '', content }, 'content'),
    ]);
    return {
      key: entry.key,
      version,
      published: publish,
      ...(publication === undefined ? {} : { publication }),
      ...warned([...spelling.flat(), ...contrastWarnings(content, brand.color)].slice(0, MAX_ISSUES)),
    };
  },
});

export const routes: readonly Route[] = [readContent, writeContent];
