import { rm } from 'node:fs/promises';
import { v7 as uuidv7 } from 'uuid';
import { type KeyLookup, refuseSuspended, refuseUnverifiedOwner, refuseWithoutScope } from '../api/admission.ts';
import { requireBrand } from '../api/brand.ts';
import { refusalOf } from '../api/middleware/error-envelope.ts';
import type { RateLimit } from '../api/middleware/rate-limit.ts';
import { notDoneWithin, REQUEST_SECONDS } from '../api/middleware/time-limit.ts';
import type { Caller } from '../api/route.ts';
import { attachmentsOf, SECONDS_WITH_ATTACHMENTS } from '../api/routes/sends/attachments-of-call.ts';
import type { Brought } from '../api/routes/sends/brought-content.ts';
import { type CallLookups, callOf, type SendBody, templateForSending } from '../api/routes/sends/send.ts';
import { answerSend } from '../api/routes/sends/send-answer.ts';
import { unlessInvalid } from '../api/template-of-brand.ts';
import { requireTopic } from '../api/topic.ts';
import { forkUntil } from '../db/deadline.ts';
import type { MikroORM } from '../db/orm.ts';
import type { KeyHolder } from '../db/queries/projects/api-keys.ts';
import { Refusal } from '../domain/errors.ts';
import { literalSubject, partOf } from '../domain/templates/own-content.ts';
import type { Logger } from '../platform/logger.ts';
import type { OwnContents } from '../sending/compose/own-contents.ts';
import type { TemplateRegistry } from '../sending/compose/template-registry.ts';
import type { Sending } from '../sending/sending.ts';
import type { FileStore } from '../usecases/files/file-store.ts';
import { answerOfRefusal, isTemporary, type SmtpAnswer, smtpAnswer } from './answers.ts';
import type { Login } from './logins.ts';
import { callsOf, type MessageCall } from './message-calls.ts';
import type { MessageReader } from './message-reader.ts';
import type { SpooledPart } from './message-thread.ts';
import type { Spooled } from './spool.ts';
import { inWordsOfMail } from './words-of-mail.ts';

/** A message that has come whole. */
export interface ReceivedMessage {
  readonly login: Login;
  readonly content: Spooled;
  /** Of the envelope, as `normalizeEmail` writes them, each once. */
  readonly recipients: readonly string[];
  readonly remoteAddress: string;
  readonly requestId: string;
}

/** What becomes of messages. */
export interface Acceptance {
  /** Before a message is read: whether its project may send one now, which counts for its rate. Answers with why not. */
  mayBegin(login: Login): Promise<SmtpAnswer | undefined>;
  /** Sends what the message comes to. 250 only when its row is committed, and then the client must not send it again. Never throws. */
  accept(message: ReceivedMessage): Promise<SmtpAnswer>;
}

export interface AcceptanceDeps {
  readonly orm: MikroORM;
  readonly log: Logger;
  readonly lookUp: KeyLookup;
  readonly rateLimit: RateLimit | undefined;
  readonly registry: TemplateRegistry;
  readonly contents: OwnContents;
  readonly sending: Pick<Sending, 'sendCall'>;
  readonly reader: MessageReader;
  readonly files: FileStore;
  readonly filesKeptMs: number;
  readonly now: () => Date;
}

export function createAcceptance(deps: AcceptanceDeps): Acceptance {
  const { log, lookUp, rateLimit, reader } = deps;
  const asAnswer = (error: unknown, requestId: string): SmtpAnswer =>
    answerOfRefusal(refusalOf(error, log, { requestId, method: 'SMTP', route: 'smtp' }));

  /** Who holds the key now. */
  const holderOf = async ({ key }: Login): Promise<KeyHolder> => {
    const holder = await lookUp(key);
    if (!holder) throw new Refusal('unauthorized', 'this API key was revoked since the login');
    refuseSuspended(holder.project);
    return holder;
  };
  /** In the order of docs/contract/http.md 8. */
  const admit = async (login: Login, limit?: RateLimit): Promise<KeyHolder> => {
    const holder = await holderOf(login);
    limit?.take(holder.project.id);
    refuseWithoutScope(holder.scopes, 'send');
    refuseUnverifiedOwner(holder.project);
    return holder;
  };

  return {
    async mayBegin(login) {
      try {
        await admit(login, rateLimit);
        return undefined;
      } catch (error) {
        return asAnswer(error, uuidv7());
      }
    },
    async accept({ login, content, recipients, remoteAddress, requestId }) {
      try {
        const read = await reader.read(content, recipients, login.projectId);
        if ('unreadable' in read) return smtpAnswer(554, '5.6.0', read.unreadable);
        await using _ = { [Symbol.asyncDispose]: () => removeAll(read.parts) };
        const calls = await callsOf(read.message, read.parts, recipients);
        const holder = await admit(login);
        const about = { remoteAddress, requestId, ofMessage: messageLookups(deps, holder) };
        const sendOne = (call: MessageCall): Promise<SmtpAnswer> =>
          answerTo(deps, holder, call, about).catch((error: unknown) => asAnswer(inWordsOfMail(error, call), requestId));
        return together(
          await Promise.all(calls.map(sendOne)),
          calls.every(({ key }) => key !== undefined),
        );
      } catch (error) {
        return asAnswer(error, requestId);
      }
    },
  };
}

