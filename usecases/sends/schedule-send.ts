import type { ScheduledSendRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { enqueue, scheduledStart } from '../../db/queries/operations/outbox.ts';
import {
  deleteScheduled,
  insertScheduled,
  isOpened,
  lockScheduled,
  moveScheduled,
  type NewScheduledSend,
  scheduledBefore,
} from '../../db/queries/sends/scheduled-sends.ts';
import { readSendFacts, type SendFacts } from '../../db/queries/sends/send-facts.ts';
import { findSend } from '../../db/queries/sends/send-log.ts';
import { notFound, Refusal } from '../../domain/errors.ts';
import type { SendCall } from '../../domain/sends/send-call.ts';
import type { RegistryEntry } from '../../domain/templates/registry-entry.ts';
import { planForAll } from '../../sending/plan.ts';
import type { MailRequest } from '../../sending/request.ts';
import type { FileStore } from '../files/file-store.ts';

/** What a call comes to that is to go later. `key_reused`: its key is that of another mail, or of the same with another payload. */
export type ScheduledCall =
  | { readonly state: 'waiting'; readonly id: string; readonly replayed: boolean }
  | { readonly state: 'key_reused' };

/** A call that is to go later, beside the mail that it asks for. */
export interface LaterCall {
  readonly dueAt: Date;
  readonly call: SendCall;
  readonly newId: () => string;
}

/**
 * Keeps the mail of a call until it is due; under a key once, however often and for however long it is asked for. Throws the Refusal of a mail that
 * could not be made now, as one that is sent at once.
 */
export async function scheduleCall(em: EntityManager, request: MailRequest, later: LaterCall): Promise<ScheduledCall> {
  for (;;) {
    request.deadline?.throwIfAborted();
    const kept = await em.transactional((tx) => scheduleOnce(tx, request, later));
    if (kept) return kept;
  }
}

/** undefined: another call with this key was first; who it is can be seen now. */
async function scheduleOnce(tx: EntityManager, request: MailRequest, later: LaterCall): Promise<ScheduledCall | undefined> {
  const { projectId, identity } = request;
  const [facts] = (await readSendFacts(tx, [request])) as [SendFacts];
  if (identity.by === 'key') {
    // Before all else: an answer once given stays, whatever was changed since.
    const holder = facts.waiting ?? facts.known ?? (await scheduledBefore(tx, projectId, identity.key));
    if (holder && !(holder.request_hash && identity.requestHash.equals(holder.request_hash))) return { state: 'key_reused' };
    if (holder) return { state: 'waiting', id: holder.id, replayed: true };
  }
  const waiting = waitingRow(request, facts, later);
  const { written, isFirst } = await insertScheduled(tx, projectId, [waiting]);
  if (written === 0) return undefined;
  if (isFirst) await enqueue(tx, projectId, [scheduledStart(projectId)]);
  return { state: 'waiting', id: waiting.id, replayed: false };
}

function waitingRow(request: MailRequest, { contact, setting }: SendFacts, { dueAt, call, newId }: LaterCall): NewScheduledSend {
  const { projectId, recipient, template, type, entry, subject, caller, identity, isSandboxed = false } = request;
  if ('contactId' in recipient && !contact) return notFound('contact');
  const { brand } = planForAll(request, setting);
  const [idempotency_key, request_hash] = identity.by === 'key' ? [identity.key, identity.requestHash] : [null, null];
  return {
    ...{ id: newId(), project_id: projectId, due_at: dueAt, call, caller: { ip: caller?.ip, userAgent: caller?.userAgent } },
    ...{ contact_id: 'contactId' in recipient ? recipient.contactId : null, brand_id: brand.slug, template },
    to_email: 'email' in recipient ? recipient.email : (contact?.email as string),
    ...{ type: type ?? (entry as RegistryEntry).type, subject: subject ?? '', sandboxed: isSandboxed, idempotency_key, request_hash },
  };
}

export interface MoveScheduledDeps {
  readonly em: EntityManager;
  readonly project: { readonly id: string };
  readonly files: Pick<FileStore, 'prolong'>;
  readonly filesKeptMs: number;
}

/** A mail that waits goes at another time. Throws not_found, and invalid_status where it is on its way or has gone. */
export async function moveScheduledSend(
  { em, project: { id: projectId }, files, filesKeptMs }: MoveScheduledDeps,
  id: string,
  dueAt: Date,
): Promise<void> {
  const until = new Date(dueAt.getTime() + filesKeptMs);
  await em.transactional(async (tx) => {
    const moved = await waiting(tx, projectId, id);
    // One that is gone already shows in the row of its mail then.
    for (const { sha256 } of moved.call.details?.attachments ?? []) await files.prolong(tx, projectId, sha256, until);
    if (await moveScheduled(tx, moved, dueAt)) await enqueue(tx, projectId, [scheduledStart(projectId)]);
  });
}

/**
 * After it has answered nothing of this mail leaves. Throws not_found, and invalid_status where it is on its way or has gone: whoever opens it
 * shares its row, which is locked here.
 */
export async function cancelScheduledSend(em: EntityManager, projectId: string, id: string): Promise<void> {
  await em.transactional(async (tx) => deleteScheduled(tx, [(await waiting(tx, projectId, id)).id]));
}

async function waiting(tx: EntityManager, projectId: string, id: string): Promise<ScheduledSendRow> {
  const found = await lockScheduled(tx, projectId, id);
  if (found && !(await isOpened(tx, id))) return found;
  if (found || (await findSend(tx, projectId, id)))
    throw new Refusal('invalid_status', 'this mail is no longer scheduled: it is being sent, or was');
  return notFound('send');
}
