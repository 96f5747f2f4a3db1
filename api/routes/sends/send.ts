import * as z from 'zod';
import type { EntityManager } from '../../../db/orm.ts';
import { readAnswerNotes } from '../../../db/queries/sends/answer-notes.ts';
import { readLeftOutOf } from '../../../db/queries/sends/copies.ts';
import { type Issue, invalidRequest, MAX_ISSUES, Refusal } from '../../../domain/errors.ts';
import type { Attachment } from '../../../domain/sends/attachments.ts';
import { MOST_DAYS_AHEAD } from '../../../domain/sends/scheduled.ts';
import { errorText } from '../../../domain/sends/send.ts';
import type { SendDetails } from '../../../domain/sends/send-details.ts';
import { dataWarnings } from '../../../domain/templates/data-warnings.ts';
import { NOTHING_DECLARED, type RegistryEntry } from '../../../domain/templates/registry-entry.ts';
import { mailScope, spellingWarnings } from '../../../domain/templates/variable-spelling.ts';
import type { MailRequest } from '../../../sending/request.ts';
import type { KeyedResult } from '../../../sending/sources/call.ts';
import { callRequest } from '../../../usecases/sends/call-request.ts';
import { requireBrand } from '../../brand.ts';
import * as examples from '../../examples/send-examples.ts';
import { keyInProgress, keyReused, MAX_KEY_LENGTH } from '../../idempotency.ts';
import { LeftOutRecord, MailboxText } from '../../mail-schemas.ts';
import { Answer, defineRoute, type KeyContext, type Route } from '../../route.ts';
import {
  BrandSlug,
  eitherOf,
  Id,
  MailData,
  Sender,
  SendTypeName,
  Subject,
  TemplateKey,
  Timestamp,
  Warnings,
  warned,
} from '../../schemas.ts';
import { attachmentsOf, lackingIds, SECONDS_WITH_ATTACHMENTS, type WithKept } from './attachments-of-call.ts';
import { BROUGHT_FIELDS, type Brought, broughtContent, withOneContent } from './brought-content.ts';
import { keptKey, replayHeader } from './call-keys.ts';
import { ScheduledReply, type Scheduling, scheduleCall } from './scheduled-sends.ts';
import { detailFields, detailsOf } from './send-details.ts';
import { whyNotSent } from './why-not-sent.ts';

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
      ...detailFields,
      sendAt: Timestamp.nullish().meta({
        description: `When it is to go, at most ${MOST_DAYS_AHEAD} days ahead; the answer is 202 then, and what keeps it from going shows in its row`,
      }),
      idempotencyKey: BodyKey.nullish().meta({ description: 'The same as the Idempotency-Key header' }),
    }),
  ),
  'to',
  'contactId',
).meta({ id: 'SendInput', description: 'One mail to one recipient, with copies to others' });
export type SendBody = z.output<typeof SendBody>;

/** The entry, or the 404 of a key that nobody knows, or the 422 of one that is for other projects. */
export async function templateForSending(
  { em, registry, project }: Pick<KeyContext, 'em' | 'registry' | 'project'>,
  key: string,
): Promise<RegistryEntry> {
  const entry = await registry.find(em, project, key);
  if (entry) return entry;
  if (registry.get(key)) throw new Refusal('unknown_template', `the template ${key} is not for this project`);
  throw new Refusal('unknown_template', await registry.noSuchTemplate(em, project, key), { status: 404 });
}

/** What a mail was made of, as far as its caller chose it. */
export interface AskedMail {
  readonly entry: Pick<RegistryEntry, 'dataSchema'>;
  readonly data: Readonly<Record<string, unknown>>;
  /** The caller's own. */
  readonly subject?: string | null | undefined;
  /** Where the caller wrote the content; absent: it is a template's. */
  readonly writtenAt?: Brought['writtenAt'] | undefined;
  readonly details?: SendDetails | null | undefined;
  /** What its content shows as `cid:…` and no attachment is. */
  readonly lackingIds?: readonly string[] | undefined;
}

/** The answer of POST /send and of the test route. Throws the Refusal of a mail that did not go. */
export async function answerSend(em: EntityManager, result: KeyedResult, asked: AskedMail): Promise<Answer> {
  switch (result.state) {
    case 'sent': {
      const { sendId, providerId, missing, replayed } = result;
      const notes = replayed ? await firstNotes(em, sendId) : mailNotes(asked, missing);
      const leftOut = asked.details?.cc || asked.details?.bcc ? await readLeftOutOf(em, sendId) : [];
      return new Answer(
        200,
        { ok: true, ...(providerId ? { id: providerId } : {}), ...notes, ...(leftOut.length > 0 ? { leftOut } : {}) },
        replayHeader(replayed),
      );
    }
    case 'failed': {
      const { reason, replayed } = result;
      const message = result.message || (await whyNotSent(em, result));
      throw new Refusal('send_failed', errorText(reason, message), {
        body: { reason },
        headers: replayHeader(replayed),
      });
    }
    case 'unavailable':
      throw new Refusal('send_failed', `provider_unavailable: ${result.message}`, {
        status: 503,
        body: { reason: 'provider_unavailable' },
        retryAfterSeconds: result.retryAfterSeconds,
      });
    case 'in_progress':
      throw keyInProgress(result.retryAfterSeconds);
    case 'key_reused':
      throw keyReused();
    default:
      return result satisfies never;
  }
}

