import * as z from 'zod';
import { findTemplateVersion, listTemplateVersions } from '../../db/queries/template-versions.ts';
import { notFound } from '../../domain/errors.ts';
import { Content } from '../../domain/template/content.ts';
import { brandOf } from '../brand.ts';
import * as examples from '../examples/template-examples.ts';
import { defineRoute } from '../route.ts';
import { Limit, Timestamp, VersionNumber } from '../schemas.ts';
import { addressOf, entryOf } from '../template-of-brand.ts';
import { BrandQuery, TemplatePath, UNKNOWN_TEMPLATE } from './templates.ts';

const ListedVersion = z
  .object({
    version: z.int().meta({ description: 'One more with every version that is saved' }),
    state: z
      .enum(['draft', 'published', 'superseded'])
      .meta({ description: '`published`: it is what mails say; `superseded`: it was, until a later one was published' }),
    created_at: Timestamp.meta({ description: 'When it was saved' }),
  })
  .meta({ id: 'ListedTemplateVersion', description: 'A version that a brand has made of the content' });

export const list = defineRoute({
  method: 'get',
  path: '/templates/:key/versions',
  scope: 'any key',
  summary: 'List the versions of a template that a brand has saved, latest first',
  description:
    'Every version that was published is kept. A draft is gone with the next version that is saved, so its number may be missing. Who saved one ' +
    'is not recorded.',
  params: TemplatePath,
  query: BrandQuery.extend({
    limit: Limit,
    before: VersionNumber.optional().meta({ description: 'Only versions before this one: the next page' }),
  }),
  status: 200,
  reply: z.object({ versions: z.array(ListedVersion).meta({ description: 'This page' }) }),
  errors: [UNKNOWN_TEMPLATE, 'no_brand'],
  examples: examples.versions,
  async handle(context, { params, query }) {
    const { limit, before } = query;
    const at = addressOf(await entryOf(context, params.key), await brandOf(context, query.brand));
    return { versions: await listTemplateVersions(context.em, at, { before, limit }) };
  },
});

export const read = defineRoute({
  method: 'get',
  path: '/templates/:key/versions/:version',
  scope: 'any key',
  summary: 'Read one version of a template',
  description: 'PUT /templates/:key/content with its content makes it the latest again.',
  params: TemplatePath.extend({ version: VersionNumber }),
  query: BrandQuery,
  status: 200,
  reply: ListedVersion.extend({ content: Content }),
  errors: [UNKNOWN_TEMPLATE, 'no_brand', 'not_found'],
  examples: examples.version,
  async handle(context, { params, query }) {
    const at = addressOf(await entryOf(context, params.key), await brandOf(context, query.brand));
    return (await findTemplateVersion(context.em, at, params.version)) ?? notFound('version');
  },
});
