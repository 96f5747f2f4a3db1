import * as z from 'zod';
import type { BrandRow } from '../../../db/entities/index.ts';
import { verifiedDomains } from '../../../db/queries/domains/sending-domains.ts';
import { listBrands, setBrand } from '../../../db/queries/projects/brands.ts';
import { Refusal } from '../../../domain/errors.ts';
import { COLOR, MAX_POSTAL_ADDRESS, MOST_BRANDS, readBrandUrl } from '../../../domain/projects/brand.ts';
import { isOnDomain, unverifiedSender } from '../../../domain/sends/send.ts';
import { MAX_URL_LENGTH } from '../../../domain/text-lengths.ts';
import * as examples from '../../examples/brand-examples.ts';
import { BrandRecord, brandRecord } from '../../project-schemas.ts';
import { defineRoute, type Route } from '../../route.ts';
import { Email, Sender, ShownName, Slug } from '../../schemas.ts';

const Settings = BrandRecord.extend({
  logo_url: z.string().nullable().meta({ description: 'Shown at the top of its emails; null: its name is' }),
  color: z.string().nullable().meta({ description: 'Of buttons, like `#1a73e8`; null: the usual one' }),
  website: z.string().nullable().meta({ description: 'Where its logo or name leads' }),
  address: z.string().nullable().meta({ description: 'The postal address at the end of its marketing emails' }),
  track_transactional: z.boolean().meta({ description: 'Whether opens and clicks of its transactional emails count, too' }),
}).meta({ id: 'BrandSettings', description: 'A brand with all that its emails show of it' });

const list = defineRoute({
  method: 'get',
  path: '/brands',
  scope: 'any key',
  summary: "List the project's brands, the default one first",
  status: 200,
  reply: z.object({ brands: z.array(Settings).meta({ description: 'All of them' }) }),
  examples: examples.list,
  async handle({ em, project }) {
    const verified = await verifiedDomains(em, project.id);
    return { brands: (await listBrands(em, project.id)).map((brand) => settings(brand, verified)) };
  },
});

const KEPT = 'null clears, omitted keeps';

const Url = z
  .string()
  .max(MAX_URL_LENGTH, { error: `at most ${MAX_URL_LENGTH} characters` })
  .overwrite((text) => readBrandUrl(text) ?? text)
  .refine((text) => readBrandUrl(text) !== undefined, { error: 'should be a URL like https://example.com/logo.png' })
  .nullish();

const BrandInput = z
  .object({
    name: ShownName.nullish().meta({ description: 'As recipients see it; the slug when it is made without' }),
    from: Sender.nullish().meta({ description: `Whom its emails are from, on a verified domain; ${KEPT}` }),
    replyTo: Email.nullish().meta({ description: `Where answers go; ${KEPT}` }),
    logoUrl: Url.meta({ format: 'uri', description: `Shown at the top of its emails; ${KEPT}` }),
    color: z
      .string()
      .max(7)
      .toLowerCase()
      .regex(COLOR, { error: 'should be a colour like #1a73e8' })
      .nullish()
      .meta({ description: `Of buttons, like \`#1a73e8\`; ${KEPT}` }),
    website: Url.meta({ format: 'uri', description: `Where its logo or name leads; ${KEPT}` }),
    address: z
      .string()
      .trim()
      .min(1, { error: 'should not be empty; null clears it' })
      .max(MAX_POSTAL_ADDRESS, { error: `at most ${MAX_POSTAL_ADDRESS} characters` })
      .nullish()
      .meta({ description: `The postal address at the end of its marketing emails; it may have several lines; ${KEPT}` }),
    trackTransactional: z.boolean().nullish().meta({ description: 'Whether opens and clicks of its transactional emails count, too' }),
    isDefault: z.literal(true).nullish().meta({ description: 'Makes it the default one in place of the one before' }),
  })
  .meta({ id: 'BrandInput', description: 'What to set; what is omitted stays as it is' });

const set = defineRoute({
  method: 'put',
  path: '/brands/:slug',
  scope: 'brands:write',
  summary: 'Make a brand, or change it',
  description:
    'The first brand of a project becomes its default. A sender has to be on a verified domain (`invalid_from`). ' +
    `A project has at most ${MOST_BRANDS} brands (\`too_many_brands\`), and a brand cannot be deleted. Emails that are being made at that moment may have what was there before.`,
  params: z.object({
    slug: Slug.meta({ description: "The brand's slug" }),
  }),
  body: BrandInput,
  status: 200,
  reply: z.object({ brand: Settings }),
  errors: ['not_found', 'invalid_request', 'invalid_from', 'too_many_brands'],
  examples: examples.set,
  async handle({ em, project }, { params, body }) {
    const { name, from, replyTo, logoUrl, color, website, address, trackTransactional, isDefault } = body;
    const verified = await verifiedDomains(em, project.id);
    if (from && !isOnDomain(from.email, verified)) throw unverifiedSender(from.email, verified);
    const sender = from === undefined ? {} : { from_email: from?.email ?? null, from_name: from?.name?.trim() || null };
    const fields = {
      ...{ name: name ?? undefined, ...sender, reply_to: replyTo, logo_url: logoUrl, color, website, address },
      track_transactional: trackTransactional ?? undefined,
    };
    const brand = await setBrand(em, project.id, params.slug, fields, isDefault === true, MOST_BRANDS);
    if (!brand) throw new Refusal('too_many_brands', `a project has at most ${MOST_BRANDS} brands`);
    return { brand: settings(brand, verified) };
  },
});

function settings(brand: BrandRow, verified: readonly string[]): z.output<typeof Settings> {
  const { logo_url, color, website, address, track_transactional } = brand;
  return { ...brandRecord(brand, verified), logo_url, color, website, address, track_transactional };
}

export const routes: readonly Route[] = [list, set];