/** The mail of one call goes, or its Refusal is thrown. */
async function answerTo(
  { orm, registry, sending }: AcceptanceDeps,
  { project, isTest }: KeyHolder,
  { body, key }: MessageCall,
  { remoteAddress, requestId, ofMessage }: Pick<ReceivedMessage, 'remoteAddress' | 'requestId'> & { readonly ofMessage: MessageLookups },
): Promise<SmtpAnswer> {
  const seconds = body.attachments?.length ? SECONDS_WITH_ATTACHMENTS : REQUEST_SECONDS;
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(notDoneWithin(seconds)), seconds * 1000);
  try {
    const em = forkUntil(orm, controller.signal);
    const caller: Caller = {
      ip: remoteAddress,
      userAgent: undefined,
      requestId,
      idempotencyKey: undefined,
      deadline: controller.signal,
    };
    const lookups: CallLookups = {
      ...ofMessage,
      brand: (slug) => requireBrand(em, project.id, slug),
      template: (key) => templateForSending({ em, registry, project }, key),
      topic: (key) => requireTopic(em, project.id, key),
      // Its content is no Liquid, as that of a mail is which waits.
      window: async () => undefined,
    };
    const { request, asked } = await callOf({ project, caller, isTestKey: isTest }, body, key, lookups);
    const subject = request.subject === undefined ? undefined : literalSubject(request.subject);
    const { body: answer } = await answerSend(em, await sending.sendCall({ ...request, subject }), asked);
    return smtpAnswer(250, '2.0.0', wordsOf(answer as SentBody));
  } finally {
    clearTimeout(timer);
  }
}

/** What POST /send answers, as far as a client is told it. */
interface SentBody {
  readonly id?: string;
  readonly leftOut?: readonly { readonly email: string; readonly reason: string }[];
}

function wordsOf({ id, leftOut = [] }: SentBody): string {
  const others = leftOut.map(({ email, reason }) => `${email} (${reason})`).join(', ');
  return `sent${id === undefined ? '' : ` as ${id}`}${others === '' ? '' : `; left out: ${others}`}`;
}

type MessageLookups = Pick<CallLookups, 'content' | 'attachments'>;

/** All mails of a message have the same content and the same files: that is compiled and these are kept once. */
function messageLookups({ orm, contents, files, filesKeptMs, now }: AcceptanceDeps, { project }: KeyHolder): MessageLookups {
  let content: ReturnType<CallLookups['content']> | undefined;
  let attachments: ReturnType<CallLookups['attachments']> | undefined;
  return {
    content(body) {
      content ??= literalContent(contents, project.id, body);
      return content;
    },
    attachments(body) {
      attachments ??= attachmentsOf({ em: orm.em.fork(), files, project, now, filesKeptMs }, body);
      return attachments;
    },
  };
}

/** Never throws: one that stays is removed by a later start, and the mail may have gone. */
async function removeAll(parts: readonly SpooledPart[]): Promise<void> {
  await Promise.allSettled(parts.map(({ path }) => rm(path, { force: true })));
}

/** What a message brings is no Liquid, and of one mail. */
async function literalContent(contents: OwnContents, projectId: string, { template, html, text }: SendBody): Promise<Brought | undefined> {
  if (template != null) return undefined;
  const own = { html: html ?? undefined, text: text ?? undefined, isLiteral: true };
  return { content: unlessInvalid(await contents.readyOnce(projectId, own)), writtenAt: partOf(own) };
}

/**
 * One answer for all mails of a message: what may pass has the client try again, which those that went mind not, since they are known by their key. A
 * message without a key is not sent again once a mail of it went.
 */
function together(answers: readonly SmtpAnswer[], hasKeys: boolean): SmtpAnswer {
  const [only] = answers;
  if (only && answers.length === 1) return only;
  const taken = answers.filter(({ code }) => code === 250);
  const refused = answers.find(({ code }) => code !== 250);
  const passing = answers.find(isTemporary);
  if (passing && (hasKeys || taken.length === 0)) return passing;
  if (taken.length === 0 && refused) return refused;
  return smtpAnswer(250, '2.0.0', `${taken.length} of ${answers.length} mails sent${refused ? `; one not: ${refused.text}` : ''}`);
}