/** What the answer says beside the outcome; undefined: nothing. */
export function mailNotes(asked: AskedMail, missing: readonly string[]): object | undefined {
  const warnings = mailWarnings(asked, missing);
  if (missing.length === 0 && warnings.length === 0) return undefined;
  return { ...(missing.length > 0 ? { missing } : {}), ...warned(warnings) };
}

/** Those of the first answer: the template may have become another one since. */
async function firstNotes(em: EntityManager, sendId: string): Promise<object | undefined> {
  const notes = await readAnswerNotes(em, sendId);
  return notes === null ? undefined : JSON.parse(notes);
}

const LIQUID = /\{[{%].*?[%}]\}/gs;

/**
 * The author of a template is told of its content when it is written; the subject of a call was written by the caller. The mail has gone, so
 * nothing here may wait for a thread.
 */
function mailWarnings({ entry, data, subject, writtenAt, lackingIds: lacking = [] }: AskedMail, missing: readonly string[]): Issue[] {
  const liquid = subject?.match(LIQUID)?.join(' ') ?? '';
  const ofSubject = missing.filter((path) => liquid.includes(path));
  const ofContent = writtenAt ? missing.filter((path) => !ofSubject.includes(path)) : [];
  const scope = mailScope(entry.dataSchema, data);
  return [
    ...dataWarnings(entry.dataSchema, data),
    ...spellingWarnings(ofSubject, 'subject', scope),
    ...spellingWarnings(ofContent, writtenAt ?? '', scope),
    ...lacking.slice(0, MAX_ISSUES).map((id) => ({ path: writtenAt ?? '', message: `cid:${id} is the contentId of no attachment` })),
  ];
}

/** What POST /send and the test route answer. */
export const SentReply = z.object({
  id: z.string().optional().meta({ description: "The provider's message id" }),
  missing: z
    .array(z.string())
    .optional()
    .meta({ description: 'Paths that the mail shows and the data lacks; they rendered empty. Absent when there are none' }),
  leftOut: z
    .array(LeftOutRecord)
    .optional()
    .meta({ description: 'Copies that did not go, while the mail did. Absent when there are none' }),
  warnings: Warnings,
});

const send = defineRoute({
  method: 'post',
  path: '/send',
  scope: 'send',
  summary: 'Render a template, or content of the call, and send one email',
  description:
    'Exactly one of `template`, `html` and/or `text`, and `content`; the latter two with `subject` and `type`. Answers after the provider did. A failed ' +
    'attempt is 422 send_failed with `reason`; 503 send_failed with reason ' +
    'provider_unavailable and Retry-After when it surely was not accepted and may pass. With `sendAt` it answers 202 at once, with the `id` that ' +
    'GET, PATCH and DELETE /sends/:id take; who may not get it, and what a mail lacks, is found out when it goes, and stands in its row.',
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
    const { request, asked, payload } = await callOf(context, body, key, lookupsOf(context));
    if (body.sendAt) return scheduleCall(context, payload, schedulingOf(body.sendAt, { request }));
    return answerSend(context.em, await context.sending.sendCall(request), asked);
  },
});

/** What a call comes to that is to go later. */
export function schedulingOf(dueAt: Date, { request }: Pick<Call, 'request'>): Scheduling {
  const { type, entry, details, identity } = request;
  return { dueAt, type: type ?? (entry as RegistryEntry).type, details, key: identity.by === 'key' ? identity.key : undefined };
}

/** What a call names and the database knows. Each throws the Refusal of what is not there. */
export interface CallLookups {
  readonly brand: (slug: string | null | undefined) => Promise<void>;
  readonly template: (key: string) => Promise<RegistryEntry>;
  /** undefined: the body names a template. */
  readonly content: (body: SendBody) => Promise<Brought | undefined>;
  /** Those of the mail, as they are kept now. */
  readonly attachments: (body: SendBody) => Promise<readonly Attachment[]>;
}

export function lookupsOf(context: KeyContext): CallLookups {
  return {
    brand: (slug) => requireBrand(context.em, context.project.id, slug),
    template: (key) => templateForSending(context, key),
    content: (body) => broughtContent(context, body),
    attachments: (body) => attachmentsOf(context, body),
  };
}

/** A mail that a call asks for, and what it is answered by. */
export interface Call {
  readonly request: MailRequest;
  readonly asked: AskedMail;
  readonly payload: WithKept<SendBody>;
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
  const said = detailsOf(body, body.type ?? (entry as RegistryEntry).type);
  // Last: what is wrong with anything else is told before bytes are kept.
  const kept = given?.length ? { attachments: await lookups.attachments(body) } : undefined;
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
      lackingIds: lackingIds(brought, kept?.attachments ?? []),
    },
  };
  const request: MailRequest = {
    ...callRequest(project.id, entry, { ...body, details }),
    content: brought?.content,
    caller,
    deadline: caller.deadline,
    identity: key === undefined ? { by: 'nothing' } : keptKey(key, payload, isTestKey),
    isSandboxed: isTestKey,
    notes: (missing) => mailNotes(asked, missing),
  };
  return { request, asked, payload };
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
