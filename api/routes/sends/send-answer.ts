import * as z from 'zod';
import type { EntityManager } from '../../../db/orm.ts';
import { readAnswerNotes } from '../../../db/queries/sends/answer-notes.ts';
import { readLeftOutOf } from '../../../db/queries/sends/copies.ts';
import { type Issue, MAX_ISSUES, Refusal } from '../../../domain/errors.ts';
import { errorText } from '../../../domain/sends/send.ts';
import { hasCopies, type SendDetails } from '../../../domain/sends/send-details.ts';
import { dataWarnings } from '../../../domain/templates/data-warnings.ts';
import type { RegistryEntry } from '../../../domain/templates/registry-entry.ts';
import { mailScope, spellingWarnings } from '../../../domain/templates/variable-spelling.ts';
import type { KeyedResult } from '../../../sending/sources/call.ts';
import { keyInProgress, keyReused, replayHeader } from '../../idempotency.ts';
import { LeftOutRecord } from '../../mail-schemas.ts';
import { Answer } from '../../route.ts';
import { Timestamp, Warnings, warned } from '../../schemas.ts';
import type { Brought } from './brought-content.ts';
import { whyNotSent } from './why-not-sent.ts';

/** What a mail was made of, as far as its caller chose it. */
export interface AskedMail {
  readonly entry: Pick<RegistryEntry, 'dataSchema'>;
  readonly data: Readonly<Record<string, unknown>>;
  /** The caller's own. */
  readonly subject?: string | null | undefined;
  /** Where the caller wrote the content; absent: it is a template's. */
  readonly writtenAt?: Brought['writtenAt'] | undefined;
  readonly details?: SendDetails | null | undefined;
  /** What does not fit together in its content and its files. */
  readonly fileWarnings?: readonly Issue[] | undefined;
}

/** The answer of POST /send and of the test route. Throws the Refusal of a mail that did not go. */
export async function answerSend(em: EntityManager, result: KeyedResult, asked: AskedMail): Promise<Answer> {
  switch (result.state) {
    case 'sent': {
      const { sendId, providerId, missing, replayed } = result;
      const notes = replayed ? await firstNotes(em, sendId) : mailNotes(asked, missing);
      const leftOut = hasCopies(asked.details) ? await readLeftOutOf(em, sendId) : [];
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
    case 'waiting':
      return scheduledAnswer(result.id, result.dueAt, true);
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
function mailWarnings({ entry, data, subject, writtenAt, fileWarnings = [] }: AskedMail, missing: readonly string[]): Issue[] {
  const liquid = subject?.match(LIQUID)?.join(' ') ?? '';
  const ofSubject = missing.filter((path) => liquid.includes(path));
  const ofContent = writtenAt ? missing.filter((path) => !ofSubject.includes(path)) : [];
  const scope = mailScope(entry.dataSchema, data);
  return [
    ...dataWarnings(entry.dataSchema, data),
    ...spellingWarnings(ofSubject, 'subject', scope),
    ...spellingWarnings(ofContent, writtenAt ?? '', scope),
    ...fileWarnings.slice(0, MAX_ISSUES),
  ];
}

/** What POST /send answers of a mail that is to go later. */
export const ScheduledReply = z.object({
  id: z.uuid().meta({ description: 'Of its row, now and when it has gone' }),
  status: z.literal('scheduled').meta({ description: 'It waits' }),
  sendAt: Timestamp.meta({ description: 'When it is to go' }),
});

export function scheduledAnswer(id: string, sendAt: Date, replayed: boolean): Answer {
  return new Answer(202, { ok: true, ...z.encode(ScheduledReply, { id, status: 'scheduled', sendAt }) }, replayHeader(replayed));
}

/** What POST /send and the test route answer. */
export const SentReply = z.object({
  id: z.string().optional().meta({ description: "The provider's message id" }),
  missing: z
    .array(z.string())
    .optional()
    .meta({ description: 'Paths that the email shows and the data lacks; they rendered empty. Absent when there are none' }),
  leftOut: z
    .array(LeftOutRecord)
    .optional()
    .meta({ description: 'Copies that did not go, while the email did. Absent when there are none' }),
  warnings: Warnings,
});
