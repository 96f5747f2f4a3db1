import * as z from 'zod';
import { findContact, findContactByEmail } from '../../../db/queries/contacts/contacts.ts';
import { findTemplateSetting } from '../../../db/queries/templates/templates.ts';
import { CONTACT_TEXT_COLUMNS } from '../../../domain/contacts/fields.ts';
import { Tags } from '../../../domain/contacts/tags.ts';
import { type Issue, MAX_ISSUES, notFound } from '../../../domain/errors.ts';
import { contrastWarnings } from '../../../domain/templates/block-colors.ts';
import type { Content } from '../../../domain/templates/content.ts';
import { dataWarnings } from '../../../domain/templates/data-warnings.ts';
import { lackingPaths, requiredPaths } from '../../../domain/templates/required-data.ts';
import { isOfContact, sampleVariables } from '../../../domain/templates/sample-contact.ts';
import { mailScope, spellingWarnings } from '../../../domain/templates/variable-spelling.ts';
import { mailVariables } from '../../../domain/templates/variables.ts';
import { mailOf, versionToShow } from '../../../usecases/templates/version-to-show.ts';
import { brandOf } from '../../brand.ts';
import { writtenTexts } from '../../contact-texts.ts';
import * as examples from '../../examples/template-examples.ts';
import { defineRoute, type KeyContext, type Route } from '../../route.ts';
import { Attributes, BrandSlug, Email, Id, Locale, MailData, Subject, Warnings, warned } from '../../schemas.ts';
import { addressOf, deadUnsubscribeUrl, entryOf, refuseFaultyLiquid, unlessInvalid } from '../../template-of-brand.ts';
import { answerSend, SentReply } from '../sends/send-answer.ts';
import { ContentBody, LanguageQuery, localeAsked, TemplatePath, UNKNOWN_TEMPLATE } from './templates.ts';

/** Whom a preview without a contact is for. */
const PREVIEW_RECIPIENT = 'recipient@example.com';

const PreviewVersion = z
  .enum(['draft', 'published'])
  .meta({ description: 'The draft by default when there is one; without it, and where there is no such version, what a send would use' });

const TrialSubject = Subject.nullish().meta({ description: "Liquid, in place of the brand's or the template's own" });

const ShownContactId = Id.nullish().meta({ description: 'Whom it is rendered for, for which the scope contacts:read is needed' });

const SampleContact = z
  .object({
    email: Email.nullish().meta({ description: 'Of `recipient` too' }),
    ...writtenTexts(CONTACT_TEXT_COLUMNS, (column) => `\`contact.${column}\``),
    tags: Tags.nullish().meta({ description: 'What it carries' }),
    attributes: Attributes.nullish(),
  })
  .nullish()
  .meta({
    description: 'A contact that exists only in this request, when contactId is omitted: what it lacks of `contact` is not told as missing',
  });

/** The contact that a preview or a test mail is to show; undefined when none is asked for. Throws `forbidden` and `not_found`. */
async function knownContact(
  { em, project, demandScope }: Pick<KeyContext, 'em' | 'project' | 'demandScope'>,
  id: string | null | undefined,
) {
  if (!id) return undefined;
  demandScope('contacts:read');
  return (await findContact(em, project.id, id)) ?? notFound('contact');
}

const TrialLocale = Locale.nullish().meta({
  description:
    "The language to show: its draft, else what a send in it would use. The contact's when omitted, as in a send. The query may name it instead, but not another",
});

/** A mail would fail for it; a preview shows it all the same: docs/contract/templates.md 20. */
function lackingWarnings(lacking: readonly string[]): Issue[] {
  return lacking.map((path) => ({ path: `data.${path}`, message: 'required: a mail without it is not sent' }));
}

