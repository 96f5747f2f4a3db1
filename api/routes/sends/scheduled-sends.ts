import * as z from 'zod';
import { findScheduled } from '../../../db/queries/sends/scheduled-sends.ts';
import { invalidRequest } from '../../../domain/errors.ts';
import { isSchedulable, MOST_DAYS_AHEAD } from '../../../domain/sends/scheduled.ts';
import type { SendCall } from '../../../domain/sends/send-call.ts';
import type { MailRequest } from '../../../sending/request.ts';
import { cancelScheduledSend, moveScheduledSend, scheduleCalls } from '../../../usecases/sends/schedule-send.ts';
import * as examples from '../../examples/send-examples.ts';
import { keyReused } from '../../idempotency.ts';
import { type Answer, defineRoute, type KeyContext, type Route } from '../../route.ts';
import { Id, Timestamp } from '../../schemas.ts';
import { demandOwnOfTestKeys } from '../../test-keys.ts';
import { ScheduledReply, scheduledAnswer } from './send-answer.ts';
import { withoutDetailFields } from './send-details.ts';

/** A mail that a call asks for, the body that asks for it, and when it is to go. */
export interface AskedLater {
  readonly request: MailRequest;
  readonly payload: SendCall & { readonly sendAt?: unknown; readonly ignoreWindow?: unknown };
  readonly dueAt: Date;
}

/** Keeps the mails of calls until they are due. Answers with what each is answered, in their order; the reason is the Refusal of one that could not be sent now. */
export async function keepForLater(context: KeyContext, asked: readonly AskedLater[]): Promise<PromiseSettledResult<Answer>[]> {
  const { em, project, newId } = context;
  const calls = asked.map(({ request, payload, dueAt }) => {
    const { sendAt: _, ignoreWindow: __, ...call } = payload;
    return { request, dueAt, call: { ...withoutDetailFields(call), details: request.details } };
  });
  const kept = await scheduleCalls(em, project.id, calls, newId);
  return kept.map((result, place) => {
    if (result.status === 'rejected') return result;
    if (result.value.state === 'key_reused') return { status: 'rejected', reason: keyReused() };
    const { id, replayed } = result.value;
    return { status: 'fulfilled', value: scheduledAnswer(id, (asked[place] as AskedLater).dueAt, replayed) };
  });
}

/** The same of one call. Throws its Refusal. */
export async function keepOneForLater(context: KeyContext, asked: AskedLater): Promise<Answer> {
  requireSchedulable(context, asked.dueAt);
  const [result] = (await keepForLater(context, [asked])) as [PromiseSettledResult<Answer>];
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

/** Throws the Refusal of a time that is too far away. */
export function requireSchedulable({ now }: Pick<KeyContext, 'now'>, dueAt: Date): void {
  if (isSchedulable(dueAt, now())) return;
  throw invalidRequest([{ path: 'sendAt', message: `at most ${MOST_DAYS_AHEAD} days ahead` }]);
}

const ScheduledPath = z.object({ id: Id.meta({ description: 'That POST /send answered' }) });

const move = defineRoute({
  method: 'patch',
  path: '/sends/:id',
  scope: 'send',
  summary: 'Send a scheduled email at another time',
  description: 'An instant in the past is now. `invalid_status`: it is being sent, or was.',
  params: ScheduledPath,
  body: z.strictObject({ sendAt: Timestamp.meta({ description: `At most ${MOST_DAYS_AHEAD} days ahead` }) }).meta({
    id: 'ScheduledSendInput',
    description: 'When it is to go',
  }),
  status: 200,
  reply: ScheduledReply,
  takesTestKeys: true,
  errors: ['not_found', 'invalid_status'],
  examples: examples.move,
  async handle(context, { params: { id }, body: { sendAt } }) {
    requireSchedulable(context, sendAt);
    await demandOwn(context, id);
    await moveScheduledSend(context, id, sendAt);
    return { id, status: 'scheduled' as const, sendAt };
  },
});

const cancel = defineRoute({
  method: 'delete',
  path: '/sends/:id',
  scope: 'send',
  summary: 'Cancel a scheduled email',
  description: 'It does not go after this answer, and has no row. `invalid_status`: it is being sent, or was.',
  params: ScheduledPath,
  status: 200,
  takesTestKeys: true,
  reply: z.object({ id: z.uuid().meta({ description: 'What it was' }), deleted: z.literal(true).meta({ description: 'It does not go' }) }),
  errors: ['not_found', 'invalid_status'],
  examples: examples.cancel,
  async handle(context, { params: { id } }) {
    const { em, project } = context;
    await demandOwn(context, id);
    await cancelScheduledSend(em, project.id, id);
    return { id, deleted: true as const };
  },
});

async function demandOwn(context: KeyContext, id: string): Promise<void> {
  if (context.isTestKey) demandOwnOfTestKeys(context, (await findScheduled(context.em, context.project.id, id))?.sandboxed);
}

export const routes: readonly Route[] = [move, cancel];
