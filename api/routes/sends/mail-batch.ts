import { setImmediate } from 'node:timers/promises';
import * as z from 'zod';
import { boundedArray } from '../../../domain/bounded-array.ts';
import { type Issue, invalidRequest, MAX_ISSUES, Refusal } from '../../../domain/errors.ts';
import { issuesOf } from '../../../domain/issues.ts';
import { SUBMISSION_MS } from '../../../domain/sends/submission-times.ts';
import { inParallel } from '../../../platform/in-parallel.ts';
import type { KeyedResult } from '../../../sending/sources/call.ts';
import * as examples from '../../examples/batch-examples.ts';
import { keyReused } from '../../idempotency.ts';
import { ignoredFields, refusedWith, withWarnings } from '../../ignored-names.ts';
import { errorBody, refusalOf } from '../../middleware/error-envelope.ts';
import { REQUEST_SECONDS } from '../../middleware/time-limit.ts';
import { Answer, defineRoute, type KeyContext, type Route } from '../../route.ts';
import { SECONDS_WITH_ATTACHMENTS } from './attachments-of-call.ts';
import { keepForLater, requireSchedulable } from './scheduled-sends.ts';
import { BodyKey, type Call, type CallLookups, callOf, idempotencyKey, lookupsOf, SendBody } from './send.ts';
import { answerSend, SentReply } from './send-answer.ts';

/** Mails of one batch. */
export const MAX_MAILS = 1000;

/** What begins by then has its answer before the request's time is over. */
const BEGINS_WITHIN_MS = REQUEST_SECONDS * 1000 - SUBMISSION_MS;
const RETRY_AFTER_SECONDS = 5;

/** Mails that are read in one turn: their data may be large. */
const READ_AT_ONCE = 4;
/** Answers that ask the database at the same time. */
const ANSWERED_AT_ONCE = 4;

/** Each is read by itself, so that a bad one fails alone. */
const Mail = z.unknown().meta({ $ref: '#/components/schemas/SendInput' });

const BatchBody = z
  .object({
    mails: boundedArray(Mail, MAX_MAILS, { error: `at most ${MAX_MAILS} emails` })
      .min(1, { error: 'at least one email' })
      .meta({ description: 'Each a body of POST /send' }),
    idempotencyKey: BodyKey.nullish().meta({
      description:
        'The same as the Idempotency-Key header: `order-7` is `order-7[0]` of the first email, `order-7[1]` of the next, where they have none of their own',
    }),
  })
  .meta({ id: 'SendBatchInput', description: 'Many emails, each to one recipient' });

const replayed = z.literal(true).optional().meta({ description: 'A stored answer is given again; absent otherwise' });

const MailResult = z
  .discriminatedUnion('ok', [
    z.object({
      ok: z.literal(true).meta({ description: 'It was sent, or is to go later' }),
      ...SentReply.shape,
      status: z.literal('scheduled').optional().meta({ description: 'Of one that is to go later: `id` is that of its row' }),
      sendAt: z.iso.datetime().optional().meta({ description: 'When it is to go' }),
      replayed,
    }),
    z.looseObject({
      ok: z.literal(false).meta({ description: 'It was not sent' }),
      error: z.string().meta({ description: 'For people; it may change' }),
      code: z.string().meta({ description: 'Stable; as POST /send would have answered, or `unavailable`: not begun in time' }),
      reason: z.string().optional().meta({ description: 'Of `send_failed`' }),
      retryAfterSeconds: z.int().optional().meta({ description: 'When it may be tried again' }),
      replayed,
    }),
  ])
  .meta({ id: 'SendBatchResult', description: 'What POST /send would have answered to the email' });
type MailResult = z.output<typeof MailResult>;

