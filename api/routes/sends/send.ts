import * as z from 'zod';
import { invalidRequest, Refusal } from '../../../domain/errors.ts';
import type { Attachment } from '../../../domain/sends/attachments.ts';
import { MOST_DAYS_AHEAD } from '../../../domain/sends/scheduled.ts';
import type { SendDetails } from '../../../domain/sends/send-details.ts';
import { NOTHING_DECLARED, type RegistryEntry } from '../../../domain/templates/registry-entry.ts';
import type { MailRequest } from '../../../sending/request.ts';
import { callRequest } from '../../../usecases/sends/call-request.ts';
import { type WindowedCall, waitsForWindow } from '../../../usecases/sends/wait-for-window.ts';
import { requireBrand } from '../../brand.ts';
import * as examples from '../../examples/send-examples.ts';
import { MAX_KEY_LENGTH } from '../../idempotency.ts';
import { MailboxText } from '../../mail-schemas.ts';
import { defineRoute, type KeyContext, type Route } from '../../route.ts';
import { BrandSlug, eitherOf, Id, Locale, MailData, Sender, SendTypeName, Subject, TemplateKey, Timestamp } from '../../schemas.ts';
import { requireTopic } from '../../topic.ts';
import { attachmentsOf, fileWarnings, SECONDS_WITH_ATTACHMENTS, type WithKept } from './attachments-of-call.ts';
import { BROUGHT_FIELDS, type Brought, broughtContent, withOneContent } from './brought-content.ts';
import { keptKey, keyAsKept } from './call-keys.ts';
import { keepOneForLater } from './scheduled-sends.ts';
import { type AskedMail, answerSend, mailNotes, ScheduledReply, SentReply } from './send-answer.ts';
import { detailFields, detailsOf } from './send-details.ts';

/** A key in a body. */
export const BodyKey = z
  .string()
  .min(1, { error: `1 to ${MAX_KEY_LENGTH} characters` })
  .max(MAX_KEY_LENGTH, { error: `1 to ${MAX_KEY_LENGTH} characters` });

/** One mail; a batch has many. */
export const SendBody = eitherOf(
  withOneContent(
    z.object({
      template: TemplateKey.nullish().meta({ description: 'Required unless the call brings its content' }),
      ...BROUGHT_FIELDS,
      to: MailboxText.nullish().meta({ description: 'Required unless contactId is given' }),
      contactId: Id.nullish().meta({ description: 'Takes precedence over to' }),
      type: SendTypeName.nullish().meta({ description: "The template's own when omitted; required without a template" }),
      subject: Subject.nullish().meta({ description: "Liquid; the template's when omitted; required without a template" }),
      data: MailData.nullish(),
      brand: BrandSlug.nullish().meta({ description: "A brand's slug; the contact's, else the project's default, when omitted" }),
      from: Sender.nullish().meta({ description: "The template's, else the brand's, when omitted" }),
      locale: Locale.nullish().meta({
        description:
          "The language of the email, where the template has it or one that it is a kind of (`de` for `de-AT`); the contact's `locale` when omitted",
      }),
      ...detailFields,
      sendAt: Timestamp.nullish().meta({
        description: `When it is to go, at most ${MOST_DAYS_AHEAD} days ahead; the answer is 202 then, and what keeps it from going shows in its row`,
      }),
      ignoreWindow: z
        .boolean()
        .nullish()
        .meta({ description: "Goes at once, whatever the project's `sendWindow` says; one with `sendAt` does not wait for it either" }),
      idempotencyKey: BodyKey.nullish().meta({ description: 'The same as the Idempotency-Key header' }),
    }),
  ),
  'to',
  'contactId',
).meta({ id: 'SendInput', description: 'One email to one recipient, with copies to others' });
export type SendBody = z.output<typeof SendBody>;

/** The entry, or the 404 of a key that nobody knows, or the 422 of one that is for other projects. */
export async function templateForSending(
  { em, registry, project }: Pick<KeyContext, 'em' | 'registry' | 'project'>,
  key: string,
): Promise<RegistryEntry> {
  const entry = await registry.find(em, project, key);
  if (entry) return entry;
  if (registry.get(key)) throw new Refusal('unknown_template', `the template ${key} is not available in this project`);
  throw new Refusal('unknown_template', await registry.noSuchTemplate(em, project, key), { status: 404 });
}

