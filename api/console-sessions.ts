import type Koa from 'koa';
import { forkUntil } from '../db/deadline.ts';
import type { RequestProject } from '../db/queries/projects/api-keys.ts';
import {
  type ConsoleSessionRecord,
  endConsoleSession,
  endConsoleSessionById,
  listConsoleSessions,
  openConsoleSession,
} from '../db/queries/projects/console-sessions.ts';
import { MAX_USER_AGENT_LENGTH } from '../domain/contacts/contact.ts';
import { Refusal } from '../domain/errors.ts';
import { SESSION_MS } from '../domain/projects/console-sessions.ts';
import { holderOfKey, refuseSuspended } from './admission.ts';
import type { AppOptions, RequestState } from './app-options.ts';
import { demandSessionHeader, findSession, holderOfSession, sessionSecret, setSessionCookie } from './console-session-cookie.ts';
import { PathId } from './schemas.ts';
import { methodNotAllowed } from './unrouted.ts';

type Context = Koa.ParameterizedContext<RequestState>;
type Payload = Readonly<Record<string, unknown>>;
type Handler = (ctx: Context, options: AppOptions, id: string) => Promise<Payload>;

const OWN = '/console/session';
const ALL = '/console/sessions';

/**
 * Sessions of the console, docs/contract/identity.md 18 to 24, answered in the envelope of the API.
 * /console/session is that of the browser: POST with a key signs in, GET tells who is signed in, DELETE signs out.
 * /console/sessions are those of its key: GET lists them, DELETE /console/sessions/:id ends one.
 */
export function consoleSessions(options: AppOptions): Koa.Middleware<RequestState> {
  return async (ctx, next) => {
    const of = handlersOf(ctx.path);
    if (!of) return next();
    const handler = of.handlers[ctx.method === 'HEAD' ? 'GET' : ctx.method];
    if (!handler) throw methodNotAllowed(ctx.method, Object.keys(of.handlers));
    ctx.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
    ctx.body = { ok: true, ...(await handler(ctx, options, of.id)) };
  };
}

function handlersOf(path: string): { readonly handlers: Readonly<Record<string, Handler>>; readonly id: string } | undefined {
  if (path === OWN) return { handlers: { GET: readOwn, POST: signIn, DELETE: signOut }, id: '' };
  if (path === ALL) return { handlers: { GET: list }, id: '' };
  if (path.startsWith(`${ALL}/`)) return { handlers: { DELETE: endOne }, id: path.slice(ALL.length + 1) };
  return undefined;
}

/** The key is in a header that no form can send, so nobody is signed in by another site. */
async function signIn(ctx: Context, options: AppOptions): Promise<Payload> {
  const { keyId, project } = await holderOfKey(ctx.get('authorization'), options.authenticate);
  refuseSuspended(project);
  if (options.rateLimit) ctx.set({ ...options.rateLimit.take(project.id) });
  const { newId, now, publicUrl } = options.services;
  const [id, at] = [newId(), now()];
  const userAgent = ctx.get('user-agent').slice(0, MAX_USER_AGENT_LENGTH) || undefined;
  const opened = { id, keyId, userAgent, replaces: sessionSecret(ctx, publicUrl) };
  const secret = await openConsoleSession(forkUntil(options.orm, ctx.state.deadline), opened, at);
  setSessionCookie(ctx, publicUrl, secret);
  ctx.status = 201;
  return { session: shownOwn({ id, created_at: at }, project) };
}

async function readOwn(ctx: Context, options: AppOptions): Promise<Payload> {
  const holder = await findSession(ctx, options);
  if (!holder) throw new Refusal('unauthorized', 'nobody is signed in: POST with Authorization: Bearer <key> signs in');
  return { session: shownOwn(holder.session, holder.project) };
}

/** Ends the session of the cookie, whichever the page shows; done already is as good. */
async function signOut(ctx: Context, options: AppOptions): Promise<Payload> {
  demandSessionHeader(ctx);
  const { publicUrl } = options.services;
  const secret = sessionSecret(ctx, publicUrl);
  const deleted = secret !== undefined && (await endConsoleSession(forkUntil(options.orm, ctx.state.deadline), secret));
  setSessionCookie(ctx, publicUrl, undefined);
  return { deleted };
}

async function list(ctx: Context, options: AppOptions): Promise<Payload> {
  const { keyId, session } = await holderOfSession(ctx, options);
  const found = await listConsoleSessions(forkUntil(options.orm, ctx.state.deadline), { keyId }, options.services.now());
  return { sessions: found.map((one) => shown(one, session.id)) };
}

async function endOne(ctx: Context, options: AppOptions, text: string): Promise<Payload> {
  const { keyId } = await holderOfSession(ctx, options);
  const { success, data: id = '' } = PathId.safeParse(text);
  if (!success || !(await endConsoleSessionById(forkUntil(options.orm, ctx.state.deadline), id, keyId))) {
    throw new Refusal('not_found', 'no such session of this key; GET /console/sessions lists them');
  }
  return { deleted: true };
}

function shownOwn({ id, created_at }: Pick<ConsoleSessionRecord, 'id' | 'created_at'>, { slug }: RequestProject): Payload {
  return { id, project: slug, created_at, ends_at: new Date(created_at.getTime() + SESSION_MS) };
}

function shown({ key_id: _, ...session }: ConsoleSessionRecord, own: string): Payload {
  return { ...session, is_current: session.id === own };
}
