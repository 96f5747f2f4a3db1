import * as z from 'zod';
import { type ApiKeyRecord, findApiKey, findProjectBySlug } from '../../../db/queries/projects/administration.ts';
import { listApiKeys } from '../../../db/queries/projects/api-keys.ts';
import { listBrands } from '../../../db/queries/projects/brands.ts';
import { verifiedDomains } from '../../../db/queries/projects/sending-domains.ts';
import { notFound } from '../../../domain/errors.ts';
import { granted, named, SCOPES } from '../../../domain/projects/scopes.ts';
import { isOnDomain } from '../../../domain/sends/send.ts';
import * as examples from '../../examples/project-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { Timestamp } from '../../schemas.ts';

const KeyRecord = z
  .object({
    id: z.uuid().meta({ description: 'Stays the same for good' }),
    public_id: z
      .string()
      .meta({ description: 'The part of the key that may be shown: `ep_live_<public_id>_…`, of a test key `ep_test_<public_id>_…`' }),
    name: z.string().nullable().meta({ description: 'As the operator called it; null when it has no name' }),
    scopes: z.array(z.enum([...SCOPES, '*'])).meta({ description: 'What the key may do; `*` is everything' }),
    is_test: z.boolean().meta({ description: 'Whether it is a test key: no mail that it asks for leaves' }),
    created_at: Timestamp.meta({ description: 'When it was made' }),
    last_used_at: Timestamp.nullable().meta({ description: 'To the minute; null: never used' }),
    revoked_at: Timestamp.nullable().meta({ description: 'From when on it does not work; null while it does' }),
  })
  .meta({ id: 'ApiKey', description: 'A key of the project, without what would let anybody in' });

const BrandRecord = z
  .object({
    slug: z.string().meta({ description: 'What `brand` takes and `brand_id` shows' }),
    name: z.string().meta({ description: 'As recipients see it' }),
    from_email: z.string().nullable().meta({ description: 'The sender; null: this brand cannot send' }),
    from_name: z.string().nullable().meta({ description: "The sender's name; null: the brand's" }),
    reply_to: z.string().nullable().meta({ description: 'Where answers go; null: to the sender' }),
    is_default: z.boolean().meta({ description: 'Taken where no brand is named' }),
    is_verified: z.boolean().meta({ description: "Whether the sender's domain is verified for this project" }),
  })
  .meta({ id: 'Brand', description: 'Whom mail is from' });

const read = defineRoute({
  method: 'get',
  path: '/me',
  scope: 'any key',
  summary: "Read the key's project, brands and scopes",
  status: 200,
  reply: z.object({
    project: z
      .object({
        slug: z.string().meta({ description: 'Its name in commands' }),
        name: z.string().meta({ description: 'Its name for people' }),
        status: z.literal('active').meta({ description: 'The key of a suspended project is refused' }),
        owner_email_verified: z.boolean().meta({ description: 'While it is false nothing can be sent' }),
        sandbox: z.boolean().meta({ description: 'Whether it is a sandbox: its mails are made like any other and never leave' }),
        executables: z.boolean().meta({ description: 'Whether its mails may have attachments that are programs by their names' }),
        campaign_approval: z.boolean().meta({ description: 'Whether a second key approves a campaign before it is launched' }),
      })
      .meta({ id: 'Project', description: 'Whose key it is' }),
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
  }),
  examples: examples.me,
  async handle({ em, project, keyId, temporalWebUrl }) {
    const found = (await findProjectBySlug(em, project.slug)) ?? notFound('project');
    const key = (await findApiKey(em, keyId)) ?? notFound('key');
    const verified = await verifiedDomains(em, project.id);
    const brands = (await listBrands(em, project.id)).map(({ slug, name, from_email, from_name, reply_to, is_default }) => ({
      ...{ slug, name, from_email, from_name, reply_to, is_default },
      is_verified: from_email !== null && isOnDomain(from_email, verified),
    }));
    const { slug, name, owner_email_verified, sandbox, executables, campaign_approval } = found;
    return {
      project: { slug, name, status: 'active' as const, owner_email_verified, sandbox, executables, campaign_approval },
      key: shown(key),
      scopes: named(key.scopes),
      grants: granted(key.scopes),
      brands,
      temporal_web: temporalWebUrl ?? null,
    };
  },
});

const listKeys = defineRoute({
  method: 'get',
  path: '/keys',
  scope: 'keys:read',
  summary: "List the project's API keys with their last use, newest first",
  description: 'The keys themselves are shown only when they are made, by an operator (`key create`).',
  status: 200,
  reply: z.object({ keys: z.array(KeyRecord).meta({ description: 'Revoked ones among them' }) }),
  examples: examples.keys,
  async handle({ em, project }) {
    return { keys: (await listApiKeys(em, project.id)).map(shown) };
  },
});

function shown({ id, public_id, name, scopes, is_test, created_at, last_used_at, revoked_at }: ApiKeyRecord): z.output<typeof KeyRecord> {
  return { id, public_id, name, scopes: scopes as z.output<typeof KeyRecord>['scopes'], is_test, created_at, last_used_at, revoked_at };
}

export const routes: readonly Route[] = [read, listKeys];
