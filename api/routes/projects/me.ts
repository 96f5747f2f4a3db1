import * as z from 'zod';
import { verifiedDomains } from '../../../db/queries/domains/sending-domains.ts';
import { findApiKey, findProjectBySlug } from '../../../db/queries/projects/administration.ts';
import { listBrands } from '../../../db/queries/projects/brands.ts';
import { notFound } from '../../../domain/errors.ts';
import { granted, named, SCOPES } from '../../../domain/projects/scopes.ts';
import * as examples from '../../examples/project-examples.ts';
import { BrandRecord, brandRecord, KeyRecord, keyRecord, ProjectRecord, projectRecord } from '../../project-schemas.ts';
import { defineRoute, type Route } from '../../route.ts';

/** One that is refused where only public addresses are allowed. */
const PRIVATE_URL = 'http://127.0.0.1/';

const read = defineRoute({
  method: 'get',
  path: '/me',
  scope: 'any key',
  summary: "Read the key's project, brands and scopes",
  status: 200,
  reply: z.object({
    project: ProjectRecord,
    key: KeyRecord,
    scopes: z.array(z.enum(SCOPES)).meta({ description: 'Each scope that the key has; of one with `*` all that there are' }),
    grants: z.array(z.enum(SCOPES)).meta({
      description:
        'Each scope that its calls are allowed: `scopes`, and the reading scopes that those include or that a key without any has',
    }),
    brands: z.array(BrandRecord).meta({ description: 'The default one first' }),
    temporal_web: z
      .string()
      .nullable()
      .meta({
        description:
          'Where people look at workflows; one of them is at this address, a slash and its URL-encoded `workflow_id`. ' +
          'null when this instance does not know (TEMPORAL_UI_URL)',
      }),
    mailbox: z
      .string()
      .nullable()
      .meta({
        description:
          'Where people read the emails of a trial, which never leave: `npm start` without a mail provider keeps them in a mailbox on its ' +
          'own machine. null: they go out',
      }),
    private_webhooks: z
      .boolean()
      .meta({ description: 'Whether URLs of webhook endpoints may be on addresses that are not public, and http (WEBHOOK_ALLOW_PRIVATE)' }),
  }),
  examples: examples.me,
  async handle({ em, project, keyId, temporalWebUrl, mailboxUrl, checkWebhookUrl }) {
    const found = (await findProjectBySlug(em, project.slug)) ?? notFound('project');
    const key = (await findApiKey(em, keyId)) ?? notFound('key');
    const verified = await verifiedDomains(em, project.id);
    const brands = (await listBrands(em, project.id)).map((brand) => brandRecord(brand, verified));
    return {
      project: projectRecord(found),
      key: keyRecord(key),
      scopes: named(key.scopes),
      grants: granted(key.scopes),
      brands,
      temporal_web: temporalWebUrl ?? null,
      mailbox: mailboxUrl ?? null,
      private_webhooks: checkWebhookUrl(PRIVATE_URL) === undefined,
    };
  },
});

export const routes: readonly Route[] = [read];