const preview = defineRoute({
  method: 'post',
  path: '/templates/:key/preview',
  scope: 'templates:read',
  summary: 'Render a template without sending it',
  description:
    'Renders the given content, which needs the scope templates:write, else the draft or what is published; with contactId the scope contacts:read is ' +
    'needed, and with contact it is for a person that you make up. The unsubscribe link of a preview leads nowhere. Data that the template requires ' +
    'may lack: `missing` names it, and only an email fails for it. GET /templates/:key/schema has a sample of each.',
  params: TemplatePath,
  query: LanguageQuery,
  body: z
    .object({
      data: MailData.nullish(),
      contactId: ShownContactId,
      contact: SampleContact,
      brand: BrandSlug.nullish(),
      content: ContentBody.optional().meta({ description: 'What to render in place of what is saved' }),
      marks: z.boolean().nullish().meta({
        description:
          'true: in the HTML each block of `content` stands between the comments `<!--block content.blocks[2]-->` and `<!--/block-->`',
      }),
      subject: TrialSubject,
      version: PreviewVersion.nullish(),
      locale: TrialLocale,
    })
    .meta({ id: 'TemplatePreviewInput', description: 'What to render, and with what' }),
  status: 200,
  reply: z.object({
    subject: z.string().meta({ description: 'As the recipient sees it' }),
    html: z.string().meta({ description: 'The whole page' }),
    text: z.string().meta({ description: 'The same for programs that show no HTML' }),
    missing: z
      .array(z.string())
      .meta({ description: 'Paths that the email shows or the template requires and the data lacks; they rendered empty' }),
    locale: z.string().nullable().meta({ description: 'The language that is shown; null: the default, or the content that was given' }),
    warnings: Warnings,
  }),
  errors: [UNKNOWN_TEMPLATE, 'forbidden', 'not_found', 'no_brand', 'invalid_content'],
  takesTestKeys: true,
  examples: examples.preview,
  async handle(context, { params, query, body }) {
    const { em, project, publicUrl, now, authoring, demandScope } = context;
    if (body.content) demandScope('templates:write');
    const entry = await entryOf(context, params.key);
    const known = await knownContact(context, body.contactId);
    const brand = await brandOf(context, body.brand ?? query.brand ?? known?.brand_id);
    const time = now();
    const isSample = !known && body.contact != null;
    const contact = isSample ? sampleVariables(body.contact ?? {}, { email: PREVIEW_RECIPIENT, brand: brand.slug, now: time }) : known;
    const at = addressOf(entry, brand);
    const asked = { version: body.version, locale: localeAsked(body, query), reader: contact?.locale };
    const stored = body.content ? undefined : await versionToShow(em, at, entry, asked);
    const setting = await findTemplateSetting(em, at);
    const variables = mailVariables({
      data: body.data ?? {},
      contact,
      brand,
      recipientEmail: contact?.email ?? PREVIEW_RECIPIENT,
      unsubscribeUrl: deadUnsubscribeUrl(publicUrl, entry.type),
      now: time,
    });
    await refuseFaultyLiquid(authoring, project.id, [{ path: 'subject', text: body.subject }]);
    const { mail } = unlessInvalid(
      await authoring.preview(
        {
          template: stored ? { content: stored.content, compiled: stored.compiled } : { given: body.content },
          isMarked: body.marks ?? false,
          locale: asked.locale,
          subject: body.subject?.trim() || (stored?.subject ?? setting?.subject) || entry.subject,
          type: entry.type,
          variables,
        },
        project.id,
      ),
    );
    const lacking = lackingPaths(requiredPaths(entry.dataSchema), variables);
    const shown = isSample ? mail.missing.filter((path) => !isOfContact(path)) : mail.missing;
    const warnings = [...lackingWarnings(lacking), ...dataWarnings(entry.dataSchema, body.data ?? {})];
    // What was given has been rendered, so it is content.
    const contrast = contrastWarnings(stored?.content ?? (body.content as Content), brand.color);
    return {
      ...mail,
      locale: stored?.locale ?? null,
      missing: [...new Set([...lacking, ...shown])],
      ...warned([...warnings, ...spellingWarnings(shown, 'content', mailScope(entry.dataSchema)), ...contrast.slice(0, MAX_ISSUES)]),
    };
  },
});

const test = defineRoute({
  method: 'post',
  path: '/templates/:key/test',
  scope: 'send',
  summary: 'Send a template to one address to look at it',
  description:
    'Sends the draft when there is one, unless `version` says published, whether or not the template is enabled; the send log has it with ' +
    'source_type test. `contact` in the email is whom a preview shows: the contact of contactId, for which the scope contacts:read is needed, or with contact a person that you ' +
    'make up; without both it is the contact that has the address, if there is one. `recipient` is always that of `to`, and the unsubscribe link is about nobody.',
  params: TemplatePath,
  query: LanguageQuery,
  body: z
    .object({
      to: Email.meta({ description: 'Whom to send it to' }),
      data: MailData.nullish(),
      contactId: ShownContactId,
      contact: SampleContact,
      brand: BrandSlug.nullish(),
      subject: TrialSubject,
      version: PreviewVersion.nullish(),
      locale: TrialLocale,
    })
    .meta({ id: 'TemplateTestInput', description: 'Where to, and with what' }),
  status: 200,
  reply: SentReply,
  errors: [
    UNKNOWN_TEMPLATE,
    'forbidden',
    'not_found',
    'no_brand',
    'invalid_from',
    'invalid_content',
    'send_failed',
    { code: 'send_failed', status: 503 },
  ],
  needsVerifiedOwner: true,
  takesTestKeys: true,
  examples: examples.test,
  async handle(context, { params, query, body }) {
    const { em, project, sending, authoring, caller, isTestKey, now } = context;
    const entry = await entryOf(context, params.key);
    const known = await knownContact(context, body.contactId);
    const brand = await brandOf(context, body.brand ?? query.brand ?? known?.brand_id);
    const isSample = !known && body.contact != null;
    const contact = isSample ? sampleVariables(body.contact ?? {}, { email: body.to, brand: brand.slug, now: now() }) : known;
    const at = addressOf(entry, brand);
    const reader = contact?.locale ?? (contact ? undefined : (await findContactByEmail(em, project.id, body.to))?.locale);
    const locale = localeAsked(body, query);
    const mail = mailOf(at, entry, await versionToShow(em, at, entry, { version: body.version, locale, reader }));
    await refuseFaultyLiquid(authoring, project.id, [{ path: 'subject', text: body.subject }]);
    const result = await sending.sendTest({
      projectId: project.id,
      template: entry.key,
      entry,
      ...mail,
      recipient: { email: body.to },
      type: undefined,
      brand: brand.slug,
      subject: body.subject?.trim() || mail.subject,
      data: body.data ?? {},
      event: undefined,
      from: undefined,
      shownContact: contact && JSON.stringify(contact),
      sourceId: null,
      identity: { by: 'nothing' },
      isSandboxed: isTestKey,
      caller,
      deadline: caller.deadline,
    });
    const told = isSample && result.state === 'sent' ? { ...result, missing: result.missing.filter((path) => !isOfContact(path)) } : result;
    return answerSend(em, told, { entry, data: body.data ?? {} });
  },
});

export const routes: readonly Route[] = [preview, test];