const send = defineRoute({
  method: 'post',
  path: '/send',
  scope: 'send',
  summary: 'Render a template, or content of the call, and send one email',
  description:
    'Exactly one of `template`, `html` and/or `text`, and `content`; the latter two with `subject` and `type`. Answers after the provider did. A failed ' +
    'attempt is 422 send_failed with `reason`; 503 send_failed with reason ' +
    'provider_unavailable and Retry-After when it surely was not accepted and may pass. With `sendAt` it answers 202 at once, with the `id` that ' +
    'GET, PATCH and DELETE /sends/:id take; who may not get it, and what an email lacks, is found out when it goes, and stands in its row. So does a marketing email outside of the `sendWindow` of its project, when that opens, ' +
    'unless the call has `sendAt` or `ignoreWindow`.',
  body: SendBody,
  status: 200,
  reply: SentReply,
  accepted: ScheduledReply,
  errors: [
    { code: 'unknown_template', status: 404 },
    'unknown_template',
    'not_found',
    'no_brand',
    'template_not_enabled',
    'invalid_content',
    'invalid_from',
    'send_failed',
    { code: 'send_failed', status: 503 },
  ],
  needsVerifiedOwner: true,
  takesTestKeys: true,
  hasAttachments: true,
  idempotency: 'own',
  examples: examples.send,
  async handle(context, { body }) {
    if (body.attachments?.length) context.mayTake(SECONDS_WITH_ATTACHMENTS);
    const key = idempotencyKey(context.caller.idempotencyKey, body);
    const call = await callOf(context, body, key, lookupsOf(context));
    if (call.dueAt) return keepOneForLater(context, { ...call, dueAt: call.dueAt });
    return answerSend(context.em, await context.sending.sendCall(call.request), call.asked);
  },
});

/** What a call names and the database knows. Each throws the Refusal of what is not there. */
export interface CallLookups {
  readonly brand: (slug: string | null | undefined) => Promise<void>;
  readonly template: (key: string) => Promise<RegistryEntry>;
  /** null and undefined: the mail is of none. */
  readonly topic: (key: string | null | undefined) => Promise<void>;
  /** undefined: the body names a template. */
  readonly content: (body: SendBody) => Promise<Brought | undefined>;
  /** When the mail goes for the send window of its project; undefined: at once. */
  readonly window: (call: WindowedCall) => Promise<Date | undefined>;
  /** Those of the mail, as they are kept now. */
  readonly attachments: (body: SendBody) => Promise<readonly Attachment[]>;
}

export function lookupsOf(context: KeyContext): CallLookups {
  const now = context.now();
  return {
    brand: (slug) => requireBrand(context.em, context.project.id, slug),
    template: (key) => templateForSending(context, key),
    topic: (key) => requireTopic(context.em, context.project.id, key),
    content: (body) => broughtContent(context, body),
    window: (call) => waitsForWindow(context.em, context.project, call, now),
    attachments: (body) => attachmentsOf(context, body),
  };
}

/** A mail that a call asks for, and what it is answered by. */
export interface Call {
  readonly request: MailRequest;
  readonly asked: AskedMail;
  readonly payload: WithKept<SendBody>;
  /** When it is to go, if that is later. */
  readonly dueAt: Date | undefined;
}

/** The mail that a call asks for, under its key if it has one. Throws the Refusal of one that cannot be made. */
export async function callOf(
  { project, caller, isTestKey }: Pick<KeyContext, 'project' | 'caller' | 'isTestKey'>,
  body: SendBody,
  key: string | undefined,
  lookups: CallLookups,
): Promise<Call> {
  await lookups.brand(body.brand);
  const brought = await lookups.content(body);
  const entry = brought ? undefined : await lookups.template(body.template ?? '');
  const { idempotencyKey: _, attachments: given, ...rest } = body;
  await lookups.topic(body.topic);
  const type = body.type ?? (entry as RegistryEntry).type;
  const said = detailsOf(body, type);
  const plain = callRequest(project.id, entry, body);
  const dueAt =
    body.sendAt ??
    (body.ignoreWindow
      ? undefined
      : await lookups.window({ ...plain, type, key: key === undefined ? undefined : keyAsKept(key, isTestKey) }));
  // Last: what is wrong with anything else is told before bytes are kept.
  const kept = given?.length ? { attachments: await lookups.attachments({ ...body, sendAt: dueAt }) } : undefined;
  const [payload, details]: [WithKept<SendBody>, SendDetails | undefined] = kept
    ? [
        { ...rest, ...kept },
        { ...said, ...kept },
      ]
    : [rest, said];
  const asked: AskedMail = {
    entry: entry ?? { dataSchema: NOTHING_DECLARED },
    ...{
      data: body.data ?? {},
      subject: body.subject,
      writtenAt: brought?.writtenAt,
      details,
      fileWarnings: fileWarnings(brought, kept?.attachments ?? []),
    },
  };
  const request: MailRequest = {
    ...plain,
    details,
    content: brought?.content,
    caller,
    deadline: caller.deadline,
    identity: key === undefined ? { by: 'nothing' } : keptKey(key, payload, isTestKey),
    isSandboxed: isTestKey,
    notes: (missing) => mailNotes(asked, missing),
  };
  return { request, asked, payload, dueAt };
}

/** The key of a call, which may stand in its header, in its body, or in both. */
export function idempotencyKey(
  header: string | undefined,
  { idempotencyKey: inBody }: { readonly idempotencyKey?: string | null | undefined },
): string | undefined {
  if (header !== undefined && inBody && header !== inBody) {
    throw invalidRequest([{ path: 'idempotencyKey', message: 'the Idempotency-Key header names another key' }]);
  }
  return header ?? inBody ?? undefined;
}

export const routes: readonly Route[] = [send];
