import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { RouterContext } from '@koa/router';
import type Koa from 'koa';
import * as z from 'zod';
import { forkUntil } from '../db/deadline.ts';
import type { KeyHolder } from '../db/queries/projects/api-keys.ts';
import { MAX_USER_AGENT_LENGTH } from '../domain/contacts/contact.ts';
import { invalidRequest, Refusal } from '../domain/errors.ts';
import { issuesOf } from '../domain/issues.ts';
import { grants, type Scope } from '../domain/projects/scopes.ts';
import { keepRefusedEntry } from '../usecases/sequences/refused-entries.ts';
import { holderOfKey, refuseSuspended, refuseUnverifiedOwner, refuseWithoutScope } from './admission.ts';
import type { AppOptions, RequestState } from './app-options.ts';
import { holderOfSession } from './console-session-cookie.ts';
import { MAX_KEY_LENGTH, withStoredAnswer } from './idempotency.ts';
import { ignoredNames, refusedWith, withWarnings } from './ignored-names.ts';
import { callingAddress } from './middleware/caller.ts';
import { type LargeBodies, readJsonWithContents } from './middleware/json-with-contents.ts';
import { bodyPieces, readBody, readJson } from './middleware/read-json.ts';
import { REQUEST_SECONDS } from './middleware/time-limit.ts';
import { createPlaces } from './places.ts';
import { Answer, type Caller, type KeyContext, type PublicContext, type Route } from './route.ts';
import { noTestKey, takesTestKey } from './test-keys.ts';

type Context = Koa.ParameterizedContext<RequestState> & RouterContext<RequestState>;

const IDEMPOTENCY_KEY = new RegExp(String.raw`^[\x21-\x7e]{1,${MAX_KEY_LENGTH}}$`);

/** Of a body with large attachments: 30 MB by a line of a megabit a second. */
const LARGE_BODY_SECONDS = 240;

/** Runs one declared route: key, project, rate, scope, headers, body, use case, answer, in the order of docs/contract/http.md 8. */
export function serveRoute(route: Route, options: AppOptions): Koa.Middleware<RequestState> {
  const respond = async (ctx: Context): Promise<void> => {
    const context: PublicContext = {
      ...options.services,
      em: forkUntil(options.orm, ctx.state.deadline),
      log: options.log.child({ requestId: ctx.state.requestId }),
      caller: callerOf(ctx, options),
      rawRequest: async () => ({ body: await readBody(ctx, ctx.state.deadline), header: (name) => ctx.get(name) || undefined }),
      mayTake: ctx.state.mayTake,
      streamedBody: (mostMb) => ({ contentType: ctx.get('content-type'), pieces: bodyPieces(ctx, mostMb, ctx.state.deadline) }),
    };
    const full = route.scope === 'public' ? context : await admit(ctx, route.scope, route, context, options);
    if (route.seconds !== undefined) ctx.state.mayTake(route.seconds);
    let ignored = ignoredNames(route, ctx.query, undefined);
    try {
      // In this order, as each may refuse: what is wrong with a body is told before an id that nobody has.
      const query = readQuery(route, { ...ctx.query });
      await using body = route.hasAttachments
        ? await readJsonWithContents(ctx, route, ctx.state.deadline, largeBody(ctx, full as KeyContext))
        : undefined;
      const given = body ? body.value : route.body && !route.hasSignedBody ? await bodyOf(route, ctx) : undefined;
      const schema = route.bodyFor?.(query) ?? route.body;
      ignored = ignoredNames(route, ctx.query, given, route.bodyFor ? schema : undefined);
      const asked = given === undefined ? undefined : parse(schema, given, route.arrayName);
      const answer = await answerOf(route, full, { params: parsePath(route.params, ctx.params), query, body: asked });
      ctx.status = answer.status;
      ctx.set({ ...answer.headers });
      ctx.body = withWarnings(answer, ignored);
      if (answer.body instanceof Readable) boundStream(ctx.res, answer.body);
    } catch (error) {
      throw refusedWith(error, ignored);
    }
  };
  return (ctx) => respond(ctx as unknown as Context);
}

/** Longer than this nobody reads an answer: 25 MB by a line of 400 kbit/s. */
const STREAM_MS = 600_000;

/** What breaks off, or is read too slowly, ends with its connection: the caller sees that it has a part only. */
function boundStream(response: ServerResponse, body: Readable): void {
  const cut = (): unknown => response.destroy();
  const timer = setTimeout(cut, STREAM_MS);
  body.once('error', cut);
  response.once('close', () => clearTimeout(timer));
}

async function answerOf(
  route: Route,
  context: PublicContext,
  input: { readonly params: unknown; readonly query: unknown; readonly body: unknown },
): Promise<Answer> {
  const handle = async (within: PublicContext): Promise<Answer> => {
    const payload = await (route.handle as (context: PublicContext, input: unknown) => Promise<unknown>)(within, input);
    return payload instanceof Answer ? payload : new Answer(route.status, { ok: true, ...encodeReply(route, payload) });
  };
  try {
    return await (route.idempotency === 'stored'
      ? withStoredAnswer(context as KeyContext, routeName(route, input.params), input, handle)
      : handle(context));
  } catch (error) {
    await keepRefusedEntry(context.em, error, context.newId);
    throw error;
  }
}

