import * as z from 'zod';
import type { BrandRow } from '../../../db/entities/index.ts';
import { verifiedDomains } from '../../../db/queries/domains/sending-domains.ts';
import { listBrands, setBrand } from '../../../db/queries/projects/brands.ts';
import { boundedArray } from '../../../domain/bounded-array.ts';
import {
  CONFIRMATION_TEMPLATE,
  MAX_PRUNE_DAYS,
  MAX_REMINDER_HOURS,
  MOST_REMINDERS,
  PRUNE_DAYS,
} from '../../../domain/contacts/confirmation.ts';
import { Refusal } from '../../../domain/errors.ts';
import { COLOR, MAX_POSTAL_ADDRESS, MOST_BRANDS, readBrandUrl } from '../../../domain/projects/brand.ts';
import { isOnDomain, unverifiedSender } from '../../../domain/sends/send.ts';
import { MAX_URL_LENGTH } from '../../../domain/text-lengths.ts';
import { requireConfirmation } from '../../../usecases/projects/require-confirmation.ts';
import * as examples from '../../examples/brand-examples.ts';
import { BrandRecord, brandRecord } from '../../project-schemas.ts';
import { defineRoute, type Route } from '../../route.ts';
import { Email, Sender, ShownName, Slug, TemplateKey } from '../../schemas.ts';

const Settings = BrandRecord.extend({
  logo_url: z.string().nullable().meta({ description: 'Shown at the top of its emails; null: its name is' }),
  color: z.string().nullable().meta({ description: 'Of buttons, like `#1a73e8`; null: the usual one' }),
  website: z.string().nullable().meta({ description: 'Where its logo or name leads' }),
  address: z.string().nullable().meta({ description: 'The postal address at the end of its marketing emails' }),
  track_transactional: z.boolean().meta({ description: 'Whether opens and clicks of its transactional emails count, too' }),
  double_opt_in: z.boolean().meta({ description: 'Whether who signs up without a status is `pending`, and asked to confirm by an email' }),
  confirm_template: z
    .string()
    .nullable()
    .meta({ description: `The template of that email; null: \`${CONFIRMATION_TEMPLATE}\`` }),
  confirm_reminders: z.array(z.int()).meta({ description: 'When who has not confirmed is reminded: hours after the first email' }),
  confirm_prune_days: z
    .int()
    .nullable()
    .meta({ description: 'After how many days who has not confirmed is erased, unless they have done something else; null: never' }),
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
    doubleOptIn: z
      .boolean()
      .nullish()
      .meta({
        description:
          'Whether who becomes a contact by POST /contacts without a `status` is `pending`, and asked to confirm by an email; the template of that ' +
          'email has to be enabled (`template_not_enabled`)',
      }),
    confirmTemplate: TemplateKey.nullish().meta({
      description: `The transactional template of that email, which shows its variable \`confirmUrl\`; null: \`${CONFIRMATION_TEMPLATE}\``,
    }),
    confirmReminders: boundedArray(z.int().min(1).max(MAX_REMINDER_HOURS), MOST_REMINDERS, { error: `at most ${MOST_REMINDERS} reminders` })
      .refine((hours) => hours.every((each, index) => index === 0 || each > (hours[index - 1] as number)), {
        error: 'each should be later than the one before',
      })
      .nullish()
      .meta({ description: 'When who has not confirmed is reminded: hours after the first email, at most two; `[]` never' }),
    confirmPruneDays: z
      .int()
      .min(1)
      .max(MAX_PRUNE_DAYS)
      .nullish()
      .meta({
        description: `After how many days who has not confirmed, and has done nothing else, is erased; ${PRUNE_DAYS} at first, null never`,
      }),
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
  errors: ['not_found', 'invalid_request', 'invalid_from', 'unknown_template', 'template_not_enabled', 'too_many_brands'],
  examples: examples.set,
  async handle({ em, project, registry }, { params, body }) {
    const { name, from, replyTo, logoUrl, color, website, address, trackTransactional, isDefault } = body;
    const verified = await verifiedDomains(em, project.id);
    if (from && !isOnDomain(from.email, verified)) throw unverifiedSender(from.email, verified);
    const sender = from === undefined ? {} : { from_email: from?.email ?? null, from_name: from?.name?.trim() || null };
    const { doubleOptIn, confirmTemplate, confirmReminders, confirmPruneDays } = body;
    if (doubleOptIn === true || confirmTemplate !== undefined) {
      const wanted = { doubleOptIn: doubleOptIn ?? undefined, template: confirmTemplate };
      await requireConfirmation(em, registry, { project, slug: params.slug, wanted });
    }
    const fields = {
      ...{ name: name ?? undefined, ...sender, reply_to: replyTo, logo_url: logoUrl, color, website, address },
      track_transactional: trackTransactional ?? undefined,
      ...{ double_opt_in: doubleOptIn ?? undefined, confirm_template: confirmTemplate, confirm_reminders: confirmReminders ?? undefined },
      confirm_prune_days: confirmPruneDays,
    };
    const brand = await setBrand(em, project.id, params.slug, fields, isDefault === true, MOST_BRANDS);
    if (!brand) throw new Refusal('too_many_brands', `a project has at most ${MOST_BRANDS} brands`);
    return { brand: settings(brand, verified) };
  },
});

function settings(brand: BrandRow, verified: readonly string[]): z.output<typeof Settings> {
  const { logo_url, color, website, address, track_transactional } = brand;
  const { double_opt_in, confirm_template, confirm_reminders, confirm_prune_days } = brand;
  return {
    ...{ ...brandRecord(brand, verified), logo_url, color, website, address, track_transactional },
    ...{ double_opt_in, confirm_template, confirm_reminders, confirm_prune_days },
  };
}

export const routes: readonly Route[] = [list, set];
