import * as z from 'zod';
import { findScheduled } from '../../../db/queries/sends/scheduled-sends.ts';
import { invalidRequest } from '../../../domain/errors.ts';
import { isSchedulable, MOST_DAYS_AHEAD } from '../../../domain/sends/scheduled.ts';
import type { SendCall } from '../../../domain/sends/send-call.ts';
import type { MailRequest } from '../../../sending/request.ts';
import { cancelScheduledSend, moveScheduledSend, scheduleCall } from '../../../usecases/sends/schedule-send.ts';
import * as examples from '../../examples/send-examples.ts';
import { keyReused, replayHeader } from '../../idempotency.ts';
import { Answer, defineRoute, type KeyContext, type Route } from '../../route.ts';
import { Id, Timestamp } from '../../schemas.ts';
import { demandOwnOfTestKeys } from '../../test-keys.ts';
import { withoutDetailFields } from './send-details.ts';

/** What POST /send answers of a mail that is to go later. */
export const ScheduledReply = z.object({
  id: z.uuid().meta({ description: 'Of its row, now and when it has gone' }),
  status: z.literal('scheduled').meta({ description: 'It waits' }),
  sendAt: Timestamp.meta({ description: 'When it is to go' }),
});

/** A mail that a call asks for, and the body that asks for it. */
interface Asked {
  readonly request: MailRequest;
  readonly payload: SendCall & { readonly sendAt?: unknown };
}

/** Keeps the mail of a call until it is due. Throws the Refusal of one that could not be sent now. */
export async function keepForLater(context: KeyContext, { request, payload }: Asked, dueAt: Date): Promise<Answer> {
  requireSchedulable(context, dueAt);
  const { sendAt: _, ...asked } = payload;
  const call = { ...withoutDetailFields(asked), details: request.details };
  const kept = await scheduleCall(context.em, request, { dueAt, call, newId: context.newId });
  if (kept.state === 'key_reused') throw keyReused();
  const reply = z.encode(ScheduledReply, { id: kept.id, status: 'scheduled', sendAt: dueAt });
  return new Answer(202, { ok: true, ...reply }, replayHeader(kept.replayed));
}

function requireSchedulable({ now }: Pick<KeyContext, 'now'>, dueAt: Date): void {
  if (isSchedulable(dueAt, now())) return;
  throw invalidRequest([{ path: 'sendAt', message: `at most ${MOST_DAYS_AHEAD} days ahead` }]);
}

const ScheduledPath = z.object({ id: Id.meta({ description: 'That POST /send answered' }) });

const move = defineRoute({
  method: 'patch',
  path: '/sends/:id',
  scope: 'send',
  summary: 'Send a scheduled mail at another time',
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
  summary: 'Cancel a scheduled mail',
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
