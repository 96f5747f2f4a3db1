import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from '../../db/orm.ts';
import {
  type DueSend,
  deleteScheduled,
  nextDueInMs,
  offerPutOff,
  putOffScheduled,
  schedulingProject,
  takeDue,
  waitingIn,
} from '../../db/queries/sends/scheduled-sends.ts';
import { sha256 } from '../../domain/projects/crypto.ts';
import { NO_TEMPLATE } from '../../domain/sends/send.ts';
import type { OwnContents } from '../../sending/compose/own-contents.ts';
import type { TemplateProject, TemplateRegistry } from '../../sending/compose/template-registry.ts';
import type { Sending } from '../../sending/sending.ts';
import type { ScheduledRequest, ScheduledResult } from '../../sending/sources/scheduled.ts';
import type { ScheduledReport } from '../../workflows/contracts.ts';
import { broughtBy, callRequest } from './call-request.ts';

export interface SendDueDeps {
  readonly sending: Pick<Sending, 'sendScheduled'>;
  readonly registry: TemplateRegistry;
  readonly contents: OwnContents;
  readonly now: () => Date;
}

/** How long a turn lasts, and what ends it early. */
export interface Turn {
  readonly milliseconds: number;
  /** Begins with what was put off. */
  readonly retryNow: boolean;
  readonly signal: AbortSignal;
  /** After each batch. */
  readonly progress: (soFar: { readonly sent: number; readonly failed: number }) => void;
}

/** Mails that are taken, opened and submitted together. */
const BATCH = 100;

/** Sends what is due in a project, batch after batch, until its turn is over, nothing is due, or the provider is away. */
export async function sendDue(em: EntityManager, deps: SendDueDeps, projectId: string, turn: Turn): Promise<ScheduledReport> {
  const ends = performance.now() + turn.milliseconds;
  const made = { sent: 0, failed: 0 };
  let away: { message: string; seconds: number } | undefined;
  let project = await schedulingProject(em, projectId);
  if (turn.retryNow && project?.heldBy === null) await offerPutOff(em, projectId);
  while (project?.heldBy === null && !away && performance.now() < ends && !turn.signal.aborted) {
    const due = await takeDue(em, projectId, BATCH);
    if (due.length > 0) {
      away = await sendBatch(em, deps, project, due, made);
      turn.progress(made);
      continue;
    }
    if (!(await isDueSoon(em, projectId, turn.signal))) break;
    // Nothing is taken of one that was suspended meanwhile.
    project = await schedulingProject(em, projectId);
  }
  const { count, nextInMs } = await waitingIn(em, projectId);
  return { ...made, waiting: count, nextInMs, ...(project?.heldBy ? { heldBy: project.heldBy } : {}), ...(away ? { away } : {}) };
}

/** What is due so soon is waited for: a timer of Temporal may be a second late. */
const SOON_MS = 2_000;

async function isDueSoon(em: EntityManager, projectId: string, signal: AbortSignal): Promise<boolean> {
  const nextInMs = await nextDueInMs(em, projectId);
  if (nextInMs === null || nextInMs > SOON_MS) return false;
  await sleep(Math.max(1, Math.ceil(nextInMs)), undefined, { signal }).catch(() => undefined);
  return true;
}

/** Of a mail that could not be asked about just now, as when the database was away for a moment. */
const BROKEN = { state: 'later', message: 'not tried', seconds: 5 } as const;

/** Returns what the provider said when it took none of them now. Throws what went wrong with one of them, when the others are settled. */
async function sendBatch(
  em: EntityManager,
  { sending, registry, contents, now }: SendDueDeps,
  project: TemplateProject,
  taken: readonly DueSend[],
  made: { sent: number; failed: number },
): Promise<{ message: string; seconds: number } | undefined> {
  const due = taken.filter((send) => !send.is_given_up);
  const entries = new Map<string, Awaited<ReturnType<TemplateRegistry['find']>>>();
  for (const { template } of due)
    if (template !== NO_TEMPLATE && !entries.has(template)) entries.set(template, await registry.find(em, project, template));
  const requests = await Promise.all(
    due.map(async (send): Promise<ScheduledRequest> => {
      const brought = broughtBy(send.call);
      const content = brought && (await contents.ready(project.id, brought));
      // What was ready when it was asked for is so now, but for a later release that compiles otherwise: such a mail fails.
      const ready = content && !('issues' in content) ? { content } : {};
      return { ...requestOf(send, entries.get(send.template), now()), ...ready };
    }),
  );
  const results = await sending.sendScheduled(requests);
  const later: { id: string; seconds: number; message: string }[] = [];
  const settled = taken.filter((send) => send.is_given_up).map(({ id }) => id);
  for (const [index, { id }] of due.entries()) {
    const result = results[index] as PromiseSettledResult<ScheduledResult>;
    // Under its key it is the same mail when it is taken again.
    const value: ScheduledResult = result.status === 'fulfilled' ? result.value : BROKEN;
    if (value.state === 'later') later.push({ id, ...value });
    if (value.state !== 'sent' && value.state !== 'failed') continue;
    made[value.state]++;
    settled.push(id);
  }
  await deleteScheduled(em, settled);
  await putOffScheduled(em, later);
  const broken = results.find((result) => result.status === 'rejected');
  if (broken) throw broken.reason;
  return later.length === taken.length ? later[0] : undefined;
}

/** The consent of a contact that it makes is that of who asked for it. */
function requestOf(send: DueSend, entry: ScheduledRequest['entry'], now: Date): ScheduledRequest {
  return {
    ...callRequest(send.project_id, entry, send.call),
    sendId: send.id,
    isSandboxed: send.sandboxed,
    identity: identityOf(send),
    caller: { ip: send.caller.ip, userAgent: send.caller.userAgent },
    overdueMs: Math.max(0, now.getTime() - send.due_at.getTime()),
  };
}

/** As that of a mail that was sent at once. */
function identityOf({ id, idempotency_key, request_hash, lacks_key }: DueSend): ScheduledRequest['identity'] {
  if (idempotency_key !== null && request_hash !== null && !lacks_key)
    return { by: 'key', key: idempotency_key, requestHash: Buffer.from(request_hash) };
  const key = `scheduled/${id}`;
  return { by: 'key', key, requestHash: sha256(key) };
}
