import * as z from 'zod';
import { findContact } from '../../../db/queries/contacts/contacts.ts';
import { findScheduled, isKeyUsed } from '../../../db/queries/sends/scheduled-sends.ts';
import { readMailbox } from '../../../domain/contacts/mailbox.ts';
import { invalidRequest, noBrand, notFound } from '../../../domain/errors.ts';
import { isSchedulable, MOST_DAYS_AHEAD } from '../../../domain/sends/scheduled.ts';
import { NO_TEMPLATE, type SendType } from '../../../domain/sends/send.ts';
import type { SendCall } from '../../../domain/sends/send-call.ts';
import type { SendDetails } from '../../../domain/sends/send-details.ts';
import { cancelScheduledSend, moveScheduledSend, scheduleSends } from '../../../usecases/sends/schedule-send.ts';
import * as examples from '../../examples/send-examples.ts';
import { keyReused, withStoredAnswer } from '../../idempotency.ts';
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

export interface Scheduling {
  readonly dueAt: Date;
  readonly type: SendType;
  readonly details: SendDetails | undefined;
  readonly key: string | undefined;
}

/** Keeps the mail of a call until it is due. Throws the Refusal of one that nobody could send. */
export async function scheduleCall(
  context: KeyContext,
  body: SendCall & { readonly sendAt?: unknown; readonly idempotencyKey?: unknown },
  { dueAt, type, details, key }: Scheduling,
): Promise<Answer> {
  const { project, caller, newId } = context;
  requireSchedulable(context, dueAt);
  const { sendAt: _, idempotencyKey: __, ...asked } = body;
  const payload = { ...asked, sendAt: dueAt.toISOString() };
  const call = { ...withoutDetailFields(asked), details };
  const keyed: KeyContext = { ...context, caller: { ...caller, idempotencyKey: key } };
  return withStoredAnswer(keyed, 'post /send', payload, async ({ em: tx }) => {
    if (key !== undefined && (await isKeyUsed(tx, project.id, key))) throw keyReused();
    const contact = call.contactId ? ((await findContact(tx, project.id, call.contactId)) ?? notFound('contact')) : undefined;
    const brand = call.brand ?? contact?.brand_id ?? project.default_brand;
    if (!brand) throw noBrand();
    const id = newId();
    const { ip, userAgent } = caller;
    const row = {
      ...{ id, project_id: project.id, due_at: dueAt, call, caller: { ip, userAgent } },
      ...{
        contact_id: contact?.id ?? null,
        to_email: contact?.email ?? (readMailbox(call.to as string)?.email as string),
        brand_id: brand,
      },
      ...{ template: call.template ?? NO_TEMPLATE, type, subject: call.subject ?? '', sandboxed: context.isTestKey },
    };
    await scheduleSends(tx, project.id, [row]);
    return new Answer(202, { ok: true, ...z.encode(ScheduledReply, { id, status: 'scheduled', sendAt: dueAt }) });
  });
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
    await keepLonger(context, id, sendAt);
    await moveScheduledSend(context.em, context.project.id, id, sendAt);
    return { id, status: 'scheduled' as const, sendAt };
  },
});

/** Its attachments are kept from when it goes. One that is gone already shows in its row then. */
async function keepLonger({ em, project, files, filesKeptMs }: KeyContext, id: string, sendAt: Date): Promise<void> {
  const waiting = await findScheduled(em, project.id, id);
  const until = new Date(sendAt.getTime() + filesKeptMs);
  for (const { sha256 } of waiting?.call.details?.attachments ?? []) await files.prolong(em, project.id, sha256, until);
}

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
