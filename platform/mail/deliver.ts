import { setTimeout as sleep } from 'node:timers/promises';
import type { SendRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { closeSend, findKnownSend, type Held, openSend, reopenSend, type SendIdentity } from '../../db/queries/sends.ts';
import { publishedCompiled } from '../../db/queries/templates.ts';
import type { Vault } from '../../domain/crypto.ts';
import { createLru } from '../../domain/lru.ts';
import {
  errorText,
  IN_DOUBT_AFTER_MS,
  readError,
  type SendFailure,
  type SendOutcome,
  type SendType,
  type SourceType,
} from '../../domain/send.ts';
import type { CompiledContent } from '../../domain/template/compile.ts';
import type { RegistryEntry } from '../../domain/template/registry-entry.ts';
import { type RenderedMail, RenderFailed, renderMail } from '../../domain/template/render.ts';
import { mailVariables } from '../../domain/template/variables.ts';
import type { Logger } from '../logger.ts';
import { finishMail } from './finish.ts';
import { InvalidMail } from './header.ts';
import { messageIdOf } from './mime.ts';
import type { Mailbox, MailProvider, OutgoingMail, ProviderAnswer, WrittenMail } from './provider.ts';
import { planSend, type SendPlan } from './send-plan.ts';
import { trackHtml } from './track.ts';

/** One mail to one recipient, whoever asks for it. */
export interface SendRequest {
  readonly projectId: string;
  readonly entry: RegistryEntry;
  readonly recipient: { readonly contactId: string } | { readonly email: string };
  /** undefined: the template's own. */
  readonly type: SendType | undefined;
  readonly brand: string | undefined;
  /** Overrides the project's and the template's. Liquid. */
  readonly subject: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
  readonly event: Readonly<Record<string, unknown>> | undefined;
  readonly from: Mailbox | undefined;
  readonly sourceType: SourceType;
  readonly sourceId: string | null;
  readonly identity: SendIdentity;
  /** Whose request it is, for the consent record of a contact that this send creates. */
  readonly caller?: { readonly ip: string | undefined; readonly userAgent: string | undefined };
  /** Renders this instead of the published content, whether or not the template is enabled: the test route. */
  readonly content?: CompiledContent | undefined;
}

export type SendResult =
  | { readonly state: 'sent'; readonly sendId: string; readonly providerId: string | undefined; readonly replayed: boolean }
  | {
      readonly state: 'failed';
      readonly sendId: string;
      readonly reason: SendFailure;
      readonly message: string;
      readonly replayed: boolean;
    }
  /** Surely not accepted, and it may pass; the intent still stands. */
  | { readonly state: 'later'; readonly sendId: string; readonly message: string; readonly retryAfterSeconds: number | undefined }
  /** Another call is at it, or was when it died. */
  | { readonly state: 'in_progress'; readonly retryAfterSeconds: number }
  /** The caller's key was used for something else. */
  | { readonly state: 'key_reused' }
  /** A step of a sequence that may not go on now, or not any more. */
  | Held
  | { readonly state: 'ended' }
  | { readonly state: 'capped' };

/** The one way a mail leaves, for the API, sequences and campaigns. */
export interface Mailer {
  /** Throws a Refusal when the mail cannot be made for this project: recipient, brand, template or sender. */
  send(em: EntityManager, request: SendRequest): Promise<SendResult>;
  close(): Promise<void>;
}

export interface MailerDeps {
  readonly provider: MailProvider;
  readonly vault: Vault;
  readonly publicUrl: string;
  readonly log: Logger;
  readonly now: () => Date;
  readonly newId: () => string;
}

/** decisions.md 4.4: at most 3 tries in all within 10 s. */
const TRIES = 3;
const TRIES_WITHIN_MS = 10_000;
const PAUSES_MS = [400, 1200];
/** As long as a send may take; one that is older has died, and what became of it is known when it is in doubt. */
const IN_HAND_MS = 22_000;
const COME_BACK_SECONDS = 2;
const COMPILED_KEPT = 500;

export function createMailer(deps: MailerDeps): Mailer {
  const { provider, log, vault, publicUrl, now, newId } = deps;
  const compiledCache = createLru<string, CompiledContent>(COMPILED_KEPT);

  const compiledContent = async (em: EntityManager, request: SendRequest, plan: SendPlan): Promise<CompiledContent> => {
    if (request.content) return request.content;
    const { projectId, entry } = request;
    if (plan.publishedVersion === null) return entry.compiled;
    // A version never changes, so what was once read stays right.
    const key = JSON.stringify([projectId, plan.brand.slug, entry.key, plan.publishedVersion]);
    const known = compiledCache.get(key);
    if (known) return known;
    const found = await publishedCompiled(em, projectId, plan.brand.slug, entry.key, plan.publishedVersion);
    if (found) compiledCache.set(key, found);
    return found ?? entry.compiled;
  };

  const render = (request: SendRequest, plan: SendPlan, compiled: CompiledContent): RenderedMail => {
    const { contact, brand, to, unsubscribeUrl, subject, type } = plan;
    const { data, event } = request;
    const variables = mailVariables({ data, contact, event, brand, recipientEmail: to, unsubscribeUrl, now: now() });
    return renderMail(compiled, { subject, variables, type });
  };

  /** One line when the provider goes away and one when it is back, not one for each mail. */
  let isAway = false;
  const noteProvider = ({ outcome }: ProviderAnswer): void => {
    if (outcome === 'later' && !isAway) log.warn('mail.provider_unavailable', { provider: provider.name });
    if (outcome === 'accepted' && isAway) log.info('mail.provider_back', { provider: provider.name });
    if (outcome === 'later' || outcome === 'accepted') isAway = outcome === 'later';
  };

  const handOver = async (mail: OutgoingMail): Promise<ProviderAnswer> => {
    const deadline = performance.now() + TRIES_WITHIN_MS;
    for (let attempt = 1; ; attempt++) {
      const answer = await provider.send(mail, mail.sendId);
      noteProvider(answer);
      if (answer.outcome !== 'later' || attempt === TRIES) return answer;
      const pause = Math.max((answer.retryAfterSeconds ?? 0) * 1000, PAUSES_MS[attempt - 1] ?? 0);
      if (performance.now() + pause >= deadline) return answer;
      await sleep(pause);
    }
  };

  const close = async (em: EntityManager, sendId: string, outcome: SendOutcome): Promise<SendResult> => {
    await closeSend(em, sendId, outcome);
    return outcome.status === 'sent'
      ? { state: 'sent', sendId, providerId: outcome.providerId, replayed: false }
      : { state: 'failed', sendId, reason: outcome.reason, message: outcome.message, replayed: false };
  };

  /** Renders and hands over under an intent that this call holds. */
  const carryOut = async (em: EntityManager, sendId: string, request: SendRequest, plan: SendPlan): Promise<SendResult> => {
    let mail: OutgoingMail;
    let subject: string;
    try {
      const rendered = render(request, plan, await compiledContent(em, request, plan));
      const html = plan.isTracked ? trackHtml(rendered.html, { vault, publicUrl, sendId }) : rendered.html;
      subject = rendered.subject;
      mail = finishMail(provider.format, toMail(sendId, { ...rendered, html }, plan, now()));
    } catch (error) {
      if (!(error instanceof RenderFailed || error instanceof InvalidMail)) throw error;
      return close(em, sendId, { status: 'failed', reason: 'render_failed', message: error.message, subject: '' });
    }
    const answer = await handOver(mail);
    switch (answer.outcome) {
      case 'accepted':
        return close(em, sendId, { status: 'sent', providerId: answer.providerId, subject, isHeard: plan.isHeard });
      case 'rejected':
        return close(em, sendId, {
          status: 'failed',
          reason: 'provider_rejected',
          message: answer.message,
          subject,
          badAddress: answer.badAddress,
        });
      case 'unknown':
        return close(em, sendId, { status: 'failed', reason: 'outcome_unknown', message: answer.message, subject });
      case 'later':
        return { state: 'later', sendId, message: answer.message, retryAfterSeconds: answer.retryAfterSeconds };
      default:
        return answer satisfies never;
    }
  };

  /** What becomes of a send that was opened before: its outcome given again, or what is in doubt settled (decisions.md 4.5). */
  const settleKnown = async (em: EntityManager, known: SendRow, request: SendRequest): Promise<SendResult> => {
    const { identity } = request;
    if (identity.by === 'key' && known.request_hash && !identity.requestHash.equals(known.request_hash)) return { state: 'key_reused' };
    const settled = resultOf(known);
    if (settled) return settled;
    const age = now().getTime() - known.opened_at.getTime();
    const inDoubtIn = Math.ceil((IN_DOUBT_AFTER_MS - age) / 1000);
    if (age < IN_DOUBT_AFTER_MS)
      return { state: 'in_progress', retryAfterSeconds: Math.min(inDoubtIn, age < IN_HAND_MS ? COME_BACK_SECONDS : inDoubtIn) };
    if (provider.idempotent) {
      const plan = await planSend(em, request, deps, known.id);
      const mine = await reopenSend(em, known.id, now());
      return mine ? carryOut(em, known.id, request, plan) : { state: 'in_progress', retryAfterSeconds: 1 };
    }
    const message = 'the hand-over was cut off before its outcome was recorded';
    return close(em, known.id, { status: 'failed', reason: 'outcome_unknown', message, subject: '' });
  };

  return {
    async send(em, request) {
      // Before the template, brand and sender are looked at: an answer once given stays, whatever was changed since.
      const before = await findKnownSend(em, request.projectId, request.identity);
      if (before) return settleKnown(em, before, request);
      const sendId = newId();
      const plan = await planSend(em, request, deps, sendId);
      const opened = await openSend(em, {
        id: sendId,
        projectId: request.projectId,
        contactId: plan.contact?.id ?? null,
        brandId: plan.brand.slug,
        toEmail: plan.to,
        template: request.entry.key,
        type: plan.type,
        sourceType: request.sourceType,
        sourceId: request.sourceId,
        identity: request.identity,
        now: now(),
      });
      switch (opened.state) {
        case 'refused':
          return { state: 'failed', sendId, reason: opened.reason, message: '', replayed: false };
        case 'known':
          return settleKnown(em, opened.send, request);
        case 'held':
        case 'ended':
        case 'capped':
          return opened;
        case 'open':
          return carryOut(em, sendId, request, plan);
        default:
          return opened satisfies never;
      }
    },
    close: () => provider.close(),
  };
}

function toMail(sendId: string, rendered: RenderedMail, plan: SendPlan, date: Date): WrittenMail {
  const { from, to, brand, headers } = plan;
  const { subject, html, text } = rendered;
  const messageId = messageIdOf(sendId, from.email);
  return { sendId, messageId, from, to, ...(brand.reply_to ? { replyTo: brand.reply_to } : {}), subject, html, text, headers, date };
}

/** The outcome that a row has, if it has one. */
function resultOf(send: SendRow): SendResult | undefined {
  if (send.status === 'sent') return { state: 'sent', sendId: send.id, providerId: send.provider_id ?? undefined, replayed: true };
  if (send.status !== 'failed') return undefined;
  return { state: 'failed', sendId: send.id, ...readError(send.error ?? errorText('outcome_unknown', '')), replayed: true };
}
