import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Api, api, type Reply } from '../support/api.ts';
import type { TestProject } from '../support/project.ts';
import { must } from '../support/sequences.ts';

/**
 * Calls the API as docs/contract/http.md 27 advises, each time another process of it, until there is an answer that stays, or a key has been in progress
 * for all of the patience.
 */
export type Insist = (method: string, path: string, body: unknown, idempotencyKey?: string, patienceMs?: number) => Promise<Reply>;

const PATIENCE_MS = 150_000;
/** A process that was killed leaves the key of an event for its lease of ten minutes: nobody waits here for that. */
const EVENT_PATIENCE_MS = 20_000;
const PAUSE_BEFORE_RETRY_MS = 500;

export function insisting(urls: readonly string[], key: string): Insist {
  const apis = urls.map((url) => api(key, url));
  let turn = 0;
  return async (method, path, body, idempotencyKey, patienceMs = PATIENCE_MS) => {
    const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
    let last: Reply | Error | undefined;
    for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await sleep(PAUSE_BEFORE_RETRY_MS)) {
      const answer = await (apis[turn++ % apis.length] as Api).call(method, path, body, { headers }).catch((error: Error) => error);
      // Of the conflicts only a key whose call is under way is one that goes away.
      if (!(answer instanceof Error) && answer.status < 500 && answer.status !== 429 && answer.status !== 409) return answer;
      last = answer;
    }
    if (last && !(last instanceof Error) && last.body.code === 'idempotency_in_progress') return last;
    throw new Error(`${method} ${path} has no answer that stays: ${last instanceof Error ? last.message : JSON.stringify(last?.body)}`);
  };
}

/** What was asked for, and what was answered. */
export interface Done {
  /** POST /send, an address each. `outcomeUnknown`: answered `outcome_unknown`. */
  readonly sends: { readonly to: string; readonly outcomeUnknown: boolean }[];
  /** Addresses that are suppressed, to which a mail was refused. */
  readonly refused: string[];
  /** Who made an event that enrolls, once each. */
  readonly enrolled: string[];
  /** The same, whose call was cut off: it has happened or not. */
  readonly cutOff: string[];
  /** New contacts of the project that has an endpoint. */
  readonly contacts: string[];
}

export interface MixedLoad {
  /** Whose mails and enrollments these are. */
  readonly project: TestProject;
  readonly insist: Insist;
  /** The event type that enrolls. */
  readonly trigger: string;
  /** Who is told of its contacts. */
  readonly listener: { readonly project: TestProject; readonly insist: Insist };
}

/** Enough to meet every kill, and far from what the machine can do: what is tested is not speed. */
const CALLERS = 4;
const PAUSE_AFTER_CALL_MS = 150;
/** Calls of each come again and again in this order. */
const MIX = ['send', 'event', 'send', 'contacts', 'event', 'send', 'event', 'refused', 'send', 'segment'] as const;
const CONTACTS_A_CALL = 20;

/** Calls of every kind until it is over; each is answered before it ends. */
export async function mixedLoad(load: MixedLoad, isOver: () => boolean): Promise<Done> {
  const done: Done = { sends: [], refused: [], enrolled: [], cutOff: [], contacts: [] };
  let next = 0;
  const caller = async (): Promise<void> => {
    for (; !isOver(); await sleep(PAUSE_AFTER_CALL_MS)) await callOf(MIX[next++ % MIX.length]!, load, done);
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return done;
}

async function callOf(kind: (typeof MIX)[number], { project, insist, trigger, listener }: MixedLoad, done: Done): Promise<void> {
  const key = randomBytes(12).toString('hex');
  const to = project.address(kind);
  const mail = { template: 'receipt', type: 'transactional', to };
  if (kind === 'send') {
    const { status, body } = await insist('POST', '/send', mail, key);
    const outcomeUnknown = status === 422 && body.reason === 'outcome_unknown';
    if (status !== 200 && !outcomeUnknown) throw new Error(`POST /send was answered ${status}: ${JSON.stringify(body)}`);
    done.sends.push({ to, outcomeUnknown });
  } else if (kind === 'event') {
    const answer = await insist('POST', '/events', { type: trigger, email: to }, key, EVENT_PATIENCE_MS);
    if (answer.status === 409) return void done.cutOff.push(to);
    const { enrolled, duplicate } = must(answer, 200);
    if (enrolled !== 1 && !duplicate) throw new Error(`an event enrolled ${enrolled}`);
    done.enrolled.push(to);
  } else if (kind === 'refused') {
    must(await insist('POST', '/suppressions', { email: to }), 201);
    const { status, body } = await insist('POST', '/send', mail, key);
    if (status !== 422 || body.reason !== 'suppressed') throw new Error(`a suppressed address was answered ${status}`);
    done.refused.push(to);
  } else if (kind === 'segment') {
    // One whose answer was lost is there already.
    const { status, body } = await insist('POST', '/segments', { label: key, filter: { source: 'event' } });
    if (status !== 201 && status !== 422) throw new Error(`POST /segments was answered ${status}: ${JSON.stringify(body)}`);
  } else {
    done.contacts.push(...(await newContacts(listener, CONTACTS_A_CALL)));
  }
}

/** So many at once, each an event for the endpoint. */
export async function newContacts({ project, insist }: MixedLoad['listener'], count: number): Promise<string[]> {
  const emails = Array.from({ length: count }, () => project.address());
  must(
    await insist(
      'POST',
      '/contacts',
      emails.map((email) => ({ email })),
    ),
    200,
  );
  return emails;
}