const sendBatch = defineRoute({
  method: 'post',
  path: '/send/batch',
  scope: 'send',
  summary: 'Send many emails',
  description:
    'As so many calls of POST /send, in one: answers when each email has its result, in the order of `mails`, and 200 whatever they are. An email that ' +
    'cannot be sent fails alone. With a key a batch that was cut off, or had emails which may go later, can be sent again: what has gone stays so, and ' +
    `the rest follows. What could not begin within ${BEGINS_WITHIN_MS / 1000} s is \`unavailable\` and may be sent again. Counts as one request for the rate limit.`,
  body: BatchBody,
  aloneIn: 'mails',
  status: 200,
  reply: z.object({ results: boundedArray(MailResult, MAX_MAILS).meta({ description: 'One of each email, in the order of `mails`' }) }),
  needsVerifiedOwner: true,
  takesTestKeys: true,
  idempotency: 'in_answer',
  examples: examples.batch,
  async handle(context, { body }) {
    const key = idempotencyKey(context.caller.idempotencyKey, body);
    const begins = beginsInTime(context.caller.deadline);
    try {
      const batch = await readBatch({ ...context, caller: { ...context.caller, deadline: begins.deadline } }, body.mails, key);
      await Promise.all([sendNow(context, batch), keepLater(context, batch)]);
      return { results: await answersOf(context, batch) };
    } finally {
      begins.end();
    }
  },
});

/** A mail of a batch on its way to its result. */
interface MailOfBatch {
  /** Fields that nobody knows. */
  readonly ignored: readonly Issue[];
  /** undefined: refused before it could be one. */
  readonly call: Call | undefined;
  /** When it is to go, if that is later. */
  readonly dueAt: Date | undefined;
  settled: PromiseSettledResult<KeyedResult | Answer> | undefined;
}

function sendNow({ sending }: KeyContext, batch: readonly MailOfBatch[]): Promise<void> {
  return settle(
    batch.flatMap((mail) => (mail.call && !mail.dueAt ? [{ mail, asked: mail.call.request }] : [])),
    (requests) => sending.sendCalls(requests),
  );
}

function keepLater(context: KeyContext, batch: readonly MailOfBatch[]): Promise<void> {
  return settle(
    batch.flatMap((mail) => (mail.call && mail.dueAt ? [{ mail, asked: { ...mail.call, dueAt: mail.dueAt } }] : [])),
    (asked) => keepForLater(context, asked),
  );
}

/** Gives mails their results, which come in their order. */
async function settle<Asked>(
  mails: readonly { readonly mail: MailOfBatch; readonly asked: Asked }[],
  ask: (asked: readonly Asked[]) => Promise<readonly PromiseSettledResult<KeyedResult | Answer>[]>,
): Promise<void> {
  const results = await ask(mails.map(({ asked }) => asked));
  for (const [place, { mail }] of mails.entries()) mail.settled = results[place];
}

/** What each mail asks for, or why it cannot. */
async function readBatch(context: KeyContext, mails: readonly unknown[], batchKey: string | undefined): Promise<MailOfBatch[]> {
  const lookups = eachOnce(lookupsOf(context));
  const batch: MailOfBatch[] = [];
  // What goes at once and what goes later begin side by side.
  const keys = { atOnce: new Set<string>(), later: new Set<string>() };
  let warnings = 0;
  for (const [place, mail] of mails.entries()) {
    if (place % READ_AT_ONCE === READ_AT_ONCE - 1) await setImmediate();
    const ignored = mail instanceof Refusal ? [] : ignoredFields(SendBody, mail, Math.min(MAX_ISSUES, MAX_MAILS - warnings));
    warnings += ignored.length;
    try {
      const body = parsed(mail);
      if (body.attachments?.length) context.mayTake(SECONDS_WITH_ATTACHMENTS);
      const key = body.idempotencyKey ?? (batchKey === undefined ? undefined : `${batchKey}[${place}]`);
      const call = await callOf(context, body, key, lookups);
      const [own, others] = call.dueAt ? [keys.later, keys.atOnce] : [keys.atOnce, keys.later];
      if (key !== undefined && others.has(key)) throw keyReused();
      context.caller.deadline.throwIfAborted();
      if (body.sendAt) requireSchedulable(context, body.sendAt);
      if (key !== undefined) own.add(key);
      batch.push({ ignored, call, dueAt: call.dueAt, settled: undefined });
    } catch (reason) {
      batch.push({ ignored, call: undefined, dueAt: undefined, settled: { status: 'rejected', reason } });
    }
  }
  return batch;
}

