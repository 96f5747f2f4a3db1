import type { ScheduledSendRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { enqueue, scheduledStart } from '../../db/queries/operations/outbox.ts';
import {
  deleteScheduled,
  insertScheduled,
  isOpened,
  type KeyHolder,
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
  readonly request: MailRequest;
  readonly dueAt: Date;
  readonly call: SendCall;
}

/** Calls that are kept by one transaction. */
const KEPT_AT_ONCE = 100;

/**
 * Keeps the mails of a project's calls until they are due; under a key once, however often and for however long it is asked for. Answers with the
 * result of each, in their order: rejected with its Refusal is a mail that could not be made now, as one that is sent at once.
 */
export async function scheduleCalls(
  em: EntityManager,
  projectId: string,
  calls: readonly LaterCall[],
  newId: () => string,
): Promise<PromiseSettledResult<ScheduledCall>[]> {
  const settled = new Map<LaterCall, PromiseSettledResult<ScheduledCall>>();
  for (let left = calls; left.length > 0; left = left.filter((call) => !settled.has(call))) {
    // A key that another call has, here or beside this, is looked for when that one is through.
    const portion = firstOfEachKey(left).slice(0, KEPT_AT_ONCE);
    try {
      for (const { request } of portion) request.deadline?.throwIfAborted();
      const kept = await em.transactional((tx) => keepOnce(tx, projectId, portion, newId));
      for (const [call, result] of kept) settled.set(call, result);
    } catch (reason) {
      for (const call of portion) settled.set(call, { status: 'rejected', reason });
    }
  }
  return calls.map((call) => settled.get(call) as PromiseSettledResult<ScheduledCall>);
}

function firstOfEachKey(calls: readonly LaterCall[]): LaterCall[] {
  const keys = new Set<string>();
  return calls.filter(({ request: { identity } }) => {
    if (identity.by !== 'key') return true;
    const isFirst = !keys.has(identity.key);
    keys.add(identity.key);
    return isFirst;
  });
}

/** Those that have their result: without those whose key another call was first with, who can be seen now. */
async function keepOnce(
  tx: EntityManager,
  projectId: string,
  calls: readonly LaterCall[],
  newId: () => string,
): Promise<Map<LaterCall, PromiseSettledResult<ScheduledCall>>> {
  const requests = calls.map(({ request }) => request);
  const facts = await readSendFacts(tx, requests);
  const holders = await keyHolders(tx, projectId, requests, facts);
  const kept = new Map<LaterCall, PromiseSettledResult<ScheduledCall>>();
  const rows = new Map<string, { readonly call: LaterCall; readonly row: NewScheduledSend }>();
  for (const [place, call] of calls.entries()) {
    const { request, ...later } = call;
    const holder = holders[place];
    try {
      // Before all else: an answer once given stays, whatever was changed since.
      if (holder) kept.set(call, fulfilled(answerOfHolder(holder, request)));
      else {
        const row = waitingRow(request, facts[place] as SendFacts, { ...later, newId });
        rows.set(row.id, { call, row });
      }
    } catch (reason) {
      kept.set(call, { status: 'rejected', reason });
    }
  }
  if (rows.size === 0) return kept;
  const { written, isFirst } = await insertScheduled(
    tx,
    projectId,
    [...rows.values()].map(({ row }) => row),
  );
  if (written.length > 0 && isFirst) await enqueue(tx, projectId, [scheduledStart(projectId)]);
  for (const id of written) kept.set(rows.get(id)!.call, fulfilled({ state: 'waiting', id, replayed: false }));
  return kept;
}

/** For each request the mail that has its key; undefined where none has, and of one without a key. */
async function keyHolders(
  tx: EntityManager,
  projectId: string,
  requests: readonly MailRequest[],
  facts: readonly SendFacts[],
): Promise<(KeyHolder | undefined)[]> {
  const keys = requests.map(({ identity }) => (identity.by === 'key' ? identity.key : undefined));
  const holders = keys.map((key, place) => (key === undefined ? undefined : (facts[place]?.waiting ?? facts[place]?.known)));
  const unknown = keys.flatMap((key, place) => (key === undefined || holders[place] ? [] : [key]));
  const before = await scheduledBefore(tx, projectId, unknown);
  return keys.map((key, place) => holders[place] ?? (key === undefined ? undefined : before.get(key)));
}

function answerOfHolder({ id, request_hash: hash }: KeyHolder, { identity }: MailRequest): ScheduledCall {
  const isSame = hash && identity.by === 'key' && identity.requestHash.equals(hash);
  return isSame ? { state: 'waiting', id, replayed: true } : { state: 'key_reused' };
}

function fulfilled(value: ScheduledCall): PromiseFulfilledResult<ScheduledCall> {
  return { status: 'fulfilled', value };
}

function waitingRow(
  request: MailRequest,
  { contact, setting }: SendFacts,
  { dueAt, call, newId }: Omit<LaterCall, 'request'> & { readonly newId: () => string },
): NewScheduledSend {
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
    throw new Refusal('invalid_status', 'this email is no longer scheduled: it is being sent, or was');
  return notFound('send');
}
