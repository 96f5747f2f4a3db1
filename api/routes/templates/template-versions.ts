import * as z from 'zod';
import { findTemplateVersion, listTemplateVersions } from '../../../db/queries/templates/template-versions.ts';
import { REPLACED_DRAFTS_KEPT } from '../../../db/queries/templates/templates.ts';
import { notFound } from '../../../domain/errors.ts';
import { Content } from '../../../domain/templates/content.ts';
import { brandOf } from '../../brand.ts';
import * as examples from '../../examples/template-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { Limit, Timestamp, VersionNumber } from '../../schemas.ts';
import { addressOf, entryOf } from '../../template-of-brand.ts';
import { LanguageQuery, PUBLICATION_MEANS, TemplatePath, UNKNOWN_TEMPLATE } from './templates.ts';

const ListedVersion = z
  .object({
    version: z.int().meta({ description: 'One more with every version that is saved' }),
    publication: z
      .int()
      .nullable()
      .meta({ description: `${PUBLICATION_MEANS}. null: it was never published` }),
    state: z.enum(['draft', 'published', 'superseded', 'replaced']).meta({
      description:
        '`published`: it is what emails say; `superseded`: it was, until a later one was published; `replaced`: a draft until a later ' +
        'version was saved',
    }),
    subject: z
      .string()
      .nullable()
      .meta({
        description:
          "Liquid; empty: the template's own. Of a published version the one that is set, of a superseded one the last that was set while " +
          'it was published, null for those that were superseded before this was kept; of a draft null when it was saved without',
      }),
    created_at: Timestamp.meta({ description: 'When it was saved' }),
    key_id: z.uuid().nullable().meta({ description: 'Which key saved it; null for those that were saved before this was kept' }),
  })
  .meta({ id: 'ListedTemplateVersion', description: 'A version that a brand has made of the content' });

const list = defineRoute({
  method: 'get',
  path: '/templates/:key/versions',
  scope: 'templates:read',
  summary: 'List the versions of a template that a brand has saved, latest first',
  description:
    `Every version that was published is kept, and of the drafts the one that is there and the last ${REPLACED_DRAFTS_KEPT} that a later version has replaced; a draft ` +
    'that was published as it was, or saved again, is one with that version. So numbers may be missing. What the template came with, ' +
    'before all of them, is `first`: its content is `defaultContent` of GET /templates/:key/content.',
  params: TemplatePath,
  query: LanguageQuery.extend({
    limit: Limit,
    before: VersionNumber.optional().meta({ description: 'Only versions before this one: the next page' }),
  }),
  status: 200,
  reply: z.object({
    versions: z.array(ListedVersion).meta({ description: 'This page' }),
    first: z
      .object({
        subject: z.string().meta({ description: 'Liquid' }),
        created_at: Timestamp.nullable().meta({ description: 'When it was made; null for those of the installation' }),
      })
      .meta({ id: 'FirstTemplateVersion', description: 'What the template came with' }),
  }),
  errors: [UNKNOWN_TEMPLATE, 'no_brand'],
  examples: examples.versions,
  async handle(context, { params, query }) {
    const { limit, before } = query;
    const entry = await entryOf(context, params.key);
    const at = addressOf(entry, await brandOf(context, query.brand), query.locale);
    const versions = await listTemplateVersions(context.em, at, { before, limit });
    return { versions, first: { subject: entry.subject, created_at: entry.own?.madeAt ?? null } };
  },
});

const read = defineRoute({
  method: 'get',
  path: '/templates/:key/versions/:version',
  scope: 'templates:read',
  summary: 'Read one version of a template',
  description: 'PUT /templates/:key/content with its content and subject makes it the latest again, as a draft or published.',
  params: TemplatePath.extend({ version: VersionNumber }),
  query: LanguageQuery,
  status: 200,
  reply: ListedVersion.extend({ content: Content }),
  errors: [UNKNOWN_TEMPLATE, 'no_brand', 'not_found'],
  examples: examples.version,
  async handle(context, { params, query }) {
    const at = addressOf(await entryOf(context, params.key), await brandOf(context, query.brand), query.locale);
    return (await findTemplateVersion(context.em, at, params.version)) ?? notFound('version');
  },
});

export const routes: readonly Route[] = [list, read];
