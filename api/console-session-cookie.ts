import type Koa from 'koa';
import { forkUntil } from '../db/deadline.ts';
import { findConsoleSession, type SessionHolder } from '../db/queries/projects/console-sessions.ts';
import { Refusal } from '../domain/errors.ts';
import { isSessionSecret } from '../domain/projects/console-sessions.ts';
import { sha256 } from '../domain/projects/crypto.ts';
import type { AppOptions, RequestState } from './app-options.ts';

type Context = Koa.ParameterizedContext<RequestState>;
type Given = Pick<AppOptions, 'orm' | 'services'>;

/**
 * Names the session that the page shows. A form cannot send it, and another site only after a question (CORS) that is always answered no; and
 * what was meant for one project does not reach another that somebody has signed in to meanwhile.
 */
export const SESSION_HEADER = 'everpost-session';

/** The key of the session that came with a call. Throws unauthorized when there is none, or it is not the one that the header names. */
export async function holderOfSession(ctx: Context, given: Given): Promise<SessionHolder> {
  const named = demandSessionHeader(ctx);
  const holder = await findSession(ctx, given);
  if (holder?.session.id === named) return holder;
  throw new Refusal(
    'unauthorized',
    holder ? 'another session took the place of this one' : 'no such session: it ended, or its key was revoked',
  );
}

/** What the header says. Throws unauthorized without it, whatever the cookie says. */
export function demandSessionHeader(ctx: Context): string {
  const named = ctx.get(SESSION_HEADER);
  if (named) return named;
  throw new Refusal(
    'unauthorized',
    'calls of the console name their session in the header Everpost-Session; programs call /api/v1 with a key',
  );
}

/** Whose session the cookie is of; undefined without one that is open. */
export async function findSession(ctx: Context, { orm, services }: Given): Promise<SessionHolder | undefined> {
  const secret = sessionSecret(ctx, services.publicUrl);
  return secret === undefined ? undefined : findConsoleSession(forkUntil(orm, ctx.state.deadline), secret, services.now());
}

/** What the cookie has, which may be of no session. Of two neither is believed: another host of the domain has set one of them. */
export function sessionSecret(ctx: Context, publicUrl: string): string | undefined {
  const start = `${cookieName(publicUrl)}=`;
  const cookies = ctx.get('cookie').split(/; */);
  const [value, another] = cookies.filter((cookie) => cookie.startsWith(start)).map((cookie) => cookie.slice(start.length));
  return value !== undefined && another === undefined && isSessionSecret(value) ? value : undefined;
}

/**
 * Gives the browser the secret of a session, or, with undefined, takes it away. It is kept until the browser ends. No Path is said: it is then
 * the folder of the address that sets it, as the browser knows it, with the prefix that a proxy may have put before `/console`.
 */
export function setSessionCookie(ctx: Context, publicUrl: string, secret: string | undefined): void {
  const parts = [`${cookieName(publicUrl)}=${secret ?? ''}`, 'HttpOnly', 'SameSite=Strict'];
  if (publicUrl.startsWith('https:')) parts.push('Secure');
  if (secret === undefined) parts.push('Max-Age=0');
  ctx.append('Set-Cookie', parts.join('; '));
}

/** Cookies know no ports: two installations of one host would take each other's. */
function cookieName(publicUrl: string): string {
  return `everpost_${sha256(publicUrl).toString('hex').slice(0, 8)}`;
}
