import * as z from 'zod';
import { type LanguageState, listLanguages } from '../../../db/queries/templates/languages.ts';
import { findTemplateSetting } from '../../../db/queries/templates/templates.ts';
import { notFound } from '../../../domain/errors.ts';
import { DEFAULT_LANGUAGE, isLanguageBehind, MOST_LANGUAGES } from '../../../domain/templates/languages.ts';
import { deleteLanguage } from '../../../usecases/templates/delete-language.ts';
import { brandOf } from '../../brand.ts';
import * as examples from '../../examples/template-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { Locale, Timestamp } from '../../schemas.ts';
import { addressOf, entryOf } from '../../template-of-brand.ts';
import { BrandQuery, TemplatePath, UNKNOWN_TEMPLATE } from './templates.ts';

const LanguageVersion = z
  .object({
    version: z.int().meta({ description: 'All languages of a template share their numbers' }),
    subject: z.string().nullable().meta({ description: 'Liquid; empty: that of the default. null: a draft that was saved without' }),
    created_at: Timestamp.meta({ description: 'When it was saved' }),
  })
  .meta({ id: 'TemplateLanguageVersion', description: 'A version of a language' });

const TemplateLanguage = z
  .object({
    locale: z.string().nullable().meta({ description: 'Its BCP 47 tag; null: the default, which everybody gets for whom none is nearer' }),
    published: LanguageVersion.nullable().meta({
      description: 'What emails say; null: nothing yet, of the default what the template ships with',
    }),
    draft: LanguageVersion.nullable().meta({ description: 'null: there is none' }),
    ships: z.boolean().meta({ description: 'Whether the template comes with it: emails say that until something is published' }),
    behind: z.boolean().meta({ description: 'Whether the default was published after it, or it says nothing yet; false of the default' }),
  })
  .meta({ id: 'TemplateLanguage', description: 'A template in one language' });

const list = defineRoute({
  method: 'get',
  path: '/templates/:key/languages',
  scope: 'templates:read',
  summary: 'List the languages of a template, and which of them are behind',
  description:
    'An email is in the language of its call, else of its contact: the nearest that is published, from the whole tag to its language alone (`de-AT`, `de`), ' +
    'else the default. PUT /templates/:key/content with `locale` writes one.',
  params: TemplatePath,
  query: BrandQuery,
  status: 200,
  reply: z.object({
    languages: z.array(TemplateLanguage).meta({ description: `The default first, then at most ${MOST_LANGUAGES} by their tags` }),
  }),
  errors: [UNKNOWN_TEMPLATE, 'no_brand'],
  examples: examples.languages,
  async handle(context, { params, query }) {
    const entry = await entryOf(context, params.key);
    const at = addressOf(entry, await brandOf(context, query.brand));
    const found = await listLanguages(context.em, at);
    const ofDefault = found.find(({ locale }) => locale === DEFAULT_LANGUAGE);
    const subject = (await findTemplateSetting(context.em, at))?.subject ?? '';
    const published: LanguageState | null = ofDefault?.published ? { ...ofDefault.published, subject } : null;
    const others = new Map(found.filter(({ locale }) => locale !== DEFAULT_LANGUAGE).map((language) => [language.locale, language]));
    const shipped = Object.keys(entry.languages ?? {});
    const tags = [...new Set([...others.keys(), ...shipped])].sort();
    return {
      languages: [
        { locale: null, published, draft: ofDefault?.draft ?? null, ships: true, behind: false },
        ...tags.map((locale) => {
          const { published: own = null, draft = null } = others.get(locale) ?? {};
          const ships = shipped.includes(locale);
          return { locale, published: own, draft, ships, behind: isLanguageBehind(own, published, ships) };
        }),
      ],
    };
  },
});

const remove = defineRoute({
  method: 'delete',
  path: '/templates/:key/languages/:locale',
  scope: 'templates:write',
  summary: 'Take a language away from a template',
  description:
    'Whoever got it gets the next nearest from now on, or the default. Campaigns that have begun go on as they began, and its versions stay to be read.',
  params: TemplatePath.extend({ locale: Locale }),
  query: BrandQuery,
  status: 200,
  reply: z.object({
    key: z.string().meta({ description: 'The key of the template' }),
    locale: z.string().meta({ description: 'The tag that was taken away' }),
    deleted: z.literal(true).meta({ description: 'No email says it any more' }),
  }),
  errors: [UNKNOWN_TEMPLATE, 'no_brand', 'not_found'],
  examples: examples.removeLanguage,
  async handle(context, { params, query }) {
    const { locale } = params;
    const entry = await entryOf(context, params.key);
    const at = { ...addressOf(entry, await brandOf(context, query.brand)), locale };
    if (!(await deleteLanguage(context.em, at))) notFound('language');
    return { key: entry.key, locale, deleted: true as const };
  },
});

export const routes: readonly Route[] = [list, remove];