function parsed(mail: unknown): SendBody {
  if (mail instanceof Refusal) throw mail;
  const read = SendBody.safeParse(mail);
  if (read.success) return read.data;
  throw invalidRequest(issuesOf(read.error));
}

/** The same, which asks for each name once. */
function eachOnce({ brand, template, topic, content, window, attachments }: CallLookups): CallLookups {
  const once = <Name, Found>(find: (name: Name) => Promise<Found>): ((name: Name) => Promise<Found>) => {
    const found = new Map<Name, Promise<Found>>();
    return (name) => {
      const known = found.get(name) ?? find(name);
      found.set(name, known);
      return known;
    };
  };
  return { brand: once(brand), template: once(template), topic: once(topic), content, window, attachments: onceOfFiles(attachments) };
}

/** The same for files that were uploaded, which many mails of a batch have alike. */
function onceOfFiles(keep: CallLookups['attachments']): CallLookups['attachments'] {
  const kept = new Map<string, ReturnType<typeof keep>>();
  return (body) => {
    const { attachments, html, text, sendAt } = body;
    if (attachments?.some(({ content }) => content != null)) return keep(body);
    const asked = JSON.stringify([attachments, html?.length, text?.length, sendAt]);
    const known = kept.get(asked) ?? keep(body);
    kept.set(asked, known);
    return known;
  };
}

/** Results of the mails in their order. */
async function answersOf(context: KeyContext, batch: readonly MailOfBatch[]): Promise<MailResult[]> {
  const { em, log, caller } = context;
  const results: MailResult[] = [];
  // What went wrong for a whole portion is told to the log once.
  const refusals = new Map<unknown, Refusal>();
  const refusalFor = (error: unknown): Refusal => {
    const refusal = refusals.get(error) ?? refusalOf(error, log, { requestId: caller.requestId, method: 'POST', route: sendBatch.path });
    refusals.set(error, refusal);
    return refusal;
  };
  await inParallel(ANSWERED_AT_ONCE, [...batch.entries()], async ([place, { ignored, call, settled }]) => {
    try {
      if (settled?.status !== 'fulfilled') throw settled?.reason;
      const { value } = settled;
      const answer = value instanceof Answer ? value : await answerSend(em, value, (call as Call).asked);
      results[place] = { ...(withWarnings(answer, ignored) as object), ...replayedIn(answer.headers) } as MailResult;
    } catch (error) {
      const refusal = refusedWith(refusalFor(error), ignored) as Refusal;
      const { retryAfterSeconds, headers } = refusal.details;
      results[place] = {
        ...errorBody(refusal),
        ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
        ...replayedIn(headers),
      } as MailResult;
    }
  });
  return results;
}

/** In a batch a field says of each mail what a header says of one. */
function replayedIn(headers: Readonly<Record<string, string>> = {}): { readonly replayed?: true } {
  return 'Idempotent-Replayed' in headers ? { replayed: true } : {};
}

/** Aborted when no mail may begin any more: with the request, or so early that those which have begun are answered in time. */
function beginsInTime(deadline: AbortSignal): { readonly deadline: AbortSignal; end(): void } {
  const late = new AbortController();
  const timer = setTimeout(() => {
    const message = `not begun within ${BEGINS_WITHIN_MS / 1000} s, which the emails before it took; send it again`;
    late.abort(new Refusal('unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS }));
  }, BEGINS_WITHIN_MS);
  return { deadline: AbortSignal.any([deadline, late.signal]), end: () => clearTimeout(timer) };
}

export const routes: readonly Route[] = [sendBatch];
