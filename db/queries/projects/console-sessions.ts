import { sql } from 'kysely';
import { MOST_SESSIONS, SESSION_IDLE_MS, SESSION_MS } from '../../../domain/projects/console-sessions.ts';
import { randomBase62, sha256 } from '../../../domain/projects/crypto.ts';
import { ConsoleSession, type ConsoleSessionRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';
import { HOLDER, type HolderRow, holderOf, isUseToNote, type KeyHolder, noteKeyUse } from './api-keys.ts';

/** A session without what would let anybody in. */
export type ConsoleSessionRecord = Omit<ConsoleSessionRow, 'hash'>;

/** Who is at the console. */
export interface SessionHolder extends KeyHolder {
  readonly session: Pick<ConsoleSessionRow, 'id' | 'created_at'>;
}

export interface NewConsoleSession {
  readonly id: string;
  readonly keyId: string;
  readonly userAgent: string | undefined;
  /** The secret of the session that this one takes the place of. */
  readonly replaces: string | undefined;
}

/** The secret is in the answer and nowhere else: only its SHA-256 is stored. Ends the sessions beyond the limit of the key. */
export async function openConsoleSession(em: EntityManager, input: NewConsoleSession, now: Date): Promise<string> {
  const { id, keyId, userAgent, replaces } = input;
  const secret = randomBase62(32);
  await em.transactional(async (tx) => {
    if (replaces !== undefined) await endConsoleSession(tx, replaces);
    const at = { created_at: now, last_used_at: now };
    await tx.insert(ConsoleSession, { id, key_id: keyId, hash: sha256(secret), user_agent: userAgent ?? null, ...at });
    await rows(
      tx,
      sql`
        delete from console_sessions where id in (
          select id from console_sessions where key_id = ${keyId} order by last_used_at desc, id desc offset ${MOST_SESSIONS})`,
    );
  });
  return secret;
}

/** Asked on every call of the console, so that a session ends with its key; undefined when there is none, or no longer. A use is noted. */
export async function findConsoleSession(em: EntityManager, secret: string, now: Date): Promise<SessionHolder | undefined> {
  const found = await row(
    em,
    sql<HolderRow & { session_id: string; session_created_at: Date; session_used_at: Date }>`
      select s.id as session_id, s.created_at as session_created_at, s.last_used_at as session_used_at, ${HOLDER}
      join console_sessions s on s.key_id = k.id where s.hash = ${sha256(secret)} and k.revoked_at is null and ${isOpenAt(now)}`,
  );
  if (!found) return undefined;
  const { session_id: id, session_created_at: created_at, session_used_at, ...holder } = found;
  if (isUseToNote(session_used_at, now)) await em.nativeUpdate(ConsoleSession, { id }, { last_used_at: now });
  if (isUseToNote(holder.key_used_at, now)) await noteKeyUse(em, [holder.key_id], now);
  return { ...holderOf(holder), session: { id, created_at } };
}

/** Those that are open, of a key or of all keys of a project that work, the latest used first. */
export async function listConsoleSessions(
  em: EntityManager,
  of: { readonly keyId: string } | { readonly projectId: string },
  now: Date,
): Promise<ConsoleSessionRecord[]> {
  const whose = 'keyId' in of ? sql`k.id = ${of.keyId}` : sql`k.project_id = ${of.projectId}`;
  return rows(
    em,
    sql<ConsoleSessionRecord>`
      select s.id, s.key_id, s.user_agent, s.created_at, s.last_used_at from console_sessions s join api_keys k on k.id = s.key_id
      where ${whose} and k.revoked_at is null and ${isOpenAt(now)} order by s.last_used_at desc, s.id desc`,
  );
}

/** Whether there was one with this secret. */
export async function endConsoleSession(em: EntityManager, secret: string): Promise<boolean> {
  return (await em.nativeDelete(ConsoleSession, { hash: sha256(secret) })) === 1;
}

/** Whether there was one with this id, and of this key where one is named. */
export async function endConsoleSessionById(em: EntityManager, id: string, keyId?: string): Promise<boolean> {
  return (await em.nativeDelete(ConsoleSession, { id, ...(keyId === undefined ? {} : { key_id: keyId }) })) === 1;
}

function isOpenAt(now: Date) {
  const [begun, used] = [SESSION_MS, SESSION_IDLE_MS].map((ms) => new Date(now.getTime() - ms));
  return sql`s.created_at > ${begun} and s.last_used_at > ${used}`;
}
