import * as z from 'zod';
import { findContact } from '../../db/queries/contacts.ts';
import { findTemplateSetting, findTemplateVersions } from '../../db/queries/templates.ts';
import { notFound } from '../../domain/errors.ts';
import { type CompiledContent, compileContent } from '../../domain/template/compile.ts';
import { type RenderedMail, RenderFailed, type RenderInput, renderMail } from '../../domain/template/render.ts';
import { mailVariables } from '../../domain/template/variables.ts';
import { defineRoute } from '../route.ts';
import { BrandSlug, Email, Id } from '../schemas.ts';
import { addressOf, brandOf, contentFrom, entryOf, invalidContent } from '../template-of-brand.ts';
import { answerSend, SentReply } from './send.ts';
import { BrandQuery, ContentBody, TemplatePath, UNKNOWN_TEMPLATE } from './templates.ts';

/** Whom a preview without a contact is for. */
const PREVIEW_RECIPIENT = 'recipient@example.com';
const Data = z.record(z.string(), z.unknown());

export const preview = defineRoute({
  method: 'post',
  path: '/templates/:key/preview',
  scope: 'any key',
  summary: 'Render a template without sending it',
  description: 'Renders the given content, else what a send would use. The unsubscribe link of a preview leads nowhere.',
  params: TemplatePath,
  query: BrandQuery,
  body: z
    .object({ data: Data.nullish(), contactId: Id.nullish(), brand: BrandSlug.nullish(), content: ContentBody.optional() })
    .meta({ id: 'TemplatePreviewInput' }),
  status: 200,
  reply: z.object({
    subject: z.string(),
    html: z.string(),
    text: z.string(),
    missing: z.array(z.string()).meta({ description: 'Paths that the mail shows and the data lacks; they rendered empty' }),
  }),
  errors: [UNKNOWN_TEMPLATE, 'not_found', 'no_brand', 'invalid_content'],
  async handle(context, { params, query, body }) {
    const { em, project, publicUrl, now } = context;
    const entry = entryOf(context, params.key);
    const contact = body.contactId ? ((await findContact(em, project.id, body.contactId)) ?? notFound('contact')) : undefined;
    const brand = await brandOf(context, body.brand ?? query.brand ?? contact?.brand_id);
    const at = addressOf(entry, brand);
    const given = body.content === undefined || body.content === null ? undefined : contentFrom(body.content);
    const compiled = given ? await compileContent(given) : ((await findTemplateVersions(em, at)).published?.compiled ?? entry.compiled);
    const setting = await findTemplateSetting(em, at);
    const variables = mailVariables({
      data: body.data ?? {},
      contact,
      brand,
      recipientEmail: contact?.email ?? PREVIEW_RECIPIENT,
      unsubscribeUrl: entry.type === 'marketing' ? `${publicUrl}/api/v1/unsubscribe?c=preview&t=preview` : undefined,
      now: now(),
    });
    return rendered(compiled, { subject: setting?.subject || entry.subject, variables, type: entry.type });
  },
});

function rendered(compiled: CompiledContent, input: RenderInput): RenderedMail {
  try {
    return renderMail(compiled, input);
  } catch (error) {
    if (error instanceof RenderFailed) throw invalidContent([{ path: 'content', message: error.message }]);
    throw error;
  }
}

export const test = defineRoute({
  method: 'post',
  path: '/templates/:key/test',
  scope: 'send',
  summary: 'Send a template to one address to look at it',
  description: 'Sends the draft when there is one, whether or not the template is enabled; the send log has it with source_type test.',
  params: TemplatePath,
  query: BrandQuery,
  body: z.object({ to: Email, data: Data.nullish(), brand: BrandSlug.nullish() }).meta({ id: 'TemplateTestInput' }),
  status: 200,
  reply: SentReply,
  errors: [UNKNOWN_TEMPLATE, 'no_brand', 'invalid_from', 'send_failed', { code: 'send_failed', status: 503 }],
  needsVerifiedOwner: true,
  async handle(context, { params, query, body }) {
    const { em, project, sending, caller } = context;
    const entry = entryOf(context, params.key);
    const brand = await brandOf(context, body.brand ?? query.brand);
    const at = addressOf(entry, brand);
    const { draft, published } = await findTemplateVersions(em, at);
    const shown = draft ?? published;
    const result = await sending.sendTest({
      projectId: project.id,
      template: entry.key,
      entry,
      content: shown ? { id: JSON.stringify([at, shown.version]), ...shown } : { id: `registry ${entry.key}`, ...entry },
      recipient: { email: body.to },
      type: undefined,
      brand: brand.slug,
      subject: undefined,
      data: body.data ?? {},
      event: undefined,
      from: undefined,
      sourceId: null,
      identity: { by: 'nothing' },
      caller,
      deadline: caller.deadline,
    });
    return answerSend(result);
  },
});