const largeBodies = createPlaces('large emails', { each: 4, all: 32 });

/** One at a time has its place and its time, and then the usual time for what it asks. */
function largeBody({ state }: Context, { project, files }: KeyContext): LargeBodies {
  return {
    spool: (source, most) => files.spool(source, most),
    enter() {
      const release = largeBodies.take(project.id);
      state.mayTake(LARGE_BODY_SECONDS);
      return () => {
        release();
        state.mayTake(REQUEST_SECONDS);
      };
    },
  };
}

async function bodyOf({ isBodyOptional, ...arrays }: Route, ctx: Context): Promise<unknown> {
  const { 'content-length': length, 'transfer-encoding': encoding } = ctx.req.headers;
  const isAbsent = encoding === undefined && Number(length ?? 0) === 0;
  return isBodyOptional && isAbsent ? {} : readJson(ctx, arrays, ctx.state.deadline);
}

async function admit(
  ctx: Context,
  scope: Scope | 'any key',
  route: Route,
  context: PublicContext,
  options: AppOptions,
): Promise<KeyContext> {
  const { keyId, project, scopes, isTest } = await holderOf(ctx, options);
  refuseSuspended(project);
  if (options.rateLimit) ctx.set({ ...options.rateLimit.take(project.id) });
  const hasScope = (needed: Scope): boolean => grants(scopes, needed);
  const demandScope = (needed: Scope): void => refuseWithoutScope(scopes, needed);
  if (scope !== 'any key') demandScope(scope);
  if (isTest && !takesTestKey(route, project)) throw noTestKey();
  if (route.needsVerifiedOwner) refuseUnverifiedOwner(project);
  const caller = { ...context.caller, idempotencyKey: idempotencyKeyOf(ctx, route) };
  return { ...context, keyId, isTestKey: isTest, project, scopes, demandScope, hasScope, caller };
}

/** By the session of the console where the call came by its path, by a key everywhere else. */
function holderOf(ctx: Context, options: AppOptions): Promise<KeyHolder> {
  return ctx.state.isOfConsole ? holderOfSession(ctx, options) : holderOfKey(ctx.get('authorization'), options.authenticate);
}

function callerOf(ctx: Context, options: AppOptions): Caller {
  return {
    ip: callingAddress(ctx.req, options.trustedProxies),
    userAgent: ctx.get('user-agent').slice(0, MAX_USER_AGENT_LENGTH) || undefined,
    requestId: ctx.state.requestId,
    idempotencyKey: undefined,
    deadline: ctx.state.deadline,
  };
}

function idempotencyKeyOf(ctx: Context, route: Route): string | undefined {
  const key = ctx.req.headers['idempotency-key'];
  if (!route.idempotency || key === undefined) return undefined;
  if (typeof key !== 'string' || !IDEMPOTENCY_KEY.test(key)) {
    throw new Refusal('invalid_idempotency_key', `Idempotency-Key: 1 to ${MAX_KEY_LENGTH} visible ASCII characters`);
  }
  return key;
}

/** The address of what the key guards: the same key on another sequence is another call. */
function routeName(route: Route, params: unknown): string {
  return `${route.method} ${route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent((params as Record<string, string>)[name] ?? ''))}`;
}

/** PostgreSQL holds no NUL, so nothing that is searched for has one. A page for people says by itself what is wrong with its link. */
function readQuery(route: Route, given: Readonly<Record<string, unknown>>): unknown {
  const query = parse(route.query, given);
  if (route.answersAs === 'text/html') return query;
  const names = Object.entries(query ?? {}).flatMap(([name, value]) => (String(value).includes('\0') ? name : []));
  if (names.length > 0) throw invalidRequest(names.map((path) => ({ path, message: 'NUL characters are not possible' })));
  return query;
}

/** An id that cannot be one is answered like one that nobody has: docs/contract/http.md 18. */
function parsePath(schema: z.ZodType | undefined, params: Readonly<Record<string, string>>): unknown {
  if (!schema) return undefined;
  const parsed = schema.safeParse(params);
  if (!parsed.success) {
    const why = issuesOf(parsed.error).map(({ path, message }) => `${path}: ${message}`);
    throw new Refusal('not_found', `no such resource in this project; ${why.join('; ')}`);
  }
  if (Object.values(params).some((value) => value.includes('\0'))) throw new Refusal('not_found', 'no such resource in this project');
  return parsed.data;
}

function parse(schema: z.ZodType | undefined, value: unknown, root = ''): unknown {
  if (!schema) return undefined;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalidRequest(issuesOf(parsed.error, Array.isArray(value) ? root : ''));
}

function encodeReply(route: Route, payload: unknown): object {
  const encoded = z.safeEncode(route.reply, payload as never);
  if (!encoded.success) throw new Error(`${route.method} ${route.path} answered outside its schema: ${z.prettifyError(encoded.error)}`);
  return encoded.data as object;
}
